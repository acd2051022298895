"""Programs for the cores, from the ELF files that compilers make.

What is loaded: sections ``.init``, ``.text`` and ``.ldm_data``, nothing else, because the program
headers also describe placeholders. ``.ldm_data`` belongs into the core's local RAM, which only the
core itself reaches: it is put at ``.loader_init``, whence the program's start-up code copies it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Final

from tilelab.elf.buffer_notes import NOTES, BufferNote, Does, read_notes
from tilelab.elf.frames import DebugInfo, Frame
from tilelab.elf.kept_lines import debug_info
from tilelab.elf.reader import (
    ALLOC,
    COMPRESSED,
    EXECINSTR,
    EXECUTABLE,
    NOBITS,
    RISC_V,
    Elf,
    ElfError,
    Section,
    named,
)
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import read_file

INIT, DATA, PLACE, STACK = ".init", ".ldm_data", ".loader_init", ".stack"
CODE: Final = (INIT, ".text")
LOADED: Final = (*CODE, DATA)
INSTRUCTION_BYTES: Final = 4
LARGEST_DEBUG: Final = 64 << 20
"""Bytes of debugging data, unpacked, that are read for source lines."""
FUNCTION, LABEL = 2, 0
OWN: Final = (b"\0", b"$", b".L")
"""How names begin that say nothing, the empty one among them; compilers make most of them."""
NOWHERE: Final = Frame("", "", 0)


@dataclass(frozen=True)
class Program:
    """A program ready to be written to L1.

    ``segments``: (L1 address, contents), apart from each other. ``data_bytes``: how much of the
    core's local RAM its variables take, from the start to their end; above is the stack.
    ``symbols``: (address, name) of code, by address.
    """

    path: Path
    entry: int
    segments: tuple[tuple[int, bytes], ...]
    symbols: tuple[tuple[int, str], ...] = ()
    image: bytes = field(default=b"", repr=False)
    data_bytes: int = 0
    code: tuple[range, ...] = ()
    """The addresses in L1 that cores fetch from."""
    notes: tuple[BufferNote, ...] = ()
    """What it says it does with circular buffers."""

    def buffers(self, does: Does) -> frozenset[int]:
        """The circular buffers that it says it does something with, maybe ANY_BUFFER."""
        return frozenset(note.buffer for note in self.notes if note.does == does)

    def check_fits(self, l1_size: int, ram_size: int) -> None:
        """BadInputError unless it lies in so many bytes of L1, and its data in local RAM."""
        for start, data in self.segments:
            if start + len(data) > l1_size:
                raise BadInputError(
                    f"{self.path}: {_span(start, data)} is outside L1, which ends at {l1_size:#x}"
                )
        if self.data_bytes > ram_size:
            raise BadInputError(
                f"{self.path}: variables need {self.data_bytes:,} bytes of local RAM; "
                f"the core has {ram_size:,}"
            )

    def function(self, pc: int) -> str:
        """The function that an address belongs to, as ``name`` or ``name+0x12``; "" if none."""
        index = bisect_right(self.symbols, pc, key=lambda symbol: symbol[0]) - 1
        if index < 0 or not self._has_code(pc):
            return ""
        address, name = self.symbols[index]
        return f"{name}+{pc - address:#x}" if pc > address else name

    def frames(self, pc: int) -> tuple[Frame, ...]:
        """The places in the source of an address: the author's call first, the line in it last."""
        return self.debug.frames(pc) if self._has_code(pc) else ()

    def line(self, pc: int) -> str:
        """The author's source line of an address, as ``kernel.cpp:12``; "" if unknown.

        If the code there was inlined, it is the line that called it: what is measured of a line is
        with all that it calls.
        """
        return self.stack(pc)[-1]

    def stack(self, pc: int) -> tuple[str, ...]:
        """The author's source lines of an address, innermost first, each but one with its caller's.

        The author's are those in the file of the outermost; those between are a library's. One
        that is "" if none is known.
        """
        known = [frame for frame in self.frames(pc) if frame.file]
        own = (frame.place for frame in reversed(known) if frame.file == known[0].file)
        return tuple(dict.fromkeys(own)) or ("",)

    def source(self, pc: int) -> str:
        """The author's line and the inlined calls: ``kernel.cpp:31 → add_tiles → issue.h:22``."""
        first, *inner = self.frames(pc) or (NOWHERE,)
        steps = [first.place, *(frame.function for frame in inner)]
        if inner:
            steps.append(inner[-1].place)
        return " → ".join(step for step in steps if step)

    def describe(self, pc: int) -> str:
        """Source line, inlined calls and function of an address, as far as they are known."""
        return ", ".join(text for text in (self.source(pc), self.function(pc)) if text)

    @property
    def note(self) -> str:
        """What keeps source lines from being known, in one line; "" if nothing does."""
        return f"{self.path.name} {self.debug.note}" if self.debug.note else ""

    def _has_code(self, pc: int) -> bool:
        return any(start <= pc < start + len(data) for start, data in self.segments)

    @cached_property
    def debug(self) -> DebugInfo:
        """Debugging data, read when first asked for."""
        return debug_info(self.image, [(at, at + len(data)) for at, data in self.segments])


