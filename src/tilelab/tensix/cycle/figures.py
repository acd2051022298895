"""Every figure of the cycle clock, with where it comes from.

Sources: tt-isa-documentation: MatrixUnit.md, VectorUnit.md, ScalarUnit.md, SyncUnit.md,
ConfigurationUnit.md, UNPACR_Regular.md, Dst.md, L1.md, BabyRISCV/README.md, and Blackhole's
BabyRISCV/PushTensixInstruction.md. What no document says is tagged unknown and charged nothing, so
that counts are lower bounds.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from tilelab.isa.instruction import Instruction, InstructionSet
from tilelab.tensix.tables.units import Unit


class Provenance(StrEnum):
    """How a figure is known."""

    DOCUMENTED = "documented"
    DERIVED = "derived"
    MEASURED = "measured"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Figure:
    """A number of cycles (or of words, bytes), how it is known, and from where."""

    value: int
    provenance: Provenance
    source: str


def documented(value: int, source: str) -> Figure:
    """A figure that a document states (of "at least" the least)."""
    return Figure(value, Provenance.DOCUMENTED, source)


def derived(value: int, source: str) -> Figure:
    """A figure that follows from documented ones."""
    return Figure(value, Provenance.DERIVED, source)


def measured(value: int, source: str) -> Figure:
    """A figure that someone measured on a card; ``source`` says who, and what of."""
    return Figure(value, Provenance.MEASURED, source)


def unknown(value: int, source: str) -> Figure:
    """A figure that no document states; charged at its least."""
    return Figure(value, Provenance.UNKNOWN, source)


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

# What an instruction does with Dst, as far as hazards go.
READS_DST: Final = 1
WRITES_DST: Final = 2
ACCUMULATES_IF_21: Final = 4  # reads Dst only if its bit 21 is set
MOVES_TO_DST: Final = 8  # writes at once, but readers are held back
AFTER_MOVE: Final = 16  # is held back after those

DST_USE: dict[str, int] = {
    **dict.fromkeys(
        ("MVMUL", "DOTPV", "GAPOOL", "GMPOOL", "ELWMUL"), READS_DST | WRITES_DST | AFTER_MOVE
    ),
    **dict.fromkeys(
        ("MFCONV3S1", "CONV3S1", "CONV3S2", "APOOL3S1", "APOOL3S2", "MPOOL3S1", "MPOOL3S2"),
        READS_DST | WRITES_DST | AFTER_MOVE,
    ),
    **dict.fromkeys(("ELWADD", "ELWSUB"), ACCUMULATES_IF_21 | WRITES_DST),
    **dict.fromkeys(("MOVD2A", "MOVD2B"), READS_DST | AFTER_MOVE),
    **dict.fromkeys(("MOVA2D", "MOVB2D", "MOVDBGA2D", "MOVDBGB2D"), MOVES_TO_DST),
}
"""Dst.md, MOVA2D.md, MOVB2D.md."""


@dataclass(frozen=True)
class InstructionTiming:
    """One instruction: cycles until its unit accepts another, until it is out of its pipeline."""

    interval: Figure
    latency: Figure


_MATRIX = "MatrixUnit.md, latency and throughput"
_VECTOR = "VectorUnit.md, IPC and latency"
_SCALAR = "ScalarUnit.md, cycles required for execution"
_CONFIG = "ConfigurationUnit.md"
_ONE = documented(1, "one instruction per cycle")


def _timings() -> dict[str, InstructionTiming]:
    table: dict[str, InstructionTiming] = {}

    def put(names: str, interval: int, latency: int, source: str) -> None:
        for name in names.split():
            table[name] = InstructionTiming(
                documented(interval, source), documented(latency, source)
            )

    put("MVMUL DOTPV GAPOOL ELWMUL GMPOOL ELWADD ELWSUB", 1, 5, _MATRIX)
    put("SETRWC INCRWC CLEARDVALID CLREXPHIST GATESRCRST", 1, 1, _MATRIX)
    put("SHIFTXA ZEROACC ZEROSRC TRNSPSRCB", 1, 1, _MATRIX)
    put("SHIFTXB", 2, 2, _MATRIX)
    put("MOVD2A", 1, 2, _MATRIX)
    put("MOVD2B", 1, 4, "MOVD2B.md: three cycles for which only MOVD2B is accepted")
    put("MOVA2D MOVDBGA2D MOVB2D MOVB2A", 1, 4, _MATRIX)
    put("SFPMAD SFPADD SFPMUL SFPADDI SFPMULI SFPLUT SFPLUTFP32 SFPMUL24", 1, 2, _VECTOR)
    put("SFPSWAP", 2, 2, "SFPSWAP.md: only SFPNOP is accepted on the next cycle")
    put("DMANOP SETDMAREG", 1, 1, _SCALAR)
    put("REG2FLOP FLUSHDMA", 2, 2, _SCALAR)
    put("ADDDMAREG CMPDMAREG MULDMAREG SUBDMAREG BITWOPDMAREG SHIFTDMAREG", 3, 3, _SCALAR)
    put("STOREIND STOREREG ATSWAP LOADIND LOADREG ATINCGET", 3, 3, _SCALAR)
    put("ATCAS ATINCGETPTR", 15, 15, _SCALAR)
    put("WRCFG RDCFG", 1, 2, _CONFIG)
    put("RMWCIB0 RMWCIB1 RMWCIB2 RMWCIB3 SETC16", 1, 1, _CONFIG)
    put("CFGSHIFTMASK", 2, 2, _CONFIG + " of Blackhole")
    put("UNPACR UNPACR_NOP", 2, 2, "UNPACR_Regular.md: two cycles to compute the first address")
    put("PACR PACR_SETREG", 1, 1, "Packers/README.md: at most one started per cycle")
    put("SEMINIT SEMPOST SEMGET SEMWAIT STALLWAIT STREAMWAIT", 1, 1, "SyncUnit.md")
    put("ATGETM ATRELM", 1, 1, "SyncUnit.md")
    return table


TIMINGS = _timings()
DEFAULT_TIMINGS: dict[str, InstructionTiming] = {
    Unit.VECTOR: InstructionTiming(documented(1, _VECTOR), documented(1, _VECTOR)),
    Unit.MISC: InstructionTiming(
        documented(1, "MiscellaneousUnit.md"), documented(1, "MiscellaneousUnit.md")
    ),
}
UNTIMED = InstructionTiming(unknown(1, "no page"), unknown(1, "no page"))


def timing_of(row: Instruction) -> InstructionTiming:
    """The timing of an instruction."""
    named = TIMINGS.get(row.name)
    return named or DEFAULT_TIMINGS.get(row.unit, UNTIMED)


@dataclass(frozen=True)
class ChipFigures:
    """What differs between chips, or is not one instruction's."""

    clock_mhz: Figure
    push_group: Figure
    """How many adjacent .ttinsn one cycle pushes."""
    mispredicted: Figure
    multiply_latency: Figure
    multiply_busy: Figure
    load_latency: dict[str, Figure]
    unpack_bytes: tuple[Figure, Figure, Figure]
    """Bytes per cycle that an unpacker fetches at speeds x1, x2, x4."""
    pack_bytes: Figure
    """Bytes per cycle that one packer writes."""
    vector_interlock: Figure
    """1: the vector unit waits for a result that takes two cycles; 0: software must."""
    conditions: tuple[int, ...]
    """The pipeline that each condition bit of STALLWAIT waits for; -1: a Src bank; -2: the core's
    own requests, -3: the configuration unit, any thread's."""


