"""Wormhole: its rows, configuration register fields, registers, figures, and profile."""

from importlib.resources import files

from tilelab.tensix.chips.profile import KIB, Arch
from tilelab.tensix.chips.wormhole.debug_bus import SIGNALS
from tilelab.tensix.chips.wormhole.figures import FIGURES
from tilelab.tensix.chips.wormhole.layout import LAYOUT
from tilelab.tensix.chips.wormhole.noc import NOC
from tilelab.tensix.chips.wormhole.noc_times import NOC_TIMES
from tilelab.tensix.chips.wormhole.rows import INSTRUCTIONS
from tilelab.tensix.chips.wormhole.soc import SOC
from tilelab.tensix.tables.performance_counters import performance_counters
from tilelab.tensix.tables.tile_registers import COMMON_REGISTERS

CHIP = Arch(
    name="wormhole",
    instructions=INSTRUCTIONS,
    config=files(__package__).joinpath("config.txt"),
    registers=COMMON_REGISTERS,
    figures=FIGURES,
    noc=NOC,
    noc_times=NOC_TIMES,
    layout=LAYOUT,
    soc=SOC,
    l1_size=1464 * KIB,
    implied_src_format=0,
    normalise_bug=1,
    config_words=188,
    global_config=152,
    thread_config_words=57,
    reg2flop_base=52,
    reg2flop_confirmed=1,
    packers=4,
    mutexes=0b1111_1101,
    condition_src_a_cleared=8,
    condition_bits=15,
    config_dual_write=0,
    dst_window=0,
    local_ram=(2 * KIB, 2 * KIB, 2 * KIB, 4 * KIB, 4 * KIB),
    iram=16 * KIB,
    data_cache_lines=0,
    local_ram_apertures=0,
    reset_clears_local_ram=0,
    debug_steps=1,
    debug_bus=SIGNALS,
    performance_counters=performance_counters(shared=27, apart=3, first_wait=39, packers=4),
    counter_mux=1,
    counter_mux_positions=2,
    reset_pc_config=158,
    extensions=("I", "M", "ttinsn"),
    fp8_all_ones_widen=0,
    unpack_default_throttle=0,
    tilize_row_data=16,
    unpack_mixes_blocks=0,
    pack_narrows_to_fp16=0,
    input_fifo=(32, 16, 16),
    push_accept=-1,
    addr_mode_bits=2,
    default_condition_mask=0x7F,
    vector_ieee_specials=0,
    vector_modifiers=0,
    vector_bugs=1,
    vector_twos_complement=1,
    vector_int8_mask=0x7F,
)
