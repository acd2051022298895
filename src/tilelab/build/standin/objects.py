"""Object files and programs of 32 bits, as linkers and their tools need them."""

from pathlib import Path

from tilelab.elf.reader import RELA, UNDEFINED, Elf, ElfError, Symbol, named
from tilelab.sim.files import telling


def read_object(path: Path) -> Elf:
    """One ELF in memory; BadInputError if it is none, or damaged."""
    with telling(path):
        content = path.read_bytes()
    with named(path):
        elf = Elf(content)
        if elf.width.bits != 32:
            raise ElfError("is a 64-bit ELF file: the cores are 32-bit")
        for section in elf.sections:
            elf.contents(section)
        return elf


def symbols(elf: Elf) -> list[Symbol]:
    """Every symbol that has a name."""
    return [each for each in elf.symbols() if each.name]


def undefined(elf: Elf) -> set[str]:
    """Names that another file has to define."""
    return {each.name for each in symbols(elf) if each.section == UNDEFINED}


def defined(elf: Elf) -> set[str]:
    """Names that a file defines."""
    return {each.name for each in symbols(elf)} - undefined(elf)


def is_foreign(elf: Elf) -> bool:
    """Whether it holds a compiler's own intermediate form in the place of code."""
    return any(each.name.startswith(".gnu.lto_") for each in elf.sections)


def without_void_relocations(elf: Elf) -> bytes:
    """The file, in which relocations that say nothing lie inside the section they are for.

    LLD leaves one at 0 for each that relaxing has done away with; tt-metal's loader wants every
    relocation inside its section.
    """
    image, row = bytearray(elf.image), elf.width.relocation
    for table in elf.sections:
        if table.type != RELA:
            continue
        inside = elf.sections[table.info].address
        for number, relocation in enumerate(elf.relocations(table)):
            if relocation.kind == 0:
                row.pack_into(image, table.offset + number * row.size, inside, 0, 0)
    return bytes(image)
