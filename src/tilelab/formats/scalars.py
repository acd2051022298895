"""Number formats of one datum: float64 or integer arrays to bit patterns and back.

Encoding rounds to nearest, ties to even. The formats of Tensix with exponents of 5 bits or
fewer have no infinities and no NaNs: the largest exponent is an ordinary one, what is larger
saturates, NaN becomes the largest.

Source: tt-isa-documentation, FloatBitPatterns.md and Packers/FormatConversion.md.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.formats.errors import FormatError

Bits = npt.NDArray[np.uint32]
Values = npt.NDArray[Any]


def fp32_bits(values: Values) -> Bits:
    """Fp32 patterns."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values, np.float32).view(np.uint32)


def fp32_values(bits: Bits) -> npt.NDArray[np.float32]:
    """Values of fp32 patterns."""
    return np.ascontiguousarray(bits, np.uint32).view(np.float32)


def _cut(bits: Bits, dropped: int) -> Bits:
    """Fp32 patterns without their low bits, rounded to nearest even; NaNs stay NaNs."""
    wide = bits.astype(np.uint64)
    rounded = (wide + (1 << (dropped - 1)) - 1 + (wide >> dropped & 1)) >> dropped
    nan = (bits & 0x7FFFFFFF) > 0x7F800000
    kept = (bits >> dropped) | (0x400000 >> dropped)
    return np.where(nan, kept, rounded).astype(np.uint32)


def bf16_bits(values: Values) -> Bits:
    """Bf16 patterns (1-8-7)."""
    return _cut(fp32_bits(values), 16)


def bf16_values(bits: Bits) -> npt.NDArray[np.float32]:
    """Values of bf16 patterns."""
    return fp32_values(bits.astype(np.uint32) << np.uint32(16))


def tf32_bits(values: Values) -> Bits:
    """Tf32 as L1 holds it: fp32 patterns whose low 13 bits are 0."""
    bits: Bits = _cut(fp32_bits(values), 13) << np.uint32(13)
    return bits


def small_bits(values: Values, exponent_bits: int, mantissa: int) -> Bits:
    """Patterns of 1 sign bit, 5 or fewer exponent bits and ``mantissa`` bits, Tensix's way."""
    wide = np.asarray(values, np.float64)
    bias = (1 << (exponent_bits - 1)) - 1
    sign = np.signbit(wide)
    magnitude = np.abs(np.nan_to_num(wide, nan=np.inf, posinf=np.inf, neginf=-np.inf))
    magnitude = np.minimum(magnitude, 2.0 ** (bias + 2))
    _, exponent = np.frexp(magnitude)
    exponent = np.where(magnitude > 0, np.maximum(exponent - 1, 1 - bias), 1 - bias)
    units = np.rint(np.ldexp(magnitude, mantissa - exponent)).astype(np.int64)
    pattern = units + (exponent.astype(np.int64) + bias - 1 << mantissa)
    pattern = np.minimum(pattern, (1 << (exponent_bits + mantissa)) - 1)
    signs = sign.astype(np.int64) << (exponent_bits + mantissa)
    bits: Bits = (pattern | signs).astype(np.uint32)
    return bits


def small_values(bits: Bits, exponent_bits: int, mantissa: int) -> npt.NDArray[np.float32]:
    """Values of such patterns; the largest exponent is ordinary, exponent 0 is denormal."""
    bias = (1 << (exponent_bits - 1)) - 1
    exponent = (bits.astype(np.int64) >> mantissa) & ((1 << exponent_bits) - 1)
    fraction = bits.astype(np.int64) & ((1 << mantissa) - 1)
    units = np.where(exponent > 0, fraction + (1 << mantissa), fraction)
    magnitude = np.ldexp(units.astype(np.float64), np.maximum(exponent, 1) - bias - mantissa)
    negative = bits >> np.uint32(exponent_bits + mantissa) & 1
    values: npt.NDArray[np.float32] = np.where(negative, -magnitude, magnitude).astype(np.float32)
    return values


def integers(values: Values, low: int, high: int, name: str) -> npt.NDArray[np.int64]:
    """Integers in a range, or FormatError."""
    wide = np.asarray(values)
    whole = wide.astype(np.int64)
    if not np.array_equal(whole, wide):
        raise FormatError(f"{name} holds integers only")
    if whole.size and (whole.min() < low or whole.max() > high):
        raise FormatError(f"{name} holds {low} to {high}, not {whole.min()} to {whole.max()}")
    return whole


def sign_magnitude_bits(values: Values, bits: int, name: str) -> Bits:
    """Sign-magnitude patterns; FormatError out of range."""
    limit = (1 << (bits - 1)) - 1
    whole = integers(values, -limit, limit, name)
    patterns: Bits = (np.abs(whole) | (whole < 0).astype(np.int64) << (bits - 1)).astype(np.uint32)
    return patterns


def sign_magnitude_values(patterns: Bits, bits: int) -> npt.NDArray[np.int64]:
    """Integers of sign-magnitude patterns; minus zero is 0."""
    magnitude = patterns.astype(np.int64) & ((1 << (bits - 1)) - 1)
    return np.where(patterns >> np.uint32(bits - 1) & 1, -magnitude, magnitude)
