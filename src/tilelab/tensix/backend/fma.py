"""The vector unit's multiply-add on FP32 bits: partially fused, denormals are zero.

The product is kept to 28 bits with a jam bit before the add; the sum is rounded once, to nearest
with ties to even. Blackhole (``vector_ieee_specials``) gives one NaN and signed zeros; Wormhole
lets bits of the sum leak into its NaNs and has no negative zero. Both follow the vendor's
published model bit for bit (SFPMAD.md, ttsim).
"""

from typing import Any, Final

from tilelab.sim.kernel import kernel
from tilelab.tensix.backend.lreg import INFINITY, SIGN, leading_zeros

NAN: Final = 0x7FC00000
ONE: Final = 0x3F800000
HIDDEN: Final = 0x800000
"""A significand's leading one; an infinity's significand is just this."""


@kernel
def significand(x: int) -> int:
    """24-bit significand, 0 for zeros and denormals."""
    return (x & 0x7FFFFF) | HIDDEN if x & 0x7F800000 else 0


@kernel
def product_is_nan(x: int, y: int) -> int:
    """1 if x or y is a NaN, or one is infinite and the other zero."""
    xm = significand(x)
    ym = significand(y)
    if x & INFINITY == INFINITY and (xm != HIDDEN or ym == 0):
        return 1
    if y & INFINITY == INFINITY and (ym != HIDDEN or xm == 0):
        return 1
    return 0


@kernel
def special(x: int, y: int, z: int) -> int:
    """Blackhole's x*y + z where an input is infinite or NaN, or the product overflows."""
    sign = (x ^ y) & SIGN
    if product_is_nan(x, y):
        return NAN
    if z & INFINITY != INFINITY:
        return sign | INFINITY
    if z & 0x7FFFFF:
        return NAN
    if (z & SIGN) != sign and (x & INFINITY == INFINITY or y & INFINITY == INFINITY):
        return NAN
    return z


@kernel
def leaking_nan(x: int, y: int, z: int) -> int:
    """Wormhole's NaN of such an x*y + z, to be joined with the sum's bits; 0 if it is no NaN."""
    sign = (x ^ y) & SIGN
    if product_is_nan(x, y):
        return sign | 0x7F800001
    if z & INFINITY != INFINITY:
        return 0
    if z & 0x7FFFFF:
        return (z & SIGN) | 0x7F800001
    exponent = ((x >> 23) & 255) + ((y >> 23) & 255) - 127
    if (z & SIGN) != sign and (
        exponent >= 255 or x & INFINITY == INFINITY or y & INFINITY == INFINITY
    ):
        return sign | 0x7F800001
    return 0


@kernel
def aligned(m: int, shift: int) -> int:
    """Shift right; lost bits set the lowest one, unless nothing is left at all."""
    if shift >= 32:
        return 0
    kept = m >> shift
    if kept and kept << shift != m:
        kept |= 1
    return kept


@kernel
def rounded(m: int, exponent: int, ieee: int) -> int:
    """Round a sum of 1..29 bits, 27 when normalised, to FP32 without sign; 0 if it underflows."""
    n = 0
    if m >= 1 << 27:
        n = 1 if m < 1 << 28 else 2
    elif m < 1 << 26:
        n = 5 - leading_zeros(m)
    exponent += n
    if exponent >= 255:
        return INFINITY
    if exponent <= 0:
        if ieee:
            n += 1
            exponent = 0
        elif exponent < 0:
            return 0
    if n <= 0:
        m <<= -n
    else:
        # not a complete sticky bit on either chip
        lost = m & (n | 1) if ieee else m & 1
        m = (m >> n) | (1 if lost else 0)
    result = (exponent << 23) + ((m >> 3) & 0x7FFFFF)
    if (m & 7) + (result & 1) > 4:
        result += 1
    return result if result >= HIDDEN else 0


@kernel
def fma(s: Any, x: int, y: int, z: int) -> int:
    """x*y + z as the chip's vector unit computes it; arguments and result are FP32 bits."""
    ieee: int = s.arch.vector_ieee_specials
    x_exponent = (x >> 23) & 255
    y_exponent = (y >> 23) & 255
    z_exponent = (z >> 23) & 255
    sign = (x ^ y) & SIGN
    z_sign = z & SIGN
    exponent = x_exponent + y_exponent - 127
    nan = 0
    if exponent >= 255 or z_exponent == 255 or x_exponent == 255 or y_exponent == 255:
        if ieee:
            return special(x, y, z)
        nan = leaking_nan(x, y, z)
        if nan == 0:
            return z if z_exponent == 255 else sign | INFINITY
        exponent = min(exponent, 255)
    m = 0
    if x_exponent and y_exponent:
        product = ((x & 0x7FFFFF) | HIDDEN) * ((y & 0x7FFFFF) | HIDDEN)
        m = product >> 20
        if product & 0xFFFFF:
            m |= 1
    z_m = ((z & 0x7FFFFF) | HIDDEN) << 3 if z_exponent else 0
    if m == 0 or exponent < 0:
        if nan == 0:
            return z if z_m else (z_sign & sign if ieee else 0)
        m = 0
        exponent = 0
    if exponent > z_exponent:
        z_m = aligned(z_m, exponent - z_exponent)
    elif exponent < z_exponent:
        m = aligned(m, z_exponent - exponent)
        exponent = z_exponent
    if sign == z_sign:
        m += z_m
    elif m >= z_m:
        m -= z_m
    else:
        m = z_m - m
        sign = z_sign
    if m == 0:
        return z_sign & sign if ieee else nan
    result = rounded(m, exponent, ieee)
    if ieee:
        return sign | result
    if nan:
        return nan | (result if result != INFINITY else 0)
    return sign | result if result else 0
