"""Who last changed a place: the moment, and which core's instruction or thread's word it was.

A write of what was there already changes nothing and is not found.

With the functional clock, the round is done again one core and one thread at a time, so the writer
is known. With the cycle clock it is one of what was executed and issued in that cycle: all are
named.
"""

from dataclasses import dataclass

from tilelab.debug.debugger import Debugger, Why
from tilelab.debug.places import Place
from tilelab.debug.stops import changed
from tilelab.sim.kernel import OK
from tilelab.tensix.report.explain import describe_origin
from tilelab.tensix.riscv.core import instruction_at, step
from tilelab.tensix.run.rounds import step_thread
from tilelab.tensix.words.assembly import disassemble
from tilelab.tensix.words.origin import CORE_NAMES


@dataclass(frozen=True)
class Writer:
    """Who may have changed a place: a core or a thread, what it executed, where that is from."""

    name: str
    what: str
    where: str


@dataclass(frozen=True)
class LastWrite:
    """When a place changed last, from what to what, and who did it; several if that is unsure."""

    clock: int
    before: bytes
    after: bytes
    writers: list[Writer]


def last_write(made: Debugger, place: Place) -> LastWrite | None:
    """Find the last change of a place before now; None if there was none. The present stays."""
    now = made.clock
    was_at_end = made.failed_round()
    try:
        halt = made.backward((changed(place),), now=True)
        if halt.why is not Why.STOP:
            return None
        after, clock = place.read(made.state), made.clock
        made.go_to(clock - 1)
        before = place.read(made.state)
        writers = _writers(made, place, before)
        return LastWrite(clock, before, after, writers)
    finally:
        made.found_again(now)
        if was_at_end:
            made.forward()


def _writers(made: Debugger, place: Place, before: bytes) -> list[Writer]:
    """Who changes a place in the round that begins now; the tile is left in the middle of it."""
    s, tile = made.state.s, made.tile
    made.feed.give()
    cores = [_core(made, core) for core in range(tile.arch.cores) if s.riscv[core].running]
    threads = [_thread(made, t) for t in range(tile.arch.threads)]
    if s.cycle.on:
        full = [writer for t, writer in enumerate(threads) if s.frontend[t].gate_full]
        # cores do not reach the register files of the matrix and vector units
        return full if place.name.startswith(("dst", "src", "lreg")) else cores + full
    running = [core for core in range(tile.arch.cores) if s.riscv[core].running]
    for core, writer in zip(running, cores, strict=True):
        if step(s, core) == OK and place.read(made.state) != before:
            return [writer]
    for t, writer in enumerate(threads):
        issued = int(s.frontend[t].issued)
        step_thread(s, t)
        if place.read(made.state) != before:
            moved = int(s.frontend[t].issued) == issued
            return [Writer(writer.name, "its frontend", "") if moved else writer]
    return [Writer("the end of the round", "what was scheduled for it", "")]


def _core(made: Debugger, core: int) -> Writer:
    """A core and what it executes next."""
    pc = int(made.state.s.riscv[core].pc)
    where = made.tile.sources.describe_pc(core, pc)
    return Writer(CORE_NAMES[core], instruction_at(made.state.s, pc), where)


def _thread(made: Debugger, t: int) -> Writer:
    """A thread and the word at its gate."""
    gate = made.state.s.frontend[t]
    where = describe_origin(int(gate.gate_origin), made.tile.sources.describe_pc)
    return Writer(f"thread {t}", disassemble(int(gate.gate_word), made.tile.arch.name), where)
