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
    input_fifo: tuple[int, int, int]
    """Entries of each thread's input FIFO, before the MOP expander."""
    addr_mode_bits: int
    """Bits of an instruction's address mode; with 2, the bias counter selects the upper four."""
    default_condition_mask: int
    """ConditionMask that STALLWAIT uses when given 0."""


ARCHES = {
    "blackhole": Arch(
        name="blackhole",
        instructions=BLACKHOLE,
        l1_size=1536 * KIB,
        implied_src_format=1,
        normalise_bug=0,
        input_fifo=(32, 32, 32),
        addr_mode_bits=3,
        default_condition_mask=0x0F,
    ),
    "wormhole": Arch(
        name="wormhole",
        instructions=WORMHOLE,
        l1_size=1464 * KIB,
        implied_src_format=0,
        normalise_bug=1,
        input_fifo=(32, 16, 16),
        addr_mode_bits=2,
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
