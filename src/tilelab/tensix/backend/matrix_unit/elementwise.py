"""ELWADD, ELWSUB, ELWMUL: element by element over 8 rows of SrcA, SrcB and Dst.

Source: tt-isa-documentation, ELWADD.md, ELWSUB.md, ELWMUL.md; numerics as
``numerics.py`` says. With ALU_ACC_CTRL_Zero_Flag_disabled_src a SrcB datum of exponent 0 is
taken at its face value with a leading one (ttsim), otherwise as zero.
"""

from tilelab.sim.checks import Policy, check, refuse
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel, lanes, narrow, signed32
from tilelab.tensix.backend.matrix_unit.numerics import (
    DST_FP32,
    accumulate,
    integer_row,
    load_dst,
    locate_rows,
    phase_bits_a,
    phase_bits_b,
    phase_exponent,
    redo_wrapped_sums,
    shift_by,
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

ADD, SUBTRACT, MULTIPLY = 0, 1, 2

PHASE_OF_SUM = check(
    "elwadd-fidelity",
    NonContractualBehaviorError,
    "an element-wise sum runs in fidelity phase {value}, which scales it down",
    page="ELWADD.md",
    cure="reset the fidelity counter (SETRWC) and FIDELITY_BASE before ELWADD or ELWSUB",
    policy=Policy.ERROR,
)
MULTIPLY_ACCUMULATES = check(
    "elwmul-accumulate",
    NonContractualBehaviorError,
    "ELWMUL always accumulates; dest_accum_en={value} means nothing",
    page="ELWMUL.md",
    cure="leave dest_accum_en at 0; use ZEROACC first to assign rather than add",
    policy=Policy.ERROR,
)


@kernel
def check_datums(s: State, style: int, row_a: int, row_b: int, broadcast: int) -> int:
    """OK unless the operands hold what is not modelled."""
    if not style & FIVE_BIT_EXPONENT:
        return OK
    rows_b = 1 if broadcast & 2 else 8
    columns_b = 1 if broadcast & 1 else 16
    seen = union(s, SRC_A, row_a, 8, 16) | union(s, SRC_B, row_b, rows_b, columns_b)
    return check_exponents(s, style, seen)


@narrow(32)
def take_src_b(s: State, row: int, broadcast: int, mask: int, sign: int) -> int:
    """Copy those bits of SrcB that ``mask`` keeps to working memory, all xor ``sign``; returns OK.

    ``broadcast`` bit 0: column 0 to all, bit 1: one row to all.
    """
    src = s.src[SRC_B]
    bank = src.matrix_bank
    for i in range(8):
        from_row = row if broadcast & 2 else row + i
        if broadcast & 1:
            x = signed32(src.data[bank, from_row, 0])
            for column in lanes(16):
                s.matrix.word_b[i, column] = (x ^ sign) & mask
        else:
            for column in lanes(16):
                x = signed32(src.data[bank, from_row, column])
                s.matrix.word_b[i, column] = (x ^ sign) & mask
    return OK


@narrow(32)
def multiply_rows(s: State, row: int, mask: int, keep_b: int, adjust: int, phase: int) -> int:
    """Exponents and SOPs of single products; returns OK."""
    work = s.matrix
    src = s.src[SRC_A]
    bank = src.matrix_bank
    floor = adjust if adjust > 0 else 0
    for i in range(8):
        for column in lanes(16):
            a = signed32(src.data[bank, row + i, column]) & mask
            b = work.word_b[i, column]
            exponent_a = (a >> 23) & 255
            exponent_b = (b >> 23) & 255
            exponent = exponent_a + exponent_b + adjust
            exponent = exponent if exponent_a and (exponent_b or keep_b) else 0
            sop = phase_bits_a(a, phase) * phase_bits_b(b, phase)
            sop = sop if exponent > 0 else 0
            work.exponent_pair[i, column] = exponent if exponent > 0 else floor
            work.sum_pair[i, column] = -sop if (a ^ b) < 0 else sop
    return OK


@narrow(32)
def aligned(x: int, down: int) -> int:
    """A datum's 11 significant bits, signed, shifted down, halves up, << 13; 0 only if it is 0."""
    significand = (x & 0x7FE000) | 0x800000 if x else 0
    size = ((significand >> shift_by(down)) + 0x1000) & -0x2000
    return -size if x < 0 else size


@narrow(32)
def add_rows(s: State, row: int, mask: int, keep_b: int, rebias: int, zero: int) -> int:
    """Exponents and SOPs of sums, aligned to the larger exponent with 11 bits and no more; OK.

    ``rebias`` is added to the exponents, and ``zero`` stands for an exponent of 0.
    """
    work = s.matrix
    src = s.src[SRC_A]
    bank = src.matrix_bank
    for i in range(8):
        for column in lanes(16):
            a = signed32(src.data[bank, row + i, column]) & mask
            b = work.word_b[i, column]
            a = a if a & EXPONENT else 0
            b = b if b & EXPONENT or keep_b else 0
            exponent_a = (a >> 23) & 255
            exponent_b = (b >> 23) & 255
            exponent = exponent_a if exponent_a > exponent_b else exponent_b
            sop = aligned(a, exponent - exponent_a) + aligned(b, exponent - exponent_b)
            work.exponent_pair[i, column] = exponent + rebias if exponent else zero
            work.sum_pair[i, column] = sop >> 13
    return OK


@narrow(32)
def integer_elements(s: State, row: int, i: int, operation: int, keep_b: int, phase: int) -> int:
    """Sums or products of a row of integers to ``scratch_a[column]``; returns OK."""
    mask_a = INT8_MASK_A[phase & 1] if operation == MULTIPLY else -1
    mask_b = INT8_MASK_B[phase >> 1] if operation == MULTIPLY else -1
    work = s.matrix
    src = s.src[SRC_A]
    bank = src.matrix_bank
    for column in lanes(16):
        a = signed32(src.data[bank, row + i, column])
        b = work.word_b[i, column]
        x = int8_from_src(a & mask_a) if a & EXPONENT else 0
        y = int8_from_src(b & mask_b) if b & EXPONENT or keep_b else 0
        s.scratch_a[column] = x * y if operation == MULTIPLY else x + y
    return OK


@kernel
def elementwise(
    s: State,
    t: int,
    operation: int,
    clear: int,
    accumulates: int,
    broadcast: int,
    addr_mode: int,
    dst: int,
) -> int:
    """Any of the three; ``broadcast`` bit 0: SrcB's column 0 to all, bit 1: one SrcB row to all."""
    code = check_start(s, t)
    if code != OK:
        return code
    code, style_a, style_b = source_styles(s, t)
    if code != OK:
        return code
    phase = fidelity_phase(s, t)
    if operation != MULTIPLY and phase and refuse(s, PHASE_OF_SUM, phase):
        return PHASE_OF_SUM
    kind = dst_kind_of(s, t, style_a)
    row_a = s.rwc[t].src[SRC_A] & 0x38
    row_b = s.rwc[t].src[SRC_B] & (0x3F if broadcast & 2 else 0x38)
    code = check_datums(s, style_a, row_a, row_b, broadcast)
    if code != OK:
        return code

    keep_b = config(s, t, s.f.ALU_ACC_CTRL_Zero_Flag_disabled_src)
    adjust = phase_exponent(kind, 1 if style_a == FP16 else 0, phase)
    rebias = 0
    zero = 0
    if style_a == FP16 and kind == DST_FP32:
        rebias = 127 - 15
        zero = 127 - 30
    slice_exponent = phase_exponent(DST_FP32, 0, phase) + 127
    sign = -0x80000000 if operation == SUBTRACT else 0
    mask_a = STYLE_MASK[style_a]
    take_src_b(s, row_b, broadcast, STYLE_MASK[style_b], sign)
    locate_rows(s, dst_address(s, t, dst) & 0x3F8, 8, 1, kind)
    if style_a == INT8:
        for i in range(8):
            integer_elements(s, row_a, i, operation, keep_b, phase)
            integer_row(s, s.matrix.at[i], accumulates)
    else:
        if operation == MULTIPLY:
            multiply_rows(s, row_a, mask_a, keep_b, adjust, phase)
        else:
            add_rows(s, row_a, mask_a, keep_b, rebias + slice_exponent, zero + slice_exponent)
        if accumulates or keep_b:
            load_dst(s, 8, kind, accumulates)
        if accumulates:
            accumulate(s, 8, kind, 1, 1)
        else:
            accumulate(s, 8, kind, 1, 0)
        if keep_b and operation != MULTIPLY:
            redo_wrapped_sums(s, 8, kind, zero + slice_exponent)
    clear_src(s, t, clear)
    return apply_addr_mod(s, t, addr_mode, 1)


@semantics("ELWADD", BOTH)
def elwadd(
    s: State,
    t: int,
    clear_dvalid: int,
    dest_accum_en: int,
    instr_mod19: int,
    addr_mode: int,
    dst: int,
) -> int:
    """``Dst = SrcA + SrcB``, or ``Dst +=`` (ELWADD.md)."""
    return elementwise(s, t, ADD, clear_dvalid, dest_accum_en, instr_mod19, addr_mode, dst)


@semantics("ELWSUB", BOTH)
def elwsub(
    s: State,
    t: int,
    clear_dvalid: int,
    dest_accum_en: int,
    instr_mod19: int,
    addr_mode: int,
    dst: int,
) -> int:
    """``Dst = SrcA - SrcB``, or ``Dst +=`` (ELWSUB.md)."""
    return elementwise(s, t, SUBTRACT, clear_dvalid, dest_accum_en, instr_mod19, addr_mode, dst)


@semantics("ELWMUL", BOTH)
def elwmul(
    s: State,
    t: int,
    clear_dvalid: int,
    dest_accum_en: int,
    instr_mod19: int,
    addr_mode: int,
    dst: int,
) -> int:
    """``Dst += SrcA * SrcB`` (ELWMUL.md)."""
    if dest_accum_en and refuse(s, MULTIPLY_ACCUMULATES, dest_accum_en):
        return MULTIPLY_ACCUMULATES
    return elementwise(s, t, MULTIPLY, clear_dvalid, 1, instr_mod19, addr_mode, dst)
