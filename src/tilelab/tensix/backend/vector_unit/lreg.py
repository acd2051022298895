"""What every vector instruction shares: lane enables, the random generator, the number order.

Page: LReg.md, VectorUnit.md. LaneConfig, but for EXCHANGE_SRCB_SRCC, and LoadMacroConfig are one
value for all lanes here: see "Not modelled" in :mod:`tilelab.tensix.backend.vector_unit`.
"""

from typing import Final

from tilelab.sim.checks import Policy, check, refuse
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, bit_length, kernel
from tilelab.tensix.state.records import State

LANES: Final = 32
ALL_LANES: Final = 0xFFFFFFFF
SIGN: Final = 0x80000000
MAGNITUDE: Final = 0x7FFFFFFF
EXPONENT: Final = 0x7F800000
INFINITY: Final = EXPONENT
MANTISSA: Final = 0x007FFFFF
EXTRA: Final = 16
"""The register that only instructions scheduled by SFPLOADMACRO reach."""

# LaneConfig's bits (SFPCONFIG.md)
ENABLE_FP16A_INF: Final = 1 << 0
DISABLE_BACKDOOR_LOAD: Final = 1 << 1
ENABLE_DEST_INDEX: Final = 1 << 2
CAPTURE_DEFAULT_DEST_INDEX: Final = 1 << 3
BLOCK_DEST_WR_FROM_SFPU: Final = 1 << 4
BLOCK_SFPU_RD_FROM_DEST: Final = 1 << 5
DEST_RD_COL_EXCHANGE: Final = 1 << 6
DEST_WR_COL_EXCHANGE: Final = 1 << 7
EXCHANGE_SRCB_SRCC: Final = 1 << 8
ROW_MASK_SHIFT: Final = 12

ROW_LANES: Final = (0xFF, 0xFF00, 0xFF0000, 0xFF000000)

RESERVED_MODIFIER = check(
    "vector-reserved-modifier",
    NonContractualBehaviorError,
    "Mod1 {value} has bits that are reserved",
    page="VectorUnit.md",
    cure="clear the reserved bits; today's silicon ignores them",
    policy=Policy.ERROR,
)


@kernel
def reserved(s: State, mod1: int) -> int:
    """Refuse reserved modifier bits; 1 if that stops the program."""
    return refuse(s, RESERVED_MODIFIER, mod1)


@kernel
def enabled_lanes(s: State) -> int:
    """Bit mask of the lanes that take part (IsLaneEnabled, VectorUnit.md)."""
    lanes = s.vector.lane_flags if s.vector.use_lane_flags else ALL_LANES
    disabled = (s.vector.lane_config >> ROW_MASK_SHIFT) & 15
    if disabled:
        for row in range(4):
            if disabled >> row & 1:
                lanes &= ~ROW_LANES[row]
    return lanes


@kernel
def lane_config(s: State, column: int) -> int:
    """LaneConfig of a column of lanes."""
    common = s.vector.lane_config
    return common ^ EXCHANGE_SRCB_SRCC if s.vector.exchange_columns >> column & 1 else common


@kernel
def writable(vd: int) -> int:
    """1 if results may be written to LReg[vd]; what goes to the constant registers is dropped."""
    return 1 if vd < 8 or vd == EXTRA else 0


@kernel
def write_lanes(s: State, vd: int, lanes: int) -> int:
    """LReg[vd] = ``scratch_32[0..31]`` in some lanes, unless vd is a constant register.

    Instructions compute every lane and then write: operands may overlap with the result, and
    compiled loops without conditions are the fastest.
    """
    return write_from(s, 0, vd, lanes)


@kernel
def write_from(s: State, first: int, vd: int, lanes: int) -> int:
    """:func:`write_lanes` from ``scratch_32[first…]``."""
    if not writable(vd):
        return OK
    if lanes == ALL_LANES:
        for lane in range(32):
            s.vector.lreg[vd, lane] = s.scratch_32[first + lane]
    else:
        for lane in range(32):
            if lanes >> lane & 1:
                s.vector.lreg[vd, lane] = s.scratch_32[first + lane]
    return OK


@kernel
def write_result(s: State, vd: int) -> int:
    """LReg[vd] = ``scratch_32[0..31]`` in the lanes that take part; returns OK."""
    return write_lanes(s, vd, enabled_lanes(s))


@kernel
def change_flags(s: State, vd: int, sets: int, flags: int, inverts: int) -> int:
    """Lane flags of an instruction that may set and then may invert them; returns OK.

    Instructions whose VD is a constant register leave the flags alone too.
    """
    if vd < 8 and (sets or inverts):
        lanes = enabled_lanes(s)
        if sets:
            s.vector.lane_flags = (s.vector.lane_flags & ~lanes) | (flags & lanes)
        if inverts:
            s.vector.lane_flags = s.vector.lane_flags ^ lanes
    return OK


@kernel
def next_random(state: int) -> int:
    """One step of a lane's random generator (VectorUnit.md, PRNG)."""
    taps = (state ^ state >> 1 ^ state >> 21 ^ state >> 31) & 1
    return (taps ^ 1) << 31 | state >> 1


@kernel
def advance_prng(s: State, lane: int) -> int:
    """Return the lane's random word and step its generator."""
    state = s.vector.prng[lane]
    s.vector.prng[lane] = next_random(state)
    return state


@kernel
def seed_prng(s: State, seed: int) -> int:
    """What writing PRNG_SEED_Seed_Val does: 32 steps to mix, then two per lane, the last first."""
    for _ in range(32):
        seed = next_random(seed)
    for i in range(32):
        seed = next_random(next_random(seed))
        s.vector.prng[31 - i] = seed
    return 0


@kernel
def signed(x: int) -> int:
    """Two's complement value of 32 bits."""
    return x - ((x & SIGN) << 1)


@kernel
def ordered(x: int) -> int:
    """Map sign-magnitude (or FP32) bits to integers in their total order, -0 below +0."""
    return -1 - (x & MAGNITUDE) if x & SIGN else x


@kernel
def sign_extended_12(x: int) -> int:
    """Two's complement value of a 12-bit immediate."""
    return x - ((x & 0x800) << 1)


@kernel
def leading_zeros(x: int) -> int:
    """Leading zeros of 32 bits; 32 for zero."""
    return 32 - bit_length(x)
