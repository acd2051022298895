"""Which of the programs that a host's software compiled a core runs: found by its machine code.

tt-metal keeps what it compiles in folders, and beside each ELF one whose code is as it lies in L1,
wherever that is put. A program is the one at hand if all of its code is there around the program
counter.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilelab.sim.errors import BadInputError
from tilelab.sim.files import read_file
from tilelab.tensix.riscv.dwarf import Frame
from tilelab.tensix.riscv.elf import Program, code_symbols
from tilelab.tensix.riscv.elf_sections import (
    ElfError,
    check_header,
    contents,
    read_sections,
)
from tilelab.tensix.words.origin import CORE_NAMES

CACHE: Final = "TT_METAL_CACHE"
"""Environment variable: where tt-metal keeps what it compiles."""
DEFAULT_CACHE: Final = Path(".cache") / "tt-metal-cache"
"""Where it does so otherwise, below the home folder."""
FORMS: Final = ("{core}.elf.xip.elf", "{core}.elf")
NEAR: Final = 32
"""Bytes of code from the program counter on by which a place in a program is looked for."""
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


def running_program(l1: bytes, core: int, pc: int) -> Program | None:
    """The program that a core runs, if it is among what tt-metal has compiled; None if not."""
    if not 0 <= pc < len(l1):
        return None
    found = (_at_hand(path, l1, pc) for path in _compiled(CORE_NAMES[core].lower()))
    return next((program for program in found if program), None)


def _compiled(core: str) -> Iterator[Path]:
    """A core's programs, latest first."""
    folder = Path(os.environ.get(CACHE) or Path.home() / DEFAULT_CACHE)
    for form in FORMS:
        paths = [path for path in folder.rglob(form.format(core=core)) if path.is_file()]
        yield from sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True)


def _at_hand(path: Path, l1: bytes, pc: int) -> Program | None:
    """A program, if its code is what lies around a program counter."""
    try:
        image = read_file(path)
        check_header(image)
        sections = read_sections(image)
        text = next((section for section in sections if section.name == TEXT), None)
        if text is None:
            return None
        code = contents(image, text)
        at = code.find(l1[pc : pc + NEAR])
        while at >= 0 and l1[pc - at : pc - at + len(code)] != code:
            at = code.find(l1[pc : pc + NEAR], at + 1)
        if at < 0 or at > pc:
            return None
        symbols = code_symbols(image, sections)
    except (BadInputError, ElfError):
        return None
    segments = ((text.address, code),)
    return MovedProgram(path, text.address, segments, symbols, image, 0, pc - at - text.address)
