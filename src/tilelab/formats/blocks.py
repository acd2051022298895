"""Block floating point: 16 data under one exponent, rounded as the packers round.

A datum is a sign and 7, 3 or 1 bits of magnitude. Encoding goes the hardware's way: to bf16 (or
sign, 5 exponent bits, 7 mantissa bits for the A family), then to 7 bits of magnitude under the
largest exponent, ties away from zero, then cut to 3 or 1 bits.

Source: tt-isa-documentation, Packers/FormatConversion.md and FloatBitPatterns.md.
"""

import numpy as np
import numpy.typing as npt

from tilelab.formats.data_format import FORMAT_BITS, SHARED_EXPONENT_BITS, DataFormat
from tilelab.formats.scalars import Bits, Values, bf16_bits, small_bits

BLOCK = 16


def encode_blocks(values: Values, data_format: DataFormat) -> tuple[Bits, Bits]:
    """``(…, 16)`` values as ``(…, 16)`` data and ``(…)`` exponents."""
    bits = FORMAT_BITS[data_format]
    patterns = bf16_bits(values)
    sign = patterns >> np.uint32(15)
    if SHARED_EXPONENT_BITS[data_format] == 5:
        patterns = small_bits(values, 5, 7)
        sign = patterns >> np.uint32(12)
    exponent = (patterns >> np.uint32(7)) & ((1 << SHARED_EXPONENT_BITS[data_format]) - 1)
    mantissa = np.where(exponent > 0, patterns & 0x7F | 0x80, 0).astype(np.int64)
    shared = exponent.max(axis=-1)
    shift = np.minimum(shared[..., None] - exponent, 32).astype(np.int64)
    magnitude = (mantissa + (1 << shift)) >> (shift + 1)
    magnitude = np.where(shift < 8, np.minimum(magnitude, 0x7F), 0) >> (8 - bits)
    data = magnitude | np.where(magnitude > 0, sign.astype(np.int64) << (bits - 1), 0)
    return data.astype(np.uint32), shared.astype(np.uint32)


def decode_blocks(data: Bits, exponents: Bits, data_format: DataFormat) -> npt.NDArray[np.float32]:
    """``(…, 16)`` data and ``(…)`` exponents as values; minus zero means minus infinity."""
    bits = FORMAT_BITS[data_format]
    bias = 127 if SHARED_EXPONENT_BITS[data_format] == 8 else 15
    magnitude = (data.astype(np.int64) & ((1 << (bits - 1)) - 1)).astype(np.float64)
    negative = (data >> np.uint32(bits - 1)).astype(bool)
    scale = exponents.astype(np.int64)[..., None] - bias - (bits - 2)
    values = np.ldexp(magnitude, scale)
    values = np.where(negative, np.where(magnitude == 0, -np.inf, -values), values)
    with np.errstate(over="ignore"):
        return values.astype(np.float32)
