"""An ELF's table of sections and its symbols, read from bytes that may be anything.

Nothing is believed before it is checked: a table, a section or a name that is not in the file is
ElfError, so that a damaged or hostile file costs no more than reading it.

Not modelled: 64-bit and big-endian files, and more than 65,279 sections, which no core's has.
"""

import struct
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

HEADER: Final = struct.Struct("<16sHHIIIIIHHHHHH")
SECTION: Final = struct.Struct("<10I")
SYMBOL: Final = struct.Struct("<IIIBBH")
ELF32, LITTLE_ENDIAN, EXECUTABLE, RISC_V = 1, 1, 2, 243
SYMTAB, NOBITS = 2, 8
COMPRESSED: Final = 0x800
OWN: Final = (b"\0", b"$", b".L")
"""How names begin that say nothing, the empty one among them."""
LONGEST_NAME: Final = 1024
"""Characters of a name that are read: those of C++ templates can be long, and lie in one table."""


class ElfError(Exception):
    """The file is no program; the text goes on after its name."""


@dataclass(frozen=True)
class Section:
    """A row of the table of sections, named as the ELF specification names the fields."""

    index: int
    name: str
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    entry_size: int


class Symbol(NamedTuple):
    """A symbol: ``kind`` is its type (2 a function, 0 a label), ``section`` where it lies."""

    name: str
    address: int
    kind: int
    section: int


def check_header(image: bytes) -> None:
    """ElfError unless the header is that of a linked program for 32-bit RISC-V."""
    if image[:4] != b"\x7fELF":
        raise ElfError("is not an ELF file")
    if len(image) < HEADER.size:
        raise ElfError("is a truncated ELF file")
    if image[4] != ELF32:
        raise ElfError("is a 64-bit ELF file: the cores are 32-bit")
    if image[5] != LITTLE_ENDIAN:
        raise ElfError("is a big-endian ELF file: the cores are little-endian")
    _, kind, machine, *_ = HEADER.unpack_from(image)
    if machine != RISC_V:
        raise ElfError(
            f"is an ELF file for another machine (number {machine}): the cores are RISC-V"
        )
    if kind != EXECUTABLE:
        raise ElfError("is not linked: give the executable, not an object file")


def read_sections(image: bytes) -> list[Section]:
    """The table of sections of a file whose header is right; ElfError if it is damaged."""
    fields = HEADER.unpack_from(image)
    table, entry_size, count, names = fields[6], *fields[11:14]
    if not table or not count:
        raise ElfError("has no sections")
    if table + entry_size * count > len(image):
        raise ElfError("is a truncated ELF file")
    if entry_size < SECTION.size or names >= count:
        raise ElfError("is a damaged ELF file (its table of sections makes no sense)")
    rows = [SECTION.unpack_from(image, table + entry_size * i) for i in range(count)]
    start, size = rows[names][4:6]
    if start + size > len(image):
        raise ElfError("is a truncated ELF file")
    texts = image[start : start + size]
    return [
        Section(index, name_at(texts, name), kind, flags, address, offset, length, link, entry)
        for index, (name, kind, flags, address, offset, length, link, _, _, entry) in enumerate(
            rows
        )
    ]


def name_at(texts: bytes, at: int) -> str:
    """A name of a table of strings, the beginning of one that is very long; "" if there is none."""
    end = texts.find(b"\0", at, at + LONGEST_NAME)
    return texts[at : end if end >= 0 else at + LONGEST_NAME].decode("utf-8", "replace")


def contents(image: bytes, section: Section) -> bytes:
    """What a section holds; ElfError if that is not in the file."""
    data = image[section.offset : section.offset + section.size]
    if len(data) != section.size:
        raise ElfError("is a truncated ELF file")
    return data


def read_symbols(image: bytes, sections: list[Section], within: Container[int]) -> Iterator[Symbol]:
    """The named symbols of the first table of them that lie in some sections, named by index.

    None of a table that is damaged; none that compilers make for themselves (``.L``, ``$``), which
    are most.
    """
    table = next((section for section in sections if section.type == SYMTAB), None)
    if table is None or table.link >= len(sections):
        return
    try:
        texts, data = contents(image, sections[table.link]), contents(image, table)
    except ElfError:
        return  # names in reports are worth less than the run
    for name, address, _, info, _, section in SYMBOL.iter_unpack(
        data[: len(data) // SYMBOL.size * SYMBOL.size]
    ):
        if section not in within or texts.startswith(OWN, name):
            continue
        if text := name_at(texts, name):
            yield Symbol(text, address, info & 15, section)