def load_elf(path: str | Path, local_ram: range) -> Program:
    """Read a core's program; BadInputError if the file is not one, or not one that can be.

    ``local_ram``: the addresses of the cores' own RAM, the largest one's.
    """
    data = read_file(path)  # which checks the path, too
    return program_of(data, Path(path), local_ram)


def program_of(image: bytes, path: Path, local_ram: range) -> Program:
    """The program in a file's bytes; BadInputError, which names the file, as for load_elf."""
    with named(path):
        elf = linked_program(image)
        needed = _needed(elf.sections, local_ram)
        segments = _segments(elf, needed, local_ram)
    variables = [s for s in elf.sections if s.flags & ALLOC and s.size and s.name != STACK]
    ends = [s.address + s.size for s in variables if s.address >= local_ram.start]
    used = max(ends, default=local_ram.start) - local_ram.start
    extents = [(s.address, s.size) for name, s in needed.items() if name in CODE]
    code = tuple(range(address, address + size) for address, size in extents)
    notes = read_notes(elf.image[at.offset :][: at.size] for at in elf.sections if at.name == NOTES)
    entry = needed[INIT].address
    return Program(path, entry, segments, code_symbols(elf), _lines(elf), used, code, notes)


def code_of(image: bytes, path: Path) -> Program:
    """A linked program's instructions, to be read: of any name, and wherever it begins.

    So it takes what a core's program may not be: a kernel that firmware calls. BadInputError, which
    names the file, unless it is a program for 32-bit RISC-V that has instructions.
    """
    with named(path):
        elf = linked_program(image)
        found = [s for s in elf.sections if s.flags & EXECINSTR and s.size and s.type != NOBITS]
        if not found:
            raise ElfError("has no instructions")
        segments = tuple((section.address, _loaded(elf, section)) for section in found)
        symbols = code_symbols(elf)
    code = tuple(range(address, address + len(data)) for address, data in segments)
    return Program(path, segments[0][0], segments, symbols, _lines(elf), code=code)


def linked_program(image: bytes) -> Elf:
    """The file, if it is that of a linked program for 32-bit RISC-V; ElfError if it is not."""
    elf = Elf(image)
    if elf.width.bits != 32:
        raise ElfError("is a 64-bit ELF file: the cores are 32-bit")
    if elf.machine != RISC_V:
        raise ElfError(
            f"is an ELF file for another machine (number {elf.machine}): the cores are RISC-V"
        )
    if elf.kind != EXECUTABLE:
        raise ElfError("is not linked: give the executable, not an object file")
    return elf


def check_apart(programs: Iterable[Program]) -> None:
    """BadInputError if one of some programs that are loaded together lies on another."""
    for one, other in combinations(programs, 2):
        for start, data in one.segments:
            for next_start, next_data in other.segments:
                if _overlap(start, data, next_start, next_data):
                    raise BadInputError(
                        f"{other.path}: {_span(next_start, next_data)} overlaps "
                        f"{_span(start, data)} of {one.path}"
                    )


def _overlap(start: int, data: bytes, next_start: int, next_data: bytes) -> bool:
    return start < next_start + len(next_data) and next_start < start + len(data)


def _span(start: int, data: bytes) -> str:
    return f"[{start:#x}, {start + len(data):#x})"


