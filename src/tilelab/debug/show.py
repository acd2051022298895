"""A session's state as lines of text."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tilelab.debug.breakpoints import Breakpoint
from tilelab.debug.debugger import Halt
from tilelab.debug.places import Place
from tilelab.debug.session import Session
from tilelab.debug.typed import number_text
from tilelab.debug.writers import LastWrite
from tilelab.riscv.disassembly import REGISTERS
from tilelab.tensix.report.explain import describe_origin
from tilelab.tensix.riscv.core import instruction_at
from tilelab.tensix.words.assembly import disassemble
from tilelab.tensix.words.origin import CORE_NAMES
from tilelab.tensix.words.waits import WAITS

PER_LINE = 8
AROUND = 5


def halted(session: Session, halt: Halt, hit: list[int]) -> Iterator[str]:
    """Why the tile is where it is, and where that is."""
    elsewhere: dict[int, None] = {}
    for number in hit:
        point = session.breakpoints[number]
        cores = session.cores_at([number])
        others = [core for core in cores if core != session.core]
        on = f" on {', '.join(CORE_NAMES[core] for core in cores)}" if others else ""
        yield f"breakpoint {number}: {point.text}{on}"
        elsewhere |= dict.fromkeys(others)
    yield from halt.end.splitlines()
    for core in elsewhere:
        yield _place(session, core)
    yield from here(session)


def here(session: Session) -> Iterator[str]:
    """The chosen core's place, and the line of source there."""
    yield _place(session, session.core)


def _place(session: Session, core: int) -> str:
    """Where a core is, and the line of source there."""
    made = session.debugger
    pc = session.pc(core)
    running = "" if made.state.s.riscv[core].running else " (in reset)"
    where = made.tile.sources.describe(core, pc)
    instruction = instruction_at(made.state.s, pc)
    return f"cycle {made.clock}  {CORE_NAMES[core]} {pc:#07x}{running}  {instruction}" + (
        f"  {where}" if where else ""
    )


def thread_line(session: Session, t: int) -> str:
    """What is at a thread's gate, and why it waits."""
    made = session.debugger
    frontend = made.state.s.frontend[t]
    counts = f"pushed {frontend.pushed} issued {frontend.issued}"
    if not frontend.gate_full:
        return f"thread {t}: nothing at the gate, {counts}"
    code = int(made.state.s.engine.gate_wait[t])
    waits = f", waits: {WAITS[code]}" if code in WAITS else ""
    word = disassemble(int(frontend.gate_word), made.tile.arch.name)
    origin = describe_origin(int(frontend.gate_origin), made.tile.sources.describe_pc)
    return f"thread {t}: {word}{waits}, {counts}\n  from {origin}"


def cores(session: Session) -> Iterator[str]:
    """One line for each core."""
    made = session.debugger
    for core in range(made.tile.arch.cores):
        hart = made.state.s.riscv[core]
        mark = "*" if core == session.core else " "
        state = "running" if hart.running else "in reset"
        where = made.tile.sources.describe(core, int(hart.pc))
        yield (
            f"{mark} {CORE_NAMES[core].lower()}  {hart.pc:#07x}  {state}, {hart.retired} executed"
            + (f"  {where}" if where else "")
        )


def registers(session: Session) -> Iterator[str]:
    """The chosen core's registers."""
    hart = session.debugger.state.s.riscv[session.core]
    for first in range(0, 32, 4):
        yield "  ".join(f"{REGISTERS[i]:>4} {hart.x[i]:#010x}" for i in range(first, first + 4))
    yield f"  pc {hart.pc:#010x}"


def breakpoint_line(point: Breakpoint) -> str:
    """A breakpoint: what it is, where, how often it was hit."""
    text = f"{point.number}  {point.text}"
    if point.condition:
        text += f" if {point.condition}"
    if not point.enabled:
        text += " (disabled)"
    return "\n    ".join([f"{text}, hit {point.hits} times", *point.where])


