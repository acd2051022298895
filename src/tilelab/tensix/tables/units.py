"""The units that Tensix instructions execute in, and which waits hold each unit's instructions."""

from enum import IntEnum, IntFlag, StrEnum

from tilelab.isa.figure import InstructionTiming, derived, documented, timing


class Block(IntFlag):
    """The bits B0 to B8 of STALLWAIT's block mask (STALLWAIT.md, both chips)."""

    NONE = 0
    TDMA = 1 << 0
    SYNC = 1 << 1
    PACK = 1 << 2
    UNPACK = 1 << 3
    MOVER = 1 << 4
    SCALAR = 1 << 5
    MATRIX = 1 << 6
    CONFIG = 1 << 7
    VECTOR = 1 << 8
    ALL = 0x1FF


class Unit(StrEnum):
    """Named as the hardware manual names them; each with the block bits that hold it."""

    block: Block

    def __new__(cls, value: str, block: Block) -> "Unit":
        """Make a member that carries its block bits."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.block = block
        return member

    FRONTEND = "frontend", Block.NONE
    """Expanders and synchronisation before the wait gate, so that no wait reaches them."""
    SYNC = "sync_unit", Block.SYNC
    UNPACK = "unpackers", Block.TDMA | Block.UNPACK
    MATRIX = "matrix_unit", Block.MATRIX
    PACK = "packers", Block.TDMA | Block.PACK
    VECTOR = "vector_unit", Block.VECTOR
    SCALAR = "scalar_unit", Block.TDMA | Block.SCALAR
    CONFIG = "configuration_unit", Block.CONFIG
    MISC = "misc_unit", Block.TDMA
    MOVER = "mover", Block.TDMA | Block.MOVER


class SubUnit(IntEnum):
    """The vector unit's parts, numbered as SFPLOADMACRO's sequences count them (VectorUnit.md)."""

    SIMPLE = 0
    MAD = 1
    ROUND = 2
    STORE = 3
    LOAD = 4


NO_SUB_UNIT = 7
"""What opcodes have that are no vector instruction's."""


class DstUse(IntFlag):
    """What an instruction does with Dst, as far as hazards go (Dst.md, MOVA2D.md, MOVB2D.md)."""

    NONE = 0
    READS = 1
    WRITES = 2
    MOVES = 4
    """Writes at once, but readers are held back."""
    AFTER_MOVE = 8
    """Is held back after those."""
    COMPUTES = READS | WRITES | AFTER_MOVE


FIDELITIES = ("LoFi", "HiFi2", "HiFi3", "HiFi4")
"""By their numbers of phases, from 1."""
FLOP_PER_MVMUL = 2 * 8 * 16 * 16
"""Operations of an MVMUL (MatrixUnit.md: 8x16x16 multiply-adds; adding onto Dst is not counted)."""
FLOP_PER_SFPMAD = 2 * 32
"""Operations of an SFPMAD (VectorUnit.md: a multiply-add in each of 32 lanes, enabled or not)."""

_VECTOR = "VectorUnit.md, IPC and latency"

DEFAULT_TIMINGS: dict[Unit, InstructionTiming] = {
    Unit.VECTOR: timing(1, 1, _VECTOR),
    Unit.MISC: timing(1, 1, "MiscellaneousUnit.md"),
}
"""The time that a unit's instructions take, unless their rows say otherwise."""


class Takes:
    """The times that the manual's pages give to several instructions."""

    MATRIX = timing(1, 5, "MatrixUnit.md, latency and throughput")
    MATRIX_MOVE = timing(1, 4, "MatrixUnit.md, latency and throughput")
    MATRIX_CYCLE = timing(1, 1, "MatrixUnit.md, latency and throughput")
    VECTOR_MAD = timing(1, 2, _VECTOR)
    SCALAR_1 = timing(1, 1, "ScalarUnit.md, cycles required for execution")
    SCALAR_2 = timing(2, 2, "ScalarUnit.md, cycles required for execution")
    SCALAR_3 = timing(3, 3, "ScalarUnit.md, cycles required for execution")
    SCALAR_15 = timing(15, 15, "ScalarUnit.md, cycles required for execution")
    CONFIG_1 = timing(1, 1, "ConfigurationUnit.md")
    CONFIG_2 = timing(1, 2, "ConfigurationUnit.md")
    UNPACK = timing(2, 2, "UNPACR_Regular.md: two cycles to compute the first address")
    UNPACK_NOP = InstructionTiming(
        documented(2, "UNPACR_Regular.md, taken to hold for all that unpackers accept"),
        derived(
            1,
            "no address to compute; tt-llk, llk_unpack_A.h on Wormhole: SrcB is given behind SrcA's "
            "UNPACR, and a datacopy of one Bfp2 face, which clears both, ends on cards; were the gift "
            "later, SrcB would be cleared before it came, and the kernel behind would hang",
        ),
    )
    PACK = timing(1, 1, "Packers/README.md: at most one started per cycle")
    SYNC = timing(1, 1, "SyncUnit.md")
