"""What a chip is, as data: tables, and every difference that is no table's as a value."""

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from importlib.resources.abc import Traversable
from pathlib import Path

from tilelab.isa.instruction import InstructionSet
from tilelab.tensix.chips.config_registers import ConfigField, config_masks, places, read_fields
from tilelab.tensix.chips.places import Places
from tilelab.tensix.tables.debug_bus import Signal
from tilelab.tensix.tables.figures import ChipFigures, Timing, timing
from tilelab.tensix.tables.layout import Layout
from tilelab.tensix.tables.noc_registers import NocRegisters
from tilelab.tensix.tables.noc_times import NocTimes
from tilelab.tensix.tables.performance_counters import (
    CLASS_OF,
    NO_CLASS,
    PerformanceCounter,
    counter_events,
)
from tilelab.tensix.tables.soc import Soc
from tilelab.tensix.tables.tile_registers import TileRegister, register_access
from tilelab.tensix.tables.units import Block, Unit
from tilelab.tensix.tables.vector import VectorTables, vector_tables

KIB = 1024
TABLES = (
    *("instructions", "config", "registers", "figures", "layout", "soc", "debug_bus"),
    *("performance_counters", "noc_times"),
)
"""Fields of a profile that are no plain values."""


@dataclass(frozen=True)
class Arch:
    """Constants of one chip, readable in kernels as ``s.arch.NAME``."""

    name: str
    instructions: InstructionSet
    config: Traversable
    """The list of configuration register fields, see ``chips/config_registers.py``."""
    registers: tuple[TileRegister, ...]
    """The tile's control registers."""
    figures: ChipFigures
    """Figures of the cycle clock that are not one instruction's."""
    noc: NocRegisters
    """Registers of its NoC interfaces and streams."""
    noc_times: NocTimes
    """What its NoC and DRAM take."""
    layout: Layout
    """What the chip has besides tiles, and where everything is."""
    soc: Soc
    """What the vendor's driver wants to know."""
    l1_size: int
    """Bytes of L1."""
    implied_src_format: int
    """1: a Src bank carries the format its unpacker gave it (Blackhole)."""
    normalise_bug: int
    """1: the FPU's accumulator mis-shifts a negative sum of exactly -1 (Wormhole)."""
    config_words: int
    """Words in each Config bank; beyond is out of bounds."""
    global_config: int
    """First Config word that both banks share (GLOBAL_CFGREG_BASE_ADDR32)."""
    thread_config_words: int
    """Registers in each thread's ThreadConfig."""
    reg2flop_base: int
    """Config word that REG2FLOP counts from: the first THCON_ word (THCON_CFGREG_BASE_ADDR32)."""
    reg2flop_confirmed: int
    """1: the manual vouches for REG2FLOP's 32-bit write to Config (Wormhole)."""
    packers: int
    """How many packers there are."""
    mutexes: int
    """Bit i: mutex i exists."""
    condition_src_a_cleared: int
    """Bit number of STALLWAIT's condition "SrcA's bank at the unpacker is not the unpackers'";
    the conditions for SrcB cleared, SrcA valid and SrcB valid follow it."""
    condition_bits: int
    """How many condition bits STALLWAIT has."""
    config_dual_write: int
    """1: a third copy of Config in the memory map writes both banks (Blackhole)."""
    dst_window: int
    """1: the TRISCs have Dst in their memory map (Blackhole)."""
    local_ram: tuple[int, ...]
    """Bytes of each core's local RAM: TRISC0..2, BRISC, NCRISC."""
    iram: int
    """Bytes of NCRISC's instruction RAM at IRAM; 0: it runs from L1 (Blackhole)."""
    data_cache_lines: int
    """Lines of 16 bytes of L1 in each core's data cache; 0: there is none."""
    local_ram_apertures: int
    """1: every local RAM also has an address that all can reach (Blackhole)."""
    reset_clears_local_ram: int
    """1: a core's local RAM is zeroed when it leaves reset (Blackhole)."""
    debug_steps: int
    """STEP commands that it takes for a halted core to execute one instruction (tt-exalens)."""
    debug_bus: tuple[Signal, ...]
    """What the debug bus shows."""
    performance_counters: tuple[PerformanceCounter, ...]
    """The performance counters that tilelab models."""
    counter_mux: int
    """Mask of the field that selects which ports of L1 are counted."""
    counter_mux_positions: int
    """How many of its values select anything; the others select what 0 does."""
    reset_pc_config: int
    """Config word of TRISC0's reset pc (then TRISC1's, TRISC2's, which of them count, NCRISC's,
    whether that counts); 0: the reset pcs are tile registers (Blackhole)."""
    extensions: tuple[str, ...]
    """What the RISC-V cores implement, as ``riscv.table.Extension`` names it."""
    fp8_all_ones_widen: int
    """1: unpacking the largest fp8 magnitude gives the largest fp16 magnitude (Blackhole)."""
    unpack_default_throttle: int
    """1: unpackers run at their fastest unless told otherwise, x4 moves 128 bytes (Blackhole)."""
    tilize_row_data: int
    """Data of 16 bits or more that a tilizing unpack reads between row strides (narrower: 16)."""
    unpack_mixes_blocks: int
    """1: a block format in L1 may be unpacked with another one as OutDataFormat (tt-llk's matrix
    product of compressed operands, for Blackhole); 0: it may not (UNPACR_Regular.md)."""
    pack_narrows_to_fp16: int
    """1: packers convert fp32 and bf16 in Dst to the fp16 family on reading (Blackhole)."""
    input_fifo: tuple[int, ...]
    """Entries of each thread's input FIFO, before the MOP expander."""
    push_accept: int
    """Cycle clock: a TRISC's push is accepted while at most this many of its words are in front of
    the gate (Blackhole: 28, then a whole group of up to four follows; one FIFO of 32 as the seed
    has it: 31); -1: while its input FIFO has room (PushTensixInstruction.md)."""
    addr_mode_bits: int
    """Bits of an instruction's address mode; with 2, the bias counter selects the upper four."""
    default_condition_mask: int
    """ConditionMask that STALLWAIT uses when given 0."""
    vector_ieee_specials: int
    """1: the vector unit's multiply-add keeps -0 and gives one NaN only (Blackhole)."""
    vector_modifiers: int
    """1: modifiers of SFPMAD, SFPAND, SFPOR, SFPSHFT, SFPCAST and SFPPUSHC that Blackhole adds."""
    vector_bugs: int
    """1: hardware bugs of SFPSHFT2's SHFLSHR1 and of SFPPOPC at a full stack (Wormhole)."""
    vector_twos_complement: int
    """1: SFPLOAD and SFPSTORE convert to and from two's complement (Wormhole)."""
    vector_int8_mask: int
    """Magnitude bits of an "integer 8" that SFPLOAD keeps."""
    replay_count0: int = 64
    """How many words REPLAY with a length of 0 stands for: 64 (the seed's reading and the older
    manual's) or 32 (the newest manual's)."""
    threads: int = 3
    """How many threads the tile has; thread i's instructions come from core i."""
    cores: int = 5
    """How many RISC-V cores the tile has: TRISC0..2, BRISC, NCRISC."""
    dst_rows: int = 1024
    """Rows of Dst, 16 bits wide."""
    mop_sampling: int = 0
    """0: a MOP takes a snapshot of MopCfg when it starts (the manual's functional model); 1: it
    reads MopCfg as it goes (what the manual says hardware mostly does)."""
    mop_count_bits: int = 7
    """Bits of MopCfg that OuterCount and InnerCount have: 7 (the manual) or 10 (a test of tt-llk's,
    for Blackhole)."""
    wait_replaces: int = 0
    """1: a STALLWAIT or SEMWAIT replaces a latched one (older Wormhole manual) instead of waiting
    for it (newest manual)."""
    movb2d_fp32: int = 0
    """1: while Fp32_enabled, MOVB2D writes 32-bit rows whatever the format, and nothing to their
    low halves (a reading of tt-llk's for Blackhole)."""

    def __hash__(self) -> int:
        return hash(self.name)  # tables have no hash of their own

    def options(self) -> dict[str, object]:
        """Everything that is a plain value, by name: what compiled code may depend on."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name not in TABLES
        }

    @cached_property
    def timing(self) -> Timing:
        """Figures of the cycle clock, see ``tables/figures.py``."""
        return timing(self.figures, self.instructions)

    @property
    def folder(self) -> Path:
        """Where all that the chip is stands."""
        return Path(str(self.config)).parent

    @cached_property
    def config_fields(self) -> dict[str, ConfigField]:
        """Every configuration register field, by name."""
        return read_fields(self.config)

    @cached_property
    def places(self) -> Places:
        """Where kernels find the configuration register fields."""
        return places(self.config_fields)

    @cached_property
    def config_mask(self) -> tuple[int, ...]:
        """Bits of each Config word that exist."""
        return config_masks(self.config_fields.values())

    @cached_property
    def vector(self) -> VectorTables:
        """What the vector unit looks up by opcode."""
        return vector_tables(self.instructions)

    @cached_property
    def register_access(self) -> tuple[int, ...]:
        """What may be done with each tile register, see ``tables/tile_registers.py``."""
        return register_access(self.registers)

    @cached_property
    def counter_events(self) -> tuple[int, ...]:
        """What each select of a bank reads, see ``tables/performance_counters.py``."""
        return counter_events(self.performance_counters)

    @cached_property
    def counter_class(self) -> tuple[int, ...]:
        """For each opcode, which kind of instruction the counters take it for."""
        return self.instructions.table(lambda row: CLASS_OF.get(row.unit, NO_CLASS), NO_CLASS)

    @cached_property
    def queue_status(self) -> tuple[int, ...]:
        """For each opcode, the bits that it sets in ``tt_cfg_qstatus`` while it is queued."""
        own = {"REPLAY": 1 << 0, "MOP": 1 << 1}
        return self.instructions.table(lambda row: own.get(row.name, QUEUE_STATUS.get(row.unit, 0)))

    def block_masks(self) -> tuple[int, ...]:
        """For each opcode, the bits of STALLWAIT's BlockMask that hold it back at the wait gate."""
        # a wait waits behind a latched one, whatever that one blocks
        waits = int(Block.SYNC if self.wait_replaces else Block.ALL)
        return self.instructions.table(lambda row: waits if row.is_wait else row.block_mask)


QUEUE_STATUS: dict[str, int] = {
    Unit.SCALAR: 1 << 2 | 1 << 8,
    Unit.MOVER: 1 << 3 | 1 << 8,
    Unit.UNPACK: 1 << 4 | 1 << 8,
    Unit.PACK: 1 << 5 | 1 << 8,
    Unit.CONFIG: 1 << 6,
    Unit.SYNC: 1 << 7,
    Unit.MISC: 1 << 8,
    Unit.VECTOR: 1 << 9,
    Unit.MATRIX: 1 << 10,
}
"""BabyRISCV/CSRs.md: the bits of ``tensix_issue_queue_status`` for each unit's instructions."""
