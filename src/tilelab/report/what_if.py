"""What a kernel would take if something were faster: said in words, and set on a tile."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tilelab.sim.errors import BadInputError
from tilelab.tensix.cycle import what_if
from tilelab.tensix.state.cycle_record import FREE
from tilelab.tensix.tables.units import FIDELITIES
from tilelab.tensix.tile.tile import Tile

RESOURCES = {
    "unpack": (what_if.UNPACK, "the unpackers' reads of L1"),
    "pack": (what_if.PACK, "the packers' writes to L1"),
    "thcon": (what_if.THCON, "the scalar unit"),
    "dst": (what_if.DST, "the wait for a block of Dst that was just written"),
    "mispredict": (what_if.MISPREDICT, "a branch that goes the other way"),
    "fetch": (what_if.FETCH, "instructions that are not in the cache"),
    "load": (what_if.LOAD, "the cores' loads"),
    "store": (what_if.STORE, "the cores' stores to L1"),
}
"""Name of what can be made faster, with its number and its meaning."""
FIDELITY = "fidelity"
PLACEMENT = "placement"
BETTER = "better"
"""Of a chip's recording: it, or the number of a shuffle."""
MOST_PLACEMENTS = 1000
WAYS = "NAME=free, NAME=0 or NAME=Nx, or fidelity=LoFi"


@dataclass(frozen=True)
class WhatIf:
    """What is to be faster. ``fidelity``: what the kernel is built anew with; "" as it is."""

    text: str
    speeds: tuple[tuple[int, int], ...] = field(default=())
    fidelity: str = ""
    placed: str = ""
    """Tiles of a chip are where they share links less (BETTER), or shuffled: a shuffle's number."""
    of_chip: tuple[tuple[int, int], ...] = ()
    """Parts of the chip, and how many times as fast, as ``speeds``."""


@dataclass(frozen=True)
class Supposed:
    """What came of it: the cycles it would take, and on a card; or why that is not known."""

    text: str
    cycles: int | None
    reason: str = ""
    low: int | None = None
    high: int | None = None
    advice: tuple[str, ...] = ()


def parse_what_if(text: str, parts: Mapping[str, tuple[int, ...]] | None = None) -> WhatIf:
    """Read ``unpack=free,thcon=2x``; BadInputError if it is written otherwise.

    ``parts``: of a chip, by name, for what cannot be built anew.
    """
    speeds: dict[int, int] = {}
    of_chip: dict[int, int] = {}
    fidelity, placed = "", ""
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if parts and name == PLACEMENT:
            placed = _placement(part, value)
        elif parts and name in parts:
            of_chip |= dict.fromkeys(parts[name], _factor(part, value))
        elif name == FIDELITY and parts is None and value in FIDELITIES:
            fidelity = value
        elif name == FIDELITY and parts is None:
            raise BadInputError(f"--what-if {part}: fidelity is one of {', '.join(FIDELITIES)}")
        elif name not in RESOURCES:
            known = ", ".join((*RESOURCES, *(parts or (FIDELITY,))))
            raise BadInputError(f"--what-if {part}: {name!r} is none of {known}")
        else:
            speeds[RESOURCES[name][0]] = _factor(part, value)
    return WhatIf(text, tuple(speeds.items()), fidelity, placed, tuple(of_chip.items()))


def _placement(part: str, value: str) -> str:
    if value != BETTER and not (value.isascii() and value.isdigit()):
        raise BadInputError(f"--what-if {part}: placement is {BETTER}, N or N..M")
    return value


def each_placement(texts: Iterable[str]) -> list[str]:
    """What-ifs with a range of placements, ``placement=1..16``, as one for each of them."""
    found = []
    for text in texts:
        ranges = re.fullmatch(rf"(.*\b{PLACEMENT}=)(\d{{1,9}})\.\.(\d{{1,9}})(,.*)?", text)
        if ranges is None:
            found.append(text)
            continue
        first, last = int(ranges[2]), int(ranges[3])
        if not first <= last < first + MOST_PLACEMENTS:
            raise BadInputError(f"--what-if {text}: 1 to {MOST_PLACEMENTS} placements, N..M")
        found += [f"{ranges[1]}{k}{ranges[4] or ''}" for k in range(first, last + 1)]
    return found


def _factor(part: str, value: str) -> int:
    if value in ("free", "0"):
        return FREE
    found = re.fullmatch(r"(\d+)x", value)
    if found is None or not 1 <= int(found[1]) < FREE:
        raise BadInputError(f"--what-if {part}: write it as {WAYS}, N from 1 to {FREE - 1}")
    return 0 if int(found[1]) == 1 else int(found[1])


def suppose(tile: Tile, supposed: WhatIf) -> None:
    """Make a tile's resources that much faster; BadInputError without the cycle clock."""
    if not tile.state.s.cycle.on:
        raise BadInputError('a what-if needs the cycle clock: Tile(..., clock="cycle")')
    for resource, factor in supposed.speeds:
        tile.state.s.cycle.what_if[resource] = factor
