"""Which of the programs that a host's software compiled a core runs: found by its machine code.

tt-metal keeps what it compiles in folders, and beside each ELF one whose code is as it lies in L1,
wherever that is put. A program is the one at hand if all of its code is there around the program
counter.
"""

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from tilelab.elf.dwarf import Frame
from tilelab.elf.program import Program, code_symbols, linked_program
from tilelab.elf.reader import ElfError
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import read_file
from tilelab.tensix.riscv.core import fetch_index
from tilelab.tensix.state import TensixState
from tilelab.tensix.words.origin import CORE_NAMES

CACHE: Final = "TT_METAL_CACHE"
"""Environment variable: where tt-metal keeps what it compiles."""
DEFAULT_CACHE: Final = Path(".cache") / "tt-metal-cache"
"""Where it does so otherwise, below the home folder."""
FORMS: Final = ("{core}.elf.xip.elf", "{core}.elf")
TEXT: Final = ".text"


@dataclass(frozen=True)
class MovedProgram(Program):
    """A program that lies ``by`` bytes behind where it was linked."""

    by: int = 0

    def function(self, pc: int) -> str:
        """As Program, for an address in L1."""
        return super().function(pc - self.by)

    def frames(self, pc: int) -> tuple[Frame, ...]:
        """As Program, for an address in L1."""
        return super().frames(pc - self.by)


def running_program(state: TensixState, core: int, pc: int) -> Program | None:
    """The program that a core runs, if it is among what tt-metal has compiled; None if not."""
    place = 4 * fetch_index(state.s, core, pc)
    if place < 0:
        return None
    folder = os.environ.get(CACHE) or str(Path.home() / DEFAULT_CACHE)
    for program in _compiled(folder, CORE_NAMES[core].lower()):
        ((start, code),) = program.segments
        at = _offset(code, state, place)
        if at >= 0:
            return MovedProgram(
                program.path, start, program.segments, program.symbols, program.image,
                by=pc - at - start,
            )  # fmt: skip
    return None


@lru_cache(maxsize=8)
def _compiled(folder: str, core: str) -> tuple[Program, ...]:
    """A core's programs as they were linked, latest first; what is damaged is none."""
    found = []
    for form in FORMS:
        paths = [path for path in Path(folder).rglob(form.format(core=core)) if path.is_file()]
        for path in sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True):
            try:
                found += _linked(path)
            except (BadInputError, ElfError):
                continue
    return tuple(found)


def _linked(path: Path) -> list[Program]:
    """The program in a file, if it has code."""
    image = read_file(path)
    elf = linked_program(image)
    symbols = code_symbols(elf)
    return [
        Program(path, text.address, ((text.address, elf.contents(text)),), symbols, image)
        for text in elf.sections
        if text.name == TEXT
    ]


def _offset(code: bytes, state: TensixState, place: int) -> int:
    """Where in a program's code a place in a tile's memory is; -1 if that is not there."""
    first = max(0, place + 4 - len(code))
    at = state.code[first : place + len(code)].tobytes().find(code)
    return place - first - at if at >= 0 else -1
