"""Makes a shared library of one object file: no linker is needed where tilelab is installed.

It does what one object of our own needs and nothing else: position-independent code for x86-64
Linux, whose functions and data from elsewhere (the C library's) are all reached through a table of
addresses (GOT) that the loader fills before anything runs; direct calls of them go through a jump
each.

Sources: System V ABI (gabi, chapters 4 and 5) and its x86-64 supplement.
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tilelab.elf.reader import (
    ALLOC,
    EXECINSTR,
    GLOBAL,
    MAGIC,
    NOBITS,
    RELA,
    UNDEFINED,
    WRITE,
    Elf,
    Relocation,
    Section,
    Symbol,
)
from tilelab.sim.errors import AssertionFailureError

PAGE: Final = 0x1000
SHARED, X86_64 = 3, 62
LOAD, DYNAMIC, STACK = 1, 2, 0x6474E551
READABLE, WRITABLE, EXECUTABLE = 4, 2, 1
PC32, PLT32, GOTPCREL, GOTPCRELX, REX_GOTPCRELX, GLOB_DAT = 2, 4, 9, 41, 42, 6
ABSOLUTE, RELATIVE = 1, 8
RELATIVE_TO_CODE: Final = (PC32, PLT32)
THROUGH_TABLE: Final = (GOTPCREL, GOTPCRELX, REX_GOTPCRELX)
HASH, STRTAB, SYMTAB, RELAS, RELASZ, RELAENT, STRSZ, SYMENT = 4, 5, 6, 7, 8, 9, 10, 11
SONAME, FLAGS, BIND_NOW = 14, 30, 8
JUMP: Final = b"\xff\x25"
"""A jump to an address that stands at a distance from its end."""
JUMP_BYTES: Final = 6
GLOBAL_FUNCTION: Final = 1 << 4 | 2
GLOBAL_ANY: Final = 1 << 4
HEADER, PROGRAM_HEADER, SYMBOL, RELOCATION = 64, 56, 24, 24
SEGMENTS: Final = 5


@dataclass
class _Object:
    """What of an object file is loaded, its symbols, and by section what is still open in it."""

    elf: Elf
    code: list[Section] = field(default_factory=list)
    constants: list[Section] = field(default_factory=list)
    data: list[Section] = field(default_factory=list)
    zeros: list[Section] = field(default_factory=list)
    relocations: list[tuple[int, Relocation]] = field(default_factory=list)

    def __post_init__(self) -> None:
        sections = self.elf.sections
        loaded = {s.number for s in sections if s.flags & ALLOC and s.name != ".eh_frame"}
        for section in sections:
            if section.type == RELA and section.info in loaded:
                self.relocations += [(section.info, r) for r in self.elf.relocations(section)]
            elif section.number in loaded:
                writes = self.data if section.flags & WRITE else self.constants
                kind = self.code if section.flags & EXECINSTR else writes
                (self.zeros if section.type == NOBITS else kind).append(section)
        self.symbols = self.elf.symbols()


class _Layout:
    """Grows a file that is loaded as it stands: an offset is an address."""

    def __init__(self, start: int) -> None:
        self.bytes = bytearray(start)

    def place(self, data: bytes, align: int = 8) -> int:
        self.align(align)
        at = len(self.bytes)
        self.bytes += data
        return at

    def put(self, at: int, data: bytes) -> None:
        self.bytes[at : at + len(data)] = data

    def align(self, to: int) -> None:
        self.bytes += bytes(-len(self.bytes) % max(to, 1))


def _hash_table(names: Iterable[str]) -> bytes:
    """One bucket, in which every symbol follows the one before it."""
    count = len(list(names)) + 1
    chain = [0, *range(2, count), 0]
    return struct.pack(f"<{3 + count}I", 1, count, 1 if count > 1 else 0, *chain[:count])


@dataclass
class _Tables:
    """What the loader reads: names, symbols, and the table of addresses that it fills."""

    name: str
    exported: list[Symbol]
    wanted: list[Symbol]
    strings: bytes = b"\0"
    offsets: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for text in (*self.names, self.name):
            self.offsets[text] = len(self.strings)
            self.strings += text.encode() + b"\0"

    @property
    def names(self) -> list[str]:
        """Of all symbols, in their order."""
        return [symbol.name for symbol in (*self.wanted, *self.exported)]

    def symbols(self, address: dict[int, int]) -> bytes:
        """The symbol table: those from elsewhere, then ours."""
        rows = [bytes(SYMBOL)]
        for symbol in (*self.wanted, *self.exported):
            here = symbol.section != UNDEFINED
            value = address[symbol.section] + symbol.value if here else 0
            kind, section = (GLOBAL_FUNCTION, 1) if here else (GLOBAL_ANY, 0)
            offset = self.offsets[symbol.name]
            rows.append(struct.pack("<IBBHQQ", offset, kind, 0, section, value, symbol.size))
        return b"".join(rows)

    def relocations(self, table: dict[str, int], pointers: list[tuple[int, int]]) -> bytes:
        """An entry of the table each; then pointers to our own, by where they stand."""
        rows = [
            struct.pack("<QQq", table[symbol.name], number << 32 | GLOB_DAT, 0)
            for number, symbol in enumerate(self.wanted, 1)
        ]
        rows += [struct.pack("<QQq", at, RELATIVE, value) for at, value in pointers]
        return b"".join(rows)


def link(data: bytes, name: str, filled: dict[str, bytes] | None = None) -> bytes:
    """The shared library of an object file; ``name`` is how it calls itself.

    ``filled``: data of symbols that are in the object without it.
    """
    read = _Object(Elf(data))
    bound = [s for s in read.symbols if s.name and s.binding == GLOBAL]
    wanted = [s for s in bound if s.section == UNDEFINED]
    seen = [s for s in bound if not s.visibility]
    tables = _Tables(name, [s for s in seen if s.section != UNDEFINED], wanted)
    made = _Layout(HEADER + SEGMENTS * PROGRAM_HEADER)
    address: dict[int, int] = {}

    def place(sections: list[Section]) -> None:
        for section in sections:
            address[section.number] = made.place(read.elf.contents(section), section.align)

    hash_at = made.place(_hash_table(tables.names))
    strings_at = made.place(tables.strings)
    symbols_at = made.place(bytes(SYMBOL * (len(tables.names) + 1)))
    absolute = sum(r.kind == ABSOLUTE for _, r in read.relocations)
    relocations = RELOCATION * (len(wanted) + absolute)
    relocations_at = made.place(bytes(relocations))
    place(read.constants)
    made.align(PAGE)
    code_at = len(made.bytes)
    place(read.code)
    jumps_at = made.place(bytes(JUMP_BYTES * len(wanted)))
    jumps = {symbol.name: jumps_at + JUMP_BYTES * i for i, symbol in enumerate(wanted)}
    code_end = len(made.bytes)
    made.align(PAGE)
    entries = {
        HASH: hash_at, STRTAB: strings_at, SYMTAB: symbols_at, STRSZ: len(tables.strings),
        SYMENT: SYMBOL, RELAS: relocations_at, RELASZ: relocations,
        RELAENT: RELOCATION, SONAME: tables.offsets[name], FLAGS: BIND_NOW, 0: 0,
    }  # fmt: skip
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in entries.items())
    data_at = made.place(dynamic)
    table_at = made.place(bytes(8 * len(wanted)))
    table = {symbol.name: table_at + 8 * i for i, symbol in enumerate(wanted)}
    place(read.data)
    data_end = end = len(made.bytes)
    for section in read.zeros:
        address[section.number] = end + -end % section.align
        end = address[section.number] + section.size
    _fill(made, read, address, filled or {})
    for wanted_name, at in jumps.items():
        made.put(at, JUMP + struct.pack("<i", table[wanted_name] - at - JUMP_BYTES))
    made.put(symbols_at, tables.symbols(address))
    pointers = _relocate(made.bytes, read, address, table, jumps)
    made.put(relocations_at, tables.relocations(table, pointers))
    segments = [
        (LOAD, READABLE, 0, code_at, code_at),
        (LOAD, READABLE | EXECUTABLE, code_at, code_end - code_at, code_end - code_at),
        (LOAD, READABLE | WRITABLE, data_at, data_end - data_at, end - data_at),
        (DYNAMIC, READABLE | WRITABLE, data_at, len(dynamic), len(dynamic)),
        (STACK, READABLE | WRITABLE, 0, 0, 0),
    ]
    made.put(0, _headers(segments))
    return bytes(made.bytes)


def _fill(made: _Layout, read: _Object, address: dict[int, int], filled: dict[str, bytes]) -> None:
    """Put data where symbols are that the object has no data for."""
    for symbol in read.symbols:
        if symbol.name in filled:
            made.put(address[symbol.section] + symbol.value, filled[symbol.name])


def _relocate(
    image: bytearray,
    read: _Object,
    address: dict[int, int],
    table: dict[str, int],
    jumps: dict[str, int],
) -> list[tuple[int, int]]:
    """Fill in every distance that the object left open.

    Returns where addresses of our own stand, and how far from the library's start those are.
    """
    pointers = []
    for section, relocation in read.relocations:
        symbol = read.symbols[relocation.symbol]
        kind = relocation.kind
        at = address[section] + relocation.offset
        here = symbol.section in address
        if kind in THROUGH_TABLE and symbol.name in table:
            target = table[symbol.name]
        elif kind == PLT32 and symbol.name in jumps:
            target = jumps[symbol.name]
        elif kind in RELATIVE_TO_CODE and here:
            target = address[symbol.section] + symbol.value
        elif kind == ABSOLUTE and here:
            target = address[symbol.section] + symbol.value
            pointers.append((at, target + relocation.addend))
            continue
        else:
            raise AssertionFailureError(f"relocation {kind} of {symbol.name!r} is not handled")
        image[at : at + 4] = struct.pack("<i", target + relocation.addend - at)
    return pointers


def _headers(segments: list[tuple[int, int, int, int, int]]) -> bytes:
    ident = MAGIC + bytes((2, 1, 1)) + bytes(9)
    header = struct.pack(
        "<HHIQQQIHHHHHH",
        *(SHARED, X86_64, 1, 0, HEADER, 0, 0, HEADER, PROGRAM_HEADER, SEGMENTS, 0, 0, 0),
    )  # fmt: skip
    rows = [
        struct.pack("<IIQQQQQQ", kind, flags, at, at, at, size, memory, PAGE if kind == LOAD else 8)
        for kind, flags, at, size, memory in segments
    ]
    return ident + header + b"".join(rows)
