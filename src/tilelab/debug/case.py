"""Cases: what a tile holds, words, and what they leave, as text that can be sent as a bug report.

::

    # the FPU adds into Dst
    chip wormhole
    thread 1
    src_a_valid = 1 1
    rwc[1].dst = 4
    > ttelwadd 0,1,0,0,0
    dst[4] = 0x4000
    > ttelwadd 0,1,0,0,0
    fails elwadd-fidelity

A line ``PLACE = NUMBERS`` before the first word sets a part of the state, or a configuration field;
behind a word it says what that word leaves. Places are those of the debugger (:mod:`.places`); one
number is for all elements. ``> WORD`` executes an instruction at its unit, as assembly or as a
number. ``fails CHECK`` says which check the word before it fails, ``waits`` that it would wait.
``chip`` is blackhole and ``thread`` 1, unless given.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from tilelab.debug.places import place
from tilelab.sim.errors import BadInputError, MachineError
from tilelab.sim.files import read_file
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.tile.tile import Tile, WouldWaitError
from tilelab.tensix.words.assembly import assemble

LARGEST: Final = 1 << 20
"""Bytes of a file."""
FAILS, WAITS = "fails", "waits"


@dataclass(frozen=True)
class Line:
    """A line that does or says something: what it begins with, the rest, where it stands."""

    kind: str
    text: str
    where: str


@dataclass(frozen=True)
class Case:
    """A case as it was read."""

    chip: str
    thread: int
    lines: tuple[Line, ...]


def read_case(path: Path) -> Case:
    """Read a file; BadInputError, with file and line, where it is none."""
    try:
        text = read_file(path, LARGEST).decode("utf-8")
    except UnicodeDecodeError:
        raise BadInputError(f"{path}: is no text") from None
    chip, thread, lines = "blackhole", 1, []
    for number, whole in enumerate(text.splitlines(), 1):
        line, where = whole.partition("#")[0].strip(), f"{path}:{number}"
        kind, _, rest = line.partition(" ")
        if kind == "chip" and rest in ARCHES:
            chip = rest
        elif kind == "thread" and rest in ("0", "1", "2"):
            thread = int(rest)
        elif kind in (FAILS, WAITS) or (kind == ">" and rest):
            lines.append(Line(kind, rest.strip(), where))
        elif "=" in line:
            lines.append(Line("=", line, where))
        elif line:
            raise BadInputError(f"{where}: {line!r} is not understood")
    if not any(line.kind == ">" for line in lines):
        raise BadInputError(f"{path}: executes no word")
    return Case(chip, thread, tuple(lines))


def run_case(case: Case, engine: str = "fast") -> list[str]:
    """What a case finds otherwise than it says, a line each; none if all is as it says.

    BadInputError for a place, a number or a word that does not exist.
    """
    tile, wrong = Tile(case.chip, engine), []
    executed, ended = "", ""
    for line in [*case.lines, Line(">", "", "")]:
        if line.kind == ">":
            if ended:
                wrong.append(f"{executed}: {ended}")
            executed, ended = line.where, _ended(tile, case.thread, line) if line.text else ""
        elif line.kind == "=":
            wrong += _set_or_compared(tile, line, compares=bool(executed))
        else:
            expected = f"{line.kind} {line.text}".strip()
            if ended.partition(":")[0] != expected:
                wrong.append(f"{line.where}: {expected}: it {ended or 'does not'}")
            ended = ""
    return wrong


def _ended(tile: Tile, thread: int, line: Line) -> str:
    """Execute a word; "" if that goes well."""
    try:
        tile.execute(_word(line, tile.arch.name), thread)
    except WouldWaitError as error:
        return f"{WAITS}: {error.summary}"
    except MachineError as error:
        return f"{FAILS} {error.detail.rpartition('check  ')[2]}: {error.summary}"
    return ""


def _word(line: Line, chip: str) -> int:
    try:
        return int(line.text, 0)
    except ValueError:
        statements = assemble(line.text, chip, line.where).statements
    if len(statements) != 1:
        raise BadInputError(f"{line.where}: {line.text!r} is not one word")
    return statements[0].word


def _set_or_compared(tile: Tile, line: Line, *, compares: bool) -> list[str]:
    """Set a part of the state, or say in what it differs."""
    name, _, text = (part.strip() for part in line.text.partition("="))
    state, field = tile.state, name in tile.arch.config_fields
    try:
        numbers = [int(each, 0) for each in text.split()]
        if field and not compares:
            state.set_config_field(name, *numbers)
            return []
        found = None if field else place(name, state)
        there = np.atleast_1d(state.config_field(name) if found is None else found.value(state))
        kind: Any = there.dtype
        if kind.fields is not None:
            raise BadInputError(f"{name!r} has parts: name one")
        if len(numbers) not in (1, there.size):
            raise BadInputError(f"{len(numbers)} numbers, where {there.size} are")
        wanted = np.broadcast_to(np.array(numbers, kind), there.size).reshape(there.shape)
    except (ValueError, OverflowError, TypeError) as error:
        raise BadInputError(f"{line.where}: {error}") from None
    except BadInputError as error:
        raise BadInputError(f"{line.where}: {error.summary}") from None
    if not compares and found is not None:
        found.write(state, wanted.tobytes())
    if not compares or (there == wanted).all():
        return []
    shown = " ".join(f"{int(number):#x}" for number in there.reshape(-1))
    return [f"{line.where}: {name} is {shown}"]
