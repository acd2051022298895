"""Dst: where its rows are stored, whether they are valid, and how numbers are laid out in it.

``Dst16b[row]`` and ``Dst32b[row]`` name rows as instructions do; :func:`dst16_row` and
:func:`dst32_row` say which *storage row* of ``s.dst`` (and ``s.dst_valid``) that is. A 32-bit
datum has its upper half at its storage row and its lower half :data:`LOW_HALF` rows below; only
the upper row's flag counts. A row that ZEROACC left undefined reads as zero.

Source: tt-isa-documentation, Dst.md of both chips. Blackhole may permute rows
(DEST_ACCESS_CFG); Wormhole has no such fields, so there they read as 0.

Not modelled: with bit 11 of RISCV_DEBUG_REG_DBG_FEATURE_DISABLE set, writing a 16-bit datum
leaves an unpredictable lower half; here the lower half stays as it was.
"""

from typing import Final

from tilelab.sim.kernel import kernel
from tilelab.tensix.state.records import State

DST_ROWS: Final = 1024
LOW_HALF: Final = 8
"""Storage rows between the upper and the lower half of a 32-bit datum."""
DBG_FEATURE_DISABLE: Final = 0x68 >> 2
"""Index of RISCV_DEBUG_REG_DBG_FEATURE_DISABLE in ``s.debug_register``."""
DST16_IS_DST32_HIGH: Final = 1 << 11
"""In that register: ``Dst16b`` becomes the upper half of ``Dst32b``."""


@kernel
def _global_bit(s: State, place: int) -> int:
    """A one-bit Config field that both banks share, or 0 where the chip lacks it."""
    word = s.config[0, place >> 16]
    return (word >> ((place >> 8) & 31)) & ((1 << (place & 63)) - 1)


@kernel
def remap_row(s: State, row: int) -> int:
    """``Adj16`` of Dst.md: the row after Blackhole's optional rotation of row bits 5:3."""
    row &= 0x3FF
    if _global_bit(s, s.f.DEST_ACCESS_CFG_remap_addrs):
        row = (row & 0x3C7) ^ ((row & 0x030) >> 1) ^ ((row & 0x008) << 2)
    return row


@kernel
def dst32_row(s: State, row: int) -> int:
    """Storage row of the upper half of ``Dst32b[row]`` (``Adj32``), ``row`` modulo 1024."""
    row = remap_row(s, row)
    if _global_bit(s, s.f.DEST_ACCESS_CFG_swizzle_32b):
        row = (row & 0x3F3) ^ ((row & 0x018) >> 1) ^ ((row & 0x004) << 1)
    return ((row & 0x1F8) << 1) | (row & 0x207)


@kernel
def dst16_row(s: State, row: int) -> int:
    """Storage row of ``Dst16b[row]``; ``row`` is taken modulo 1024."""
    if s.debug_register[DBG_FEATURE_DISABLE] & DST16_IS_DST32_HIGH:
        return dst32_row(s, row)
    return remap_row(s, row)


@kernel
def read_dst16(s: State, row: int, column: int) -> int:
    """The 16 bits of ``Dst16b[row][column]`` in Dst's own layout; 0 if the row is undefined."""
    at = dst16_row(s, row)
    if s.dst_valid[at]:
        return s.dst[at, column]
    return 0


@kernel
def write_dst16(s: State, row: int, column: int, value: int) -> None:
    """Write 16 bits to ``Dst16b[row][column]`` and mark the row defined; returns 0."""
    at = dst16_row(s, row)
    s.dst[at, column] = value & 0xFFFF
    s.dst_valid[at] = 1


@kernel
def read_dst32(s: State, row: int, column: int) -> int:
    """The 32 bits of ``Dst32b[row][column]`` in Dst's own layout; 0 if the row is undefined."""
    at = dst32_row(s, row)
    if s.dst_valid[at]:
        return (s.dst[at, column] << 16) | s.dst[at + LOW_HALF, column]
    return 0


@kernel
def write_dst32(s: State, row: int, column: int, value: int) -> None:
    """Write 32 bits to ``Dst32b[row][column]`` and mark the row defined; returns 0."""
    at = dst32_row(s, row)
    s.dst[at, column] = (value >> 16) & 0xFFFF
    s.dst[at + LOW_HALF, column] = value & 0xFFFF
    s.dst_valid[at] = 1


# Layouts: Dst keeps bf16 as sign, mantissa, exponent (1, 7, 8 bits), fp16 likewise (1, 10, 5),
# and a 32-bit number as a bf16 above its 16 low mantissa bits. Int32 is sign and magnitude, its
# magnitude permuted as if it were fp32.


@kernel
def bf16_from_dst(x: int) -> int:
    """Dst's bf16 as sign, exponent, mantissa."""
    return (x & 0x8000) | ((x & 0xFF) << 7) | ((x >> 8) & 0x7F)


@kernel
def bf16_to_dst(x: int) -> int:
    """Sign, exponent, mantissa as Dst's bf16."""
    return (x & 0x8000) | ((x & 0x7F) << 8) | ((x >> 7) & 0xFF)


@kernel
def fp16_from_dst(x: int) -> int:
    """Dst's fp16 as sign, exponent, mantissa."""
    return (x & 0x8000) | ((x & 0x1F) << 10) | ((x >> 5) & 0x3FF)


@kernel
def fp16_to_dst(x: int) -> int:
    """Sign, exponent, mantissa as Dst's fp16."""
    return (x & 0x8000) | ((x & 0x3FF) << 5) | ((x >> 10) & 0x1F)


@kernel
def fp32_from_dst(x: int) -> int:
    """Dst's 32-bit layout as fp32 bits (or as sign and magnitude of an int32)."""
    return (x & 0x8000FFFF) | ((x & 0x00FF0000) << 7) | ((x >> 8) & 0x007F0000)


@kernel
def fp32_to_dst(x: int) -> int:
    """Fp32 bits (or sign and magnitude) as Dst's 32-bit layout."""
    return (x & 0x8000FFFF) | ((x & 0x007F0000) << 8) | ((x >> 7) & 0x00FF0000)


@kernel
def int32_from_dst(x: int) -> int:
    """Dst's 32-bit layout of an int32 as a signed integer."""
    magnitude = fp32_from_dst(x) & 0x7FFFFFFF
    if x & 0x80000000:
        return -magnitude
    return magnitude


@kernel
def int32_to_dst(x: int) -> int:
    """A signed integer of at most 31 bits of magnitude as Dst's 32-bit layout."""
    if x < 0:
        return fp32_to_dst(0x80000000 | (-x & 0x7FFFFFFF))
    return fp32_to_dst(x & 0x7FFFFFFF)
