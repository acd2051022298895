"""``L1 += datum``: the packers' adders, one for each format that can accumulate.

Rounding is to nearest, ties to even; denormals count as zero, in and out. Bf16 takes a NaN for a
large number (the datum in L1 for an immensely large one); fp16 has no infinities, saturates, and
adds in fp32 before it rounds again.

Source: ttsim (pack_l1_acc_*).
"""

from typing import Final

from tilelab.formats.data_format import DataFormat
from tilelab.sim.kernel import OK, WORD, bit_length, kernel, narrow
from tilelab.tensix.backend.datum_formats import INFINITY, MAGNITUDE, fp16_to_fp32
from tilelab.tensix.state.records import State

GUARD: Final = 5
"""Bits below a 24-bit mantissa: from three on a sum rounds as the exact one does."""
SUM_BITS: Final = 24 + GUARD + 1
HIDDEN: Final = 0x800000
"""A mantissa's leading one."""
LOWEST: Final = -0x80000000
"""The sign bit in a signed word."""
SIGN: Final = 0x80000000
NAN: Final = 0x7FC00000


@narrow(32)
def aligned(x: int, shift: int) -> int:
    """Mantissa and guard bits of an fp32 word, shifted right; lost bits set the lowest one."""
    size = ((x & 0x7FFFFF) | HIDDEN) << GUARD if x & INFINITY else 0  # denormals are zero
    shift = max(min(shift, 31), 0)
    kept = size >> shift
    return kept | min(kept << shift ^ size, 1)


@narrow(32)
def exact_sum(a: int, b: int) -> int:
    """Signed sum of two fp32 words' mantissas, 1.0 at the larger exponent being 1 << 28."""
    ahead = ((a >> 23) & 0xFF) - ((b >> 23) & 0xFF)
    a_size = aligned(a, -ahead)
    b_size = aligned(b, ahead)
    return (-a_size if a < 0 else a_size) + (-b_size if b < 0 else b_size)


@narrow(32)
def sum_exponent(a: int, b: int, size: int) -> int:
    """Exponent of the leading one of two fp32 words' sum, whose magnitude is ``size``."""
    return max((a >> 23) & 0xFF, (b >> 23) & 0xFF) + 1 + bit_length(size) - SUM_BITS


@narrow(32)
def rounded(size: int, bits: int) -> int:
    """The highest ``bits`` of a magnitude, from its leading one on, to nearest, ties to even."""
    return round_even(size << (SUM_BITS - bit_length(size)), SUM_BITS - bits)


@narrow(32)
def round_even(magnitude: int, drop: int) -> int:
    """Drop low bits, rounding to nearest, ties to even."""
    half = (1 << (drop - 1)) - 1
    return (magnitude + half + (magnitude >> drop & 1)) >> drop


@narrow(32)
def sum_fp32(a: int, b: int) -> int:
    """Sum of two fp32 patterns, as signed words; every NaN is 0x7FC00000.

    Like all adders here without loops and early exits: compiled, many lanes go at once.
    """
    larger = max(a & MAGNITUDE, b & MAGNITUDE)
    total = exact_sum(a, b)
    size = -total if total < 0 else total
    magnitude = rounded(size, 24)
    exponent = sum_exponent(a, b, size) + (magnitude >> 24)
    result = (max(min(exponent, 254), 0) << 23) + (magnitude & 0x7FFFFF)
    result = INFINITY if exponent >= 255 else result
    result = result if exponent > 0 else 0
    result |= LOWEST if total < 0 else 0
    zero = a & b & LOWEST if larger < HIDDEN else 0
    result = result if total else zero
    infinite = a if a & MAGNITUDE == INFINITY else b
    opposite = a & MAGNITUDE == b & MAGNITUDE and a != b
    special = NAN if larger > INFINITY or opposite else infinite
    return special if larger >= INFINITY else result


@kernel
def add_fp32(a: int, b: int) -> int:
    """:func:`sum_fp32` of patterns as L1 has them, which have no sign."""
    return sum_fp32(a - ((a & SIGN) << 1), b - ((b & SIGN) << 1)) & WORD


@narrow(32)
def bf16_word(x: int) -> int:
    """A bf16 pattern widened to fp32, as a signed word."""
    return (x & 0x7FFF) << 16 | (LOWEST if x & 0x8000 else 0)


@narrow(32)
def add_bf16(old: int, new: int) -> int:
    """Sum of the bf16 in L1 and the datum: infinities saturate, NaNs are large numbers."""
    old_magnitude = old & 0x7FFF
    new_magnitude = new & 0x7FFF
    total = exact_sum(bf16_word(old), bf16_word(new))
    size = -total if total < 0 else total
    exponent = sum_exponent(bf16_word(old), bf16_word(new), size)
    result = (max(min(exponent, 254), 0) << 7) + rounded(size, 8) - 0x80
    result = 0x7F80 if exponent >= 255 else result
    result = result if exponent > 0 else 0
    result |= 0x8000 if total < 0 else 0
    zero = old & new & 0x8000 if max(old_magnitude, new_magnitude) < 0x80 else 0
    result = result if total else zero
    result = (old & 0x8000) | 0x7F80 if old_magnitude > 0x7F80 else result
    result = new if new_magnitude == 0x7F80 else result
    result = old if old_magnitude == 0x7F80 else result
    opposite = old_magnitude == 0x7F80 and old ^ new == 0x8000
    return 0x7FC0 if opposite else result


@narrow(32)
def fp16_word(x: int) -> int:
    """An fp16 pattern widened to fp32, as a signed word; denormals are zero."""
    magnitude = fp16_to_fp32(x & 0x7FFF) if x & 0x7C00 else 0
    return magnitude | (LOWEST if x & 0x8000 else 0)


@narrow(32)
def add_fp16(old: int, new: int) -> int:
    """Sum of the fp16 in L1 and the datum, by way of fp32; what does not fit saturates."""
    total = sum_fp32(fp16_word(old), fp16_word(new))
    magnitude = total & MAGNITUDE
    exponent = (magnitude >> 23) - 112
    packed = min((max(exponent, 0) << 10) + round_even(magnitude & 0x7FFFFF, 13), 0x7FFF)
    below = 0x7FFF if exponent < 0 else 0
    # exact cancellation of large data overflows, in hardware too
    cancelled = 0x7FFF if (old >> 10) & 31 >= 30 else 0
    result = packed if exponent > 0 else below
    return (0x8000 if total < 0 else 0) | (result if magnitude else cancelled)


@kernel
def accumulate_run(s: State, address: int, out_format: int, n: int) -> int:
    """Add what L1 holds to ``n`` data of ``scratch_32``, in place; returns 0."""
    if out_format == DataFormat.FP32:
        for i in range(n):
            s.scratch_32[i] = add_fp32(s.l1_32[(address >> 2) + i], s.scratch_32[i])
    elif out_format == DataFormat.BF16:
        for i in range(n):
            s.scratch_32[i] = add_bf16(s.l1_16[(address >> 1) + i], s.scratch_32[i])
    else:
        for i in range(n):
            s.scratch_32[i] = add_fp16(s.l1_16[(address >> 1) + i], s.scratch_32[i])
    return OK
