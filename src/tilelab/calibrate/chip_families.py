"""Families of published figures that programs on a whole chip give: of the NoC, and of DRAM."""

import re
from typing import Final

from tilelab.calibrate import chips, estimator, gemm, packets
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


def _zone(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    """A zone of noc_estimator's kernels."""
    if found["dram"]:
        kernel = estimator.DRAM_READ
    else:
        kernel = estimator.READ if found["op"] == "read" else estimator.WRITE
    same, stateful = "same axis" in row.what, bool(found["stateful"])
    what = estimator.Transfers(kernel, int(found["count"]), _size(found["size"]), same, stateful)
    return float(bench.once(("zone", arch, what), lambda: estimator.zone(bench, arch, what)))


def _asking(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    """Cycles by which a burst of reads is longer for each further read."""
    few, many = 16, 64
    bursts = [chips.read_burst(bench, arch, count, 64, "CYCLES") for count in (few, many)]
    return (bursts[1] - bursts[0]) / (many - few)


def _packet(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    kind = packets.READ if found["op"] == "read" else packets.WRITE
    return packets.a_packet(bench, arch, found["where"], kind, _size(found["size"]))


def _pairs(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    streams = packets.neighbours(arch, int(found["pairs"]), by_row="disjoint" in row.what)
    return packets.rate(bench, arch, streams)


def _senders(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    return packets.rate(bench, arch, packets.to_one(arch, int(found["senders"])))


def _increments(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    streams = packets.to_one(arch, int(found["senders"]), packets.INCREMENT)
    return max(packets.run(bench, arch, streams)) / sum(one.count for one in streams)


def _increment(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    return packets.a_packet(bench, arch, "x-near", packets.INCREMENT, 4)


def _alone(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    reads = "from" in found["test"] or found["op"] == "read"
    kind = packets.READ if reads else packets.WRITE
    if "Multicast" in found["test"]:
        kind = packets.LINKED if "Linked" in found["test"] else packets.MULTICAST
    return packets.rate(bench, arch, [packets.alone(arch, found["test"], kind)])


def _ceiling(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    return packets.rate(bench, arch, [packets.alone(arch, "DRAM", packets.READ)])


def _issued(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    (stream,) = packets.to_one(arch, 1, packets.INCREMENT)
    return packets.run(bench, arch, [stream])[0] / stream.count


def _placed(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    """All of a chip's banks, in gigabytes a second."""
    kind = packets.READ if found["op"] == "read" else packets.WRITE
    streams = packets.placed(arch, kind)
    if len(streams) != int(found["tiles"]):
        raise NotRunError(f"{found['tiles']} tiles: one for each of {len(streams)} banks is asked")
    clock: float = ARCHES[arch].figures.clock_mhz.value
    return packets.rate(bench, arch, streams) * clock / 1000


def _product(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    return gemm.utilisation(bench, arch, found)


STREAM: Final = r"(?P<count>\d+) writes of (?P<size>{size}) B \+ barrier, (?P<hops>\d+) round-trip"
FLOWS: Final = (
    r"two flows,? (?:sharing )?(?P<links>\d+) (?:shared|router) link\S*, (?P<size>{size}) B writes"
)
FEW, MANY = r"\d{1,3}", r"\d{4,}"
"""Sizes by their digits: what the loop that asks bounds, and what links do."""
ZONE: Final = (
    r"(?:L1|(?P<dram>DRAM)) ?(?:\(memory=2\) )?(?P<op>read|write)(?P<stateful> stateful)?,.*?"
    r"\b(?P<count>\d+) tx/barrier, (?P<size>{size}) B: whole zone"
)
"""A row of noc_latencies.yaml."""
FAMILIES: Final = (
    ("NoC issue loop", r"noc_async_read issue loop, marginal cycles/transaction", _asking),
    ("NoC zone", ZONE.format(size=r"\d+"), _zone),
    (
        "NoC packet",
        r"NoC0 blocking (?P<op>read|write) (?P<size>\d+) B, (?P<where>[x2yd]+-(?:near|far))",
        _packet,
    ),
    ("NoC packet", r"adjacent L1->L1(?: stream)?, (?P<pairs>\d+) pairs?\b", _pairs),
    ("NoC packet", r"(?P<pairs>\d+) streams on disjoint links", _pairs),
    ("NoC packet", r"same-target ingress, (?P<senders>\d+) senders", _senders),
    ("NoC packet", r"atomic same target, (?P<senders>\d+) initiators", _increments),
    ("NoC packet", r"blocking atomic, row", _increment),
    ("NoC packet", r"(atomic increment|semaphore inc), one initiator, pipelined", _issued),
    ("NoC packet", r"single-bank DRAM endpoint", _ceiling),
    (
        "NoC packet",
        r"(?P<test>DRAM|Loopback|One (?:to|from) (?:One|All)[\w ]*) Directed Ideal, riscv_\d"
        r"(?: \((?P<op>read|write)\))?: bandwidth lower bound",
        _alone,
    ),
    ("DRAM", r"(?P<tiles>12) Tensix tiles \(carefully\) <-> .*\((?P<op>\w+)\),.* NoC 0", _placed),
    ("NoC issue loop", STREAM.format(size=FEW), _barrier),
    ("NoC", STREAM.format(size=MANY), _barrier),
    ("NoC issue loop", FLOWS.format(size=FEW), _two_flows),
    ("NoC", FLOWS.format(size=MANY), _two_flows),
    ("DRAM", r"(?P<readers>\d+) reader\(s\), (?P<where>ONE DRAM channel), aggregate", _readers),
    ("GEMM", gemm.PATTERN, _product),
    ("DRAM of many", r"(?P<readers>\d+) reader\(s\), (?P<where>fanned out over)\b", _readers),
)
