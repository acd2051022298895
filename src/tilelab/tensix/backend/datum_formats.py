"""Bit patterns of single data: conversions that unpackers and packers are made of.

A pattern is sign, exponent, mantissa from the top: fp32 1-8-23, tf32 1-8-10, bf16 1-8-7, fp16
1-5-10 (whose largest exponent is an ordinary one: no infinities, no NaNs).

Source: tt-isa-documentation, UNPACR_Regular.md, Packers/FormatConversion.md, FloatBitPatterns.md;
ttsim for what becomes of an exponent that has no place in a 5-bit one.
"""

from typing import Final

from tilelab.sim.kernel import bit_length, kernel, narrow

MAGNITUDE: Final = 0x7FFFFFFF
INFINITY: Final = 0x7F800000
"""Of fp32: what is above is a NaN, which conversions turn into an infinity."""


@narrow(32)
def from_block(datum: int, exponent: int, bits: int) -> int:
    """A block's datum (sign, 7 bits of magnitude) and its shared exponent as bf16 or fp16.

    ``bits``: of the exponent, which may wrap, as in hardware. A magnitude of 0 with a sign means
    minus infinity.
    """
    mantissa = 15 - bits
    magnitude = (datum << 1) & 0xFF
    sign = (datum & 0x80) << 8
    largest = (1 << bits) - 1
    if magnitude == 0:
        return sign | largest << mantissa if sign else 0
    zeros = 8 - bit_length(magnitude)
    low = (magnitude << zeros & 0x7E) << (mantissa - 7)
    return sign | ((exponent - zeros) & largest) << mantissa | low


@narrow(32)
def int8_to_fp16(datum: int, unsigned: int) -> int:
    """An 8-bit integer as integer "8", which lives in fp16 with the exponent 16."""
    sign = 0 if unsigned else datum & 0x80
    magnitude = datum - sign
    if magnitude:
        magnitude |= 16 << 10
    return (sign << 8) | magnitude


@narrow(32)
def fp8_to_fp16(datum: int, four_bit_exponent: int, all_ones_stay: int) -> int:
    """An fp8 datum as fp16: 1-5-2, or 1-4-3 if ``four_bit_exponent``.

    ``all_ones_stay``: the largest 1-5-2 magnitude becomes the largest fp16 magnitude (Blackhole).
    """
    if four_bit_exponent:
        exponent = (datum >> 3) & 15
        low = 0x7F if (datum & 0x7F) == 0x7F else 0
        if exponent:
            exponent += 8
        return ((datum & 0x80) << 8) | (exponent << 10) | ((datum & 7) << 7) | low
    if all_ones_stay and (datum & 0x7F) == 0x7F:
        return (datum << 8) | 0xFF
    return datum << 8


@narrow(32)
def tf32_to_fp16(x: int) -> int:
    """A 19-bit tf32 pattern as fp16: truncating, saturating; exponents below range give zero."""
    exponent = ((x >> 10) & 0xFF) - 112
    sign = (x >> 3) & 0x8000
    magnitude = 0x7FFF if exponent > 31 else (exponent << 10) | (x & 0x3FF)
    return sign | (magnitude if exponent >= 0 else 0)


@kernel
def fp16_to_fp32(x: int) -> int:
    """An fp16 pattern widened to fp32; a zero exponent keeps its mantissa, not rebiased."""
    rebias = 112 << 10 if x & 0x7C00 else 0
    return ((x & 0x8000) << 16) | (((x & 0x7FFF) + rebias) << 13)


@narrow(32)
def fp16_to_bf16(x: int) -> int:
    """An fp16 pattern truncated to bf16; a zero exponent gives +0."""
    if x & 0x7C00:
        return (x & 0x8000) | ((((x >> 10) & 0x1F) + 112) << 7) | ((x >> 3) & 0x7F)
    return 0


@narrow(32)
def fp16_to_fp8(x: int, four_bit_exponent: int) -> int:
    """An fp16 pattern truncated to fp8: 1-5-2, or 1-4-3 (saturating) if ``four_bit_exponent``."""
    exponent = (x >> 10) & 0x1F
    sign = (x >> 8) & 0x80
    if four_bit_exponent:
        if exponent <= 8:
            return sign
        if exponent >= 24:
            return sign | 0x7F
        return sign | ((exponent - 8) << 3) | ((x >> 7) & 7)
    return x >> 8 if exponent else sign


@narrow(32)
def fp32_to_bf16_truncated(x: int) -> int:
    """An fp32 pattern truncated to bf16; denormals give +0."""
    return x >> 16 & 0xFFFF if x & 0x7F800000 else 0


@narrow(32)
def fp32_to_bf16_rounded(x: int) -> int:
    """An fp32 pattern rounded to bf16, ties away from zero; denormals and zeros give +0."""
    magnitude = (min(x & MAGNITUDE, INFINITY) + 0x8000) >> 16
    return (x >> 16 & 0x8000) | magnitude if magnitude >= 0x80 else 0


@narrow(32)
def fp32_to_e8m6_rounded(x: int) -> int:
    """An fp32 pattern reduced to bf16 with 6 mantissa bits, rounding the 7th; denormals give +0."""
    magnitude = ((min(x & MAGNITUDE, INFINITY) >> 16) + 1) & 0xFFFE
    return (x >> 16 & 0x8000) | magnitude if magnitude >= 0x80 else 0


@narrow(32)
def fp32_to_tf32_rounded(x: int) -> int:
    """An fp32 pattern rounded to 19 bits of tf32, ties away from zero; denormals give +0."""
    magnitude = (min(x & MAGNITUDE, INFINITY) + 0x1000) >> 13
    return (x >> 13 & 0x40000) | magnitude if magnitude >= 0x400 else 0


@narrow(32)
def bf16_flushed(x: int) -> int:
    """A bf16 pattern with NaNs made infinities and denormals and zeros +0."""
    magnitude = min(x & 0x7FFF, 0x7F80)
    return (x & 0x8000) | magnitude if magnitude >= 0x80 else 0


@narrow(32)
def bf16_to_fp16(x: int) -> int:
    """A bf16 pattern as fp16: saturating; exponents below range give a zero of its sign."""
    return tf32_to_fp16(x << 3)
