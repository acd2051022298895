"""GMPOOL: the largest datum of each SrcA column and of Dst.

Source: tt-isa-documentation, GMPOOL.md, whose model this follows: a datum is a sign, a 9-bit
exponent (SrcA's plus SrcB's) and 10 bits of mantissa or magnitude. SrcB's exponents scale;
with 1.0 there they do not. The index of the largest of the first eight rows comes in Dst's low
bits where asked for (argmax).

Not modelled: fp16 sources into a 32-bit Dst without argmax (the page's exponents for it do not
add up); instr_mod19 = 0.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import MissingSpecificationError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel, lanes, narrow, signed32
from tilelab.tensix.backend.dst import LOW_HALF, dst16_row, dst32_row
from tilelab.tensix.backend.matrix_unit.operands import (
    UNKNOWN_FORMAT,
    check_exponents,
    check_start,
    dst_address,
    union,
)
from tilelab.tensix.backend.rwc import apply_addr_mod
from tilelab.tensix.backend.semantics import BOTH, config, semantics, thread_config
from tilelab.tensix.backend.src_registers import (
    BF16,
    FIVE_BIT_EXPONENT,
    FP16,
    INT8,
    NO_STYLE,
    SRC_A,
    SRC_B,
    STYLE_OF_FORMAT,
    TF32,
    clear_src,
    src_format,
)
from tilelab.tensix.state.records import State

INT32: Final = INT8
"""Style of Dst for integer data, and for an index alone."""

POOL_ORDER: Final = (4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15)
"""The rows in the order in which they are compared, which decides ties."""
INDEX_OF_ROW: Final = (0, 3, 6, 1, 4, 7, 2, 5)
"""How the hardware numbers the first eight rows in an argmax."""

FP16_IN_DST32 = check(
    "gmpool-fp16-dst32",
    MissingSpecificationError,
    "GMPOOL of data format {value} into a 32-bit Dst: the documented exponents do not add up",
    page="GMPOOL.md",
    cure="clear ALU_ACC_CTRL_Fp32_enabled, or unpack to an 8-bit-exponent format",
)
GMPOOL_MODE = check(
    "gmpool-mode",
    UnsupportedFunctionalityError,
    "GMPOOL with instr_mod19={value} is not documented",
    page="GMPOOL.md",
    cure="set instr_mod19 to 1",
)


@narrow(32)
def comparable(x: int) -> int:
    """Order of a datum held as sign 19, exponent 18..10, mantissa 9..0."""
    return -(x & 0x7FFFF) if x & 0x80000 else x


@narrow(32)
def datum_from_dst(word: int, style: int) -> int:
    """A 32-bit Dst word (a 16-bit one in its upper half) as a datum; the word is signed."""
    sign = 0x80000 if word < 0 else 0
    if style == INT32:
        exponent = ((word >> 10) & 0x3F) + (((word >> 24) & 7) << 6)
        return sign | (exponent << 10) | (word & 0x3FF)
    if style == FP16:
        return sign | ((((word >> 16) & 0x1F) + 15) << 10) | ((word >> 21) & 0x3FF)
    mantissa = ((word >> 24) & 0x7F) << 3
    if style == TF32:
        mantissa |= (word >> 13) & 7
    return sign | ((((word >> 16) & 0xFF) + 127) << 10) | mantissa


@narrow(32)
def datum_to_dst(x: int, style: int) -> int:
    """The inverse of :func:`datum_from_dst`; exponents wrap, and integers keep 13 bits."""
    sign = -0x80000000 if x & 0x80000 else 0
    exponent = (x >> 10) & 0x1FF
    mantissa = x & 0x3FF
    if style == INT32:
        return sign | ((exponent & 7) << 10) | mantissa
    if style == FP16:
        word = sign | (mantissa << 21) | (((exponent - 15) & 0x1F) << 16)
        return word if exponent & 0x3F else 0
    word = sign | ((mantissa & 0x3F8) << 21) | (((exponent - 127) & 0xFF) << 16)
    word |= (mantissa & 7) << 13 if style == TF32 else 0
    return word if exponent else 0


@narrow(32)
def scaled_datum(a: int, b: int, style: int) -> int:
    """A SrcA datum scaled by the exponent of a SrcB datum; both are signed words."""
    exponent_a = (a >> 23) & 255
    exponent_b = (b >> 23) & 255
    mantissa = (a >> 13) & (0x3F8 if style == BF16 else 0x3FF)
    exponent = exponent_a + exponent_b
    exponent = (exponent_a & 31) + (exponent_b & 31) if style == FP16 else exponent
    exponent = 0 if style == INT8 else exponent
    x = (0x80000 if a < 0 else 0) | (exponent << 10) | mantissa
    x = x if exponent_a else 0
    return x if exponent_b else 0xFFFFF  # below everything


@kernel
def pool_styles(s: State, t: int, argmax: int) -> tuple[int, int, int, int]:
    """``(code, style of SrcA, style of Dst, Dst is 32 bits wide)``."""
    if thread_config(s, t, s.f.FP16A_FORCE_Enable):
        return OK, FP16, FP16, 0
    if config(s, t, s.f.ALU_ACC_CTRL_INT8_math_enabled):
        return OK, INT8, INT32, 1
    wide = config(s, t, s.f.ALU_ACC_CTRL_Fp32_enabled)
    data_format = src_format(s, t, SRC_A)
    style = STYLE_OF_FORMAT[data_format]
    if style == NO_STYLE:
        return fault(s, UNKNOWN_FORMAT, data_format), style, style, wide
    if style == TF32 and argmax:
        return OK, style, INT32, wide
    if not wide:
        return OK, style, (FP16 if style == FP16 else BF16), wide
    if argmax:
        return OK, style, style, wide
    if style == FP16:
        return fault(s, FP16_IN_DST32, data_format), style, style, wide
    return OK, style, TF32, wide


@narrow(32)
def pool_columns(
    s: State, row_a: int, row_b: int, at: int, style: int, dst_style: int, wide: int, argmax: int
) -> int:
    """Pool SrcA's columns into a storage row of Dst; returns OK."""
    work = s.matrix
    src_a = s.src[SRC_A]
    src_b = s.src[SRC_B]
    bank_a, bank_b = src_a.matrix_bank, src_b.matrix_bank
    low_row = at + LOW_HALF if wide else at
    undefined = 0 if s.dst_valid[at] else 0xFFFF  # an undefined row is below everything
    low_mask = 0xFFFF if wide else 0
    for column in lanes(16):
        high = s.dst[at, column] | undefined
        low = (s.dst[low_row, column] | undefined) & low_mask
        word = ((high - ((high & 0x8000) << 1)) << 16) | low
        largest = datum_from_dst(word, dst_style)
        index = word & 0xFF
        index_phase = ((word & 0xF00) + 0x100) & 0xF00
        for i in POOL_ORDER:
            a = signed32(src_a.data[bank_a, row_a + i, column])
            b = signed32(src_b.data[bank_b, row_b, i])
            x = scaled_datum(a, b, style)
            replaces = 1 if comparable(x) >= comparable(largest) else 0
            largest = x if replaces else largest
            if i < 8:
                index = (index_phase >> 4) + INDEX_OF_ROW[i & 7] if replaces else index
        word = datum_to_dst(largest, dst_style)
        word = (0 if dst_style == INT32 else word) | index_phase | index if argmax else word
        work.high[column] = (word >> 16) & 0xFFFF
        work.low[0, column] = word & 0xFFFF
    for column in lanes(16):
        s.dst[at, column] = work.high[column]
    if wide:
        for column in lanes(16):
            s.dst[at + LOW_HALF, column] = work.low[0, column]
    s.dst_valid[at] = 1
    return OK