DST_BLOCKED: Final = documented(5, "Dst.md: not readable for four cycles after a write")
MOVE_BLOCKED: Final = documented(4, "MOVA2D.md, MOVB2D.md: readers stall for three cycles")
FLOP_PER_MVMUL: Final = derived(4096, "8x16x16 multiply-adds")
_RISCV = "BabyRISCV/README.md"
DIVIDE_TRIVIAL: Final = documented(2, f"{_RISCV}: by zero or one, and -2**31 by -1")
DIVIDE_LEAST: Final = documented(6, f"{_RISCV}: between six and 33 cycles")
DIVIDE_MOST: Final = documented(33, DIVIDE_LEAST.source)
DIVIDE_BEYOND_BITS: Final = measured(
    2, "mesham/tt-sim, docs/bh_arch.md: two points on a Blackhole card; bits of the dividend, and 2"
)
_RATES = "UNPACR_Regular.md, Throttle_mode"
_RATES_BH = f"{_RATES}: Wormhole's; ttsim moves up to 128 bytes on Blackhole, shared how is unknown"
_LOADS = {
    "local_ram": documented(2, _RISCV),
    "sync": documented(3, _RISCV),
    "config": documented(4, _RISCV),
    "tile": documented(7, _RISCV),
    "l1": documented(8, f"{_RISCV}: L0 miss; hits are not modelled"),
    "atomic": documented(12, _RISCV),
}