def _needed(sections: list[Section], local_ram: range) -> dict[str, Section]:
    """The sections that matter, by name, each where it may be; ElfError if not."""
    found: dict[str, Section] = {}
    for section in sections:
        if section.name in (*LOADED, PLACE):
            if section.name in found:
                raise ElfError(f"has two {section.name} sections")
            found[section.name] = section
    if INIT not in found:
        raise ElfError(f"has no {INIT} section, where a program starts")
    start = found[INIT]
    if not start.size or start.type == NOBITS:
        raise ElfError(f"{INIT} is empty: a program starts there")
    for name, section in found.items():
        if name not in CODE or not section.size:
            continue
        if section.type == NOBITS:
            raise ElfError(f"{name} has a size but no contents")
        if section.address % INSTRUCTION_BYTES:
            raise ElfError(f"{name} is at {section.address:#x}, where no instruction can be")
        if section.address >= local_ram.start:
            raise ElfError(f"{name} is at {section.address:#x}: cores run code in L1 only")
    return found


def _segments(
    elf: Elf, needed: dict[str, Section], local_ram: range
) -> tuple[tuple[int, bytes], ...]:
    """What is loaded, and where in L1; ElfError unless all is in the file, apart, and in L1."""
    found: list[tuple[str, int, bytes]] = []
    for name in LOADED:
        section = needed.get(name)
        if section is None or section.type == NOBITS or not section.size:
            continue
        data = _loaded(elf, section)
        address = section.address
        if name == DATA and address >= local_ram.start:
            address = _data_place(needed, local_ram)
        if address + len(data) > local_ram.start:
            raise ElfError(f"{name} would be loaded at {_span(address, data)}, outside L1")
        for other, start, placed in found:
            if _overlap(start, placed, address, data):
                raise ElfError(
                    f"{name} {_span(address, data)} overlaps {other} {_span(start, placed)}"
                )
        found.append((name, address, data))
    return tuple((address, data) for _, address, data in found)


def _loaded(elf: Elf, section: Section) -> bytes:
    """What a section has that is loaded as it is; ElfError if it is compressed."""
    if section.flags & COMPRESSED:
        raise ElfError(f"{section.name} is compressed, which no section that is loaded may be")
    return elf.contents(section)


def _data_place(needed: dict[str, Section], local_ram: range) -> int:
    """Where in L1 the data of local RAM waits for the start-up code."""
    data = needed[DATA]
    if PLACE not in needed:
        raise ElfError(f"{DATA} is for local RAM, but there is no {PLACE} to put it at")
    if data.address + data.size > local_ram.stop:
        raise ElfError(
            f"{DATA} is at [{data.address:#x}, {data.address + data.size:#x}), "
            f"and no local RAM goes beyond {local_ram.stop:#x}"
        )
    return needed[PLACE].address + data.address - local_ram.start


def _lines(elf: Elf) -> bytes:
    """The file, for its source lines, unless these would take too much memory."""
    return elf.image if _debug_bytes(elf) <= LARGEST_DEBUG else b""


def _debug_bytes(elf: Elf) -> int:
    """How much memory the debugging data would take."""
    total = 0
    for section in elf.sections:
        if section.name.startswith((".debug", ".zdebug")):
            packed = section.flags & COMPRESSED or section.name.startswith(".zdebug")
            head = elf.image[section.offset : section.offset + 12]
            size = int.from_bytes(head[4:8], "little")
            if section.name.startswith(".zdebug"):
                size = int.from_bytes(head[4:12], "big")
            total += size if packed else section.size
    return total


def code_symbols(elf: Elf) -> tuple[tuple[int, str], ...]:
    """Functions, and labels of start-up code, by address; functions' names win.

    None of a table that is damaged: names in reports are worth less than the run.
    """
    code = {section.number for section in elf.sections if section.name in CODE}
    functions: dict[int, str] = {}
    labels: dict[int, str] = {}
    try:
        symbols = elf.symbols(code, skip=OWN)
    except ElfError:
        symbols = []
    for symbol in symbols:
        if symbol.kind == FUNCTION and symbol.name:
            functions[symbol.value] = plain_name(symbol.name)
        elif symbol.kind == LABEL and symbol.name:
            labels[symbol.value] = symbol.name
    return tuple(sorted((labels | functions).items()))


def plain_name(symbol: str) -> str:
    """A C++ function's name without its parameters and template arguments; C names stay."""
    match = re.match(r"_ZN?[KVr]*", symbol)
    if match is None:
        return symbol
    parts = []
    rest = symbol[match.end() :]
    while found := re.match(r"L?(\d+)", rest):
        end = found.end() + int(found[1])
        parts.append(rest[found.end() : end])
        rest = rest[end:]
    return "::".join(parts) or symbol
