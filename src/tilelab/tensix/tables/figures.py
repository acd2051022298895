"""The cycle clock's figures, with where they come from.

What an instruction takes is a column of its row. Sources of the rest: tt-isa-documentation:
UNPACR_Regular.md, Dst.md, L1.md, BabyRISCV/README.md, and Blackhole's
BabyRISCV/PushTensixInstruction.md. What no document says is tagged unknown and charged nothing, so
that counts are lower bounds.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Final, Generic, TypeVar

from tilelab.isa.figure import Figure, derived, documented, measured
from tilelab.isa.instruction import Instruction, InstructionSet
from tilelab.tensix.tables.units import SubUnit, Unit

# Ports: a unit accepts at most one instruction per cycle through each. NO_PORT: one per thread.
NO_PORT: Final = 0
MATRIX_PORT: Final = 1
VECTOR_PORT: Final = 2
SCALAR_PORT: Final = 3
UNPACK_PORT: Final = 4
PACK_PORT: Final = 5
CONFIG_PORT: Final = 6
SYNC_PORT: Final = 7
MOVER_PORT: Final = 8
PORTS: Final = 9
UNPACKER_UNIT: Final = PORTS  # and the other one
PACKER_UNIT: Final = PORTS + 2  # to the fourth
UNITS: Final = PORTS + 6
"""Units whose idle cycles have causes: each port's, and unpackers and packers one by one."""
PORT_NAMES: Final = (
    "misc_unit",
    "matrix_unit",
    "vector_unit",
    "scalar_unit",
    "unpackers",
    "packers",
    "configuration_unit",
    "sync_unit",
    "mover",
)

# Pipelines, which STALLWAIT can wait for to drain.
SCALAR_PIPE: Final = 0
UNPACK_PIPE: Final = 1  # and 2
PACK_PIPE: Final = 3  # to 6
MATRIX_PIPE: Final = 7
VECTOR_PIPE: Final = 8
CONFIG_PIPE: Final = 9
MOVER_PIPE: Final = 10
SHORT_PIPE: Final = 11
PIPES: Final = 12
SEMAPHORES: Final = 8

PORT_OF: dict[str, int] = {
    Unit.MATRIX: MATRIX_PORT,
    Unit.VECTOR: VECTOR_PORT,
    Unit.SCALAR: SCALAR_PORT,
    Unit.UNPACK: UNPACK_PORT,
    Unit.PACK: PACK_PORT,
    Unit.CONFIG: CONFIG_PORT,
    Unit.SYNC: SYNC_PORT,
    Unit.MOVER: MOVER_PORT,
}
PIPE_OF: dict[str, int] = {
    Unit.MATRIX: MATRIX_PIPE,
    Unit.VECTOR: VECTOR_PIPE,
    Unit.SCALAR: SCALAR_PIPE,
    Unit.UNPACK: UNPACK_PIPE,
    Unit.PACK: PACK_PIPE,
    Unit.CONFIG: CONFIG_PIPE,
    Unit.MOVER: MOVER_PIPE,
}

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Plain(Generic[Kind]):
    """A chip's figures that kernels read as they are: with their sources, or plain integers."""

    push_group: Kind
    """How many adjacent .ttinsn one cycle pushes."""
    wrong_path: Kind
    """Lines that a frontend fetches of a path that it should not have taken."""
    branches: Kind
    """How many branches and jumps a core's predictor remembers, each where its address says."""
    mispredicted: Kind
    multiply_latency: Kind
    multiply_busy: Kind
    serialised: Kind
    """Cycles from a CSR instruction or a fence to the next instruction, which lets it retire."""
    store_time: Kind
    """Cycles for which a core's store to L1 holds its port and its bank."""
    store_queue: Kind
    """Stores to L1 that a core can have under way."""
    store_gathers: Kind
    """Cycles that a store to L1 waits for a neighbour to be written with; 0: none does."""
    unpack_shares: Kind
    """1: two unpackers that fetch at once slow each other down."""
    unpack_apart: Kind
    """Bytes per cycle that an unpacker fetches at most where rows lie apart in L1."""
    pack_bytes: Kind
    """Bytes per cycle that one packer writes."""
    pack_accumulates: Kind
    """Halves of a cycle that a packer's write takes which adds to what is in L1."""
    pack_gap: Kind
    """Cycles between what two PACRs write."""
    pack_stages: Kind
    """Cycles from what a packer writes last until it is idle: what STALLWAIT and counters see."""
    pack_port: Kind
    """The packer that has a port of L1 in turns with unpacker 1 while that reads; 0: none."""
    matrix_stages: Kind
    """Cycles that any instruction of the matrix unit spends in its pipeline: what STALLWAIT sees."""
    vector_interlock: Kind
    """1: the vector unit waits for a result that takes two cycles; 0: software must."""
    scalar_stage: Kind
    """Cycles that words spend before the scalar unit, while their thread issues others; 0: none,
    and a thread issues nothing while that unit works for it."""


