"""Linked RV64 ELFs: what to load where, the entry, and names for addresses."""

from tilelab.elf.reader import LOAD, RELOCATABLE
from tilelab.sim.errors import BadInputError
from tilelab.tilext.objdump import reading
from tilelab.tilext.scalar.assembler import Program

_NAMED = (0, 1, 2)  # kinds of symbols: none, an object, a function


def load_elf(data: bytes, name: str) -> Program:
    """Return a linked ELF as a program; BadInputError if it is none, damaged, or not linked."""
    with reading(data, name) as elf:
        if elf.width.bits != 64:
            raise BadInputError(f"{name}: not a 64-bit little-endian RISC-V ELF")
        if elf.kind == RELOCATABLE:
            hint = "link it, as with gcc -nostdlib -Wl,-Ttext=0x1000"
            raise BadInputError(f"{name}: is not linked; {hint}")
        loaded = [part for part in elf.segments if part.type == LOAD and part.size]
        if not loaded:
            raise BadInputError(f"{name}: has nothing to load")
        segments = tuple((part.address, elf.contents(part)) for part in loaded)
        named = (each for each in elf.symbols() if each.name and each.kind in _NAMED)
        return Program(segments, elf.entry, {each.name: each.value for each in named}, {})
