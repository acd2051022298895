"""How the matrix unit multiplies, aligns, adds and rounds, bit by bit.

The numbers, in the terms used below:

- A *sum of products* (SOP) is a signed integer with an exponent; 1.0 at the exponent is 1 << 10
  until it is accumulated, then 1 << 23.
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

from typing import Final

from tilelab.sim.kernel import OK, WORD, bit_length, kernel, lanes, narrow
from tilelab.tensix.backend.dst import (
    LOW_HALF,
    dst16_row,
    dst32_row,
    int32_from_dst,
    int32_to_dst,
)
from tilelab.tensix.state.records import State

DST_FP32: Final = 0
DST_INT32: Final = 1
DST_BF16: Final = 2
DST_FP16: Final = 3
"""Kinds of number in Dst; up to DST_INT32 they are 32 bits wide."""

PRECISION: Final = (24, 31, 8, 11)
"""Significant bits of each kind, the leading one included."""
EXPONENT_BITS: Final = (8, 8, 8, 5)
"""Bits of the exponent field of each kind."""

GROUP: Final = (0, 1, 2, 3, 4, 5, 6, 7)
"""Products that are aligned and summed before anything else."""
ZERO_EXPONENT: Final = -4096
"""Exponent given to a zero datum, so that its products never align with anything."""
ALIGN_LIMIT: Final = 13
"""A 12-bit product shifted right by this much or more rounds to 0."""
INT32_LIMIT: Final = 0x7FFFFFFF
WRAPPED_ONE: Final = 0xFF800000
"""-1.0 at the exponent, taken for a magnitude."""


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


@narrow(32)
def pair(first: int, second: int) -> int:
    """Two signed numbers of 16 bits, as a word; :func:`lower` and a shift give them back."""
    return second << 16 | (first & 0xFFFF)


@narrow(32)
def lower(word: int) -> int:
    """The lower half of a word, signed."""
    return ((word & 0xFFFF) ^ 0x8000) - 0x8000


@narrow(32)
def phase_bits_a(x: int, phase: int) -> int:
    """The 5 significant bits of a SrcA datum that a fidelity phase multiplies."""
    taken = (x >> (14 if phase & 1 else 19)) & (31 if phase & 1 else 15)
    return taken | (0 if phase & 1 else 16)


@narrow(32)
def phase_bits_b(x: int, phase: int) -> int:
    """The 7 significant bits of a SrcB datum that a fidelity phase multiplies."""
    taken = (x >> (10 if phase & 2 else 17)) & (0x78 if phase & 2 else 63)
    return taken | (0 if phase & 2 else 64)


@narrow(16)
def sum_products(s: State, rows: int, broadcast: int, floor: int) -> int:
    """Sums of products of decoded SrcB rows (or of the first, always) with SrcA's columns; OK.

    ``floor`` is the exponent that a zero product counts with.
    """
    work = s.matrix
    for i in range(rows):
        b = 0 if broadcast else i
        for lane in lanes(32):
            top = floor
            for k in GROUP:
                exponent = work.exponent_b[b, 2 * k + 1] if lane & 1 else work.exponent_b[b, 2 * k]
                exponent += work.exponent_a[k, lane]
                top = exponent if exponent > top else top
            total = 0
            for k in GROUP:
                exponent = work.exponent_b[b, 2 * k + 1] if lane & 1 else work.exponent_b[b, 2 * k]
                down = top - (exponent + work.exponent_a[k, lane])
                down = down if down < ALIGN_LIMIT else ALIGN_LIMIT
                twice = work.bits_b[b, 2 * k + 1] if lane & 1 else work.bits_b[b, 2 * k]
                twice *= work.twice_a[k, lane]
                total += (((twice + (twice >> 15)) >> down) + 1) >> 1
            work.exponent[i, lane] = top if top > 0 else 0
            work.sum[i, lane] = total if top > 0 else 0
    return OK


@narrow(32)
def shift_by(down: int) -> int:
    """A shift amount as processors have it; more leaves nothing but the sign anyway."""
    return down if down < 31 else 31


@narrow(32)
def load_dst(s: State, rows: int, dst_kind: int, accumulates: int) -> int:
    """Take located rows of float Dst apart (as zeros, unless they accumulate); returns OK."""
    work = s.matrix
    width = EXPONENT_BITS[dst_kind]
    leading = 0x8000 >> width
    for i in range(rows):
        at = work.at[i]
        mask = 0xFFFF if accumulates and s.dst_valid[at] else 0
        low_row = at + LOW_HALF if dst_kind == DST_FP32 else at
        low_mask = mask if dst_kind == DST_FP32 else 0
        for column in lanes(16):
            high = s.dst[at, column] & mask
            low = s.dst[low_row, column] & low_mask
            exponent = high & ((1 << width) - 1)
            significand = ((((high & 0x7FFF) >> width) | leading) << (8 + width)) | low
            twice = significand << 1 if exponent else 0
            work.dst_exponent[i, column] = exponent
            work.dst_twice[i, column] = -twice if high & 0x8000 else twice
    return OK


@narrow(32)
def accumulate(s: State, rows: int, dst_kind: int, groups: int, accumulates: int) -> int:
    """Add sums, or pairs of them, to what :func:`load_dst` took; round, store, return OK.

    To nothing unless it ``accumulates``.
    Sums are kept doubled until they are rounded. An exponent field of fp16 in a 16-bit Dst holds
    the 5-bit exponent unchanged.
    """
    work = s.matrix
    kept = -2 if dst_kind == DST_FP32 else -0x4000  # bits of aligned terms
    half = 1 if dst_kind == DST_FP32 else 0x2001
    rounding = 1 << (29 - PRECISION[dst_kind])
    width = EXPONENT_BITS[dst_kind]
    largest = (1 << width) - 1
    kept_high = 0x7FFF - largest  # a mantissa's bits in the upper half of a cell
    overflow = 32 if dst_kind == DST_FP16 else 255
    overflowed = 0x7FE000 if dst_kind == DST_FP16 else 0
    miscounted = -2 if s.arch.normalise_bug else 0  # its leading-sign count is off
    for i in range(rows):
        at = work.at[i]
        for column in lanes(16):
            # as lower() has it, written out: a call's result has 64 bits, and LLVM keeps them so
            exponents = work.exponent_pair[i, column]
            exponent0 = ((exponents & 0xFFFF) ^ 0x8000) - 0x8000 if groups == 2 else exponents
            exponent1 = exponents >> 16 if groups == 2 else 0
            exponent = work.dst_exponent[i, column] if accumulates else 0
            top = exponent0 if exponent0 > exponent else exponent
            top = exponent1 if exponent1 > top else top
            sums = work.sum_pair[i, column]
            sum0 = ((sums & 0xFFFF) ^ 0x8000) - 0x8000 if groups == 2 else sums
            total = ((sum0 << 14 >> shift_by(top - exponent0)) + half) & kept
            sum1 = sums >> 16 if groups == 2 else 0
            total += ((sum1 << 14 >> shift_by(top - exponent1)) + half) & kept
            twice = work.dst_twice[i, column] if accumulates else 0
            size = -twice if twice < 0 else twice
            size = ((size >> shift_by(top - exponent)) + half) & kept
            total += -size if twice < 0 else size
            total = total if top > 0 else 0

            size = -total if total < 0 else total
            up = 30 - bit_length(size)  # two sums of 8 * 31 * 127 << 14 and Dst are below 1 << 30
            up = 1 if total < 0 and total == miscounted else up
            size = (size << up) + rounding
            top += 5 - up + (size >> 30)
            mantissa = overflowed if top >= overflow else (size >> 6) & 0x7FFFFF
            top = top if top < largest else largest
            cell = top | ((mantissa >> 8) & kept_high) | (0x8000 if total < 0 else 0)
            lost = total == 0 or top <= 0
            s.dst[at, column] = 0 if lost else cell
            work.low[i, column] = 0 if lost else mantissa & 0xFFFF
        if dst_kind == DST_FP32:
            for column in lanes(16):
                s.dst[at + LOW_HALF, column] = work.low[i, column]
        s.dst_valid[at] = 1
    return OK


@kernel
def align(size: int, down: int, dst_kind: int) -> int:
    """A 32-bit magnitude shifted down, halves up, to the bits that are added; wraps as ttsim."""
    if down > 0:
        down = min(down, 32)
        size = ((size + (1 << (down - 1))) & WORD) >> down
        size = size if down < 31 else 0
    return size if dst_kind == DST_FP32 else (size + 0x1000) & (WORD - 0x1FFF)


@kernel
def store_float(s: State, at: int, column: int, dst_kind: int, top: int, total: int) -> int:
    """Round a signed sum, 1.0 at exponent ``top`` being 1 << 23, into a cell of Dst; OK."""
    size = abs(total)
    up = 24 - bit_length(size)
    if s.arch.normalise_bug and total == -1:
        up = -4
    top -= up
    dropped = 24 - PRECISION[dst_kind]
    up -= dropped
    if up >= 0:
        size <<= up
    else:
        size = (size + (1 << (-up - 1))) >> -up
    size <<= dropped
    top += (size >> 24) & 1
    width = EXPONENT_BITS[dst_kind]
    mantissa = size & 0x7FFFFF
    if top >= (32 if dst_kind == DST_FP16 else 255):
        top = (1 << width) - 1
        mantissa = 0x7FE000 if dst_kind == DST_FP16 else 0
    lost = total == 0 or top <= 0
    cell = top | ((mantissa >> (8 + width)) << width) | (0x8000 if total < 0 else 0)
    s.dst[at, column] = 0 if lost else cell
    if dst_kind == DST_FP32:
        s.dst[at + LOW_HALF, column] = 0 if lost else mantissa & 0xFFFF
    return OK


@kernel
def redo_wrapped_sums(s: State, rows: int, dst_kind: int, zero: int) -> int:
    """Redo :func:`accumulate` where +0 and a SrcB -0 that is kept were summed; returns OK.

    ttsim gives the -0 a leading one and subtracts it from nothing without a sign, so that the
    difference wraps to a large magnitude. The manual is silent; ttsim's recorded cases have it
    so. ``zero`` is the exponent of such a sum.
    """
    work = s.matrix
    for i in range(rows):
        for column in range(16):
            exponent = work.dst_exponent[i, column]
            top = max(exponent, zero)
            here = work.exponent_pair[i, column] == zero and work.sum_pair[i, column] == -0x400
            if here and top > 0:
                twice = work.dst_twice[i, column]
                term = align(WRAPPED_ONE, top - zero, dst_kind)
                size = align(abs(twice) >> 1, top - exponent, dst_kind)
                total = size + (-term if twice < 0 else term)
                total = ((total + 0x80000000) & WORD) - 0x80000000
                if twice < 0:
                    total = -total
                store_float(s, work.at[i], column, dst_kind, top, total)
    return OK


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
def storage_row(s: State, row: int, dst_kind: int) -> int:
    """Storage row of a row of Dst that holds the given kind of number."""
    if dst_kind <= DST_INT32:
        return dst32_row(s, row)
    return dst16_row(s, row)


@kernel
def locate_rows(s: State, row: int, rows: int, step: int, dst_kind: int) -> int:
    """Find the storage rows of every ``step``-th row of Dst; returns OK."""
    for i in range(rows):
        s.matrix.at[i] = storage_row(s, row + step * i, dst_kind)
    return OK


@kernel
def integer_row(s: State, at: int, accumulates: int) -> int:
    """Add the integers of ``scratch_a[column]`` to a storage row of int32 Dst; returns OK."""
    keep = 0xFFFF if accumulates and s.dst_valid[at] else 0
    for column in lanes(16):
        high = s.dst[at, column] & keep
        low = s.dst[at + LOW_HALF, column] & keep
        total = saturating_add(int32_from_dst((high << 16) | low), s.scratch_a[column])
        s.scratch_b[column] = int32_to_dst(total)
    for column in lanes(16):
        s.dst[at, column] = s.scratch_b[column] >> 16
        s.dst[at + LOW_HALF, column] = s.scratch_b[column] & 0xFFFF
    s.dst_valid[at] = 1
    return OK
