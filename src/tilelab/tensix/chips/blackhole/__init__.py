"""Blackhole: its rows, configuration register fields, registers, figures, and profile."""

from importlib.resources import files

from tilelab.tensix.chips.blackhole.debug_bus import SIGNALS
from tilelab.tensix.chips.blackhole.figures import FIGURES
from tilelab.tensix.chips.blackhole.layout import LAYOUT
from tilelab.tensix.chips.blackhole.noc import NOC
from tilelab.tensix.chips.blackhole.noc_times import NOC_TIMES
from tilelab.tensix.chips.blackhole.registers import REGISTERS
from tilelab.tensix.chips.blackhole.rows import INSTRUCTIONS
from tilelab.tensix.chips.blackhole.soc import SOC
from tilelab.tensix.chips.profile import KIB, Arch
from tilelab.tensix.tables.performance_counters import performance_counters

CHIP = Arch(
    name="blackhole",
    instructions=INSTRUCTIONS,
    config=files(__package__).joinpath("config.txt"),
    registers=REGISTERS,
    figures=FIGURES,
    noc=NOC,
    noc_times=NOC_TIMES,
    layout=LAYOUT,
    soc=SOC,
    l1_size=1536 * KIB,
    implied_src_format=1,
    normalise_bug=0,
    config_words=224,
    global_config=180,
    thread_config_words=68,
    reg2flop_base=64,
    reg2flop_confirmed=0,
    packers=1,
    mutexes=0b0001_1101,
    condition_src_a_cleared=5,
    condition_bits=13,
    config_dual_write=1,
    dst_window=1,
    local_ram=(4 * KIB, 4 * KIB, 4 * KIB, 8 * KIB, 8 * KIB),
    iram=0,
    data_cache_lines=4,
    local_ram_apertures=1,
    reset_clears_local_ram=1,
    debug_steps=2,
    debug_bus=SIGNALS,
    performance_counters=performance_counters(shared=27, apart=1, first_wait=31, packers=1),
    counter_mux=7,
    counter_mux_positions=6,
    reset_pc_config=0,
    extensions=("I", "M", "Zicsr", "Zaamo", "Zba", "Zbb", "ttinsn"),
    fp8_all_ones_widen=1,
    unpack_default_throttle=1,
    tilize_row_data=32,
    unpack_mixes_blocks=1,
    pack_narrows_to_fp16=1,
    input_fifo=(32, 32, 32),
    push_accept=28,
    addr_mode_bits=3,
    default_condition_mask=0x0F,
    vector_ieee_specials=1,
    vector_modifiers=1,
    vector_bugs=0,
    vector_twos_complement=0,
    vector_int8_mask=0xFF,
)
