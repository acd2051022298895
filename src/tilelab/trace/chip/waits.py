"""What cores of a chip waited for: the answers of the NoC, and what these were held up by.

A core waits from when it last asked, or an answer last came, to the next answer to a read or a
write; programs rarely wait for atomics' answers. So much it waits at most: one that does other work
meanwhile waits less. An answer's time is shared out among what took it: links that others had,
DRAM's queue, DRAM itself, and the way over the NoC. Waiting for a semaphore is not in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.chip.chip import Chip
from tilelab.chip.flight_record import WAYS
from tilelab.chip.flights import TENTHS
from tilelab.chip.memory import number
from tilelab.chip.state import ARC, DRAM, ETHERNET, HOST
from tilelab.tensix.noc import niu as n
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.words.origin import CORE_NAMES
from tilelab.trace.chip.recorded import ChipRecorded, Piece
from tilelab.trace.chip.ways_used import way_name

Numbers = npt.NDArray[Any]
HELD_UP: Final = ("links", "queue", "served")
WORDS: Final = {"links": "busy links", "queue": "its queue", "served": "DRAM", "way": "the way"}
"""What an answer's time went to, as shown."""
KINDS: Final = {ARC: "ARC", HOST: "the host", ETHERNET: "Ethernet"}


@dataclass(frozen=True)
class Waited:
    """For how many cycles a core waited, at most, for what ``target`` answers.

    ``shares``: how many of these by what they went to: links, queue, served, way.
    """

    core: str
    target: str
    requests: int
    cycles: int
    shares: dict[str, int]
    place: int
    """Where that is; of a multicast its corners."""


@dataclass(frozen=True)
class Program:
    """Pieces of several tiles that overlap in time: what ran at once on the chip.

    ``waiting``: of each core the share of its tiles' time that it waited, at most.
    """

    start: int
    cycles: int
    tiles: int
    waiting: dict[str, float]


@dataclass(frozen=True)
class Used:
    """A link, an interface's way or a DRAM channel: for which part of the time it was taken."""

    name: str
    share: float


def target_name(chip: Chip, at: int) -> str:
    """What is at a place."""
    kind = int(chip.c.kind[at])
    if kind == DRAM:
        return f"DRAM bank {chip.c.index[at]}"
    return KINDS.get(kind) or f"tile {at & 63},{at >> 6}"


def _mine(recorded: ChipRecorded, place: Place, piece: Piece) -> Numbers:
    found = recorded.requests
    own = list(recorded.chip.tiles).index(place)
    within = (found["clock"] >= piece.start) & (found["clock"] < piece.start + piece.end)
    kind = found["control"] & 3
    answered = (kind == n.READ) | ((kind == n.WRITE) & (found["control"] & n.RESPONSE != 0))
    mine: Numbers = found[(found["tile"] == own) & within & answered]
    return mine


def _exposed(requests: Numbers) -> Numbers:
    """For how long its core waited for each request of one core, which are in order of answers."""
    asked = np.sort(requests["clock"].astype(np.int64))
    done = requests["clock"].astype(np.int64) + requests["took"]
    last_asked = asked[np.searchsorted(asked, done, side="right") - 1]
    last_done = np.concatenate([[0], done[:-1]])
    waits: Numbers = np.maximum(0, done - np.maximum(last_asked, last_done))
    return waits


def waits(recorded: ChipRecorded, place: Place, piece: Piece) -> list[Waited]:
    """What a tile's cores waited for in a piece, most first."""
    found = _mine(recorded, place, piece)
    own = number(place)
    made = []
    for core in np.unique(found["core"]).tolist():
        mine = found[found["core"] == core]
        mine = mine[np.argsort(mine["clock"] + mine["took"], kind="stable")]
        exposed = _exposed(mine)
        other = np.where(mine["control"] & 3 == n.READ, mine["from"], mine["to"])
        for at in np.unique(other).tolist():
            chosen = other == at
            made.append(_waited(recorded.chip, core, at, own, mine[chosen], exposed[chosen]))
    return sorted(made, key=lambda one: -one.cycles)


Group = list[tuple[Place, Piece]]
"""Pieces that overlap in time, with their tiles."""


def groups_of(recorded: ChipRecorded) -> list[Group]:
    """What ran on the chip, one after the other; of pieces with kernels, if there are any."""
    groups: list[Group] = []
    end = 0
    for place, piece in recorded.work:
        if not groups or piece.start >= end:
            groups.append([])
        groups[-1].append((place, piece))
        end = max(end, piece.start + piece.end)
    return groups


def programs(recorded: ChipRecorded) -> list[Program]:
    """What ran on the chip, one after the other."""
    return [_program(recorded, group) for group in groups_of(recorded)]


def _program(recorded: ChipRecorded, group: Group) -> Program:
    start = group[0][1].start
    end = max(piece.start + piece.end for _, piece in group)
    total = sum(piece.end for _, piece in group)
    waiting: dict[str, float] = {}
    for place, piece in group:
        for one in waits(recorded, place, piece):
            waiting[one.core] = waiting.get(one.core, 0) + one.cycles / total
    return Program(start, end - start, len({place for place, _ in group}), waiting)


def program_sentence(one: Program) -> str:
    """A line for people."""
    waiting = [f"{core} {100 * share:.0f}%" for core, share in sorted(one.waiting.items())]
    tiles = "1 tile" if one.tiles == 1 else f"{one.tiles} tiles"
    said = f"; of it waits for reads and writes, at most: {', '.join(waiting)}" if waiting else ""
    return f"from cycle {one.start:,}: {one.cycles:,} cycles on {tiles}{said}"


def _waited(
    chip: Chip, core: int, at: int, own: int, requests: Numbers, exposed: Numbers
) -> Waited:
    took = np.maximum(1, requests["took"].astype(float))
    shares = {name: int((exposed * requests[name] / took).sum()) for name in HELD_UP}
    total = int(exposed.sum())
    shares["way"] = max(0, total - sum(shares.values()))
    if at >> 12:
        name = "tiles of a multicast"
    else:
        name = "its own tile" if at == own else target_name(chip, at)
    return Waited(CORE_NAMES.get(core, "host"), name, len(requests), total, shares, at)


def sentence(one: Waited, cycles: int) -> str:
    """A line for people; ``cycles``: how long the piece took."""
    parts = [
        f"{WORDS[name]} {100 * share / max(1, one.cycles):.0f}%"
        for name, share in sorted(one.shares.items(), key=lambda item: -item[1])
        if share
    ]
    return (
        f"{one.core} waits at most {one.cycles:,} of {cycles:,} cycles for {one.target} "
        f"({one.requests:,} requests): {', '.join(parts) or 'nothing'}"
    )


def used(chip: Chip) -> list[Used]:
    """How much of the time each link and each DRAM channel was taken, most first."""
    busy = np.asarray(chip.memory.record["way_busy"], dtype=float) / TENTHS
    found = list(_used(busy, max(1, chip.time)))
    return sorted(found, key=lambda one: -one.share)


def _used(busy: Numbers, cycles: int) -> Iterator[Used]:
    assert len(busy) == WAYS
    for k in np.flatnonzero(busy).tolist():
        if name := way_name(k):
            yield Used(name, float(busy[k]) / cycles)