@semantics("GMPOOL", BOTH, called={"pool_addr_mode": "addr_mode"})
def gmpool(
    s: State,
    t: int,
    clear_dvalid: int,
    instr_mod19: int,
    addr_mode: int,
    max_pool_index_en: int,
    dst: int,
) -> int:
    """Largest datum of each of SrcA's columns and Dst's row (GMPOOL.md)."""
    code = check_start(s, t)
    if code != OK:
        return code
    if instr_mod19 == 0:
        return fault(s, GMPOOL_MODE, instr_mod19)
    code, style, dst_style, wide = pool_styles(s, t, max_pool_index_en)
    if code != OK:
        return code
    row_a = s.rwc[t].src[SRC_A] & 0x30
    row_b = s.rwc[t].src[SRC_B] & 0x38
    code = OK
    if style & FIVE_BIT_EXPONENT:
        code = check_exponents(s, style, union(s, SRC_A, row_a, 16, 16))
    if code != OK:
        return code

    row = dst_address(s, t, dst) & 0x3FC
    at = dst32_row(s, row) if wide else dst16_row(s, row)
    pool_columns(s, row_a, row_b, at, style, dst_style, wide, max_pool_index_en)
    clear_pool_rows(s, row, wide, max_pool_index_en)
    clear_src(s, t, clear_dvalid)
    return apply_addr_mod(s, t, addr_mode, 1)


@kernel
def clear_pool_rows(s: State, row: int, wide: int, argmax: int) -> int:
    """Zero the other three rows of the block (an argmax steps their index phase); returns OK."""
    for i in range(1, 4):
        at = dst32_row(s, row + i) if wide else dst16_row(s, row + i)
        undefined = 0 if s.dst_valid[at] else 0xFFFF
        for column in lanes(16):
            s.dst[at, column] = 0
        if wide:
            for column in lanes(16):
                low = s.dst[at + LOW_HALF, column] | undefined
                s.dst[at + LOW_HALF, column] = (low + 0x100) & 0xF00 if argmax else 0
        s.dst_valid[at] = 1
    return OK