CHIPS: dict[str, ChipFigures] = {
    "blackhole": ChipFigures(
        clock_mhz=documented(1350, _RISCV),
        push_group=documented(4, "PushTensixInstruction.md"),
        mispredicted=documented(4, _RISCV),
        multiply_latency=documented(2, f"{_RISCV}: EX1, EX2"),
        multiply_busy=documented(1, _RISCV),
        load_latency=_LOADS,
        unpack_bytes=(derived(16, _RATES_BH), derived(32, _RATES_BH), derived(64, _RATES_BH)),
        pack_bytes=derived(64, "L1.md: four 128-bit writes; Blackhole's one packer has Wormhole's"),
        vector_interlock=documented(1, "SFPMAD.md of Blackhole: hardware stalls in most cases"),
        conditions=(0, 1, 2, 3, 7, -1, -1, -1, -1, 10, -2, 8, -3),
    ),
    "wormhole": ChipFigures(
        clock_mhz=documented(1000, _RISCV),
        push_group=documented(1, "PushTensixInstruction.md"),
        mispredicted=documented(2, _RISCV),
        multiply_latency=documented(2, _RISCV),
        multiply_busy=documented(2, f"{_RISCV}: the integer unit is occupied"),
        load_latency=_LOADS | {"tile": documented(7, _RISCV)},
        unpack_bytes=(documented(16, _RATES), documented(32, _RATES), documented(64, _RATES)),
        pack_bytes=documented(16, "L1.md: one 128-bit write per cycle and packer"),
        vector_interlock=documented(0, "SFPMAD.md: software inserts SFPNOP"),
        conditions=(0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1, 10, -2, 8),
    ),
}


@dataclass(frozen=True)
class Timing:
    """A chip's figures as kernels read them: plain integers and tables by opcode."""

    port: tuple[int, ...]
    pipe: tuple[int, ...]
    interval: tuple[int, ...]
    latency: tuple[int, ...]
    dst_use: tuple[int, ...]
    operands: tuple[int, ...]
    """Bit n: bits 4n+3..4n of a vector instruction name a register that it reads."""
    result: tuple[int, ...]
    """Lowest bit of the field that names the register a vector instruction writes late; 0: none."""
    conditions: tuple[int, ...]
    push_group: int
    mispredicted: int
    multiply_latency: int
    multiply_busy: int
    load_local: int
    load_sync: int
    load_config: int
    load_tile: int
    load_l1: int
    load_atomic: int
    unpack_bytes: tuple[int, ...]
    pack_bytes: int
    vector_interlock: int
    dst_blocked: int = field(default=DST_BLOCKED.value)
    move_blocked: int = field(default=MOVE_BLOCKED.value)


def _operands(row: Instruction) -> int:
    """Which nibbles of a vector instruction name registers that it reads."""
    if row.unit != Unit.VECTOR:
        return 0
    bits = 0
    for part in row.fields:
        reads = part.name.startswith("lreg") and part.name != "lreg_dest"
        if reads and row.name not in ("SFPLOAD", "SFPLOADI", "SFPLOADMACRO"):
            bits |= 1 << part.lo // 4
    if row.name in READ_THEIR_DESTINATION:
        bits |= 1 << 1
    return bits


READ_THEIR_DESTINATION: Final = frozenset(
    [
        *("SFPMULI", "SFPADDI", "SFPIADD", "SFPSHFT", "SFPAND", "SFPOR", "SFPXOR"),
        *("SFPSETEXP", "SFPSETMAN", "SFPSETSGN", "SFPSWAP"),
    ]
)
"""Instructions whose destination is an operand too (VectorUnit.md)."""


def timing(chip: str, instructions: InstructionSet) -> Timing:
    """A chip's figures for kernels."""
    chip_figures = CHIPS[chip]
    port, pipe = [NO_PORT] * 256, [SHORT_PIPE] * 256
    interval, latency = [1] * 256, [1] * 256
    dst_use, operands, result = [0] * 256, [0] * 256, [0] * 256
    for row in instructions.values():
        code, unit, known = row.opcode, row.unit, timing_of(row)
        port[code] = PORT_OF.get(unit, NO_PORT)
        pipe[code] = PIPE_OF.get(unit, SHORT_PIPE)
        interval[code] = known.interval.value
        latency[code] = known.latency.value
        dst_use[code] = DST_USE.get(row.name, 0)
        operands[code] = _operands(row)
        if unit == Unit.VECTOR and known.latency.value > 1:
            result[code] = 20 if row.name == "SFPLUT" else 4
    for name in ("SETC16", "ATGETM", "ATRELM"):  # one per thread and cycle
        port[instructions[name].opcode] = NO_PORT
    loads = chip_figures.load_latency
    return Timing(
        port=tuple(port),
        pipe=tuple(pipe),
        interval=tuple(interval),
        latency=tuple(latency),
        dst_use=tuple(dst_use),
        operands=tuple(operands),
        result=tuple(result),
        conditions=chip_figures.conditions,
        push_group=chip_figures.push_group.value,
        mispredicted=chip_figures.mispredicted.value,
        multiply_latency=chip_figures.multiply_latency.value,
        multiply_busy=chip_figures.multiply_busy.value,
        load_local=loads["local_ram"].value,
        load_sync=loads["sync"].value,
        load_config=loads["config"].value,
        load_tile=loads["tile"].value,
        load_l1=loads["l1"].value,
        load_atomic=loads["atomic"].value,
        unpack_bytes=tuple(rate.value for rate in chip_figures.unpack_bytes),
        pack_bytes=chip_figures.pack_bytes.value,
        vector_interlock=chip_figures.vector_interlock.value,
    )