@dataclass(frozen=True)
class ChipFigures(Plain[Figure]):
    """What differs between chips, or is not one instruction's."""

    clock_mhz: Figure
    cache_bytes: tuple[Figure, ...]
    """Of each core's instruction cache: TRISC0..2, BRISC, NCRISC."""
    fetch_time: tuple[Figure, ...]
    """Cycles in which each core's frontend gets ``FETCH_LINES`` lines that follow each other."""
    load_latency: dict[str, Figure]
    config_hold: dict[str, Figure]
    """Cycles from an instruction of the configuration unit to the next that is no WRCFG."""
    unpack_bytes: tuple[Figure, Figure, Figure]
    """Bytes per cycle that an unpacker fetches at speeds x1, x2, x4."""
    conditions: tuple[int, ...]
    """The pipeline that each condition bit of STALLWAIT waits for; -1: a Src bank; -2: the core's
    own requests, -3: the configuration unit, any thread's."""


DST_BLOCKED: Final = measured(
    6,
    "mesham/tt-sim@8b031a6: MVMUL, ELWADD, ELWMUL on one block 5.98 each; tt-metal#58723: ELWMUL of "
    "a tile 34.6 and 82.6 cycles at HiFi2 and HiFi4, 4 faces of 8 and 20; Dst.md would have 5",
)
MOVE_BLOCKED: Final = documented(4, "MOVA2D.md, MOVB2D.md: readers stall for three cycles")
DST_READ_GAP: Final = documented(3, "SFPLOAD.md: instructions between the write and the read")
BANK_TURNED: Final = measured(
    3, "tt-metal#52256: a bank is given back one or two cycles after the wait behind is processed"
)
BANK_CLEARED: Final = derived(
    1,
    "tt-llk, perf.h: the math thread of UNPACK_ISOLATE repeats STALLWAIT SRCA_VLD, CLEARDVALID, and "
    "ends on cards; were the wait to see the bank that was cleared, it would clear too few, and hang",
)
RISCV_PAGE: Final = "BabyRISCV/README.md"
DIVIDE_TRIVIAL: Final = documented(2, f"{RISCV_PAGE}: by zero or one, and -2**31 by -1")
DIVIDE_LEAST: Final = documented(6, f"{RISCV_PAGE}: between six and 33 cycles")
DIVIDE_MOST: Final = documented(33, DIVIDE_LEAST.source)
TTSIM: Final = "mesham/tt-sim@8b031a6"
DIVIDE_BEYOND_BITS: Final = measured(
    2, f"{TTSIM}: bits of the dividend, and 2: 14 cycles for 12 bits, 33 for 29, on both chips"
)
DIVIDE_STEP: Final = derived(
    4,
    f"{TTSIM}: bits in fours, as 29 take what 32 would; and the least, {DIVIDE_LEAST.value}, is 4 + 2",
)
LINE_BYTES: Final = documented(16, "L1.md: instruction fetches are 128-bit reads")
CACHE_WAYS: Final = measured(
    2, f"{TTSIM}: of 4 KiB, a loop of 5 KiB misses in 192 lines of 320, of 6 KiB in all"
)
FETCH_LINES: Final = 5
"""Lines in which fetching is counted, so that a rate is a whole number of cycles."""
L1_BANKS: Final = documented(16, "L1.md")
LOADS_UNDER_WAY: Final = documented(4, f"{RISCV_PAGE}: four loads every N - 1 cycles from N = 5 on")
CORE_PORT: Final = (0, 1, 1, 0, 0)
"""L1.md, the diagram: the port that TRISC0..2, BRISC, NCRISC share; the same rows show it."""
READ_AHEAD: Final = measured(
    384,
    f"{TTSIM}: matmul_tiles on Wormhole with banks out of step, LoFi, HiFi2, HiFi4: a tile takes 6 to "
    "7 cycles of 64 bytes less than if reading began when a bank is free",
)
"""Bytes that an unpacker reads while an UNPACR waits for its bank."""
MOVER_BYTES: Final = 128
MOVER_CYCLES: Final = documented(11, "L1.md, Mover: eight 128-bit reads and writes every 11 cycles")
STORE_TIME: Final = documented(5, "L1.md: a narrow write holds its port and its bank")
QUEUE_WORDS: Final = measured(
    32,
    f"{TTSIM}: a core that does not gather is 31 words ahead; documented: 28 and then up to four",
)


