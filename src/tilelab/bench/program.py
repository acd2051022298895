"""RISC-V programs that drive a benchmark, the same words for every simulator.

A core does its set-up once, says that it is ready, and then does one run each time the host
counts GO up, and answers in its DONE word. How often a run repeats stands in the REPEATS word.
"""

from collections.abc import Sequence

from tilelab.tensix.tables.tile_registers import INSTRN_BUF, PC_BUF, TENSIX_SYNC

RESET_PC = (0x6000, 0xA000, 0xE000, 0)
"""Where TRISC0 to TRISC2 and BRISC start after a reset."""
GO, REPEATS, DONE = 0x5000, 0x5004, 0x5010
"""DONE is one word for each core."""
ZERO, T0, T1, T2, S1, T3 = 0, 5, 6, 7, 9, 28
BNE, LW = 1, 2


def lui(rd: int, value: int) -> int:
    """``lui rd``: the upper 20 bits of a value."""
    return value & 0xFFFFF000 | rd << 7 | 0x37


def addi(rd: int, rs1: int, value: int) -> int:
    """``addi rd, rs1, value``."""
    return (value & 0xFFF) << 20 | rs1 << 15 | rd << 7 | 0x13


def xor(rd: int, rs1: int, rs2: int) -> int:
    """``xor rd, rs1, rs2``."""
    return rs2 << 20 | rs1 << 15 | 4 << 12 | rd << 7 | 0x33


def lw(rd: int, rs1: int, offset: int = 0) -> int:
    """``lw rd, offset(rs1)``."""
    return (offset & 0xFFF) << 20 | rs1 << 15 | LW << 12 | rd << 7 | 0x03


def sw(rs2: int, rs1: int) -> int:
    """``sw rs2, 0(rs1)``."""
    return rs2 << 20 | rs1 << 15 | 2 << 12 | 0x23


def bne(rs1: int, rs2: int, words: int) -> int:
    """``bne rs1, rs2``, so many words away."""
    offset = 4 * words
    high = (offset >> 12 & 1) << 31 | (offset >> 5 & 63) << 25
    low = (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7
    return high | rs2 << 20 | rs1 << 15 | BNE << 12 | low | 0x63


def jump_back(words: int) -> int:
    """``j`` to so many words before."""
    offset = -4 * words
    low = (offset >> 1 & 0x3FF) << 21 | (offset >> 11 & 1) << 20 | offset & 0xFF000
    return (offset >> 20 & 1) << 31 | low | 0x6F


def li(rd: int, value: int) -> list[int]:
    """Any 32-bit constant."""
    return [lui(rd, value + 0x800), addi(rd, rd, value)]


def store(address: int, value: int) -> list[int]:
    """Store a word somewhere."""
    return [*li(T0, address), *li(T1, value), sw(T1, T0)]


def sync() -> list[int]:
    """Wait until the coprocessor has done everything that this core pushed."""
    return [*li(T0, PC_BUF + TENSIX_SYNC), lw(T1, T0)]


def program(core: int, setup: Sequence[int], body: Sequence[int], last: Sequence[int]) -> bytes:
    """The program of a core: ``setup`` once, then in each run ``body`` REPEATS times and ``last``.

    ``body`` and ``last`` must leave S1 and T3 alone; ``body`` finds INSTRN_BUF in T0.
    """
    words = [*setup, *last, addi(S1, ZERO, 0), *store(DONE + 4 * core, 0xFFFFFFFF)]
    again = len(words)
    words += [addi(S1, S1, 1), *li(T0, GO), lw(T1, T0), bne(T1, S1, -1)]
    words += [*li(T0, REPEATS), lw(T3, T0), *li(T0, INSTRN_BUF)]
    words += [*body, addi(T3, T3, -1), bne(T3, ZERO, -1 - len(body))]
    words += [*last, *li(T0, DONE + 4 * core), sw(S1, T0)]
    words.append(jump_back(len(words) - again))
    return b"".join(word.to_bytes(4, "little") for word in words)
