"""Which of the programs that a host's software compiled a core runs: found by its machine code.

tt-metal keeps what it compiles in folders, and beside each ELF one whose code is as it lies in L1,
wherever that is put. A program is the one at hand if all of its code is there around the program
counter.
"""

import os
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

from tilelab.elf.frames import Frame
from tilelab.elf.program import Program, code_symbols, linked_program
from tilelab.elf.reader import ElfError
from tilelab.riscv.fields import Major, j_offset, major
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


AUTHORS: Final = ("kernel_main", "unpack_main", "math_main", "pack_main")
"""The functions that an author writes; firmware's own call them, or have them inlined."""
INCLUDES: Final = "kernel_includes.hpp"
"""What tt-metal writes a kernel's text to that is in no file."""
YOUR_KERNEL: Final = "your kernel"
MOST_SITES: Final = 3
"""Of places that call a function, that are all named."""
MOST_CALLS: Final = 8
"""Of functions around an address, out of line."""


@dataclass(frozen=True)
class MovedProgram(Program):
    """A program that lies ``by`` bytes behind where it was linked."""

    by: int = 0

    def function(self, pc: int) -> str:
        """As Program, for an address in L1."""
        return super().function(pc - self.by)

    def frames(self, pc: int) -> tuple[Frame, ...]:
        """As Program, for an address in L1, from the author's own function on where it is known.

        That is known of a function out of line, too, that is called in one place alone.
        """
        return self._walk(pc)[0]

    def source(self, pc: int) -> str:
        """As Program; of a function that is called in a few places, all of these."""
        found, sites = self._walk(pc)
        if not 1 < len(sites) <= MOST_SITES:
            return super().source(pc)
        calls = [next(iter(self._own(super(MovedProgram, self).frames(at))), None) for at in sites]
        places = dict.fromkeys(call.place for call in calls if call)
        return " → ".join([" or ".join(places), *(f.function for f in found), found[-1].place])

    def _walk(self, pc: int) -> tuple[tuple[Frame, ...], list[int]]:
        """The frames of an address, and the places that call the first of them, if not one."""
        at = pc - self.by
        found = super().frames(at)
        sites: list[int] = []
        for _ in range(MOST_CALLS):
            start = self._start(at)
            if not found or start is None or any(frame.function in AUTHORS for frame in found):
                break
            sites = [site for site in self._calls.get(start, ()) if self._start(site) != start]
            if len(sites) != 1:
                break
            at = sites.pop()
            found = (*super().frames(at), *found)
        return self._own(found), sites

    @staticmethod
    def _own(found: tuple[Frame, ...]) -> tuple[Frame, ...]:
        """Frames without firmware's, and with the author's file by its name."""
        first = next((i for i, frame in enumerate(found) if frame.function in AUTHORS), 0)
        return tuple(
            frame._replace(file=YOUR_KERNEL) if frame.file == INCLUDES else frame
            for frame in found[first:]
        )

    def _start(self, at: int) -> int | None:
        """Where the function begins that an address belongs to, as linked."""
        index = bisect_right(self.symbols, at, key=lambda symbol: symbol[0]) - 1
        return self.symbols[index][0] if index >= 0 else None

    @cached_property
    def _calls(self) -> dict[int, list[int]]:
        """The places that jump to each address directly, as linked."""
        ((start, code),) = self.segments
        found: dict[int, list[int]] = {}
        for offset in range(0, len(code) - 3, 4):
            word = int.from_bytes(code[offset : offset + 4], "little")
            if major(word) == Major.JAL:
                at = start + offset
                found.setdefault(at + j_offset(word), []).append(at)
        return found


def kernel_cache() -> Path:
    """The folder in which tt-metal keeps what it compiles; it need not be there."""
    return Path(os.environ.get(CACHE) or Path.home() / DEFAULT_CACHE)


def running_program(state: TensixState, core: int, pc: int) -> MovedProgram | None:
    """The program that a core runs, if it is among what tt-metal has compiled; None if not."""
    return next(running_programs(state, core, pc), None)


def running_programs(state: TensixState, core: int, pc: int) -> Iterator[MovedProgram]:
    """All programs that have the code that a core runs, the one compiled last first."""
    place = 4 * fetch_index(state.s, core, pc)
    if place < 0:
        return
    for program in _compiled(str(kernel_cache()), CORE_NAMES[core].lower()):
        ((start, code),) = program.segments
        at = _offset(code, state, place)
        if at >= 0:
            yield MovedProgram(
                program.path, start, program.segments, program.symbols, program.image,
                by=pc - at - start,
            )  # fmt: skip


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
