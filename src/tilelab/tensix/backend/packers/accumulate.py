"""``L1 += datum``: the packers' adders, one for each format that can accumulate.

Rounding is to nearest, ties to even; denormals count as zero, in and out. Bf16 takes a NaN for a
large number (the datum in L1 for an immensely large one); fp16 has no infinities, saturates, and
adds in fp32 before it rounds again.

Source: ttsim (pack_l1_acc_*).
"""

from typing import Final

from tilelab.formats.data_format import DataFormat
from tilelab.sim.kernel import WORD, bit_length, kernel, lanes, narrow, signed32
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

# Without loops all this compiles to code that adds many data at once.


@narrow(32)
def exact_sum(a: int, b: int) -> tuple[int, int]:
    """Add two fp32 patterns, signed words, whatever their exponents; ``(mantissa, exponent)``.

    The mantissa is signed; its highest bit is bit 29, whose exponent is the other result, unless
    the sum is 0. Bits that do not fit are jammed into the lowest one.
    """
    a_exponent = (a >> 23) & 0xFF
    b_exponent = (b >> 23) & 0xFF
    a_size = ((a & 0x7FFFFF) | HIDDEN) << GUARD if a_exponent else 0
    b_size = ((b & 0x7FFFFF) | HIDDEN) << GUARD if b_exponent else 0
    ahead = a_exponent - b_exponent
    lower = b_size if ahead >= 0 else a_size
    shift = ahead if ahead >= 0 else -ahead
    shift = shift if shift < 31 else 31
    kept = lower >> shift
    kept |= 1 if kept << shift != lower else 0
    a_size = a_size if ahead >= 0 else kept
    b_size = kept if ahead >= 0 else b_size
    total = (a_size if a >= 0 else -a_size) + (b_size if b >= 0 else -b_size)
    up = SUM_BITS - bit_length(total if total >= 0 else -total)
    return total << up, (a_exponent if ahead >= 0 else b_exponent) + 1 - up


@narrow(32)
def round_even(magnitude: int, drop: int) -> int:
    """Drop low bits, rounding to nearest, ties to even."""
    half = (1 << (drop - 1)) - 1
    return (magnitude + half + (magnitude >> drop & 1)) >> drop


@narrow(32)
def sum_fp32(a: int, b: int) -> int:
    """Sum of two fp32 patterns, signed words; every NaN is 0x7FC00000."""
    a_magnitude = a & MAGNITUDE
    b_magnitude = b & MAGNITUDE
    if a_magnitude > INFINITY or b_magnitude > INFINITY:
        return NAN
    if a_magnitude == INFINITY:
        return NAN if b_magnitude == a_magnitude and a != b else a
    if b_magnitude == INFINITY:
        return b
    total, exponent = exact_sum(a, b)
    if total == 0:
        both_zeros = a_magnitude < HIDDEN and b_magnitude < HIDDEN
        return a & b & LOWEST if both_zeros else 0
    sign = LOWEST if total < 0 else 0
    magnitude = round_even(-total if total < 0 else total, SUM_BITS - 24)
    exponent += magnitude >> 24
    if exponent <= 0:
        return sign
    if exponent >= 255:
        return sign | INFINITY
    return sign | (exponent << 23) | (magnitude & 0x7FFFFF)


@kernel
def add_fp32(a: int, b: int) -> int:
    """:func:`sum_fp32` of patterns as L1 has them, which have no sign."""
    return sum_fp32((a ^ SIGN) - SIGN, (b ^ SIGN) - SIGN) & WORD


@narrow(32)
def add_bf16(old: int, new: int) -> int:
    """Sum of the bf16 in L1 and the datum: infinities saturate, NaNs are large numbers."""
    if (old == 0x7F80 and new == 0xFF80) or (old == 0xFF80 and new == 0x7F80):
        return 0x7FC0
    if old & 0x7FFF == 0x7F80 or new & 0x7FFF == 0x7F80:
        return old if old & 0x7FFF == 0x7F80 else new
    if (old & 0x7FFF) > 0x7F80:
        return (old & 0x8000) | 0x7F80
    total, exponent = exact_sum(((old ^ 0x8000) - 0x8000) << 16, ((new ^ 0x8000) - 0x8000) << 16)
    if total == 0:
        both_zeros = (old & 0x7FFF) < 0x80 and (new & 0x7FFF) < 0x80
        return old & new & 0x8000 if both_zeros else 0
    sign = 0x8000 if total < 0 else 0
    if exponent <= 0:
        return sign
    if exponent >= 255:
        return sign | 0x7F80
    magnitude = round_even(-total if total < 0 else total, SUM_BITS - 8)
    return sign | ((exponent << 7) + magnitude - 0x80)


@narrow(32)
def fp16_word(x: int) -> int:
    """An fp16 pattern widened to fp32, as a signed word; denormals are zero."""
    magnitude = fp16_to_fp32(x & 0x7FFF) if x & 0x7C00 else 0
    return magnitude | (LOWEST if x & 0x8000 else 0)


@narrow(32)
def add_fp16(old: int, new: int) -> int:
    """Sum of the fp16 in L1 and the datum, by way of fp32; what does not fit saturates."""
    total = sum_fp32(fp16_word(old), fp16_word(new))
    sign = 0x8000 if total < 0 else 0
    magnitude = total & MAGNITUDE
    if magnitude == 0:
        # exact cancellation of large data overflows, in hardware too
        return sign | (0x7FFF if (old >> 10) & 31 >= 30 else 0)
    exponent = (magnitude >> 23) - 112
    if exponent <= 0:
        return sign | (0x7FFF if exponent < 0 else 0)
    packed = (exponent << 10) + round_even(magnitude & 0x7FFFFF, 13)
    return sign | (packed if packed < 0x8000 else 0x7FFF)


@narrow(32)
def accumulate_16(s: State, at: int, out_format: int, n: int) -> None:
    """Add what ``l1_16[at…]`` holds to ``n`` data of ``scratch_32``, in place; returns 0."""
    if out_format == DataFormat.BF16:
        for i in lanes(n):
            s.scratch_32[i] = add_bf16(s.l1_16[at + i], signed32(s.scratch_32[i]))
    else:
        for i in lanes(n):
            s.scratch_32[i] = add_fp16(s.l1_16[at + i], signed32(s.scratch_32[i]))


@kernel
def accumulate_run(s: State, address: int, out_format: int, n: int) -> None:
    """Add what L1 holds to ``n`` data of ``scratch_32``, in place; returns 0."""
    if out_format != DataFormat.FP32:
        accumulate_16(s, address >> 1, out_format, n)
        return
    for i in range(n):
        s.scratch_32[i] = add_fp32(s.l1_32[(address >> 2) + i], s.scratch_32[i])
