"""The sections and symbols of a 32-bit little-endian ELF, as linkers and their tools need them."""

import struct
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tilelab.sim.errors import BadInputError

NO_BITS, SYMBOL_TABLE = 8, 2
WRITE, ALLOC, EXECUTE = 1, 2, 4
UNDEFINED, ABSOLUTE, COMMON = 0, 0xFFF1, 0xFFF2
GLOBAL, WEAK = 1, 2
_HEADER, _SECTION, _SYMBOL = struct.Struct("<16sHHIIIIIHHHHHH"), struct.Struct("<10I"), "<IIIBBH"


@dataclass(frozen=True)
class Section:
    """A section; ``offset`` and ``size`` are bytes of the file, ``info`` and ``link`` as there."""

    name: str
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int


@dataclass(frozen=True)
class Symbol:
    """A symbol; ``section`` is a section's number, or UNDEFINED, ABSOLUTE, COMMON."""

    name: str
    value: int
    size: int
    binding: int
    section: int


class ElfFile:
    """One ELF in memory. BadInputError if it is none, or cut short."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.content = path.read_bytes()
        except OSError as error:
            raise BadInputError(f"{path}: {error.strerror}") from None
        if self.content[:6] != b"\x7fELF\x01\x01" or len(self.content) < _HEADER.size:
            raise BadInputError(f"{path}: not a 32-bit little-endian ELF")
        header = _HEADER.unpack_from(self.content)
        self._sections_at, self._section_count, self._names = header[6], header[12], header[13]

    @cached_property
    def sections(self) -> list[Section]:
        """Every section, by its number."""
        try:
            rows = [
                _SECTION.unpack_from(self.content, self._sections_at + i * _SECTION.size)
                for i in range(self._section_count)
            ]
            names = rows[self._names][4] if rows else 0
            return [
                Section(self._text(names + row[0]), row[1], row[2], row[3], row[4], row[5], row[6])
                for row in rows
            ]
        except (struct.error, IndexError):
            raise BadInputError(f"{self.path}: the section table is cut short") from None

    def _text(self, at: int) -> str:
        return self.content[at : self.content.index(0, at)].decode(errors="replace")

    def data(self, section: Section) -> bytes:
        """A section's bytes; none for one that the file does not hold."""
        if section.kind == NO_BITS:
            return b""
        return self.content[section.offset : section.offset + section.size]

    @cached_property
    def symbols(self) -> list[Symbol]:
        """Every symbol that has a name."""
        found = []
        for table in self.sections:
            if table.kind != SYMBOL_TABLE:
                continue
            names = self.sections[table.link].offset
            for name, value, size, info, _, section in struct.iter_unpack(
                _SYMBOL, self.data(table)
            ):
                if name:
                    text = self._text(names + name)
                    found.append(Symbol(text, value, size, info >> 4, section))
        return found

    @property
    def undefined(self) -> set[str]:
        """Names that another file has to define."""
        return {each.name for each in self.symbols if each.section == UNDEFINED}

    @property
    def foreign(self) -> bool:
        """Whether it holds a compiler's own intermediate form in the place of code."""
        return any(each.name.startswith(".gnu.lto_") for each in self.sections)
