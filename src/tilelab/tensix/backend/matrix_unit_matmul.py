"""MVMUL, DOTPV and GAPOOL: ``Dst += SrcB @ SrcA``.

Source: tt-isa-documentation, MVMUL.md, DOTPV.md, GAPOOL.md; numerics as :mod:`.fpu_numerics` says.

Not modelled: SrcB's denormals kept (ALU_ACC_CTRL_Zero_Flag_disabled_src) where SrcB holds a
datum with exponent 0; a SrcA row counter of 56, whose 16 rows run off the end; GAPOOL's
max_pool_index_en.
"""

from typing import Any

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel, lanes, narrow, signed32
from tilelab.tensix.backend.fpu_numerics import (
    GROUP,
    ZERO_EXPONENT,
    accumulate_row,
    integer_row,
    load_dst_row,
    phase_bits_a,
    phase_bits_b,
    phase_exponent,
    storage_row,
    sum_products,
)
from tilelab.tensix.backend.matrix_unit_operands import (
    INT8_MASK_A,
    INT8_MASK_B,
    check_exponents,
    dst_address,
    dst_kind_of,
    fidelity_phase,
    source_styles,
)
from tilelab.tensix.backend.rwc import apply_addr_mod, check_addr_mod
from tilelab.tensix.backend.semantics import config, semantics
from tilelab.tensix.backend.src_registers import (
    EXPONENT,
    FP16,
    INT8,
    STYLE_MASK,
    clear_src,
    int8_from_src,
    wait_src_ab,
)

SRC_A_RUNS_OVER = check(
    "matmul-src-a-row",
    UndefinedBehaviorError,
    "16 rows of SrcA from row {value} run past row 63",
    page="MVMUL.md",
    cure="keep the SrcA counter at 48 or below",
)
SRC_B_DENORMALS = check(
    "matmul-src-b-denormals",
    UnsupportedFunctionalityError,
    "SrcB's datum {value:#010x} has exponent 0 and ALU_ACC_CTRL_Zero_Flag_disabled_src keeps it",
    page="MVMUL.md",
    cure="clear ALU_ACC_CTRL_Zero_Flag_disabled_src before matrix products",
)
GAPOOL_INDEX = check(
    "gapool-index",
    UnsupportedFunctionalityError,
    "GAPOOL with max_pool_index_en={value} has no documented meaning",
    page="GAPOOL.md",
    cure="leave max_pool_index_en at 0",
)


@narrow(32)
def decode_src_a(s: Any, row: int, mask: int, phase: int) -> int:
    """Decode 16 rows of SrcA, of whose bits ``mask`` count: exponents, and twice the signed bits
    that the phase multiplies.

    Returns the union of all datums read.
    """
    work = s.scratch_matrix
    bank = s.src_a_matrix_bank
    seen = 0
    for k in range(16):
        for column in lanes(16):
            x = signed32(s.src_a[bank, row + k, column])
            seen |= x
            x &= mask
            exponent = (x >> 23) & 255
            bits = phase_bits_a(x, phase) << 1
            bits = bits if exponent else 0
            exponent = exponent if exponent else ZERO_EXPONENT
            work.exponent_a[k & 7, column + 2 * (k & 8)] = exponent
            work.twice_a[k & 7, column + 2 * (k & 8)] = -bits if x < 0 else bits
    return seen


@narrow(32)
def decode_src_b(s: Any, row: int, rows: int, mask: int, phase: int, adjust: int) -> int:
    """Decode rows of SrcB, as :func:`decode_src_a`: exponents plus ``adjust``, and signed bits.

    Returns the union of all datums read, with bit 0 set if some datum has exponent 0.
    """
    work = s.scratch_matrix
    bank = s.src_b_matrix_bank
    seen = 0
    for i in range(rows):
        for k in lanes(16):
            x = signed32(s.src_b[bank, row + i, k])
            seen |= x
            x &= mask
            exponent = (x >> 23) & 255
            seen |= 0 if exponent else 1
            bits = phase_bits_b(x, phase)
            bits = bits if exponent else 0
            work.row_exponent[k] = exponent + adjust if exponent else ZERO_EXPONENT
            work.row_bits[k] = -bits if x < 0 else bits
        for k in GROUP:
            for column in lanes(16):
                work.exponent_b[i, k, column] = work.row_exponent[k]
                work.exponent_b[i, k, column + 16] = work.row_exponent[k + 8]
                work.bits_b[i, k, column] = work.row_bits[k]
                work.bits_b[i, k, column + 16] = work.row_bits[k + 8]
    return seen


@narrow(32)
def decode_int8_a(s: Any, row: int, mask: int) -> int:
    """Decode 16 rows of SrcA's integers; returns the union of all datums read."""
    work = s.scratch_matrix
    bank = s.src_a_matrix_bank
    seen = 0
    for k in range(16):
        for column in lanes(16):
            x = signed32(s.src_a[bank, row + k, column])
            seen |= x
            value = int8_from_src(x & mask)
            work.twice_a[k & 7, column + 2 * (k & 8)] = value if x & EXPONENT else 0
    return seen