@dataclass(frozen=True)
class Timing(Plain[int]):
    """A chip's figures as kernels read them: plain integers and tables by opcode."""

    port: tuple[int, ...]
    pipe: tuple[int, ...]
    interval: tuple[int, ...]
    latency: tuple[int, ...]
    dst_use: tuple[int, ...]
    stalling: tuple[int, ...]
    """Bit n: bits 4n+3..4n of a vector instruction name a register whose late result it awaits."""
    stall_always: tuple[int, ...]
    """Bit n: it awaits LReg[n], which it does not name."""
    stall_modes: tuple[int, ...]
    """Bit n: with the modifier n it awaits anything."""
    result: tuple[int, ...]
    """Lowest bit of the field that names the register a vector instruction writes late; 0: none."""
    late_modes: tuple[int, ...]
    """Bit n: with the modifier n it writes late what else takes a cycle."""
    at_once: tuple[int, ...]
    """1: it writes in its one cycle, by the port that what is written late takes too."""
    reads: tuple[int, ...]
    """Bit n: bits 4n+3..4n of a vector instruction name a register that it reads in any mode."""
    reads_modes: tuple[int, ...]
    """Bit 16n+m: it reads the register that bits 4n+7..4n+4 name with the modifier m."""
    writes: tuple[int, ...]
    """Bit n: they name a register that it writes."""
    over: tuple[int, ...]
    """For each opcode, 1: it is over when its thread issues its next word."""
    conditions: tuple[int, ...]
    cache_sets: tuple[int, ...]
    fetch_time: tuple[int, ...]
    config_hold: tuple[int, ...]
    load_local: int
    load_sync: int
    load_config: int
    load_tile: int
    load_l1: int
    load_atomic: int
    unpack_bytes: tuple[int, ...]
    dst_blocked: int = field(default=DST_BLOCKED.value)
    move_blocked: int = field(default=MOVE_BLOCKED.value)
    dst_read_gap: int = field(default=DST_READ_GAP.value)
    bank_turned: int = field(default=BANK_TURNED.value)
    bank_cleared: int = field(default=BANK_CLEARED.value)
    core_port: tuple[int, ...] = CORE_PORT


LOADS: Final = {
    "local_ram": documented(2, RISCV_PAGE),
    "sync": documented(3, RISCV_PAGE),
    "config": documented(4, RISCV_PAGE),
    "tile": documented(7, RISCV_PAGE),
    "l1": documented(8, f"{RISCV_PAGE}: L0 miss; hits are not modelled"),
    "atomic": documented(12, RISCV_PAGE),
}
"""Cycles until what is loaded can be used, by where it is."""


