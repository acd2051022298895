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
        vector_ieee_specials=1,
        vector_modifiers=1,
        vector_bugs=0,
        vector_twos_complement=0,
        vector_int8_mask=0xFF,
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
        vector_ieee_specials=0,
        vector_modifiers=0,
        vector_bugs=1,
        vector_twos_complement=1,
        vector_int8_mask=0x7F,
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
