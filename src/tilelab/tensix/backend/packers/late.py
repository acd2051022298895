"""The packers' second half: the late format conversion and the writes to L1.

A row is in ``scratch_32``, of one kind (see ``packers_early``). Block formats take 16 data at a
time and write the exponent that they share to a stream of its own.

Source: tt-isa-documentation, Packers/FormatConversion.md; ttsim for the rounding of blocks and
for accumulation.
"""

from typing import Final

from tilelab.formats.data_format import FORMAT_BITS, SHARED_EXPONENT_BITS, DataFormat
from tilelab.sim.kernel import kernel, lanes, narrow, signed32
from tilelab.tensix.backend.datum_formats import (
    fp16_to_bf16,
    fp16_to_fp8,
    fp16_to_fp32,
    fp32_to_bf16_truncated,
    tf32_to_fp16,
)
from tilelab.tensix.backend.l1_access import l1_write_run
from tilelab.tensix.backend.packers.accumulate import accumulate_run
from tilelab.tensix.backend.packers.early import BF16, FP16, FP32, INTEGER, TF32
from tilelab.tensix.state.records import State

TF32_TO: Final = (DataFormat.FP32, DataFormat.TF32, DataFormat.FP16, DataFormat.FP8)
BF16_TO: Final = (DataFormat.FP32, DataFormat.TF32, DataFormat.BF16)
FP16_TO: Final = (DataFormat.FP32, DataFormat.BF16, DataFormat.FP16, DataFormat.FP8)
"""Formats, besides those of blocks, that data of a kind are converted to."""


@kernel
def late_exists(kind: int, in_format: int, out_format: int) -> int:
    """1 if the late conversion is modelled, otherwise 0."""
    shared = SHARED_EXPONENT_BITS[out_format]
    if kind == INTEGER:
        return 1 if in_format == out_format else 0
    if kind == FP32:
        return 1 if shared == 8 or out_format in (DataFormat.FP32, DataFormat.FP16) else 0
    if kind == TF32:
        return 1 if out_format in TF32_TO else 0
    if kind == BF16:
        return 1 if shared == 8 or out_format in BF16_TO else 0
    return 1 if kind == FP16 and (shared or out_format in FP16_TO) else 0


@kernel
def late_convert(s: State, kind: int, out_format: int, n: int, fp8_exponent4: int) -> None:
    """Convert ``n`` data in place to what L1 holds; for blocks, to bf16 or sign, 5, 7 bits."""
    shared = SHARED_EXPONENT_BITS[out_format]
    if kind == FP32:
        if out_format == DataFormat.FP16:
            for i in range(n):
                s.scratch_32[i] = tf32_to_fp16(s.scratch_32[i] >> 13)
        elif shared:
            for i in range(n):
                s.scratch_32[i] = fp32_to_bf16_truncated(s.scratch_32[i])
    elif kind == TF32:
        if FORMAT_BITS[out_format] == 32:
            for i in range(n):
                s.scratch_32[i] <<= 13
        else:
            for i in range(n):
                s.scratch_32[i] = tf32_to_fp16(s.scratch_32[i])
    elif kind == BF16:
        if FORMAT_BITS[out_format] == 32:
            for i in range(n):
                s.scratch_32[i] <<= 16
    elif kind == FP16:
        late_from_fp16(s, out_format, n)
    if out_format == DataFormat.FP8:
        for i in range(n):
            s.scratch_32[i] = fp16_to_fp8(s.scratch_32[i], fp8_exponent4)


@kernel
def late_from_fp16(s: State, out_format: int, n: int) -> None:
    """The late conversion of fp16 data; returns 0."""
    shared = SHARED_EXPONENT_BITS[out_format]
    if out_format == DataFormat.FP32:
        for i in range(n):
            s.scratch_32[i] = fp16_to_fp32(s.scratch_32[i])
    elif out_format == DataFormat.BF16 or shared == 8:
        for i in range(n):
            s.scratch_32[i] = fp16_to_bf16(s.scratch_32[i])
    elif shared == 5:
        for i in range(n):
            value = s.scratch_32[i]
            s.scratch_32[i] = (value & 0x8000) | ((value >> 3) & 0xFFF)


@narrow(32)
def share_exponent(s: State, first: int, bits: int) -> int:
    """Turn 16 data of ``scratch_32[first…]`` into magnitudes under their largest exponent.

    They come as sign (bit 15), exponent (14:7) and mantissa.

    Rounds to 8 bits, ties away from zero and not beyond the largest, then cuts to ``bits``.
    Returns the exponent.
    """
    shared = 0
    for i in lanes(16):
        shared = max(shared, signed32(s.scratch_32[first + i]) >> 7 & 0xFF)
    for i in lanes(16):
        value = signed32(s.scratch_32[first + i])
        exponent = (value >> 7) & 0xFF
        shift = min(shared - exponent, 9)  # beyond 7 nothing is left
        magnitude = (value & 0x7F) | (0x80 if exponent else 0)
        magnitude = (magnitude + (1 << shift)) >> (shift + 1) if shift < 8 else 0
        magnitude = min(magnitude, 0x7F) >> (8 - bits)
        s.scratch_32[first + i] = magnitude | ((value >> 15) << (bits - 1) if magnitude else 0)
    return shared


@narrow(32)
def store_block8(s: State, data: int, first: int) -> None:
    """Write 16 bytes from ``scratch_32[first…]``; returns 0."""
    for i in lanes(16):
        s.l1[data + i] = signed32(s.scratch_32[first + i])


@kernel
def store_run(
    s: State, data: int, exponents: int, out_format: int, n: int, accumulate: int
) -> None:
    """Write ``n`` late-converted data at byte ``data``, blocks' exponents at ``exponents``."""
    bits = FORMAT_BITS[out_format]
    if SHARED_EXPONENT_BITS[out_format]:
        for block in range(n // 16):
            s.l1[exponents + block] = share_exponent(s, 16 * block, bits)
            if bits == 8:
                store_block8(s, data + 16 * block, 16 * block)
            else:
                l1_write_run(s, data + 2 * bits * block, bits, 16 * block, 16)
        return
    if accumulate:
        accumulate_run(s, data, out_format, n)
    l1_write_run(s, data, bits, 0, n)
