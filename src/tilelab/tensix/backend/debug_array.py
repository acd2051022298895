"""Dst as the array debug port reads it: two data of a row at a time.

RISCV_DEBUG_REG_DBG_ARRAY_RD_CMD chooses the array, a row and one of its eight pairs;
RISCV_DEBUG_REG_DBG_ARRAY_RD_DATA shows the pair as Dst holds it, the first datum in the low half.

Sources: tt-llk, ckernel_debug.h (the command's fields); tt-exalens, debug_tensix.py. Not modelled:
the port to SrcA and SrcB, of which no document says which bank and which rows it shows; that
Wormhole's shows zeros for the low halves of 32-bit data (debug_tensix.py).
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import DBG_ARRAY_RD_CMD, DBG_ARRAY_RD_EN

DST: Final = 2
PAIRS: Final = 8

NO_ARRAY = check(
    "debug-array",
    UnimplementedFunctionalityError,
    "{value:#x} in RISCV_DEBUG_REG_DBG_ARRAY_RD_CMD is not a pair of Dst's; no other is modelled",
    page="Dst.md",
)


@kernel
def read_array(s: State) -> tuple[int, int]:
    """Read RISCV_DEBUG_REG_DBG_ARRAY_RD_DATA: ``(status, value)``; 0 while not enabled."""
    if not s.debug_register[DBG_ARRAY_RD_EN >> 2] & 1:
        return OK, 0
    command = s.debug_register[DBG_ARRAY_RD_CMD >> 2]
    row, pair = command & 0xFFF, command >> 12 & 0xF
    if command >> 16 & 7 != DST or row >= s.arch.dst_rows or pair >= PAIRS:
        return fault(s, NO_ARRAY, command), 0
    return OK, s.dst[row, 2 * pair] | s.dst[row, 2 * pair + 1] << 16
