"""Wormhole's figures, of the cycle clock, that are not one instruction's."""

from tilelab.isa.figure import documented
from tilelab.tensix.tables.figures import LOADS, RISCV_PAGE, ChipFigures

_RATES = "UNPACR_Regular.md, Throttle_mode"

FIGURES = ChipFigures(
    clock_mhz=documented(1000, RISCV_PAGE),
    push_group=documented(1, "PushTensixInstruction.md"),
    mispredicted=documented(2, RISCV_PAGE),
    multiply_latency=documented(2, RISCV_PAGE),
    multiply_busy=documented(2, f"{RISCV_PAGE}: the integer unit is occupied"),
    load_latency=LOADS,
    unpack_bytes=(documented(16, _RATES), documented(32, _RATES), documented(64, _RATES)),
    pack_bytes=documented(16, "L1.md: one 128-bit write per cycle and packer"),
    vector_interlock=documented(0, "SFPMAD.md: software inserts SFPNOP"),
    scalar_holds=documented(1, "ScalarUnit.md"),
    conditions=(0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1, 10, -2, 8),
)
