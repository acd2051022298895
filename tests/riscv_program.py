"""Small RISC-V programs for a tile, written word by word."""

from tilelab.riscv.words import (  # noqa: F401 (tests write their programs in them)
    HALT,
    T0,
    T1,
    T2,
    ZERO,
    addi,
    bne,
    csrr,
    li,
    lui,
    lw,
    store,
    sw,
)
from tilelab.tensix.backend.soft_reset import CORE_BITS as RESET_BITS
from tilelab.tensix.tables.cores import FIXED_RESET_PC as RESET_PC
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, INSTRN_BUF, SOFT_RESET_0
from tilelab.tensix.tile.tile import Tile

BRISC = 3


def load(rd: int, address: int) -> list[int]:
    return [*li(T0, address), lw(rd, T0)]


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
