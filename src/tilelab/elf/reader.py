"""An ELF's sections, segments, symbols and relocations, read from bytes that may be anything.

Nothing is believed before it is checked: a table, a section or a name that is not in the file is
ElfError, so that a damaged or hostile file costs no more than reading it.

Source: System V ABI (gabi), chapters 4 and 5. Not modelled: big-endian files, relocations without
an addend, and more than 65,279 sections.
"""

from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from struct import Struct
from typing import Any, Final, NamedTuple

from tilelab.sim.errors import BadInputError

MAGIC: Final = b"\x7fELF"
LITTLE_ENDIAN: Final = 1
RELOCATABLE, EXECUTABLE = 1, 2
RISC_V: Final = 243
PROGBITS, SYMTAB, STRTAB, RELA, NOBITS = 1, 2, 3, 4, 8
WRITE, ALLOC, EXECINSTR, COMPRESSED = 1, 2, 4, 0x800
UNDEFINED, ABSOLUTE, COMMON = 0, 0xFFF1, 0xFFF2
"""Sections of symbols that are in none."""
GLOBAL, WEAK = 1, 2
LOAD: Final = 1
LONGEST_NAME: Final = 1024
"""Characters of a name that are read: those of C++ templates can be long, and lie in one table."""


class ElfError(Exception):
    """The file is no ELF, or no whole one; the text goes on after its name."""


@contextmanager
def named(name: object) -> Iterator[None]:
    """BadInputError, which begins with a file's name, where there would be ElfError."""
    try:
        yield
    except ElfError as error:
        raise BadInputError(f"{name}: {error}") from None


class Section(NamedTuple):
    """A row of the table of sections, named as the ELF specification names the fields."""

    number: int
    name: str
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry_size: int


class Segment(NamedTuple):
    """What is loaded: where it lies in the file, at which (physical) address it belongs."""

    type: int
    offset: int
    address: int
    size: int


class Symbol(NamedTuple):
    """A symbol: ``kind`` is its type (2 a function, 0 a label), ``section`` where it lies."""

    name: str
    value: int
    size: int
    kind: int
    binding: int
    visibility: int
    section: int


class Relocation(NamedTuple):
    """What a linker is to do at a place: ``symbol`` by number, ``kind`` the machine's own."""

    offset: int
    symbol: int
    kind: int
    addend: int


@dataclass(frozen=True)
class Width:
    """How a file of 32 or 64 bits is laid out; its rows as those of 32 bits have their fields."""

    bits: int
    header: Struct
    section: Struct
    segment: Struct
    symbol: Struct
    relocation: Struct
    segment_row: Callable[[Any], tuple[int, ...]]
    symbol_row: Callable[[Any], tuple[int, ...]]
    kind_bits: int


WIDTHS: Final = {
    1: Width(
        32,
        Struct("<16sHHIIIIIHHHHHH"),
        Struct("<10I"),
        Struct("<8I"),
        Struct("<IIIBBH"),
        Struct("<IIi"),
        itemgetter(0, 1, 3, 4),
        tuple,
        8,
    ),
    2: Width(
        64,
        Struct("<16sHHIQQQIHHHHHH"),
        Struct("<IIQQQQIIQQ"),
        Struct("<IIQQQQQQ"),
        Struct("<IBBHQQ"),
        Struct("<QQq"),
        itemgetter(0, 2, 4, 5),
        itemgetter(0, 4, 5, 1, 2, 3),
        32,
    ),
}
"""By the class that the file gives."""


def name_at(texts: bytes, at: int) -> str:
    """A name of a table of strings, the beginning of one that is very long; "" if there is none."""
    end = texts.find(b"\0", at, at + LONGEST_NAME)
    return texts[at : end if end >= 0 else at + LONGEST_NAME].decode("utf-8", "replace")


class Elf:
    """One file in memory; ElfError if it is no little-endian ELF, or where it is damaged.

    ``kind``: RELOCATABLE, EXECUTABLE, ...; ``machine``: RISC_V, ...
    """

    def __init__(self, image: bytes) -> None:
        if image[:4] != MAGIC:
            raise ElfError("is not an ELF file")
        width = WIDTHS.get(image[4]) if len(image) > 4 else None
        if width is None or len(image) < width.header.size:
            raise ElfError("is a truncated ELF file")
        if image[5] != LITTLE_ENDIAN:
            raise ElfError("is a big-endian ELF file: the cores are little-endian")
        self.image, self.width = image, width
        fields = width.header.unpack_from(image)
        _, self.kind, self.machine, _, self.entry, segments, sections, *_ = fields
        self._segments = segments, *fields[9:11]
        self._sections = sections, *fields[11:13]
        self._names: int = fields[13]

    def _rows(self, where: tuple[int, int, int], row: Struct, what: str) -> list[tuple[int, ...]]:
        table, size, count = where
        if table + size * count > len(self.image):
            raise ElfError("is a truncated ELF file")
        if size < row.size:
            raise ElfError(f"is a damaged ELF file (its table of {what} makes no sense)")
        return [row.unpack_from(self.image, table + size * i) for i in range(count)]

    @cached_property
    def sections(self) -> list[Section]:
        """The table of sections."""
        if not self._sections[0] or not self._sections[2]:
            raise ElfError("has no sections")
        rows = self._rows(self._sections, self.width.section, "sections")
        if self._names >= len(rows):
            raise ElfError("is a damaged ELF file (its table of sections makes no sense)")
        texts = self._bytes(*rows[self._names][4:6])
        return [Section(i, name_at(texts, row[0]), *row[1:]) for i, row in enumerate(rows)]

    @cached_property
    def segments(self) -> list[Segment]:
        """The table of segments; none of an object file."""
        if not self._segments[2]:
            return []
        rows = self._rows(self._segments, self.width.segment, "segments")
        return [Segment(*self.width.segment_row(row)) for row in rows]

    def _bytes(self, offset: int, size: int) -> bytes:
        data = self.image[offset : offset + size]
        if len(data) != size:
            raise ElfError("is a truncated ELF file")
        return data

    def contents(self, part: Section | Segment) -> bytes:
        """What a section or a segment holds in the file."""
        if isinstance(part, Section) and part.type == NOBITS:
            return b""
        return self._bytes(part.offset, part.size)

    def symbols(
        self, within: Container[int] | None = None, skip: tuple[bytes, ...] = ()
    ) -> list[Symbol]:
        """The first table of symbols, by number.

        Or only those that lie in some sections, and whose names do not begin as some do.
        """
        table = next((section for section in self.sections if section.type == SYMTAB), None)
        if table is None:
            return []
        if table.link >= len(self.sections):
            raise ElfError("is a damaged ELF file (its symbols have no names)")
        texts, data = self.contents(self.sections[table.link]), self.contents(table)
        width, found = self.width, []
        whole = len(data) // width.symbol.size * width.symbol.size
        for row in width.symbol.iter_unpack(data[:whole]):
            name, value, size, info, other, section = width.symbol_row(row)
            if within is not None and section not in within:
                continue
            if skip and texts.startswith(skip, name):
                continue
            place = value, size, info & 15, info >> 4, other & 3, section
            found.append(Symbol(name_at(texts, name), *place))
        return found

    def relocations(self, section: Section) -> list[Relocation]:
        """What a section of relocations asks for."""
        data, row, bits = self.contents(section), self.width.relocation, self.width.kind_bits
        rows = row.iter_unpack(data[: len(data) // row.size * row.size])
        return [
            Relocation(offset, info >> bits, info & (1 << bits) - 1, addend)
            for offset, info, addend in rows
        ]
