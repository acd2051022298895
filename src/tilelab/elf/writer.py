"""Small ELF files of 32 bits, section by section: what benchmarks run, and tests read."""

from dataclasses import dataclass, field
from typing import Self

from tilelab.elf.reader import (
    EXECUTABLE,
    LITTLE_ENDIAN,
    MAGIC,
    NOBITS,
    PROGBITS,
    RISC_V,
    STRTAB,
    SYMTAB,
    WIDTHS,
)

_WIDTH = WIDTHS[1]
_FLAGS = 6
"""Every section is loaded, and holds code."""


@dataclass
class ElfBuilder:
    """Sections are (name, type, address, contents); symbols (name, address, type) in .symtab."""

    sections: list[tuple[str, int, int, bytes]] = field(default_factory=list)
    symbols: list[tuple[str, int, int]] = field(default_factory=list)
    elf_class: int = 1
    byte_order: int = LITTLE_ENDIAN
    machine: int = RISC_V
    kind: int = EXECUTABLE

    def add(self, name: str, address: int, data: bytes, kind: int = PROGBITS) -> Self:
        """Add a section."""
        self.sections.append((name, kind, address, data))
        return self

    def _symbol_sections(self) -> list[tuple[str, int, int, bytes]]:
        names, table = b"\0", bytes(_WIDTH.symbol.size)
        for name, address, kind in self.symbols:
            table += _WIDTH.symbol.pack(len(names), address, 4, kind, 0, 1)
            names += name.encode() + b"\0"
        return [(".symtab", SYMTAB, 0, table), (".strtab", STRTAB, 0, names)]

    def build(self) -> bytes:
        """The file."""
        sections = [*self.sections, *(self._symbol_sections() if self.symbols else [])]
        every = [name for name, *_ in sections] + [".shstrtab"]
        names = b"\0" + b"".join(name.encode() + b"\0" for name in every)
        sections.append((".shstrtab", STRTAB, 0, names))
        head, row = _WIDTH.header.size, _WIDTH.section
        body, headers = b"", bytes(row.size)
        for i, (name, kind, address, data) in enumerate(sections, 1):
            link, entry = (i + 1, _WIDTH.symbol.size) if kind == SYMTAB else (0, 0)
            where = names.index(b"\0" + name.encode() + b"\0") + 1
            place = address, head + len(body), len(data)
            headers += row.pack(where, kind, _FLAGS, *place, link, 0, 4, entry)
            body += b"" if kind == NOBITS else data
        ident = MAGIC + bytes([self.elf_class, self.byte_order, 1])
        count = len(sections) + 1
        header = _WIDTH.header.pack(
            *(ident, self.kind, self.machine, 1, 0, 0, head + len(body), 0),
            *(head, 32, 0, row.size, count, count - 1),
        )
        return header + body + headers
