"""The vector unit's multiply-add on FP32 bits: partially fused, denormals are zero.

The product is kept to 28 bits with a jam bit before the add; the sum is rounded once, to nearest
with ties to even. Blackhole (``vector_ieee_specials``) gives one NaN and signed zeros; Wormhole
lets bits of the sum leak into its NaNs and has no negative zero. Both follow the vendor's
published model bit for bit (SFPMAD.md, ttsim).
"""

from typing import Final

from tilelab.sim.kernel import OK, bit_length, kernel, lanes, narrow, signed32
from tilelab.tensix.backend.vector_unit.lreg import INFINITY, MAGNITUDE, SIGN
from tilelab.tensix.state.records import State

NAN: Final = 0x7FC00000
ONE: Final = 0x3F800000
HIDDEN: Final = 0x800000
"""A significand's leading one; an infinity's significand is just this."""
LOWEST: Final = -0x80000000
"""The sign bit in a signed word."""


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


@narrow(32)
def product(x: int, y: int) -> int:
    """x*y of two 24-bit numbers, less its low 20 bits, which set the lowest one left."""
    x_high = x >> 12
    y_high = y >> 12
    x &= 0xFFF
    y &= 0xFFF
    low = x * y
    middle = x_high * y + x * y_high + (low >> 12)
    lost = (middle & 0xFF) | (low & 0xFFF)
    return (x_high * y_high << 4) + (middle >> 8) | min(lost, 1)


@narrow(32)
def aligned(m: int, shift: int) -> int:
    """Shift right; lost bits set the lowest one, unless nothing is left at all."""
    kept = m >> shift
    return kept | min(kept << shift ^ m, kept, 1)


@narrow(32)
def fma_sum(ieee: int, x: int, y: int, z: int) -> int:
    """x*y + z of finite numbers whose product does not overflow; words are signed here.

    Without loops and early exits, so that the compiled form computes 16 lanes at a time.
    """
    x_exponent = (x >> 23) & 255
    y_exponent = (y >> 23) & 255
    z_exponent = (z >> 23) & 255
    sign = (x ^ y) & LOWEST
    z_sign = z & LOWEST
    exponent = x_exponent + y_exponent - 127
    if not ieee:
        exponent = exponent if exponent < 255 else 255
    counts = x_exponent and y_exponent and exponent >= 0
    m = product((x & 0x7FFFFF) | HIDDEN, (y & 0x7FFFFF) | HIDDEN) if counts else 0
    exponent = exponent if counts else 0
    z_m = ((z & 0x7FFFFF) | HIDDEN) << 3 if z_exponent else 0

    # align the one with the lower exponent, and add
    ahead = exponent - z_exponent
    shift = ahead if ahead >= 0 else -ahead
    low = aligned(z_m if ahead >= 0 else m, shift if shift < 31 else 31)
    total = (m if ahead >= 0 else z_m) + (low if sign == z_sign else -low)
    m = total if total >= 0 else -total

    # normalise to 27 bits; what is shifted out is not a complete sticky bit on either chip
    n = bit_length(m) - 27
    exponent = (exponent if ahead >= 0 else z_exponent) + n
    if ieee:
        n += 1 if exponent <= 0 else 0
    right = n if n > 0 else 0
    m <<= -n if n < 0 else 0
    m = m >> right | min(m & (right | 1) if ieee else m & 1, 1)

    # round to nearest, ties to even; flush what underflows
    field = exponent if exponent > 0 else 0
    field = field if field < 254 else 254
    result = (field << 23) + ((m >> 3) & 0x7FFFFF)
    result += ((m & 7) + (result & 1) + 3) >> 3
    result = INFINITY if exponent >= 255 else result
    result = result if result >= HIDDEN and m else 0
    larger = sign if ahead >= 0 else z_sign
    larger = larger ^ LOWEST if total < 0 else larger
    if ieee:
        return result | (larger if m else z_sign & sign)
    return result | larger if result and exponent >= 0 else 0


@narrow(32)
def largest_exponent(x: int, y: int, z: int) -> int:
    """The largest exponent of x, y, z and x*y; 255 or above: :func:`fma_sum` cannot add them."""
    x_exponent = (x >> 23) & 255
    y_exponent = (y >> 23) & 255
    return max(x_exponent, y_exponent, x_exponent + y_exponent - 127, (z >> 23) & 255)


@kernel
def unusual(ieee: int, x: int, y: int, z: int, total: int) -> int:
    """x*y + z where :func:`largest_exponent` is 255 or above; ``total`` is :func:`fma_sum`'s."""
    if ieee:
        return special(x, y, z)
    nan = leaking_nan(x, y, z)
    if nan == 0:
        return z if z & INFINITY == INFINITY else ((x ^ y) & SIGN) | INFINITY
    leaked = total & MAGNITUDE
    return nan | (leaked if leaked != INFINITY else 0)


X, Y, Z = 32, 64, 96
"""Where :func:`fma_lanes` has its operands in ``scratch_32``; its results are at 0."""


@narrow(32)
def sum_lanes(s: State) -> int:
    """:func:`fma_sum` of 32 lanes to ``scratch_signed``; the lanes' largest exponent."""
    ieee = s.arch.vector_ieee_specials
    largest = 0
    for lane in lanes(32):
        x = signed32(s.scratch_32[X + lane])
        y = signed32(s.scratch_32[Y + lane])
        z = signed32(s.scratch_32[Z + lane])
        exponent = largest_exponent(x, y, z)
        largest = exponent if exponent > largest else largest
        s.scratch_signed[lane] = fma_sum(ieee, x, y, z)
    return largest


@kernel
def only_zeros(s: State) -> int:
    """Whether all operands of :func:`fma_lanes` count as zero: their exponents are 0."""
    union = 0
    for lane in range(32):
        union |= s.scratch_32[X + lane] | s.scratch_32[Y + lane] | s.scratch_32[Z + lane]
    return 0 if union & INFINITY else 1


@kernel
def summed_by_host(s: State) -> int:
    """Whether the processor's own multiply-add has put the lanes' sums into ``scratch_signed``.

    Python has none; the fast engine compiles that of ``fma_host`` instead.
    """
    return 0


@kernel
def fma_lanes(s: State) -> int:
    """x*y + z of 32 lanes, from and to ``scratch_32``; returns OK."""
    ieee = s.arch.vector_ieee_specials
    # one look at a lane costs others than zeros nothing
    if not (s.scratch_32[X] | s.scratch_32[Y] | s.scratch_32[Z]) & INFINITY and only_zeros(s):
        for lane in range(32):
            signs = s.scratch_32[Z + lane] & (s.scratch_32[X + lane] ^ s.scratch_32[Y + lane])
            s.scratch_32[lane] = signs & SIGN if ieee else 0
        return OK
    largest = 0 if summed_by_host(s) else sum_lanes(s)
    for lane in range(32):
        s.scratch_32[lane] = s.scratch_signed[lane] & 0xFFFFFFFF
    if largest >= 255:
        for lane in range(32):
            x = s.scratch_32[X + lane]
            y = s.scratch_32[Y + lane]
            z = s.scratch_32[Z + lane]
            if largest_exponent(x, y, z) >= 255:
                s.scratch_32[lane] = unusual(ieee, x, y, z, s.scratch_32[lane])
    return OK
