"""Writes small 32-bit ELF files, good and bad, section by section."""

import struct
from dataclasses import dataclass, field

PROGBITS, SYMTAB, STRTAB, NOBITS = 1, 2, 3, 8


@dataclass
class ElfBuilder:
    """Sections are (name, type, address, contents); symbols (name, address, type) in .symtab."""

    sections: list[tuple[str, int, int, bytes]] = field(default_factory=list)
    symbols: list[tuple[str, int, int]] = field(default_factory=list)
    elf_class: int = 1
    byte_order: int = 1
    machine: int = 243
    kind: int = 2

    def add(self, name: str, address: int, data: bytes, kind: int = PROGBITS) -> "ElfBuilder":
        self.sections.append((name, kind, address, data))
        return self

    def _symbol_sections(self) -> list[tuple[str, int, int, bytes]]:
        names = b"\0"
        table = bytes(16)
        for name, address, kind in self.symbols:
            table += struct.pack("<IIIBBH", len(names), address, 4, kind, 0, 1)
            names += name.encode() + b"\0"
        return [(".symtab", SYMTAB, 0, table), (".strtab", STRTAB, 0, names)]

    def build(self) -> bytes:
        sections = [*self.sections, *(self._symbol_sections() if self.symbols else [])]
        sections.append((".shstrtab", STRTAB, 0, b""))
        names = b"\0" + b"".join(name.encode() + b"\0" for name, *_ in sections)
        sections[-1] = (".shstrtab", STRTAB, 0, names)
        body = b""
        headers = bytes(40)
        for i, (name, kind, address, data) in enumerate(sections, 1):
            link = i + 1 if kind == SYMTAB else 0
            entry_size = 16 if kind == SYMTAB else 0
            at = 52 + len(body)
            where = names.index(b"\0" + name.encode() + b"\0") + 1
            headers += struct.pack(
                "<10I", where, kind, 6, address, at, len(data), link, 0, 4, entry_size
            )
            body += b"" if kind == NOBITS else data
        ident = b"\x7fELF" + bytes([self.elf_class, self.byte_order, 1]) + bytes(9)
        header = struct.pack(
            "<HHIIIIIHHHHHH",
            self.kind,
            self.machine,
            1,
            0,
            0,
            52 + len(body),
            0,
            52,
            32,
            0,
            40,
            len(sections) + 1,
            len(sections),
        )
        return ident + header + body + headers
