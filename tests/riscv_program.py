"""Small RISC-V programs for a tile, written word by word."""

from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, INSTRN_BUF, SOFT_RESET_0
from tilelab.tensix.tile import Tile

RESET_PC = (0x6000, 0xA000, 0xE000, 0, 0x12000)
RESET_BITS = (12, 13, 14, 11, 18)
BRISC = 3
ZERO, T0, T1, T2 = 0, 5, 6, 7


def lui(rd: int, value: int) -> int:
    return value & 0xFFFFF000 | rd << 7 | 0x37


def addi(rd: int, rs1: int, value: int) -> int:
    return (value & 0xFFF) << 20 | rs1 << 15 | rd << 7 | 0x13


def lw(rd: int, rs1: int, offset: int = 0) -> int:
    return (offset & 0xFFF) << 20 | rs1 << 15 | 2 << 12 | rd << 7 | 0x03


def sw(rs2: int, rs1: int, offset: int = 0) -> int:
    return (offset >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | (offset & 31) << 7 | 0x23


def csrr(rd: int, csr: int) -> int:
    return csr << 20 | 2 << 12 | rd << 7 | 0x73


def bne(rs1: int, rs2: int, words: int) -> int:
    offset = 4 * words
    high = (offset >> 12 & 1) << 31 | (offset >> 5 & 63) << 25
    low = (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7
    return high | rs2 << 20 | rs1 << 15 | 1 << 12 | low | 0x63


HALT = 0x0000006F
"""jal zero, 0: loop for ever."""


def li(rd: int, value: int) -> list[int]:
    """Any 32-bit constant."""
    return [lui(rd, value + 0x800), addi(rd, rd, value)]


def load(rd: int, address: int) -> list[int]:
    return [*li(T0, address), lw(rd, T0)]


def store(address: int, value: int) -> list[int]:
    return [*li(T0, address), *li(T1, value), sw(T1, T0)]


def push(word: int) -> list[int]:
    return store(INSTRN_BUF, word)


def wait_for(address: int, value: int) -> list[int]:
    """Poll a word of L1 until it has a value other than 0."""
    return [*li(T0, address), *li(T1, value), lw(T2, T0), bne(T2, T1, -1)]


def start(tile: Tile, programs: dict[int, list[int]]) -> None:
    """Write programs to the cores' reset addresses and release those cores."""
    for core, words in programs.items():
        code = b"".join(word.to_bytes(4, "little") for word in [*words, HALT])
        tile.write(RESET_PC[core], code)
    reset = tile.reg_read(DEBUG_REGISTERS + SOFT_RESET_0)
    for core in programs:
        reset &= ~(1 << RESET_BITS[core])
    tile.reg_write(DEBUG_REGISTERS + SOFT_RESET_0, reset)