def value(place: Place, session: Session) -> Iterator[str]:
    """What is at a place."""
    found = place.value(session.debugger.state)
    if place.kind.fields is not None:
        raw = np.frombuffer(place.read(session.debugger.state), np.uint8).copy()
        for name, number in _leaves(raw.view(place.kind).reshape(())):
            yield f"{place.name}{name} = {number_text(number)}"
        return
    numbers = np.asarray(found)
    if not numbers.shape:
        yield f"{place.name} = {number_text(int(numbers))}"
        return
    width = 2 * numbers.itemsize
    rows = numbers.reshape(-1)
    yield f"{place.name} ="
    for first in range(0, len(rows), PER_LINE):
        line = " ".join(f"{int(number):0{width}x}" for number in rows[first : first + PER_LINE])
        yield f"  {first:4}: {line}"


def _leaves(record: Any, prefix: str = "") -> Iterator[tuple[str, int]]:
    for name in record.dtype.names:
        part = record[name]
        if part.dtype.names:
            yield from _leaves(part.reshape(-1)[0], f"{prefix}.{name}")
        elif part.shape:
            for index in np.ndindex(part.shape):
                yield f"{prefix}.{name}[{', '.join(map(str, index))}]", int(part[index])
        else:
            yield f"{prefix}.{name}", int(part)


def written(place: Place, found: LastWrite | None) -> Iterator[str]:
    """Who changed a place last."""
    if found is None:
        yield f"{place.name} has not changed since the beginning"
        return
    size = min(len(found.before), 8)
    first = next((i for i, old in enumerate(found.before) if old != found.after[i]), 0)
    first -= first % size
    old, new = (
        int.from_bytes(data[first : first + size], "little") for data in (found.before, found.after)
    )
    at = f" (byte {first})" if len(found.before) > size else ""
    yield f"{place.name} changed last in cycle {found.clock}{at}: {old:#x} -> {new:#x}"
    if len(found.writers) > 1:
        yield "  one of these did it:"
    for writer in found.writers:
        yield f"  {writer.name}: {writer.what}"
        if writer.where:
            yield f"    from {writer.where}"


def stack(session: Session) -> Iterator[str]:
    """The chosen core's calls, inlined ones too, the innermost first."""
    for number in range(len(session.backtrace())):
        yield frame_line(session, number)


def frame_line(session: Session, number: int) -> str:
    """One line of the calls."""
    line = session.backtrace()[number]
    program = session.debugger.tile.programs.get(session.core)
    start = f"#{number}  {line.call.pc:#07x}  "
    if line.frame is None:
        return start + ((program.function(line.call.lookup) if program else "") or "?")
    inlined = " (inlined)" if line.inlined else ""
    place = f" at {line.frame.place}" if line.frame.place else ""
    return f"{start}{line.frame.function or '?'}{inlined}{place}"


def variables(session: Session) -> Iterator[str]:
    """The variables of the chosen call, by function where calls are inlined."""
    found = session.locals()
    named = len({local.function for local in found}) > 1
    function = ""
    for local in found:
        if named and local.function != function:
            function = local.function
            yield f"{function}:"
        yield f"{'  ' * named}{local.name} = {local.text}"
    if not found:
        yield "no variables are known here"


def listing(session: Session, folders: list[Path]) -> Iterator[str]:
    """The source around the author's line, from the first folder that has the file."""
    program = session.debugger.tile.programs.get(session.core)
    frames = [f for f in program.frames(session.pc()) if f.file] if program else []
    for frame in frames:
        for folder in folders:
            path = folder / frame.file
            if path.is_file():
                lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
                for number in range(max(1, frame.line - AROUND), frame.line + AROUND + 1):
                    if number <= len(lines):
                        mark = "->" if number == frame.line else "  "
                        yield f"{mark} {number:4}  {lines[number - 1]}"
                return
    yield f"the source of {frames[0].place} is not at hand" if frames else "no source is known here"


def code(session: Session, start: int, count: int) -> Iterator[str]:
    """Instructions of L1 as assembly."""
    made = session.debugger
    for pc in range(start, start + 4 * count, 4):
        mark = "->" if pc == session.pc() else "  "
        text = instruction_at(made.state.s, pc) or "?"
        yield f"{mark} {pc:#07x}  {text}  {made.tile.sources.line(session.core, pc)}".rstrip()