@narrow(32)
def decode_int8_b(s: Any, row: int, rows: int, mask: int) -> int:
    """Decode rows of SrcB's integers; returns as :func:`decode_src_b`."""
    work = s.scratch_matrix
    bank = s.src_b_matrix_bank
    seen = 0
    for i in range(rows):
        for k in lanes(16):
            x = signed32(s.src_b[bank, row + i, k])
            seen |= x | (0 if x & EXPONENT else 1)
            value = int8_from_src(x & mask)
            work.word_b[i, k] = value if x & EXPONENT else 0
    return seen


@kernel
def integer_products(s: Any, b: int) -> int:
    """Sums of the products of SrcB's row of integers with SrcA's columns; returns OK."""
    work = s.scratch_matrix
    for column in lanes(16):
        total = 0
        for k in GROUP:
            total += work.twice_a[k, column] * work.word_b[b, k]
            total += work.twice_a[k, column + 16] * work.word_b[b, k + 8]
        s.scratch_a[column] = total
    return OK


@kernel
def matrix_product(
    s: Any, t: int, clear: int, addr_mode: int, dst: int, rows: int, broadcast: int
) -> int:
    """``Dst[rows] += SrcB[rows] @ SrcA[16]``; ``broadcast``: one SrcB row to rows 0, 2, 4, 6."""
    code = wait_src_ab(s)
    if code == OK:
        code = check_addr_mod(s, t)
    if code != OK:
        return code
    code, style_a, style_b = source_styles(s, t)
    if code != OK:
        return code
    phase = fidelity_phase(s, t)
    dst_kind = dst_kind_of(s, t, style_a)
    row_a = s.rwc[t].src_a & 0x38
    if row_a > 48:
        return fault(s, SRC_A_RUNS_OVER, row_a)
    row_b = s.rwc[t].src_b & (0x3F if broadcast else 0x38)
    adjust = phase_exponent(dst_kind, 1 if style_a == FP16 else 0, phase)
    rows_b = 1 if broadcast else rows
    if style_a == INT8:
        seen = decode_int8_a(s, row_a, INT8_MASK_A[phase & 1])
        seen_b = decode_int8_b(s, row_b, rows_b, INT8_MASK_B[phase >> 1])
    else:
        seen = decode_src_a(s, row_a, STYLE_MASK[style_a], phase)
        seen_b = decode_src_b(s, row_b, rows_b, STYLE_MASK[style_b], phase, adjust)
    code = check_exponents(s, style_a, seen | (seen_b & ~1))
    if code != OK:
        return code
    if seen_b & 1 and config(s, t, s.f.ALU_ACC_CTRL_Zero_Flag_disabled_src):
        return fault(s, SRC_B_DENORMALS, seen_b & 0xFFFFE000)

    row = dst_address(s, t, dst) & (0x400 - rows)
    floor = adjust if adjust > 0 else 0
    for i in range(0, rows, 2 if broadcast else 1):
        at = storage_row(s, row + i, dst_kind)
        b = 0 if broadcast else i
        if style_a == INT8:
            integer_products(s, b)
            integer_row(s, at, 1)
        else:
            sum_products(s, i, b, floor)
            load_dst_row(s, at, dst_kind, 1)
            accumulate_row(s, i, at, dst_kind)
    clear_src(s, t, clear)
    return apply_addr_mod(s, t, addr_mode, 1)


@semantics("MVMUL")
def mvmul(s: Any, t: int, clear_dvalid: int, instr_mod19: int, addr_mode: int, dst: int) -> int:
    """Matrix product of 8 rows of SrcB, or of one broadcast row (MVMUL.md)."""
    rows = 7 if instr_mod19 else 8
    return matrix_product(s, t, clear_dvalid, addr_mode, dst, rows, instr_mod19)


@semantics("DOTPV")
def dotpv(s: Any, t: int, clear_dvalid: int, addr_mode: int, dst: int) -> int:
    """Matrix product of 8 rows of SrcB (DOTPV.md)."""
    return matrix_product(s, t, clear_dvalid, addr_mode, dst, 8, 0)


@kernel
def average_pool(s: Any, t: int, clear: int, addr_mode: int, index: int, dst: int) -> int:
    """GAPOOL on either chip: a matrix product of 4 rows."""
    if index:
        return fault(s, GAPOOL_INDEX, index)
    return matrix_product(s, t, clear, addr_mode, dst, 4, 0)


@semantics("GAPOOL", chip="blackhole")
def gapool_blackhole(
    s: Any,
    t: int,
    clear_dvalid: int,
    instr_mod19: int,
    pool_addr_mode: int,
    max_pool_index_en: int,
    dst: int,
) -> int:
    """Matrix product of 4 rows of SrcB (GAPOOL.md); instr_mod19 has no effect."""
    return average_pool(s, t, clear_dvalid, pool_addr_mode, max_pool_index_en, dst)


@semantics("GAPOOL", chip="wormhole")
def gapool_wormhole(
    s: Any,
    t: int,
    clear_dvalid: int,
    instr_mod19: int,
    addr_mode: int,
    max_pool_index_en: int,
    dst: int,
) -> int:
    """Matrix product of 4 rows of SrcB (GAPOOL.md); instr_mod19 has no effect."""
    return average_pool(s, t, clear_dvalid, addr_mode, max_pool_index_en, dst)
