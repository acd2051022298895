"""``L1 += datum``: the packers' adders, one for each format that can accumulate.

Rounding is to nearest, ties to even; denormals count as zero, in and out. Bf16 takes a NaN for a
large number (the datum in L1 for an immensely large one); fp16 has no infinities, saturates, and
adds in fp32 before it rounds again.

Source: ttsim (pack_l1_acc_*).
"""

from typing import Final

from tilelab.formats.data_format import DataFormat
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.datum_formats import fp16_to_fp32
from tilelab.tensix.state.records import State

GUARD: Final = 30
"""Bits below a 24-bit mantissa that keep an exact sum, but for one sticky bit."""


@kernel
def exact_sum(a: int, a_exponent: int, b: int, b_exponent: int) -> tuple[int, int]:
    """Add two signed mantissas of at most 24 bits; ``(mantissa, exponent)`` of the sum.

    The result's exponent is that of bit 54, which is its highest bit unless the sum is 0; bits
    that do not fit are jammed into bit 0.
    """
    if a_exponent < b_exponent:
        a, b = b, a
        a_exponent, b_exponent = b_exponent, a_exponent
    shift = a_exponent - b_exponent
    b_magnitude = (b if b >= 0 else -b) << GUARD
    shift = min(shift, 60)
    kept = b_magnitude >> shift
    if kept << shift != b_magnitude:
        kept |= 1
    total = (a << GUARD) + (kept if b >= 0 else -kept)
    magnitude = total if total >= 0 else -total
    exponent = a_exponent + 1
    if magnitude:
        while magnitude < 1 << 54:
            magnitude <<= 1
            exponent -= 1
    return (magnitude if total >= 0 else -magnitude), exponent


@kernel
def round_even(magnitude: int, drop: int) -> int:
    """Drop low bits, rounding to nearest, ties to even."""
    half = (1 << (drop - 1)) - 1
    return (magnitude + half + (magnitude >> drop & 1)) >> drop


@kernel
def signed_mantissa(x: int) -> int:
    """Signed 24-bit mantissa of an fp32 pattern; zero for a denormal."""
    if not x & 0x7F800000:
        return 0
    magnitude = (x & 0x7FFFFF) | 0x800000
    return -magnitude if x & 0x80000000 else magnitude


@kernel
def add_fp32(a: int, b: int) -> int:
    """Sum of two fp32 patterns; every NaN is 0x7FC00000."""
    a_magnitude = a & 0x7FFFFFFF
    b_magnitude = b & 0x7FFFFFFF
    if a_magnitude > 0x7F800000 or b_magnitude > 0x7F800000:
        return 0x7FC00000
    if a_magnitude == 0x7F800000:
        return 0x7FC00000 if b_magnitude == a_magnitude and a != b else a
    if b_magnitude == 0x7F800000:
        return b
    total, exponent = exact_sum(
        signed_mantissa(a), (a >> 23) & 0xFF, signed_mantissa(b), (b >> 23) & 0xFF
    )
    if total == 0:
        both_negative_zeros = a_magnitude < 0x800000 and b_magnitude < 0x800000
        return a & b & 0x80000000 if both_negative_zeros else 0
    sign = 0x80000000 if total < 0 else 0
    magnitude = round_even(-total if total < 0 else total, 31)
    if magnitude >> 24:
        magnitude >>= 1
        exponent += 1
    if exponent <= 0:
        return sign
    if exponent >= 255:
        return sign | 0x7F800000
    return sign | (exponent << 23) | (magnitude & 0x7FFFFF)


@kernel
def add_bf16(old: int, new: int) -> int:
    """Sum of the bf16 in L1 and the datum: infinities saturate, NaNs are large numbers."""
    if (old == 0x7F80 and new == 0xFF80) or (old == 0xFF80 and new == 0x7F80):
        return 0x7FC0
    if old & 0x7FFF == 0x7F80 or new & 0x7FFF == 0x7F80:
        return old if old & 0x7FFF == 0x7F80 else new
    if (old & 0x7FFF) > 0x7F80:
        return (old & 0x8000) | 0x7F80
    total, exponent = exact_sum(
        signed_mantissa(old << 16), (old >> 7) & 0xFF, signed_mantissa(new << 16), (new >> 7) & 0xFF
    )
    if total == 0:
        both_zeros = (old & 0x7FFF) < 0x80 and (new & 0x7FFF) < 0x80
        return old & new & 0x8000 if both_zeros else 0
    sign = 0x8000 if total < 0 else 0
    if exponent <= 0:
        return sign
    if exponent >= 255:
        return sign | 0x7F80
    magnitude = round_even(-total if total < 0 else total, 47)
    return sign | ((exponent << 7) + magnitude - 0x80)


@kernel
def add_fp16(old: int, new: int) -> int:
    """Sum of the fp16 in L1 and the datum, by way of fp32; what does not fit saturates."""
    total = add_fp32(
        fp16_to_fp32(old if old & 0x7C00 else old & 0x8000),
        fp16_to_fp32(new if new & 0x7C00 else new & 0x8000),
    )
    sign = (total >> 16) & 0x8000
    if not total & 0x7FFFFFFF:
        # exact cancellation of large data overflows, in hardware too
        return sign | (0x7FFF if (old >> 10) & 31 >= 30 else 0)
    exponent = ((total >> 23) & 0xFF) - 112
    if exponent <= 0:
        return sign | (0x7FFF if exponent < 0 else 0)
    packed = (exponent << 10) + round_even(total & 0x7FFFFF, 13)
    return sign | (packed if packed < 0x8000 else 0x7FFF)


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
