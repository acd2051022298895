"""MVMUL, DOTPV and GAPOOL: ``Dst += SrcB @ SrcA``.

Source: tt-isa-documentation, MVMUL.md, DOTPV.md, GAPOOL.md; numerics as ``numerics.py`` says.

Not modelled: SrcB's denormals kept (ALU_ACC_CTRL_Zero_Flag_disabled_src) where SrcB holds a
datum with exponent 0; a SrcA row counter of 56, whose 16 rows run off the end; GAPOOL's
max_pool_index_en.
"""

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel, lanes, narrow, signed32
from tilelab.tensix.backend.matrix_unit.numerics import (
    GROUP,
    ZERO_EXPONENT,
    accumulate,
    integer_row,
    load_dst,
    locate_rows,
    lower,
    pair,
    phase_bits_a,
    phase_bits_b,
    phase_exponent,
    sum_products,
)
from tilelab.tensix.backend.matrix_unit.operands import (
    INT8_MASK_A,
    INT8_MASK_B,
    check_exponents,
    check_start,
    dst_address,
    dst_kind_of,
    fidelity_phase,
    source_styles,
    union,
)
from tilelab.tensix.backend.rwc import apply_addr_mod
from tilelab.tensix.backend.semantics import BOTH, config, semantics
from tilelab.tensix.backend.src_registers import (
    EXPONENT,
    FIVE_BIT_EXPONENT,
    FP16,
    INT8,
    SRC_A,
    SRC_B,
    STYLE_MASK,
    clear_src,
    int8_from_src,
)
from tilelab.tensix.state.records import State

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
def check_datums(s: State, t: int, style: int, row_a: int, row_b: int, rows_b: int) -> int:
    """OK unless the operands hold what is not modelled."""
    keeps_denormals = config(s, t, s.f.ALU_ACC_CTRL_Zero_Flag_disabled_src)
    if not (keeps_denormals or style & FIVE_BIT_EXPONENT):
        return OK
    seen_b = union(s, SRC_B, row_b, rows_b, 16)
    code = check_exponents(s, style, union(s, SRC_A, row_a, 16, 16) | seen_b)
    if code == OK and keeps_denormals and has_denormal_b(s, row_b, rows_b, STYLE_MASK[style]):
        return fault(s, SRC_B_DENORMALS, seen_b & 0xFFFFE000)
    return code


@narrow(32)
def has_denormal_b(s: State, row: int, rows: int, mask: int) -> int:
    """1 if some datum in rows of SrcB has exponent 0, those bits considered that count."""
    src = s.src[SRC_B]
    bank = src.matrix_bank
    found = 0
    for i in range(rows):
        for column in lanes(16):
            found |= 0 if signed32(src.data[bank, row + i, column]) & mask & EXPONENT else 1
    return found


@narrow(32)
def exponent_of(x: int) -> int:
    """A datum's exponent, so small for a zero that no product aligns with it."""
    exponent = (x >> 23) & 255
    return exponent if exponent else ZERO_EXPONENT


@narrow(32)
def twice_of(x: int, phase: int) -> int:
    """Twice the signed bits of a SrcA datum that a phase multiplies; 0 for a zero."""
    bits = phase_bits_a(x, phase) << 1
    bits = bits if x & EXPONENT else 0
    return -bits if x < 0 else bits


@narrow(32)
def signed_bits_b(x: int, phase: int) -> int:
    """The signed bits of a SrcB datum that a phase multiplies; 0 for a zero."""
    bits = phase_bits_b(x, phase)
    bits = bits if x & EXPONENT else 0
    return -bits if x < 0 else bits


@narrow(32)
def decode_src_a(s: State, row: int, mask: int, phase: int) -> int:
    """Decode 16 rows of SrcA, of whose bits ``mask`` count; returns OK.

    Gives exponents, and twice the signed bits that the phase multiplies.
    """
    work = s.matrix
    src = s.src[SRC_A]
    bank = src.matrix_bank
    for k in range(8):
        for column in lanes(16):
            x = signed32(src.data[bank, row + k, column]) & mask
            y = signed32(src.data[bank, row + k + 8, column]) & mask
            work.exponent_a_pair[k, column] = pair(exponent_of(x), exponent_of(y))
            work.twice_a_pair[k, column] = pair(twice_of(x, phase), twice_of(y, phase))
    return OK


@narrow(32)
def decode_src_b(s: State, row: int, rows: int, mask: int, phase: int, adjust: int) -> int:
    """Decode rows of SrcB, for :func:`pair_src_b`: exponents plus ``adjust``, and signed bits."""
    src = s.src[SRC_B]
    bank = src.matrix_bank
    for i in range(rows):
        for k in lanes(16):
            x = signed32(src.data[bank, row + i, k]) & mask
            s.matrix.word_b[i, k] = pair(signed_bits_b(x, phase), exponent_of(x) + adjust)
    return OK


