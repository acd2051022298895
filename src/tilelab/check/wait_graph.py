"""Who waits for whom in a tile that is stuck, the circle in it, and the most likely mistake."""

from collections.abc import Iterator

from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Party, party, word_at
from tilelab.check.polls import is_held_up, mailbox, polls, semaphore_wait
from tilelab.check.shadow import CORE_ACTOR, EPOCH_SHIFT, ISSUE_ACTOR
from tilelab.check.waits import BANK, MUTEX, NOBODY, WORD, Wait, WaitGraph, graph_of
from tilelab.tensix.backend.sync_unit import SEMWAIT
from tilelab.tensix.state import CORES, THREADS
from tilelab.tensix.tables.figures import MATRIX_PIPE, UNPACK_PIPE
from tilelab.tensix.words.origin import BRISC, CORE_NAMES, origin_of, pushed_at, pusher
from tilelab.tensix.words.waits import (
    WAIT_FIFO_FULL,
    WAIT_L1,
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

NUMBERS = {name: core for core, name in CORE_NAMES.items()}
SOURCES = {
    WAIT_SRC_A_MATRIX: ("SrcA", True),
    WAIT_SRC_B_MATRIX: ("SrcB", True),
    WAIT_SRC_A_UNPACK: ("SrcA", False),
    WAIT_SRC_B_UNPACK: ("SrcB", False),
}
"""Waits for a Src bank: whose, and whether it is the matrix unit that waits."""


def waits(tile: CheckedTile) -> list[Wait]:
    """The edges of the wait-for graph."""
    found: list[Wait] = []
    for t in range(THREADS):
        found += _thread(tile, t)
    for core in range(CORES):
        if tile.state.s.riscv[core].running:
            found += _core(tile, core)
    holders = {edge.holder for edge in found}
    return found + [edge for t in range(THREADS) if f"T{t}" in holders for edge in _idle(tile, t)]


def explained(tile: CheckedTile) -> WaitGraph:
    """Every wait, the circle, and the most likely mistake."""
    return graph_of(waits(tile))


def place(tile: CheckedTile, waiter: str) -> tuple[int, ...]:
    """Where a thread or core waits, as mark, word and origin; () of a thread with no word."""
    s = tile.state.s
    if waiter in NUMBERS:
        core = NUMBERS[waiter]
        return CORE_ACTOR + core, 0, origin_of(core, int(s.riscv[core].pc))
    t = int(waiter[1:])
    gate = s.frontend[t]
    if not gate.gate_full:
        return ()
    if s.engine.gate_wait[t] == WAIT_LATCHED:
        return ISSUE_ACTOR + t, int(gate.wait.word), int(gate.wait.origin)
    return ISSUE_ACTOR + t, int(gate.gate_word), int(gate.gate_origin)


def sides(tile: CheckedTile, graph: WaitGraph) -> tuple[Party, ...]:
    """Who waits where the trouble begins, and what was done last of what it waits for."""
    if graph.begins is None:
        return ()
    acts = (place(tile, graph.begins.waiter), graph.begins.last)
    return tuple(party(tile, *act) for act in acts if act)


def _idle(tile: CheckedTile, t: int) -> Iterator[Wait]:
    """A thread that others wait for, and that has nothing to do: its core has to push more."""
    if not tile.state.s.frontend[t].gate_full and is_held_up(tile, f"T{t}"):
        yield Wait(f"T{t}", CORE_NAMES[t], "to push more instructions")


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
        mistake = f"{holder} never releases mutex {index}"
        other = s.frontend[s.mutex[index] - 1]
        if other.gate_full:
            at = _line(tile, int(other.gate_origin)) or "its wait gate"
            mistake = f"{holder} waits at {at} while it holds mutex {index}"
            if other.wait.kind:
                mistake += f", for the wait of {_line(tile, int(other.wait.origin)) or 'its own'}"
        last = place(tile, holder)
        yield Wait(name, holder, f"to release mutex {index}", mistake, MUTEX, last=last)
    elif code in SOURCES:
        yield from _bank(tile, name, *SOURCES[code])
    elif code == WAIT_LATCHED and frontend.wait.kind == SEMWAIT:
        for index in range(8):
            if frontend.wait.semaphore_mask >> index & 1:
                yield from semaphore_wait(tile, name, index, int(frontend.wait.condition_mask))
    elif code == WAIT_LATCHED:
        mask = frontend.wait.condition_mask >> tile.arch.condition_src_a_cleared
        for bit, source in enumerate(
            (("SrcA", False), ("SrcB", False), ("SrcA", True), ("SrcB", True))
        ):
            if mask >> bit & 1 and _is_awaited(tile, *source):
                yield from _bank(tile, name, *source)
    elif code == WAIT_L1:
        what = "to store to the word of L1 that its atomic instruction waits for"
        yield Wait(name, NOBODY, what, f"{name} waits for a word of L1 that nobody writes", WORD)


def _line(tile: CheckedTile, origin: int) -> str:
    """The author's line of a word; "" if unknown."""
    return tile.sources.stack(pusher(origin), pushed_at(origin))[0]


def _bank(tile: CheckedTile, name: str, which: str, at_matrix: bool) -> Iterator[Wait]:
    last = _last(tile, UNPACK_PIPE + ("SrcA", "SrcB").index(which) if at_matrix else MATRIX_PIPE)
    if at_matrix:
        what = f"to give {which}'s bank to the matrix unit"
        givers = _issuers(tile, ("unpackers",))
        missing = f"no unpack to {which} (UNPACR or UNPACR_NOP with set-dvalid) is left to come"
    else:
        what = f"to give {which}'s bank back to the unpackers"
        givers = _issuers(tile, ("matrix_unit",))
        missing = f"no math instruction that clears {which}'s dvalid is left to come"
    usual = ["T0" if at_matrix else "T1"]
    others = [giver for giver in givers if giver != name]
    for giver in others or [thread for thread in usual if is_held_up(tile, thread)] or [NOBODY]:
        yield Wait(name, giver, what, missing, BANK, last=last)


def _last(tile: CheckedTile, pipe: int) -> tuple[int, ...]:
    """The last word of a pipeline, as mark, word and origin; () if it had none, or long ago."""
    last = tile.engine.shadow["last"]
    epoch, actor = max((int(last[4 * pipe + t]), 4 * pipe + t) for t in range(THREADS))
    word = word_at(tile, epoch)
    return (epoch << EPOCH_SHIFT | actor, *word) if word else ()


def _is_awaited(tile: CheckedTile, which: str, at_matrix: bool) -> bool:
    """Whether a bank is not yet what a STALLWAIT waits for."""
    src = tile.state.s.src[("SrcA", "SrcB").index(which)]
    return not src.valid[src.matrix_bank] if at_matrix else bool(src.valid[src.unpack_bank])


def _core(tile: CheckedTile, core: int) -> Iterator[Wait]:
    code = tile.state.s.engine.core_wait[core]
    name = CORE_NAMES[core]
    own = f"T{core}" if core != BRISC else "T0"
    if code == WAIT_FIFO_FULL:
        yield Wait(name, own, "to take words out of its full FIFO")
    elif code in (WAIT_TENSIX_SYNC, WAIT_MOP_SYNC):
        yield Wait(name, own, "to finish its instructions")
    elif code == WAIT_MAILBOX:
        yield mailbox(tile, core)
    elif code >= 0:
        yield from polls(tile, core)
