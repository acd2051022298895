"""Breakpoints, watchpoints and catchpoints from what a person writes."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tilelab.debug.debugger import Debugger
from tilelab.debug.stops import Stop, arrive, becomes, changed
from tilelab.elf.line_index import LineIndex
from tilelab.sim.errors import BadInputError
from tilelab.tensix.state import THREADS

SLOT_SHIFT, SLOT_BITS = 48, 0x3F
"""Where an issued word's origin says from which replay slot it came, plus 1."""


Catch = Callable[..., Stop]
"""Makes a stop from a debugger, a thread's number, and the words after the catch's name."""
CATCHES: Final[dict[str, tuple[str, Catch]]] = {}
"""Of each catch by name: what is written behind it, and what it waits for."""


@dataclass
class Breakpoint:
    """Something to stop at: its number, what a person called it, what the engine looks for."""

    number: int
    text: str
    stops: list[Stop]
    condition: str = ""
    enabled: bool = True
    hits: int = 0
    core: int = 0
    """Whose registers the condition means."""
    where: list[str] = field(default_factory=list)


def at_code(spec: str, indexes: dict[int, LineIndex], core: int) -> dict[int, list[int]]:
    """Addresses, by core, of ``*ADDRESS``, ``FILE:LINE``, ``LINE`` or a function's name.

    An address is the chosen core's; lines and functions are looked for in all programs.
    """
    if spec.startswith("*"):
        try:
            return {core: [int(spec[1:], 0)]}
        except ValueError:
            raise BadInputError(f"{spec!r}: write an address as *0xa054") from None
    file, colon, line = spec.rpartition(":")
    if line.isdigit() and (colon or not file):
        return _at_line(file, int(line), indexes, core)
    found = {at: index.function(spec) for at, index in indexes.items()}
    if not any(found.values()):
        raise BadInputError(f"no program has a function or a line {spec!r}")
    return {at: places for at, places in found.items() if places}


def _at_line(
    file: str, line: int, indexes: dict[int, LineIndex], core: int
) -> dict[int, list[int]]:
    files = {name for index in indexes.values() for name in index.files()}
    if not file:
        named = [n for n in files if n.endswith((".cpp", ".cc", ".c"))]
        if len(named) != 1:
            raise BadInputError(f"line {line} of which file? {', '.join(sorted(files)) or 'none'}")
        file = named[0]
    if file not in files:
        raise BadInputError(f"no program has lines of {file}: {', '.join(sorted(files)) or 'none'}")
    found = {at: index.line(file, line) for at, index in indexes.items()}
    lines = [number for number, _ in found.values() if number]
    if not lines:
        raise BadInputError(f"{file} has no code from line {line} on")
    return {at: places for at, (number, places) in found.items() if number == min(lines)}


def code_stops(places: dict[int, list[int]]) -> list[Stop]:
    """Stops at addresses, by core."""
    return [arrive(core, address) for core, found in places.items() for address in found]


def catches(name: str, what: str = "") -> Callable[[Catch], Catch]:
    """Bind what ``catch NAME WHAT`` waits for in one thread."""

    def bind(made: Catch) -> Catch:
        CATCHES[name] = what, made
        return made

    return bind


def offered_catches() -> str:
    """What can be caught, as help has it."""
    return "|".join(f"{name} {what}".strip() for name, (what, _) in CATCHES.items())


def catch_stops(words: list[str], made: Debugger) -> list[Stop]:
    """Stops at what one of CATCHES is bound to, of one thread or all.

    The last word may be a thread's number after ``thread``. BadInputError for anything else.
    """
    threads: list[int] = list(range(THREADS))
    if len(words) > 2 and words[-2] == "thread":
        threads = [_number(words[-1], THREADS)]
        words = words[:-2]
    name, *given = words or [""]
    what, stop = CATCHES.get(name, ("", None))
    if stop is None or len(given) != len(what.split()):
        raise BadInputError(f"catch {offered_catches()} [thread N]")
    return list(dict.fromkeys(stop(made, t, *given) for t in threads))


@catches("opcode", "NAME")
def _opcode(made: Debugger, thread: int, name: str) -> Stop:
    rows = made.tile.arch.instructions.values()
    row = next((row for row in rows if row.name.lower() == _mnemonic(name)), None)
    if row is None:
        raise BadInputError(f"no instruction is called {name}")
    return changed(made.place(f"engine.issued[{thread},{row.opcode}]"))


@catches("mop")
def _mop(made: Debugger, thread: int) -> Stop:
    return becomes(made.place(f"frontend[{thread}].mop_active"), 1)


@catches("replay", "SLOT")
def _replay(made: Debugger, thread: int, slot: str) -> Stop:
    bits = SLOT_BITS << SLOT_SHIFT
    return becomes(made.place(f"frontend[{thread}].gate_origin"), _number(slot, 32) + 1, bits)


@catches("semaphore", "N")
def _semaphore(made: Debugger, thread: int, number: str) -> Stop:
    return changed(made.place(f"semaphore[{_number(number, 8)}]"))


def _mnemonic(name: str) -> str:
    return re.sub("^tt(?!i)", "", name.lower())


def _number(text: str, below: int) -> int:
    try:
        number = int(text, 0)
    except ValueError:
        number = -1
    if not 0 <= number < below:
        raise BadInputError(f"{text!r} is no number below {below}")
    return number