@narrow(32, 256)
def pair_src_b(s: State, rows: int) -> int:
    """Bring together what is multiplied side by side: columns k and k + 8 of SrcB; returns OK."""
    work = s.matrix
    for i in range(rows):
        for k in lanes(8):
            first = work.word_b[i, k]
            second = work.word_b[i, k + 8]
            work.bits_b_pair[i, k] = pair(first, lower(second))
            work.exponent_b_pair[i, k] = pair(first >> 16, second >> 16)
    return OK


@narrow(32)
def decode_int8_a(s: State, row: int, mask: int) -> int:
    """Decode 16 rows of SrcA's integers; returns OK."""
    work = s.matrix
    src = s.src[SRC_A]
    bank = src.matrix_bank
    for k in range(16):
        for column in lanes(16):
            x = signed32(src.data[bank, row + k, column])
            value = int8_from_src(x & mask)
            work.twice_a[k & 7, 2 * column + (k >> 3)] = value if x & EXPONENT else 0
    return OK


@narrow(32)
def decode_int8_b(s: State, row: int, rows: int, mask: int) -> int:
    """Decode rows of SrcB's integers; returns OK."""
    work = s.matrix
    src = s.src[SRC_B]
    bank = src.matrix_bank
    for i in range(rows):
        for k in lanes(16):
            x = signed32(src.data[bank, row + i, k])
            value = int8_from_src(x & mask)
            work.word_b[i, k] = value if x & EXPONENT else 0
    return OK


@kernel
def integer_products(s: State, b: int) -> int:
    """Sums of the products of SrcB's row of integers with SrcA's columns; returns OK."""
    work = s.matrix
    for column in lanes(16):
        total = 0
        for k in GROUP:
            total += work.twice_a[k, 2 * column] * work.word_b[b, k]
            total += work.twice_a[k, 2 * column + 1] * work.word_b[b, k + 8]
        s.scratch_a[column] = total
    return OK


@kernel
def matrix_product(
    s: State, t: int, clear: int, addr_mode: int, dst: int, rows: int, broadcast: int
) -> int:
    """``Dst[rows] += SrcB[rows] @ SrcA[16]``; ``broadcast``: one SrcB row to rows 0, 2, 4, 6."""
    code = check_start(s, t)
    if code != OK:
        return code
    code, style_a, style_b = source_styles(s, t)
    if code != OK:
        return code
    phase = fidelity_phase(s, t)
    dst_kind = dst_kind_of(s, t, style_a)
    row_a = s.rwc[t].src[SRC_A] & 0x38
    if row_a > 48:
        return fault(s, SRC_A_RUNS_OVER, row_a)
    row_b = s.rwc[t].src[SRC_B] & (0x3F if broadcast else 0x38)
    rows_b = 1 if broadcast else rows
    code = check_datums(s, t, style_a, row_a, row_b, rows_b)
    if code != OK:
        return code

    step = 2 if broadcast else 1
    count = 4 if broadcast else rows
    locate_rows(s, dst_address(s, t, dst) & (0x400 - rows), count, step, dst_kind)
    if style_a == INT8:
        decode_int8_a(s, row_a, INT8_MASK_A[phase & 1])
        decode_int8_b(s, row_b, rows_b, INT8_MASK_B[phase >> 1])
        for i in range(count):
            integer_products(s, 0 if broadcast else i)
            integer_row(s, s.matrix.at[i], 1)
    else:
        adjust = phase_exponent(dst_kind, 1 if style_a == FP16 else 0, phase)
        decode_src_a(s, row_a, STYLE_MASK[style_a], phase)
        decode_src_b(s, row_b, rows_b, STYLE_MASK[style_b], phase, adjust)
        pair_src_b(s, rows_b)
        sum_products(s, count, broadcast, adjust if adjust > 0 else 0)
        load_dst(s, count, dst_kind, 1)
        accumulate(s, count, dst_kind, 2, 1)
    clear_src(s, t, clear)
    return apply_addr_mod(s, t, addr_mode, 1)


@semantics("MVMUL", BOTH)
def mvmul(s: State, t: int, clear_dvalid: int, instr_mod19: int, addr_mode: int, dst: int) -> int:
    """Matrix product of 8 rows of SrcB, or of one broadcast row (MVMUL.md)."""
    rows = 7 if instr_mod19 else 8
    return matrix_product(s, t, clear_dvalid, addr_mode, dst, rows, instr_mod19)


@semantics("DOTPV", BOTH)
def dotpv(s: State, t: int, clear_dvalid: int, addr_mode: int, dst: int) -> int:
    """Matrix product of 8 rows of SrcB (DOTPV.md)."""
    return matrix_product(s, t, clear_dvalid, addr_mode, dst, 8, 0)


@semantics("GAPOOL", BOTH, called={"pool_addr_mode": "addr_mode"})
def gapool(
    s: State,
    t: int,
    clear_dvalid: int,
    instr_mod19: int,
    addr_mode: int,
    max_pool_index_en: int,
    dst: int,
) -> int:
    """Matrix product of 4 rows of SrcB (GAPOOL.md); instr_mod19 has no effect."""
    if max_pool_index_en:
        return fault(s, GAPOOL_INDEX, max_pool_index_en)
    return matrix_product(s, t, clear_dvalid, addr_mode, dst, 4, 0)
