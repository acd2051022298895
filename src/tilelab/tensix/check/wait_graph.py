"""Who waits for whom in a tile that is stuck, the circle in it, and the most likely mistake."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tilelab.tensix.backend.sync_unit import SEMWAIT
from tilelab.tensix.check.engine import CheckedTile
from tilelab.tensix.report.explain import SEMAPHORE_NAMES, describe_origin
from tilelab.tensix.state import CORES, THREADS
from tilelab.tensix.words.origin import BRISC, CORE_NAMES
from tilelab.tensix.words.waits import (
    WAIT_FIFO_FULL,
    WAIT_LATCHED,
    WAIT_MAILBOX,
    WAIT_MOP_SYNC,
    WAIT_MUTEX,
    WAIT_SRC_A_MATRIX,
    WAIT_SRC_A_UNPACK,
    WAIT_SRC_B_MATRIX,
    WAIT_SRC_B_UNPACK,
    WAIT_TENSIX_SYNC,
)

SOURCES = {
    WAIT_SRC_A_MATRIX: ("SrcA", True),
    WAIT_SRC_B_MATRIX: ("SrcB", True),
    WAIT_SRC_A_UNPACK: ("SrcA", False),
    WAIT_SRC_B_UNPACK: ("SrcB", False),
}
"""Waits for a Src bank: whose, and whether it is the matrix unit that waits."""


@dataclass(frozen=True)
class Wait:
    """One edge: ``waiter`` cannot go on before ``holder`` does what ``what`` says."""

    waiter: str
    holder: str
    what: str
    mistake: str = ""
    """What is most likely wrong, if this wait is where it all begins."""

    def __str__(self) -> str:
        return f"{self.waiter} waits for {self.holder}: {self.what}"


NOBODY = "nobody"


def waits(tile: CheckedTile) -> list[Wait]:
    """The edges of the wait-for graph."""
    found: list[Wait] = []
    for t in range(THREADS):
        found += _thread(tile, t)
    for core in range(CORES):
        if tile.state.s.riscv[core].running:
            found += _core(tile, core)
    return found


def circle(edges: list[Wait]) -> list[Wait]:
    """Edges that lead back to where they begin; none if there is no circle."""
    after: dict[str, list[Wait]] = {}
    for edge in edges:
        after.setdefault(edge.waiter, []).append(edge)
    for start in after:
        trail = _back_to(start, start, after, ())
        if trail:
            return list(trail)
    return []


def _back_to(
    start: str, here: str, after: dict[str, list[Wait]], trail: tuple[Wait, ...]
) -> tuple[Wait, ...]:
    for edge in after.get(here, ()):
        if edge.holder == start:
            return (*trail, edge)
        if edge not in trail and all(edge.holder != known.waiter for known in trail):
            found = _back_to(start, edge.holder, after, (*trail, edge))
            if found:
                return found
    return ()


def explained(tile: CheckedTile) -> Iterator[str]:
    """The graph as text: every wait, the circle, and the most likely mistake."""
    edges = waits(tile)
    yield from map(str, edges)
    around = circle(edges)
    if around:
        yield "circle: " + " -> ".join([*(edge.waiter for edge in around), around[0].waiter])
    mistakes = [edge.mistake for edge in [*edges, *around] if edge.mistake]
    if mistakes:
        yield f"most likely: {mistakes[0]}"


def _issuers(tile: CheckedTile, units: tuple[str, ...]) -> list[str]:
    """Threads that have issued words of some units."""
    rows = tile.arch.instructions.by_opcode
    counts = tile.state.engine["issued"]
    return [
        f"T{t}"
        for t in range(THREADS)
        if any(counts[t][code] and str(row.unit) in units for code, row in rows.items())
    ]


def _thread(tile: CheckedTile, t: int) -> Iterator[Wait]:
    s = tile.state.s
    frontend, code, name = s.frontend[t], s.engine.gate_wait[t], f"T{t}"
    if not frontend.gate_full:
        return
    if code == WAIT_MUTEX:
        index = frontend.gate_word & 7
        holder = f"T{s.mutex[index] - 1}"
        yield Wait(
            name, holder, f"to release mutex {index}", f"{holder} never releases mutex {index}"
        )
    elif code in SOURCES:
        yield from _bank(tile, name, *SOURCES[code])
    elif code == WAIT_LATCHED and frontend.wait.kind == SEMWAIT:
        for index in range(8):
            if frontend.wait.semaphore_mask >> index & 1:
                yield from _semaphore(tile, name, index, int(frontend.wait.condition_mask))


def _bank(tile: CheckedTile, name: str, which: str, at_matrix: bool) -> Iterator[Wait]:
    if at_matrix:
        what = f"to give {which}'s bank to the matrix unit"
        givers = _issuers(tile, ("unpackers",))
        missing = f"no unpack to {which} (UNPACR or UNPACR_NOP with set-dvalid) is left to come"
    else:
        what = f"to give {which}'s bank back to the unpackers"
        givers = _issuers(tile, ("matrix_unit",))
        missing = f"no math instruction that clears {which}'s dvalid is left to come"
    for giver in [g for g in givers if g != name] or [NOBODY]:
        yield Wait(name, giver, what, missing)


def _semaphore(tile: CheckedTile, name: str, index: int, condition: int) -> Iterator[Wait]:
    semaphore = tile.state.s.semaphore[index]
    called = f"semaphore {index} ({SEMAPHORE_NAMES[index]})"
    noted: Any = tile.engine.shadow["semaphore_origin"][index]
    for bit, act, side, stuck in (
        (1, "post", 0, semaphore.value == 0),
        (2, "get", 1, semaphore.value >= semaphore.max),
    ):
        if not condition & bit or not stuck:
            continue
        origin = int(noted[side])
        if not origin:
            yield Wait(
                name, NOBODY, f"to {act} {called}",
                f"{called} is waited for, and nobody has ever done a {act} of it: it is missing, "
                "or the wait is for another semaphore",
            )  # fmt: skip
            continue
        core = origin >> 56 & 7
        who = f"T{core}" if core < THREADS else CORE_NAMES.get(core, "host")
        last = describe_origin(origin, tile.sources.describe_pc)
        yield Wait(
            name, who, f"to {act} {called} (last by {last})",
            f"one {act} of {called} too few: the last was by {last}",
        )  # fmt: skip


def _core(tile: CheckedTile, core: int) -> Iterator[Wait]:
    code = tile.state.s.engine.core_wait[core]
    name = CORE_NAMES[core]
    own = f"T{core}" if core != BRISC else "T0"
    if code == WAIT_FIFO_FULL:
        yield Wait(name, own, "to take words out of its full FIFO")
    elif code in (WAIT_TENSIX_SYNC, WAIT_MOP_SYNC):
        yield Wait(name, own, "to finish its instructions")
    elif code == WAIT_MAILBOX:
        yield Wait(name, "another core", "to use the mailbox's other end")
