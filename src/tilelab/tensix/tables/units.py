"""The units that Tensix instructions execute in, and which waits hold each unit's instructions."""

from enum import IntFlag, StrEnum


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
