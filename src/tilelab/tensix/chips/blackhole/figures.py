"""Blackhole's figures, of the cycle clock, that are not one instruction's."""

from tilelab.isa.figure import derived, documented
from tilelab.tensix.tables.figures import LOADS, RISCV_PAGE, ChipFigures

_RATES = (
    "UNPACR_Regular.md, Throttle_mode: Wormhole's; ttsim moves up to 128 bytes on Blackhole, "
    "shared how is unknown"
)

FIGURES = ChipFigures(
    clock_mhz=documented(1350, RISCV_PAGE),
    push_group=documented(4, "PushTensixInstruction.md"),
    mispredicted=documented(4, RISCV_PAGE),
    multiply_latency=documented(2, f"{RISCV_PAGE}: EX1, EX2"),
    multiply_busy=documented(1, RISCV_PAGE),
    load_latency=LOADS,
    unpack_bytes=(derived(16, _RATES), derived(32, _RATES), derived(64, _RATES)),
    pack_bytes=derived(64, "L1.md: four 128-bit writes; Blackhole's one packer has Wormhole's"),
    vector_interlock=documented(1, "SFPMAD.md of Blackhole: hardware stalls in most cases"),
    scalar_holds=documented(0, "tt-isa-documentation#58: a stage before the unit, words overtake"),
    conditions=(0, 1, 2, 3, 7, -1, -1, -1, -1, 10, -2, 8, -3),
)
