"""What the unpackers do to a run of data between L1 and SrcA, SrcB or Dst.

The run is in ``scratch_32``, raw as read from L1; :func:`convert_run` leaves it there as it is
written: a Src datum left-aligned in 32 bits, a Dst cell in Dst's layout.

Source: tt-isa-documentation, UNPACR_Regular.md and Unpackers/FormatConversion.md.
"""

from typing import Final

from tilelab.formats.data_format import FORMAT_BITS, SHARED_EXPONENT_BITS, DataFormat
from tilelab.sim.kernel import kernel
from tilelab.tensix.backend.datum_formats import (
    fp8_to_fp16,
    from_block,
    int8_to_fp16,
    tf32_to_fp16,
)
from tilelab.tensix.backend.dst import bf16_from_dst, bf16_to_dst, fp16_to_dst, fp32_to_dst
from tilelab.tensix.state.records import State

EXPONENTS: Final = 1024
"""Where ``scratch_32`` has the exponents of block formats."""


@kernel
def conversion_exists(in_format: int, out_format: int, to_dst: int) -> int:
    """1 if the unpackers convert so, otherwise 0."""
    if FORMAT_BITS[in_format] == 0:
        return 0
    if in_format == DataFormat.FP32:
        if out_format == DataFormat.FP32:
            return to_dst
        if out_format == DataFormat.FP16 or out_format == DataFormat.TF32:
            return 1
        return 1 if out_format == DataFormat.BF16 else 0
    if in_format != out_format:
        return 0
    if in_format == DataFormat.TF32 or in_format == DataFormat.INT32:
        return to_dst
    return 1


@kernel
def both_blocks(in_format: int, out_format: int) -> int:
    """1 for two block formats with exponents of one size: the second has no meaning then."""
    bits = SHARED_EXPONENT_BITS[in_format]
    return 1 if bits and bits == SHARED_EXPONENT_BITS[out_format] else 0


@kernel
def is_fp16_family(in_format: int, out_format: int) -> int:
    """1 if the registers hold the datum with a 5-bit exponent."""
    if in_format == DataFormat.FP32:
        return 1 if out_format == DataFormat.FP16 else 0
    if in_format == DataFormat.FP16 or in_format == DataFormat.FP8:
        return 1
    if in_format == DataFormat.INT8:
        return 1
    return 1 if SHARED_EXPONENT_BITS[in_format] == 5 else 0


@kernel
def to_16_bits(
    s: State, in_format: int, out_format: int, n: int, fp8_exponent4: int, unsigned: int
) -> None:
    """Bring ``n`` data to bf16, fp16 or opaque 16 bits; exponents are at EXPONENTS."""
    shared = SHARED_EXPONENT_BITS[in_format]
    shift = 8 - FORMAT_BITS[in_format] if FORMAT_BITS[in_format] < 8 else 0
    if in_format == DataFormat.FP32 and out_format == DataFormat.FP16:
        for i in range(n):
            s.scratch_32[i] = tf32_to_fp16(s.scratch_32[i] >> 13)
    elif in_format == DataFormat.FP32:
        for i in range(n):
            value = s.scratch_32[i] >> 16
            s.scratch_32[i] = value if value & 0x7F80 else value & 0x8000
    elif in_format == DataFormat.FP8:
        for i in range(n):
            s.scratch_32[i] = fp8_to_fp16(s.scratch_32[i], fp8_exponent4, s.arch.fp8_all_ones_widen)
    elif in_format == DataFormat.INT8:
        for i in range(n):
            s.scratch_32[i] = int8_to_fp16(s.scratch_32[i], unsigned)
    elif shared:
        for i in range(n):
            exponent = s.scratch_32[EXPONENTS + i]
            s.scratch_32[i] = from_block(s.scratch_32[i] << shift, exponent, shared)


@kernel
def convert_run(
    s: State,
    in_format: int,
    out_format: int,
    to_dst: int,
    n: int,
    fp8_exponent4: int,
    unsigned: int,
) -> None:
    """Convert ``n`` data of ``scratch_32`` in place, exponents at EXPONENTS; returns 0.

    The conversion must exist (:func:`conversion_exists`).
    """
    if to_dst and FORMAT_BITS[out_format] == 32:
        for i in range(n):
            s.scratch_32[i] = fp32_to_dst(s.scratch_32[i])
        return
    if out_format == DataFormat.TF32:
        for i in range(n):
            s.scratch_32[i] &= 0xFFFFE000
        return
    to_16_bits(s, in_format, out_format, n, fp8_exponent4, unsigned)
    fp16 = is_fp16_family(in_format, out_format)
    if to_dst:
        if fp16:
            for i in range(n):
                s.scratch_32[i] = fp16_to_dst(s.scratch_32[i])
        elif in_format != DataFormat.INT16:
            for i in range(n):
                s.scratch_32[i] = bf16_to_dst(s.scratch_32[i])
    elif fp16:
        for i in range(n):
            value = s.scratch_32[i]
            s.scratch_32[i] = ((value & 0x8000) << 16) | ((value & 0x7FFF) << 13)
    elif in_format == DataFormat.INT16:
        for i in range(n):
            s.scratch_32[i] = bf16_from_dst(s.scratch_32[i]) << 16
    else:
        for i in range(n):
            s.scratch_32[i] <<= 16
