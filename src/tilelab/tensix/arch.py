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
    config_words: int
    """Words in each Config bank; beyond is out of bounds."""
    global_config: int
    """First Config word that both banks share (GLOBAL_CFGREG_BASE_ADDR32)."""
    thread_config_words: int
    """Registers in each thread's ThreadConfig."""
    reg2flop_base: int
    """Config word that REG2FLOP counts from (THCON_CFGREG_BASE_ADDR32); 0: not modelled."""
    mutexes: int
    """Bit i: mutex i exists."""
    condition_src_a_cleared: int
    """Bit number of STALLWAIT's condition "SrcA's bank at the unpacker is not the unpackers'";
    the conditions for SrcB cleared, SrcA valid and SrcB valid follow it."""
    condition_bits: int
    """How many condition bits STALLWAIT has."""
    input_fifo: tuple[int, int, int]
    """Entries of each thread's input FIFO, before the MOP expander."""
    default_condition_mask: int
    """ConditionMask that STALLWAIT uses when given 0."""
    replay_count0: int = 64
    """How many words REPLAY with a length of 0 stands for: 64 (the seed's reading and the older
    manual's) or 32 (the newest manual's)."""
    mop_sampling: int = 0
    """0: a MOP takes a snapshot of MopCfg when it starts (the manual's functional model); 1: it
    reads MopCfg as it goes (what the manual says hardware mostly does)."""
    wait_replaces: int = 0
    """1: a STALLWAIT or SEMWAIT replaces a latched one (older Wormhole manual) instead of waiting
    for it (newest manual)."""

    def block_masks(self) -> tuple[int, ...]:
        """For each opcode, the bits of STALLWAIT's BlockMask that hold it back at the wait gate."""
        masks = [0] * 256
        for row in self.instructions.values():
            masks[row.opcode] = row.block_mask
        for name in () if self.wait_replaces else WAIT_INSTRUCTIONS:
            if name in self.instructions:
                masks[self.instructions[name].opcode] = 0x1FF
        return tuple(masks)


WAIT_INSTRUCTIONS = ("STALLWAIT", "SEMWAIT", "STREAMWAIT")
"""A wait instruction waits behind a latched one, whatever that one blocks."""

ARCHES = {
    "blackhole": Arch(
        name="blackhole",
        instructions=BLACKHOLE,
        l1_size=1536 * KIB,
        implied_src_format=1,
        normalise_bug=0,
        config_words=224,
        global_config=180,
        thread_config_words=68,
        reg2flop_base=0,
        mutexes=0b0001_1101,
        condition_src_a_cleared=5,
        condition_bits=13,
        input_fifo=(32, 32, 32),
        default_condition_mask=0x0F,
    ),
    "wormhole": Arch(
        name="wormhole",
        instructions=WORMHOLE,
        l1_size=1464 * KIB,
        implied_src_format=0,
        normalise_bug=1,
        config_words=188,
        global_config=152,
        thread_config_words=57,
        reg2flop_base=52,
        mutexes=0b1111_1101,
        condition_src_a_cleared=8,
        condition_bits=15,
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
