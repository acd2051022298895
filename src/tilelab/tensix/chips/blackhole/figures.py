"""Blackhole's figures, of the cycle clock, that are not one instruction's."""

from tilelab.isa.figure import derived, documented, measured, unknown
from tilelab.tensix.tables.figures import LOADS, RISCV_PAGE, STORE_TIME, TTSIM, ChipFigures

_RATES = "UNPACR_Regular.md, Throttle_mode: Wormhole's"
_TILES = (
    f"{TTSIM}: matmul_tiles takes 18 cycles beside the fidelity phases, so both unpackers bring "
    "2 KiB of bfloat16 in 16"
)
_LOOPS = f"{TTSIM}: riscvbench phases F and G"
_CACHE = measured(4096, f"{_LOOPS}: a loop of 4 KiB takes a cycle an instruction, of 5 KiB more")
_FETCH = measured(25, f"{_LOOPS}: 1.25 cycles an instruction where every line is missing")

FIGURES = ChipFigures(
    clock_mhz=documented(1350, RISCV_PAGE),
    push_group=documented(4, "PushTensixInstruction.md"),
    cache_bytes=(_CACHE,) * 5,
    fetch_time=(_FETCH,) * 5,
    wrong_path=derived(3, "as on Wormhole"),
    branches=measured(256, f"{TTSIM}: at least 65 in 520 bytes of code"),
    mispredicted=documented(4, RISCV_PAGE),
    multiply_latency=documented(2, f"{RISCV_PAGE}: EX1, EX2"),
    multiply_busy=documented(1, RISCV_PAGE),
    serialised=measured(
        4, f"{TTSIM}: three reads of counters take 12; CSRs.md, DisCsrSync: until it has retired"
    ),
    load_latency=LOADS,
    store_time=STORE_TIME,
    store_queue=measured(4, f"{TTSIM}: rv_store_spread's fixed part is 18 cycles under rv_addi's"),
    store_gathers=documented(16, "CSRs.md: StMergeTimer at reset"),
    config_hold={"WRCFG": documented(2, "ConfigurationUnit.md: stages -1 and 0")},
    unpack_bytes=(derived(16, _RATES), derived(32, _RATES), measured(128, _TILES)),
    unpack_shares=measured(0, _TILES),
    unpack_apart=measured(
        50,
        "tt-metal#51898: unpack_tilize takes 41 cycles for a tile of 2 KiB, or 42; tt-metal#49473: the "
        "mean over float16, bfloat16 and float32, a third each, is 57.3, so 4 KiB take twice as long",
    ),
    pack_bytes=measured(
        128, "tt-metal#51901: pack_dest_bank takes 16.0 cycles for a tile of 2 KiB, and 9.13 a call"
    ),
    pack_accumulates=measured(
        3,
        "tt-metal#51901: 24.0 cycles for a tile of 2 KiB that is added, 16.0 for one that is not; an "
        "addition takes its bank twice. The same packer may run at 16.0 for long: two rhythms",
    ),
    pack_gap=measured(0, "tt-metal#51901: 16 PACRs of 128 bytes take 16.0 cycles"),
    pack_stages=measured(
        9,
        "tt-metal#56320: busy in 98.5 % and 95.9 % of PACK_ISOLATE, where a tile takes 16 cycles and "
        "9.13 more for its call (tt-metal#51901), which are not the packer's own",
    ),
    pack_port=unknown(0, "L1.md is Wormhole's; the ports of Blackhole's packer are not documented"),
    matrix_stages=measured(
        6,
        "tt-metal#57292: abs_tile, erfc_tile, softplus_tile by hand take 47.1, 879.1, 559.1 cycles, 4 "
        "more than their words: behind SETRWC and SETC16, a STALLWAIT for the matrix unit",
    ),
    vector_interlock=documented(1, "SFPMAD.md of Blackhole: hardware stalls in most cases"),
    scalar_stage=documented(
        1, "tt-isa-documentation#58, tt-llk#1661: a stage before the unit, words overtake"
    ),
    conditions=(0, 1, 2, 3, 7, -1, -1, -1, -1, 10, -2, 8, -3),
)
