"""Wormhole's figures, of the cycle clock, that are not one instruction's."""

from tilelab.isa.figure import derived, documented, measured
from tilelab.tensix.tables.figures import LOADS, RISCV_PAGE, STORE_TIME, TTSIM, ChipFigures

_RATES = "UNPACR_Regular.md, Throttle_mode"
_PAGE = "InstructionCache.md"
_LOOPS = f"{TTSIM}: riscvbench phases F and G"
_LARGE = documented(2048, _PAGE), measured(23, f"{_LOOPS}, TRISC0 and 2: 1.15 cycles each")
_SMALL = documented(512, _PAGE), measured(28, f"{_LOOPS}, TRISC1: 1.40 cycles each")
_CACHES = (_LARGE, _SMALL, _LARGE, _LARGE, _SMALL)
_GAP = "ConfigurationUnit.md: not in the cycle behind RDCFG or WRCFG"

FIGURES = ChipFigures(
    clock_mhz=documented(1000, RISCV_PAGE),
    push_group=documented(1, "PushTensixInstruction.md"),
    cache_bytes=tuple(size for size, _ in _CACHES),
    fetch_time=tuple(time for _, time in _CACHES),
    wrong_path=measured(
        3, f"{TTSIM}: c_xor_nt on TRISC1, whose loop of 520 bytes ends mispredicted"
    ),
    branches=measured(32, f"{TTSIM}: fewer than 65, as 64 in a row evict the loop's own"),
    mispredicted=documented(2, RISCV_PAGE),
    multiply_latency=documented(2, RISCV_PAGE),
    multiply_busy=documented(2, f"{RISCV_PAGE}: the integer unit is occupied"),
    serialised=documented(1, f"{RISCV_PAGE}: fence is a nop, and there are no CSRs"),
    load_latency=LOADS,
    store_time=STORE_TIME,
    store_queue=documented(8, f"{RISCV_PAGE}: what the load/store unit holds"),
    store_gathers=documented(0, RISCV_PAGE),
    config_hold={"WRCFG": documented(2, _GAP), "RDCFG": documented(2, _GAP)},
    unpack_bytes=(documented(16, _RATES), documented(32, _RATES), documented(64, _RATES)),
    unpack_shares=documented(1, "L1.md: jointly five reads a cycle"),
    unpack_apart=documented(64, "UNPACR_Regular.md: DiscontiguousInputRows wants x4"),
    pack_bytes=documented(16, "L1.md: one 128-bit write per cycle and packer"),
    pack_accumulates=documented(
        4, "L1.md: a non-atomic accumulate holds port and bank for two cycles"
    ),
    pack_gap=measured(
        1,
        "tt-llk#916: pack_untilize takes 16 (PACR + 1) cycles a tile, PACR = 2 for rows of bfloat16",
    ),
    pack_stages=measured(
        0, f"{TTSIM}: mechbench, where T2 waits 31 to 34 cycles for a packer that writes for 32"
    ),
    pack_port=documented(
        1, "L1.md, the diagram: port 1, packer 1 and unpacker 1; muxes take turns"
    ),
    matrix_stages=derived(6, "as on Blackhole"),
    vector_interlock=documented(0, "SFPMAD.md: software inserts SFPNOP"),
    scalar_stage=documented(0, "ScalarUnit.md"),
    conditions=(0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1, 10, -2, 8),
)
