"""Families of published figures that programs on a whole chip give: of the NoC, and of DRAM."""

import re
from typing import Final

from tilelab.calibrate import chips
from tilelab.calibrate.machine import NotRunError
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.rows import Row
from tilelab.tensix.arch import ARCHES


def _size(text: str) -> int:
    size = int(text)
    if not 0 < size <= chips.LARGEST:
        raise NotRunError(f"a transaction of {size} bytes: 1 to {chips.LARGEST} have room")
    return size


def _barrier(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    """A flow and its barrier, by how many hops there are, there and back."""
    if int(found["count"]) != chips.TRANSACTIONS:
        raise NotRunError(f"{found['count']} transactions: flows have {chips.TRANSACTIONS}")
    layout = ARCHES[arch].noc
    ways = {
        layout.width: (True, False),
        layout.height: (False, True),
        layout.width + layout.height: (True, True),
    }
    round_trip = int(found["hops"])
    if round_trip not in ways:
        raise NotRunError(f"a round trip on this chip has {' or '.join(map(str, ways))} hops")
    flow = chips.hops(arch, *ways[round_trip])
    size = _size(found["size"])
    key = ("flow", arch, round_trip, size)
    return float(bench.once(key, lambda: chips.written(bench, arch, [flow], size))[0])


def _two_flows(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    """Cycles of a transaction of two flows that share so many links, of nocbench's plan."""
    size = _size(found["size"])
    flows = chips.planned(bench, arch, f"{size}B/share{found['links']}")
    key = ("flows", arch, found["links"], size)
    return max(bench.once(key, lambda: chips.written(bench, arch, flows, size))) / (
        chips.TRANSACTIONS
    )


def _readers(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    readers, fanned = int(found["readers"]), found["where"].startswith("fanned")
    key = ("readers", arch, readers, fanned)
    return bench.once(key, lambda: chips.read_rate(bench, arch, readers, fanned))


STREAM: Final = r"(?P<count>\d+) writes of (?P<size>{size}) B \+ barrier, (?P<hops>\d+) round-trip"
FLOWS: Final = (
    r"two flows,? (?:sharing )?(?P<links>\d+) (?:shared|router) link\S*, (?P<size>{size}) B writes"
)
FEW, MANY = r"\d{1,3}", r"\d{4,}"
"""Sizes by their digits: what the loop that asks bounds, and what links do."""
FAMILIES: Final = (
    ("NoC issue loop", STREAM.format(size=FEW), _barrier),
    ("NoC", STREAM.format(size=MANY), _barrier),
    ("NoC issue loop", FLOWS.format(size=FEW), _two_flows),
    ("NoC", FLOWS.format(size=MANY), _two_flows),
    ("DRAM", r"(?P<readers>\d+) reader\(s\), (?P<where>ONE DRAM channel), aggregate", _readers),
    ("DRAM of many", r"(?P<readers>\d+) reader\(s\), (?P<where>fanned out over)\b", _readers),
)
