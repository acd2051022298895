"""MVMUL, DOTPV and GAPOOL: ``Dst += SrcB @ SrcA``.

Source: tt-isa-documentation, MVMUL.md, DOTPV.md, GAPOOL.md; numerics as :mod:`.fpu_numerics` says.

Not modelled: SrcB's denormals kept (ALU_ACC_CTRL_Zero_Flag_disabled_src) where SrcB holds a
datum with exponent 0; a SrcA row counter of 56, whose 16 rows run off the end; GAPOOL's
max_pool_index_en.
"""

from typing import Any

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.fpu_numerics import (
    ZERO_EXPONENT,
    accumulate,
    load_dst,
    phase_bits_a,
    phase_bits_b,
    phase_exponent,
    product_sum,
    saturating_add,
    storage_row,
    store_dst,
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


@kernel
def decode_src_a(s: Any, row: int, style: int, phase: int) -> int:
    """Decode 16 rows of SrcA by column: exponents to ``scratch_a[16 * column + k]``, twice the
    signed bits of the phase 256 further on (an int8: just its value there).

    Returns the union of all datums read.
    """
    bank = s.src_a_matrix_bank
    mask = STYLE_MASK[style]
    seen = 0
    for k in range(16):
        for column in range(16):
            x: int = s.src_a[bank, row + k, column]
            seen |= x
            x &= mask
            at = 16 * column + k
            if not x & EXPONENT:
                s.scratch_a[at] = ZERO_EXPONENT
                s.scratch_a[at + 256] = 0
            elif style == INT8:
                s.scratch_a[at + 256] = int8_from_src(x & INT8_MASK_A[phase & 1])
            else:
                s.scratch_a[at] = (x >> 23) & 255
                bits = phase_bits_a(x, phase) << 1
                s.scratch_a[at + 256] = -bits if x & 0x80000000 else bits
    return seen


@kernel
def decode_src_b(s: Any, row: int, rows: int, style: int, phase: int, adjust: int) -> int:
    """Decode rows of SrcB: exponents plus ``adjust`` to ``scratch_b[16 * row + k]``, the signed
    bits of the phase 128 further on.

    Returns the union of all datums read, with bit 0 set if some datum has exponent 0.
    """
    bank = s.src_b_matrix_bank
    mask = STYLE_MASK[style]
    seen = 0
    for i in range(rows):
        for k in range(16):
            x: int = s.src_b[bank, row + i, k]
            seen |= x
            x &= mask
            at = 16 * i + k
            if not x & EXPONENT:
                seen |= 1
                s.scratch_b[at] = ZERO_EXPONENT
                s.scratch_b[at + 128] = 0
            elif style == INT8:
                s.scratch_b[at + 128] = int8_from_src(x & INT8_MASK_B[phase >> 1])
            else:
                s.scratch_b[at] = ((x >> 23) & 255) + adjust
                bits = phase_bits_b(x, phase)
                s.scratch_b[at + 128] = -bits if x & 0x80000000 else bits
    return seen


@kernel
def integer_row(s: Any, at: int, b: int, dst_kind: int) -> int:
    """Add the decoded SrcB row at ``b`` times SrcA to a storage row of int32 Dst; returns OK."""
    for column in range(16):
        total = 0
        for k in range(16):
            total += s.scratch_a[256 + 16 * column + k] * s.scratch_b[b + 128 + k]
        total = saturating_add(load_dst(s, at, column, dst_kind), total)
        store_dst(s, at, column, dst_kind, total)
    return OK


@kernel
def float_row(s: Any, at: int, b: int, floor: int, dst_kind: int) -> int:
    """Add the decoded SrcB row at ``b`` times SrcA to a storage row of float Dst; returns OK."""
    for column in range(16):
        a = 16 * column
        exponent0, sop0 = product_sum(s, a, b, floor)
        exponent1, sop1 = product_sum(s, a + 8, b + 8, floor)
        dst = load_dst(s, at, column, dst_kind)
        dst = accumulate(s, exponent0, sop0, exponent1, sop1, dst, dst_kind)
        store_dst(s, at, column, dst_kind, dst)
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
    seen = decode_src_a(s, row_a, style_a, phase)
    seen_b = decode_src_b(s, row_b, 1 if broadcast else rows, style_b, phase, adjust)
    code = check_exponents(s, style_a, seen | (seen_b & ~1))
    if code != OK:
        return code
    if seen_b & 1 and config(s, t, s.f.ALU_ACC_CTRL_Zero_Flag_disabled_src):
        return fault(s, SRC_B_DENORMALS, seen_b & 0xFFFFE000)

    row = dst_address(s, t, dst) & (0x400 - rows)
    for i in range(0, rows, 2 if broadcast else 1):
        at = storage_row(s, row + i, dst_kind)
        b = 0 if broadcast else 16 * i
        if style_a == INT8:
            integer_row(s, at, b, dst_kind)
        else:
            float_row(s, at, b, adjust if adjust > 0 else 0, dst_kind)
        s.dst_valid[at] = 1
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
