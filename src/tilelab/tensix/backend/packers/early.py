"""The packers' first half: from a row of Dst through the early format conversion and ReLU.

A row is in ``scratch_32``, as many data of it as are packed. In between the conversions a datum is
of one *kind*: fp32 bits, 19 bits of tf32, bf16 or fp16 patterns, or an integer.

Source: tt-isa-documentation, Packers/FormatConversion.md and ReLU.md; ttsim for Blackhole's
conversions of fp32 and bf16 to the fp16 family, which Wormhole's page says do not exist.

Not modelled: stochastic rounding, integer descaling.
"""

from typing import Final

from tilelab.formats.data_format import DataFormat
from tilelab.sim.kernel import kernel, lanes, narrow, signed32
from tilelab.tensix.backend.datum_formats import (
    MAGNITUDE,
    bf16_flushed,
    bf16_to_fp16,
    fp32_to_bf16_rounded,
    fp32_to_e8m6_rounded,
    fp32_to_tf32_rounded,
)
from tilelab.tensix.backend.dst import (
    LOW_HALF,
    bf16_from_dst,
    dst16_row,
    dst32_row,
    fp16_from_dst,
    fp32_from_dst,
)
from tilelab.tensix.state.records import State

NO_KIND: Final = 0
FP32: Final = 1
TF32: Final = 2
BF16: Final = 3
FP16: Final = 4
INTEGER: Final = 5

READ_32: Final = 1
READ_UNSIGNED: Final = 2
READ_RAW: Final = 4
ROUND_10: Final = 8
"""Bits of PCK_DEST_RD_CTRL."""


@kernel
def early_kind(s: State, data_format: int, control: int) -> int:
    """The kind that the early conversion yields, or NO_KIND where it is not modelled.

    ``data_format`` is the intermediate format, ``control`` is PCK_DEST_RD_CTRL.
    """
    wide = control & READ_32
    raw = control & READ_RAW
    tf32 = control & ROUND_10
    if data_format == DataFormat.INT16:
        return NO_KIND if tf32 else INTEGER
    if data_format == DataFormat.FP16:
        if wide:
            return TF32 if s.arch.pack_narrows_to_fp16 and tf32 and not raw else NO_KIND
        return FP16 if not tf32 or s.arch.pack_narrows_to_fp16 else NO_KIND
    if data_format == DataFormat.TF32:
        if raw:
            return FP32 if wide else NO_KIND
        return TF32
    if tf32:
        return TF32 if data_format == DataFormat.FP32 and not raw else NO_KIND
    if data_format == DataFormat.BF16 or data_format == DataFormat.BFP8:
        return BF16
    if data_format == DataFormat.FP32:
        return FP32  # of 16 bits: bf16, and nothing behind: decision 3
    if wide:
        return INTEGER if data_format in (DataFormat.INT32, DataFormat.INT8) else NO_KIND
    if data_format == DataFormat.FP8:
        return FP16 if raw else NO_KIND
    return FP16 if data_format == DataFormat.BFP8A else NO_KIND


@kernel
def read_dst_rows(
    s: State, row: int, step: int, mask: int, n: int, control: int, kind: int, first: int
) -> None:
    """Read ``n`` data of each of four Dst rows named by bits, to ``scratch_32[first…]``.

    In Dst's layout, undefined ones as zeros; of 16 bits that become bf16 or tf32, as bf16 already.
    What is beyond ``n`` is overwritten, or means nothing.
    """
    if control & READ_32:
        for i in range(4):
            if mask >> i & 1:
                read_row_32(s, dst32_row(s, row + i * step), first)
                first += n
    elif (kind == BF16 or kind == TF32) and not control & READ_RAW:
        for i in range(4):
            if mask >> i & 1:
                read_row_bf16(s, dst16_row(s, row + i * step), first)
                first += n
    else:
        for i in range(4):
            if mask >> i & 1:
                read_row_16(s, dst16_row(s, row + i * step), first)
                first += n


@kernel
def read_row_32(s: State, at: int, first: int) -> None:
    """Read 16 data of 32 bits from a storage row; returns 0."""
    kept = 0xFFFF if s.dst_valid[at] else 0
    for i in lanes(16):
        high = s.dst[at, i] & kept
        s.scratch_32[first + i] = (high << 16) | (s.dst[at + LOW_HALF, i] & kept)


@narrow(32)
def read_row_16(s: State, at: int, first: int) -> None:
    """Read 16 data of 16 bits from a storage row; returns 0."""
    kept = 0xFFFF if s.dst_valid[at] else 0
    for i in lanes(16):
        s.scratch_32[first + i] = s.dst[at, i] & kept


@narrow(32)
def read_row_bf16(s: State, at: int, first: int) -> None:
    """Read 16 data of 16 bits from a storage row, flushed; returns 0."""
    kept = 0xFFFF if s.dst_valid[at] else 0
    for i in lanes(16):
        s.scratch_32[first + i] = bf16_flushed(bf16_from_dst(s.dst[at, i] & kept))


@narrow(32)
def copy_row_bf16(s: State, at: int, to: int) -> None:
    """Write 16 bf16 data of a storage row, flushed, to L1 from a half-word on; returns 0."""
    kept = 0xFFFF if s.dst_valid[at] else 0
    for i in lanes(16):
        s.l1_16[to + i] = bf16_flushed(bf16_from_dst(s.dst[at, i] & kept))


