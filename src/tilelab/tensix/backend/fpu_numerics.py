"""How the matrix unit multiplies, aligns, adds and rounds, bit by bit.

The numbers, in the terms used below:

- A *sum of products* (SOP) is a signed integer with an exponent; 1.0 at the exponent is 1 << 23.
  Within a group of eight products each product is rounded to the group's largest exponent,
  halves away from zero.
- *Accumulating* aligns two SOPs and the Dst value to the largest exponent (a SOP rounds halves
  toward plus infinity, Dst away from zero), adds, and rounds once to Dst's precision.
- There are no denormals, infinities or NaNs on input: exponent 0 is zero and the largest
  exponent is ordinary. Overflow gives the largest exponent; underflow gives +0.

Fidelity phase p: bit 0 selects SrcA's upper 5 or next 5 significant bits, bit 1 SrcB's upper 7
or lower 4. Source: tt-isa-documentation, SrcASrcB.md, for formats and phases; it leaves rounding
open, which is as in ttsim 1.10.
"""

from typing import Any, Final

from tilelab.sim.kernel import kernel
from tilelab.tensix.backend.dst import (
    LOW_HALF,
    bf16_from_dst,
    bf16_to_dst,
    dst16_row,
    dst32_row,
    fp16_from_dst,
    fp16_to_dst,
    fp32_from_dst,
    fp32_to_dst,
    int32_from_dst,
    int32_to_dst,
)
from tilelab.tensix.backend.src_registers import fp16_from_src, src_from_fp16

DST_FP32: Final = 0
DST_INT32: Final = 1
DST_BF16: Final = 2
DST_FP16: Final = 3
"""Kinds of number in Dst; up to DST_INT32 they are 32 bits wide."""

PRECISION: Final = (24, 31, 8, 11)
"""Significant bits of each kind, the leading one included."""

ZERO_EXPONENT: Final = -4096
"""Exponent given to a zero datum, so that its products never align with anything."""
ALIGN_LIMIT: Final = 13
"""A 12-bit product shifted right by this much or more rounds to 0."""
INT32_LIMIT: Final = 0x7FFFFFFF


@kernel
def phase_exponent(dst_kind: int, is_fp16: int, phase: int) -> int:
    """What to add to the sum of two biased exponents to get their product's, in Dst's bias."""
    adjust = -127
    if is_fp16:
        adjust = -15 if dst_kind == DST_FP16 else 127 - 30
    if phase & 1:
        adjust -= 5
    if phase & 2:
        adjust -= 7
    return adjust


@kernel
def phase_bits_a(x: int, phase: int) -> int:
    """The 5 significant bits of a SrcA datum that a fidelity phase multiplies."""
    significand = ((x >> 13) & 0x3FF) | 0x400
    if phase & 1:
        return (significand >> 1) & 31
    return significand >> 6


@kernel
def phase_bits_b(x: int, phase: int) -> int:
    """The 7 significant bits of a SrcB datum that a fidelity phase multiplies."""
    significand = ((x >> 13) & 0x3FF) | 0x400
    if phase & 2:
        return (significand & 15) << 3
    return significand >> 4


@kernel
def product_sum(s: Any, a: int, b: int, floor: int) -> tuple[int, int]:
    """Exponent and SOP of eight products of operands decoded into scratch_a and scratch_b.

    Exponents are from ``scratch_a[a]`` and ``scratch_b[b]`` on, twice the signed SrcA bits 256
    and the signed SrcB bits 128 further on. ``floor`` is the exponent that a zero product
    counts with.
    """
    top = floor
    for k in range(8):
        exponent = s.scratch_a[a + k] + s.scratch_b[b + k]
        s.scratch_c[k] = exponent
        top = exponent if exponent > top else top
    if top <= 0:
        return 0, 0
    total = 0
    for k in range(8):
        down = top - s.scratch_c[k]
        if down < ALIGN_LIMIT:
            twice = s.scratch_a[a + 256 + k] * s.scratch_b[b + 128 + k]
            if twice < 0:
                total += (twice + (1 << down) - 1) >> (down + 1)
            else:
                total += (twice + (1 << down)) >> (down + 1)
    return top, total << 13


@kernel
def shift_sop(sop: int, down: int) -> int:
    """Align a SOP: shift right, halves toward plus infinity."""
    if down == 0:
        return sop
    if down < 31:
        return (sop + (1 << (down - 1))) >> down
    return 0


