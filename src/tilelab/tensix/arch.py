"""The chips as data: every difference that is not a table row is a value here."""

from dataclasses import dataclass

from tilelab.isa.instruction import InstructionSet
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tables.blackhole import BLACKHOLE
from tilelab.tensix.tables.wormhole import WORMHOLE

KIB = 1024


@dataclass(frozen=True)
class Arch:
    """Constants of one chip, readable in kernels as ``s.arch.NAME``."""

    name: str
    instructions: InstructionSet
    l1_size: int
    """Bytes of L1."""
    implied_src_format: int
    """1: a Src bank carries the format its unpacker gave it (Blackhole)."""
    normalise_bug: int
    """1: the FPU's accumulator mis-shifts a negative sum of exactly -1 (Wormhole)."""
    fp8_all_ones_widen: int
    """1: unpacking the largest fp8 magnitude gives the largest fp16 magnitude (Blackhole)."""
    unpack_default_throttle: int
    """1: unpackers run at their fastest unless told otherwise, x4 moves 128 bytes (Blackhole)."""
    tilize_row_data: int
    """Data of 16 bits or more that a tilizing unpack reads between row strides (narrower: 16)."""
    pack_narrows_to_fp16: int
    """1: packers convert fp32 and bf16 in Dst to the fp16 family on reading (Blackhole)."""
    input_fifo: tuple[int, int, int]
    """Entries of each thread's input FIFO, before the MOP expander."""
    default_condition_mask: int
    """ConditionMask that STALLWAIT uses when given 0."""


ARCHES = {
    "blackhole": Arch(
        name="blackhole",
        instructions=BLACKHOLE,
        l1_size=1536 * KIB,
        implied_src_format=1,
        normalise_bug=0,
        fp8_all_ones_widen=1,
        unpack_default_throttle=1,
        tilize_row_data=32,
        pack_narrows_to_fp16=1,
        input_fifo=(32, 32, 32),
        default_condition_mask=0x0F,
    ),
    "wormhole": Arch(
        name="wormhole",
        instructions=WORMHOLE,
        l1_size=1464 * KIB,
        implied_src_format=0,
        normalise_bug=1,
        fp8_all_ones_widen=0,
        unpack_default_throttle=0,
        tilize_row_data=16,
        pack_narrows_to_fp16=0,
        input_fifo=(32, 16, 16),
        default_condition_mask=0x7F,
    ),
}


def arch(name: str) -> Arch:
    """Return a chip's profile by name; BadInputError if there is none."""
    try:
        return ARCHES[name]
    except KeyError:
        raise BadInputError(
            f"unknown architecture {name!r}: choose {' or '.join(ARCHES)}"
        ) from None