@kernel
def early_from_32(s: State, data_format: int, control: int, kind: int, n: int) -> None:
    """Early conversion of ``n`` 32-bit data; returns 0."""
    if data_format == DataFormat.INT16:
        for i in range(n):
            s.scratch_32[i] >>= 16
        return
    for i in range(n):
        s.scratch_32[i] = fp32_from_dst(s.scratch_32[i])
    if kind == TF32:
        for i in range(n):
            s.scratch_32[i] = fp32_to_tf32_rounded(s.scratch_32[i])
    elif kind == BF16:
        if control & READ_RAW:
            for i in range(n):
                s.scratch_32[i] >>= 16
        elif data_format == DataFormat.BFP8:
            for i in range(n):
                s.scratch_32[i] = fp32_to_e8m6_rounded(s.scratch_32[i])
        else:
            for i in range(n):
                s.scratch_32[i] = fp32_to_bf16_rounded(s.scratch_32[i])
    elif data_format == DataFormat.INT8:
        for i in range(n):
            s.scratch_32[i] = int32_to_8(s.scratch_32[i], control)


@kernel
def int32_to_8(value: int, control: int) -> int:
    """Sign and magnitude of 32 bits to 8: saturated, or cut off if raw; unsigned if so read."""
    magnitude = value & 0x7FFFFFFF
    sign = value >> 31
    if control & READ_UNSIGNED:
        if control & READ_RAW:
            return magnitude & 0xFF
        return 0 if sign else min(magnitude, 255)
    if control & READ_RAW:
        return (sign << 7) | (magnitude & 0x7F)
    return (sign << 7) | min(magnitude, 127)


@kernel
def early_from_16(s: State, data_format: int, control: int, kind: int, n: int) -> None:
    """Early conversion of ``n`` 16-bit data, read so; returns 0."""
    if kind == FP32:
        for i in range(n):
            s.scratch_32[i] = bf16_from_dst(s.scratch_32[i]) << 16
    elif kind == FP16 and control & ROUND_10:
        for i in range(n):
            s.scratch_32[i] = bf16_to_fp16(bf16_from_dst(s.scratch_32[i]))
    elif kind == FP16:
        early_to_fp16(s, data_format, control & READ_RAW, n)
    elif kind != INTEGER:
        if control & READ_RAW:
            for i in range(n):
                s.scratch_32[i] = bf16_from_dst(s.scratch_32[i])
        elif data_format == DataFormat.BFP8:
            for i in range(n):
                s.scratch_32[i] = (s.scratch_32[i] + 1) & 0xFFFE
        if kind == TF32:
            for i in range(n):
                s.scratch_32[i] <<= 3


@kernel
def early_to_fp16(s: State, data_format: int, raw: int, n: int) -> None:
    """Early conversion of ``n`` data of Dst's fp16; returns 0."""
    if data_format == DataFormat.FP8:
        for i in range(n):
            s.scratch_32[i] = fp16_from_dst(s.scratch_32[i]) & 0xFF00
    elif raw:
        mask = 0xFFF8 if data_format == DataFormat.BFP8A else 0xFFFF
        for i in range(n):
            s.scratch_32[i] = fp16_from_dst(s.scratch_32[i]) & mask
    elif data_format == DataFormat.BFP8A:
        for i in range(n):
            s.scratch_32[i] = fp16_flushed(fp16_to_e5m6(fp16_from_dst(s.scratch_32[i])))
    else:
        for i in range(n):
            s.scratch_32[i] = fp16_flushed(fp16_from_dst(s.scratch_32[i]))


@kernel
def fp16_flushed(value: int) -> int:
    """An fp16 pattern with denormals and zeros +0."""
    return value if value & 0x7C00 else 0


@kernel
def fp16_to_e5m6(value: int) -> int:
    """An fp16 pattern rounded to 6 mantissa bits (kept in place), not beyond the largest."""
    if (value & 0x7FFF) > 0x7FF7:
        value = (value & 0x8000) | 0x7FF0
    return (value + 8) & 0xFFF0


@kernel
def minus_infinity(kind: int) -> int:
    """What edge masking writes for minus infinity; -1 where there is none."""
    if kind == FP32:
        return 0xFF800000
    if kind == TF32:
        return 0xFF800000 >> 13
    if kind == BF16:
        return 0xFF80
    return 0xFFFF if kind == FP16 else -1


@narrow(32)
def relu(s: State, mode: int, threshold: int, kind: int, n: int) -> None:
    """Apply ReLU to ``n`` data in place: 1 to zero, 2 above a threshold, 3 clamped to it.

    ``threshold`` is a 16-bit pattern without its sign; fp32 is compared with it as tf32 is.
    Returns 0.
    """
    sign, shift, ignored = 0, 16, 13  # a word's own sign
    if kind == TF32:
        sign, shift, ignored = 1 << 18, 3, 0
    elif kind != FP32 and kind != INTEGER:
        sign, shift, ignored = 0x8000, 0, 0
    threshold <<= shift
    # nothing positive is below -1 or above the largest word
    lowest = threshold if mode == 2 else -1
    highest = threshold >> ignored if mode == 3 else MAGNITUDE
    for i in lanes(n):
        value = signed32(s.scratch_32[i])
        kept = 0 if value < 0 or value & sign or value <= lowest else value
        s.scratch_32[i] = threshold if kept >> ignored > highest else kept
