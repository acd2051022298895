"""Functions by table: SFPLUT, SFPLUTFP32 and (Blackhole) SFPARECIP."""

import math
import struct
from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.semantics import BLACKHOLE, BOTH, semantics
from tilelab.tensix.backend.vector_unit.float import write_indirect
from tilelab.tensix.backend.vector_unit.fma import ONE, X, Y, Z, fma_lanes
from tilelab.tensix.backend.vector_unit.lreg import (
    INFINITY,
    MAGNITUDE,
    RESERVED_MODIFIER,
    SIGN,
    reserved,
    write_result,
)
from tilelab.tensix.state.records import State

HALF, ONE_AND_HALF, TWO, THREE, FOUR = 0x3F000000, 0x3FC00000, 0x40000000, 0x40400000, 0x40800000
SIGN_RETAIN = 4


@kernel
def lut8_to_fp32(x: int) -> int:
    """SFPLUT's 8-bit floats: sign, 3 bits of negated exponent, 4 of mantissa; 255 is zero."""
    if x == 0xFF:
        return 0
    return (x & 0x80) << 24 | (127 - ((x >> 4) & 7)) << 23 | (x & 15) << 19


@kernel
def lut16_to_fp32(x: int) -> int:
    """SFPLUTFP32's FP16: every exponent is a normal one, save 31, which is zero."""
    exponent = (x >> 10) & 31
    exponent = 0 if exponent == 31 else 112 + exponent
    return (x & 0x8000) << 16 | exponent << 23 | (x & 0x3FF) << 13


@kernel
def piece(b: int) -> int:
    """Which of three table entries serves the magnitude b: below 1, below 2, others."""
    if b < ONE:
        return 0
    return 1 if b < TWO else 2


@kernel
def half_of_piece(b: int, cut: int) -> int:
    """Shift (0 or 16) that selects the half of a six-entry table's word for the magnitude b."""
    if b < ONE:
        middle = HALF
    elif b < TWO:
        middle = ONE_AND_HALF
    else:
        middle = cut
    return 0 if b < middle else 16


@semantics("SFPLUT", BOTH)
def sfplut(s: State, t: int, vd: int, instr_mod0: int) -> int:
    """SFPLUT: a piece-wise linear function of |LReg[3]|; coefficients in LReg[0..2]."""
    for lane in range(32):
        b = s.vector.lreg[3, lane] & MAGNITUDE
        coefficients = s.vector.lreg[piece(b), lane]
        s.scratch_32[X + lane] = lut8_to_fp32((coefficients >> 8) & 0xFF)
        s.scratch_32[Y + lane] = b
        s.scratch_32[Z + lane] = lut8_to_fp32(coefficients & 0xFF)
    fma_lanes(s)
    if instr_mod0 & SIGN_RETAIN:
        retain_sign(s)
    return write_indirect(s, vd, instr_mod0)


@kernel
def retain_sign(s: State) -> int:
    """Give ``scratch_32[0..31]`` the signs of LReg[3]; returns OK."""
    for lane in range(32):
        s.scratch_32[lane] = (s.scratch_32[lane] & MAGNITUDE) | (s.vector.lreg[3, lane] & SIGN)
    return OK


@kernel
def coefficients_fp32(s: State, lane: int, b: int, mod1: int) -> tuple[int, int]:
    """SFPLUTFP32's slope and offset for the magnitude b."""
    i = piece(b)
    first = s.vector.lreg[i, lane]
    if not mod1 & 2:
        return first, s.vector.lreg[4 + i, lane]
    if mod1 & 8:
        return lut16_to_fp32(first >> 16), lut16_to_fp32(first & 0xFFFF)
    half = half_of_piece(b, FOUR if mod1 & 1 else THREE)
    second = s.vector.lreg[4 + i, lane]
    return lut16_to_fp32((first >> half) & 0xFFFF), lut16_to_fp32((second >> half) & 0xFFFF)


@semantics("SFPLUTFP32", BOTH)
def sfplutfp32(s: State, t: int, vd: int, instr_mod1: int) -> int:
    """SFPLUTFP32: as SFPLUT, from tables of FP32 (Mod1 0) or FP16 (2, 3: 6 entries; 10: 3)."""
    for lane in range(32):
        b = s.vector.lreg[3, lane] & MAGNITUDE
        slope, offset = coefficients_fp32(s, lane, b, instr_mod1)
        s.scratch_32[X + lane] = slope
        s.scratch_32[Y + lane] = b
        s.scratch_32[Z + lane] = offset
    fma_lanes(s)
    if instr_mod1 & SIGN_RETAIN:
        retain_sign(s)
    # mode 10 includes the bit of an indirect VD: a hardware bug
    return write_indirect(s, vd, instr_mod1)


def _exponential(upper: int) -> int:
    """Upper half of e**x, truncated, for the x whose upper half is given."""
    (x,) = struct.unpack("<f", struct.pack("<I", upper << 16))
    (bits,) = struct.unpack("<I", struct.pack("<f", math.exp(x)))
    return int(bits) >> 16


EXPONENTIALS: Final = tuple(_exponential(0x3C80 + i) for i in range(0x380))
"""Upper halves of e**x for x in [2**-6, 2); equal to the table in SFPARECIP.md."""


@kernel
def approximate_reciprocal(x: int) -> int:
    """1/x of a positive x to seven mantissa bits; the mantissa is 1/x at the interval's middle."""
    if x < 0x00800000:
        return INFINITY
    if x >= 0x7E800000:
        return 0
    n = 2 * ((x >> 16) & 127) + 257
    mantissa = (131072 - 255 * n) // (2 * n)
    return (253 - (x >> 23)) << 23 | mantissa << 16


@kernel
def approximate_exponential(x: int) -> int:
    """e**x of a positive x below 2; the lower half is x's own."""
    lower = x & 0xFFFF
    if x < 0x00800000:
        return ONE
    if x < 0x3C800000:
        return 0x3F810000 | lower
    if x < TWO:
        return EXPONENTIALS[(x >> 16) - 0x3C80] << 16 | lower
    return 0x40800000 | lower


@semantics("SFPARECIP", BLACKHOLE)
def sfparecip(s: State, t: int, vb: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPARECIP: 1/VC (Mod1 0), 1/|VC| where VB is negative (1), ±e**|VC| (2)."""
    if instr_mod1 > 2 and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    for lane in range(32):
        x = s.vector.lreg[vc, lane]
        if instr_mod1 == 0:
            x = (x & SIGN) | approximate_reciprocal(x & MAGNITUDE)
        elif instr_mod1 == 1:
            if s.vector.lreg[vb, lane] & SIGN:
                x = approximate_reciprocal(x & MAGNITUDE)
        else:
            x = (x & SIGN) | approximate_exponential(x & MAGNITUDE)
        s.scratch_32[lane] = x
    return write_result(s, vd)
