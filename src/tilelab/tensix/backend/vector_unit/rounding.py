"""Conversions that round: SFPCAST and SFP_STOCH_RND.

Stochastic rounding uses the lane's generator (``s.vector.prng``), so it is reproducible. On
hardware it leans towards larger magnitudes; that is the documented behaviour and is kept here.
"""

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.semantics import BOTH, semantics
from tilelab.tensix.backend.vector_unit.lreg import (
    MAGNITUDE,
    RESERVED_MODIFIER,
    SIGN,
    advance_prng,
    enabled_lanes,
    leading_zeros,
    reserved,
    writable,
)
from tilelab.tensix.state.records import State

TO_FP16A, TO_FP16B, TO_UINT8, TO_INT8, INT_TO_UINT8, INT_TO_INT8, TO_UINT16, TO_INT16 = range(8)
"""SFP_STOCH_RND's modes: FP32 to TF32 or BF16 precision, FP32 to integers, integers to bytes."""

NEAREST, STOCHASTIC, ZERO = 0, 1, 2
"""Rounding modes; only Blackhole has ZERO."""

LIMITS = (0, 0, 255, 127, 255, 127, 65535, 32767)

CONVERSION = check(
    "vector-conversion",
    UndefinedBehaviorError,
    "SFP_STOCH_RND of mode {value} shifts nothing, by the immediate or otherwise: bit 3 is idle",
    page="SFPSTOCHRND.md",
    cure="modes are 0 to 7, and 12 and 13 for integers with an immediate shift",
    policy=Policy.WARN,
)
ROUNDING_MODE = check(
    "vector-rounding-mode",
    UndefinedBehaviorError,
    "SFP_STOCH_RND has no rounding mode {value}",
    page="SFPSTOCHRND.md",
    cure="0 rounds to nearest, 1 stochastically, 2 (Blackhole) to zero",
)


@kernel
def integer_to_fp32(s: State, x: int, lane: int, stochastic: int) -> int:
    """A sign-magnitude integer as FP32, rounded to nearest even or stochastically."""
    magnitude = x & MAGNITUDE
    random = (advance_prng(s, lane) >> 9) & 0xFE if stochastic else 0
    if magnitude == 0:
        return x
    zeros = leading_zeros(magnitude)
    normal = magnitude << zeros
    result = (x & SIGN) + ((157 - zeros) << 23) + (normal >> 8)
    if stochastic:
        if normal & 0xFE > random:
            result += 1
    elif normal & 0x80 and normal & 0x17F:
        result += 1
    return result


@semantics("SFPCAST", BOTH)
def sfpcast(s: State, t: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPCAST: sign-magnitude to FP32 (1: stochastically); Blackhole: |VC| (2), negation (3)."""
    known = 3 if s.arch.vector_modifiers else 1
    if instr_mod1 > known and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    mode = instr_mod1 & known
    lanes = enabled_lanes(s)
    for lane in range(32):
        if lanes >> lane & 1:
            x = s.vector.lreg[vc, lane]
            if mode < 2:
                x = integer_to_fp32(s, x, lane, mode)
            elif x & SIGN:
                x = -x & 0xFFFFFFFF
                if mode == 3:
                    x |= SIGN
            if writable(vd):
                s.vector.lreg[vd, lane] = x
    return OK


@kernel
def rounded_float(x: int, to_fp16a: int, threshold: int) -> int:
    """FP32 with 10 or 7 mantissa bits; ``threshold`` is the 23-bit fraction that rounds up."""
    exponent = (x >> 23) & 255
    if exponent == 0:
        return 0
    if exponent == 255:
        return x & 0xFF800000
    kept = 13 if to_fp16a else 16
    discarded = x & ((1 << kept) - 1)
    x -= discarded
    if discarded >= threshold >> (23 - kept):
        x += 1 << kept
    return x


@kernel
def bounded(scaled: int, limit: int, sign: int, threshold: int) -> int:
    """Sign-magnitude integer of a magnitude with 23 fraction bits, rounded and clamped."""
    magnitude = scaled >> 23
    if scaled & 0x7FFFFF >= threshold:
        magnitude += 1
    magnitude = min(magnitude, limit)
    return sign | magnitude if magnitude else 0


@kernel
def float_to_integer(x: int, limit: int, sign: int, threshold: int) -> int:
    """FP32 as a clamped sign-magnitude integer; below a half it is zero whatever the rounding."""
    exponent = ((x >> 23) & 255) - 127
    if exponent < -1:
        return 0
    if exponent >= 16:
        return sign | limit
    scaled = (x & 0x7FFFFF) | 0x800000
    scaled = scaled << exponent if exponent >= 0 else scaled >> 1
    return bounded(scaled, limit, sign, threshold)


@semantics("SFP_STOCH_RND", BOTH)
def sfp_stoch_rnd(
    s: State, t: int, rnd_mode: int, imm8_math: int, vb: int, vc: int, vd: int, instr_mod1: int
) -> int:
    """SFP_STOCH_RND: reduce precision or range; Mod1 bit 3 takes the integers' shift from Imm5."""
    mode = instr_mod1 & 7
    # the list of instructions gives bit 3 its meaning whatever the mode; vendor's kernels use 14
    by_immediate = instr_mod1 & 8
    if by_immediate and not INT_TO_UINT8 <= mode <= INT_TO_INT8:
        if refuse(s, CONVERSION, instr_mod1):
            return CONVERSION
    if rnd_mode > ZERO:
        return fault(s, ROUNDING_MODE, rnd_mode)
    lanes = enabled_lanes(s)
    for lane in range(32):
        if lanes >> lane & 1:
            # the generator steps whatever the rnd_mode
            threshold = advance_prng(s, lane) & 0x7FFFFF
            if rnd_mode == NEAREST:
                threshold = 0x400000
            elif rnd_mode == ZERO:
                threshold = 0x7FFFFF
            x = s.vector.lreg[vc, lane]
            sign = x & SIGN if mode & 1 else 0
            if mode <= TO_FP16B:
                x = rounded_float(x, mode ^ 1, threshold)
            elif INT_TO_UINT8 <= mode <= INT_TO_INT8:
                amount = imm8_math if by_immediate else s.vector.lreg[vb, lane] & 31
                scaled = ((x & MAGNITUDE) << 23) >> amount
                x = bounded(scaled, LIMITS[mode], sign, threshold)
            else:
                x = float_to_integer(x, LIMITS[mode], sign, threshold)
            if writable(vd):
                s.vector.lreg[vd, lane] = x
    return OK
