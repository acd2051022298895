"""What bounds what ran on a chip: the tile that ends last, why, and how far that may be off.

The core of that tile that waits most for the NoC is followed to what answers it, and to what that
is limited by: how often DRAM accepts a read, how fast its channel is, or the busiest of the links
on the way. A tile that waits little is bound by its own threads.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

import numpy as np

from tilelab.chip.chip import Chip
from tilelab.chip.flight_record import CHANNEL, INTAKE
from tilelab.chip.flights import TENTHS
from tilelab.chip.state import DRAM
from tilelab.chip.ways import way, ways_between
from tilelab.tensix.tables import mechanisms as known
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.tables.mechanisms import Mechanism
from tilelab.trace.chip.recorded import ChipRecorded, Piece
from tilelab.trace.chip.waits import WORDS, Group, Waited, groups_of, programs, waits
from tilelab.trace.chip.ways_used import way_name

LEAST_WAIT: Final = 0.2
"""Of the time: a core that waits less for the NoC is not what bounds its tile."""
FEW: Final = 2
"""Tiles of whose reads DRAM's model is right (decision 20); of more it is not well known."""


@dataclass(frozen=True)
class Bound:
    """Why something took so long: each line of ``path`` is the reason for the one before it.

    ``low`` and ``high``: what it may take on a card, by the mechanisms on that path; ``weakest``
    decides most of that.
    """

    place: Place
    path: list[str]
    low: int
    high: int
    weakest: str


def bound(recorded: ChipRecorded, group: Group, cycles: int) -> Bound:
    """What bounds pieces that ran at once, and took so many cycles together."""
    place, piece = max(group, key=lambda one: one[1].start + one[1].end)
    waited = waits(recorded, place, piece)
    by_core: dict[str, int] = defaultdict(int)
    for one in waited:
        by_core[one.core] += one.cycles
    core = max(by_core, key=lambda name: by_core[name], default="")
    mine = [one for one in waited if one.core == core]
    share = min(1.0, by_core[core] / max(1, piece.end)) if core else 0.0
    path = [f"tile {place[0]},{place[1]} ends last"]
    if share >= LEAST_WAIT:
        path += [_waits(one, piece.end) for one in mine[:1]]
        path += _limits(recorded.chip, place, mine[0])
    elif piece.report:
        path += piece.report.chain[:2]
    widths = _widths(mine, share, piece, many=len({at for at, _ in group}) > FEW)
    width = min(1.0, sum(widths.values()))
    weakest = max(widths, key=lambda of: widths[of]).name if widths else ""
    return Bound(place, path, round(cycles * (1 - width)), round(cycles * (1 + width)), weakest)


def _waits(one: Waited, cycles: int) -> str:
    parts = sorted(one.shares.items(), key=lambda item: -item[1])
    why = [f"{WORDS[name]} {100 * n / max(1, one.cycles):.0f}%" for name, n in parts if n]
    share = f"{100 * one.cycles / max(1, cycles):.0f}%"
    return f"its {one.core} waits {share} of its time for {one.target} ({', '.join(why)})"


def _limits(chip: Chip, place: Place, one: Waited) -> list[str]:
    """What limits the answers that a tile's core waited for."""
    busy = np.asarray(chip.memory.record["way_busy"], dtype=float) / TENTHS / max(1, chip.time)
    if one.place >> 12:
        return []
    most = max(one.shares, key=lambda name: one.shares[name])
    here, there = int(chip.c.physical_at[place[0] | place[1] << 6]), one.place
    times, physical = chip.arch.noc_times, int(chip.c.physical_at[there])
    if most in ("queue", "served") and chip.c.kind[there] == DRAM:
        bank, (x, y) = int(chip.c.index[there]), (physical & 63, physical >> 6)
        intake = max(float(busy[way(niu, x, y, INTAKE)]) for niu in (0, 1))
        channel = max(float(busy[way(k, bank, 0, CHANNEL)]) for k in (0, 1))
        if intake > channel:
            every = times.dram_request_tenths.value / TENTHS
            return [f"it accepts a read every {every:g} cycles: taken {100 * intake:.0f}%"]
        rate = times.dram_read_rate.value / 1000
        return [f"its channel has {rate:g} bytes a cycle: taken {100 * channel:.0f}%"]
    if most == "links":
        found = [k for niu in (0, 1) for k in ways_between(chip.arch, niu, physical, here)]
        k = max(found, key=lambda k: busy[k])
        return [f"the busiest on the way: {way_name(k)}, taken {100 * float(busy[k]):.0f}%"]
    return []


def _widths(mine: list[Waited], share: float, piece: Piece, many: bool) -> dict[Mechanism, float]:
    """How far each mechanism may be off, of all the time: waits, and the tile's own."""
    found: dict[Mechanism, float] = defaultdict(float)
    total = sum(one.cycles for one in mine) or 1
    for one in mine:
        dram = one.target.startswith("DRAM")
        for name, cycles in one.shares.items():
            of = known.DRAM_CHANNEL if name in ("queue", "served") else known.NOC
            if many and dram and name != "way":
                of = known.DRAM_SPREAD
            found[of] += share * cycles / total * of.spread / 100
    own = piece.report.interval if piece.report else None
    if own and piece.end:
        weakest = Mechanism(own.weakest, 0, own.rows)
        found[weakest] += (1 - share) * (own.high - piece.end) / piece.end
    else:
        found[known.UNKNOWN] += (1 - share) * known.UNKNOWN.spread / 100
    return {of: width for of, width in found.items() if width}


@dataclass(frozen=True)
class Bounds:
    """What bounds each program of a recording; what the whole may take on a card."""

    programs: list[Bound]
    low: int
    high: int


def bounds(recorded: ChipRecorded) -> Bounds:
    """What bounds a recording's programs, in the order of ``waits.programs``."""
    cycles = [one.cycles for one in programs(recorded)]
    found = [bound(recorded, *one) for one in zip(groups_of(recorded), cycles, strict=True)]
    low = recorded.end - sum(n - one.low for n, one in zip(cycles, found, strict=True))
    high = recorded.end + sum(one.high - n for n, one in zip(cycles, found, strict=True))
    return Bounds(found, max(0, low), high)