@kernel
def shift_magnitude(magnitude: int, down: int) -> int:
    """Align a Dst magnitude: shift right, halves away from zero."""
    if down == 0:
        return magnitude
    if down < 31:
        return (magnitude + (1 << (down - 1))) >> down
    return 0


@kernel
def accumulate(
    s: Any, exponent0: int, sop0: int, exponent1: int, sop1: int, dst: int, dst_kind: int
) -> int:
    """Add two SOPs to a Dst value and round; ``dst`` and the result are in fp32's bit layout.

    For fp16 in a 16-bit Dst the exponent field holds the 5-bit exponent unchanged.
    """
    exponent = (dst >> 23) & 255
    magnitude = 0
    if exponent:
        magnitude = (dst & 0x7FFFFF) | 0x800000
    top = max3(exponent, exponent0, exponent1)
    if top <= 0:
        return 0
    sop0 = shift_sop(sop0, top - exponent0)
    sop1 = shift_sop(sop1, top - exponent1)
    magnitude = shift_magnitude(magnitude, top - exponent)
    if dst_kind != DST_FP32:
        sop0 = ((sop0 + 0x1000) >> 13) << 13
        sop1 = ((sop1 + 0x1000) >> 13) << 13
        magnitude = ((magnitude + 0x1000) >> 13) << 13
    total = sop0 + sop1 + magnitude
    if dst & 0x80000000:
        total = sop0 + sop1 - magnitude
    return normalise(s, total, top, dst_kind)


@kernel
def max3(x: int, y: int, z: int) -> int:
    """The largest of three integers."""
    larger = y if y > x else x
    return z if z > larger else larger


@kernel
def normalise(s: Any, total: int, exponent: int, dst_kind: int) -> int:
    """Round a signed sum (1.0 is 1 << 23) to Dst's precision; fp32's bit layout."""
    if total == 0:
        return 0
    sign = 0
    if total < 0:
        sign = 0x80000000
        total = -total
    length = 24
    while total >> length:
        length += 1
    while not total >> (length - 1):
        length -= 1
    if s.arch.normalise_bug and sign and total == 1:
        length = 28  # the leading-sign count of all ones is off
    exponent += length - 24
    precision = PRECISION[dst_kind]
    if length > precision:
        drop = length - precision
        total = ((total + (1 << (drop - 1))) >> drop) << (24 - precision)
        if total >> 24:
            exponent += 1
    else:
        total <<= 24 - length
    if exponent <= 0:
        return 0
    if dst_kind == DST_FP16:
        if exponent >= 32:
            return sign | (31 << 23) | (0x3FF << 13)
    elif exponent >= 255:
        return sign | (255 << 23)
    return sign | (exponent << 23) | (total & 0x7FFFFF)


@kernel
def saturating_add(x: int, y: int) -> int:
    """Sum of two integers, kept within 31 bits of magnitude."""
    total = x + y
    if total > INT32_LIMIT:
        return INT32_LIMIT
    if total < -INT32_LIMIT:
        return -INT32_LIMIT
    return total


@kernel
def storage_row(s: Any, row: int, dst_kind: int) -> int:
    """Storage row of a row of Dst that holds the given kind of number."""
    if dst_kind <= DST_INT32:
        return dst32_row(s, row)
    return dst16_row(s, row)


@kernel
def load_dst(s: Any, at: int, column: int, dst_kind: int) -> int:
    """Number at a storage row of Dst, in fp32's layout (an int32 as itself); 0 if undefined."""
    if not s.dst_valid[at]:
        return 0
    high: int = s.dst[at, column]
    if dst_kind == DST_BF16:
        return bf16_from_dst(high) << 16
    if dst_kind == DST_FP16:
        return src_from_fp16(fp16_from_dst(high))
    word = (high << 16) | s.dst[at + LOW_HALF, column]
    if dst_kind == DST_FP32:
        return fp32_from_dst(word)
    return int32_from_dst(word)


@kernel
def store_dst(s: Any, at: int, column: int, dst_kind: int, value: int) -> int:
    """Write what :func:`load_dst` reads; returns 0. The caller marks the row as defined."""
    if dst_kind == DST_BF16:
        s.dst[at, column] = bf16_to_dst(value >> 16)
        return 0
    if dst_kind == DST_FP16:
        s.dst[at, column] = fp16_to_dst(fp16_from_src(value))
        return 0
    word = fp32_to_dst(value) if dst_kind == DST_FP32 else int32_to_dst(value)
    s.dst[at, column] = word >> 16
    s.dst[at + LOW_HALF, column] = word & 0xFFFF
    return 0
