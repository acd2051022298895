"""Programs word by word, as benchmarks and tests write them. Distances are counted in words."""

from typing import Final

from tilelab.riscv.table import RV32

ZERO, T0, T1, T2, S1, T3 = 0, 5, 6, 7, 9, 28
"""Numbers of registers."""


def lui(rd: int, value: int) -> int:
    """``lui rd``: the upper 20 bits of a value."""
    return RV32.word("lui", rd, value)


def addi(rd: int, rs1: int, value: int) -> int:
    """``addi rd, rs1, value``."""
    return RV32.word("addi", rd, rs1, value)


def xor(rd: int, rs1: int, rs2: int) -> int:
    """``xor rd, rs1, rs2``."""
    return RV32.word("xor", rd, rs1, rs2)


def lw(rd: int, rs1: int, offset: int = 0) -> int:
    """``lw rd, offset(rs1)``."""
    return RV32.word("lw", rd, rs1, offset)


def sw(rs2: int, rs1: int, offset: int = 0) -> int:
    """``sw rs2, offset(rs1)``."""
    return RV32.word("sw", rs2, rs1, offset)


def csrr(rd: int, csr: int) -> int:
    """``csrr rd, csr``."""
    return RV32.word("csrrs", rd, ZERO, csr)


def bne(rs1: int, rs2: int, words: int) -> int:
    """``bne rs1, rs2``, so many words away."""
    return RV32.word("bne", rs1, rs2, 4 * words)


def jump_back(words: int) -> int:
    """``j`` to so many words before."""
    return RV32.word("jal", ZERO, -4 * words)


HALT: Final = jump_back(0)
"""Loop for ever."""


def li(rd: int, value: int) -> list[int]:
    """Any 32-bit constant."""
    return [lui(rd, value + 0x800), addi(rd, rd, value)]


def store(address: int, value: int) -> list[int]:
    """Store a word somewhere."""
    return [*li(T0, address), *li(T1, value), sw(T1, T0)]
