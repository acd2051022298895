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
from tilelab.tensix.run.stops import RECORD
from tilelab.tensix.words.assembly import disassemble


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
        made.go_to(now)
        if was_at_end:
            made.forward()


def _writers(made: Debugger, place: Place, before: bytes) -> list[Writer]:
    """Who changes a place in the round that begins now; the tile is left in the middle of it."""
    s = made.state.s
    made.feed.give()
    found: list[Writer] = []
    sure = not s.cycle.on
    for core in range(made.tile.arch.cores):
        if s.riscv[core].running and sure:
            pc = int(s.riscv[core].pc)
            instruction = instruction_at(s, pc)
            if step(s, core) == OK and place.read(made.state) != before:
                where = made.tile.sources.describe_pc(core, pc)
                return [Writer(where.split(" ")[0], instruction, where)]
    for t in range(made.tile.arch.threads):
        gate = s.frontend[t]
        word, origin, full = int(gate.gate_word), int(gate.gate_origin), gate.gate_full
        issued = int(gate.issued)
        if sure:
            step_thread(s, t)
        elif not full:
            continue
        if sure and place.read(made.state) == before:
            continue
        text = disassemble(word, made.tile.arch.name) if full else "its frontend"
        if sure and int(s.frontend[t].issued) == issued:
            text = "its frontend"
        where = describe_origin(origin, made.tile.sources.describe_pc) if full else ""
        found.append(Writer(f"thread {t}", text, where))
        if sure:
            return found
    if sure:
        return found
    return found + _running(made, place)


def _running(made: Debugger, place: Place) -> list[Writer]:
    """The cores' next instructions, for a place that cores can reach."""
    s = made.state.s
    cores = [core for core in range(made.tile.arch.cores) if s.riscv[core].running]
    if place.space == RECORD and place.name.startswith(("dst", "src", "lreg")):
        return []
    return [
        Writer(
            made.tile.sources.describe_pc(core, int(s.riscv[core].pc)).split(" ")[0],
            instruction_at(s, int(s.riscv[core].pc)),
            made.tile.sources.describe_pc(core, int(s.riscv[core].pc)),
        )
        for core in cores
    ]