def _nibbles(row: Instruction, names: Iterable[str]) -> int:
    """Which nibbles of a vector instruction name these of its registers."""
    named = [row.registers.get(name) for name in names]
    return sum(1 << register.lo // 4 for register in named if register)


def _reads(row: Instruction) -> int:
    """Which nibbles of a vector instruction name registers that it reads in any mode.

    Of VB that holds for multiply-adds only; elsewhere an immediate may take its place. SFPSETCC's
    modifier decides, too.
    """
    doubtful = {name for name, _ in row.registers.read_modes}
    if row.sub_unit != SubUnit.MAD:
        doubtful.add("vb")
    if row.name == "SFPSETCC":
        doubtful.add("vc")
    return _nibbles(row, (name for name in row.registers.reads if name not in doubtful))


def _reads_modes(row: Instruction) -> int:
    """With which modifiers a vector instruction reads a register that it does not always read."""
    places = ((row.registers.get(name), modes) for name, modes in row.registers.read_modes)
    return sum(modes << 4 * place.lo - 16 for place, modes in places if place)


def _late_result(row: Instruction) -> int:
    """Lowest bit of the field that names a register which a vector instruction writes late."""
    vd = row.registers.get("vd") if "vd" in row.registers.writes else None
    return vd.lo if vd and (row.timing.latency.value > 1 or row.late_modes) else 0


SCALAR_MEMORY: Final = (
    *("LOADIND", "LOADREG", "STOREIND", "STOREREG"),
    *("ATSWAP", "ATCAS", "ATINCGET", "ATINCGETPTR"),
)
"""Instructions of the scalar unit that are through before their memory requests are."""


def _over(row: Instruction, scalar_stage: int) -> int:
    """Whether an instruction is over when its thread issues the next one.

    What takes one cycle is, and WRCFG by its own rule; the scalar unit's instructions where they
    hold their thread up.
    """
    if row.unit == Unit.SCALAR:
        return int(not scalar_stage and row.name not in SCALAR_MEMORY)
    if row.unit == Unit.MATRIX:
        return int(row.timing.latency.value == 1)
    return int(PIPE_OF.get(row.unit, SHORT_PIPE) in (CONFIG_PIPE, SHORT_PIPE))


def timing(chip_figures: ChipFigures, instructions: InstructionSet) -> Timing:
    """A chip's figures for kernels."""
    table = instructions.table
    plain = {each.name: getattr(chip_figures, each.name).value for each in fields(Plain)}
    loads = chip_figures.load_latency
    holds = {name: figure.value for name, figure in chip_figures.config_hold.items()}
    return Timing(
        **plain,
        port=table(
            lambda row: NO_PORT if row.each_thread else PORT_OF.get(row.unit, NO_PORT), NO_PORT
        ),
        pipe=table(lambda row: PIPE_OF.get(row.unit, SHORT_PIPE), SHORT_PIPE),
        interval=table(lambda row: row.timing.interval.value, 1),
        latency=table(lambda row: row.timing.latency.value, 1),
        dst_use=table(lambda row: row.dst_use),
        stalling=table(lambda row: _nibbles(row, row.registers.stalls)),
        stall_always=table(lambda row: row.registers.always),
        stall_modes=table(lambda row: row.registers.stall_modes),
        result=table(_late_result),
        late_modes=table(lambda row: row.late_modes),
        at_once=table(
            lambda row: int(
                row.sub_unit in (SubUnit.SIMPLE, SubUnit.ROUND)
                and "vd" in row.registers.writes
                and row.timing.latency.value == 1
            )
        ),
        reads=table(_reads),
        reads_modes=table(_reads_modes),
        writes=table(lambda row: _nibbles(row, row.registers.writes)),
        over=table(lambda row: _over(row, chip_figures.scalar_stage.value)),
        conditions=chip_figures.conditions,
        cache_sets=tuple(
            size.value // (LINE_BYTES.value * CACHE_WAYS.value) for size in chip_figures.cache_bytes
        ),
        fetch_time=tuple(time.value for time in chip_figures.fetch_time),
        config_hold=table(lambda row: holds.get(row.name, 0)),
        load_local=loads["local_ram"].value,
        load_sync=loads["sync"].value,
        load_config=loads["config"].value,
        load_tile=loads["tile"].value,
        load_l1=loads["l1"].value,
        load_atomic=loads["atomic"].value,
        unpack_bytes=tuple(rate.value for rate in chip_figures.unpack_bytes),
    )
