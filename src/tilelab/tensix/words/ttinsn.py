"""Tensix words inside a RISC-V instruction stream: ``.ttinsn``.

A RISC-V instruction whose two low bits are not 11 is a Tensix word rotated left by two bits
(PushTensixInstruction.md). So words whose opcode is 0xC0 or more cannot be written this way.
"""

from tilelab.riscv.fields import tensix_word
from tilelab.riscv.table import TTINSN


def to_ttinsn(word: int) -> int:
    """Return a Tensix word as it stands in a RISC-V instruction stream; ValueError if it cannot."""
    if not 0 <= word <= 0xFFFFFFFF:
        raise ValueError(f"{word:#x} is not a 32-bit word")
    if word >> 30 == 3:
        raise ValueError(f"{word:#010x} has no .ttinsn encoding: its opcode is 0xc0 or more")
    return TTINSN.encode(word)


def from_ttinsn(memory_word: int) -> int:
    """Return the Tensix word of a RISC-V instruction; ValueError if it is not a ``.ttinsn``."""
    if not 0 <= memory_word <= 0xFFFFFFFF:
        raise ValueError(f"{memory_word:#x} is not a 32-bit word")
    if memory_word & 3 == 3:
        raise ValueError(f"{memory_word:#010x} is a RISC-V instruction, not a .ttinsn")
    return tensix_word(memory_word)
