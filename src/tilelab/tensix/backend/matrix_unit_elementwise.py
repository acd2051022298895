"""ELWADD, ELWSUB, ELWMUL: element by element over 8 rows of SrcA, SrcB and Dst.

Source: tt-isa-documentation, ELWADD.md, ELWSUB.md, ELWMUL.md; numerics as
:mod:`.fpu_numerics` says. With ALU_ACC_CTRL_Zero_Flag_disabled_src a SrcB datum of exponent 0 is
taken at its face value with a leading one (ttsim), otherwise as zero.
"""

from typing import Any

from tilelab.sim.checks import check, refuse
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.fpu_numerics import (
    DST_FP32,
    accumulate,
    load_dst,
    phase_bits_a,
    phase_bits_b,
    phase_exponent,
    saturating_add,
    shift_magnitude,
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

ADD, SUBTRACT, MULTIPLY = 0, 1, 2

PHASE_OF_SUM = check(
    "elwadd-fidelity",
    NonContractualBehaviorError,
    "an element-wise sum runs in fidelity phase {value}, which scales it down",
    page="ELWADD.md",
    cure="reset the fidelity counter (SETRWC) and FIDELITY_BASE before ELWADD or ELWSUB",
)
MULTIPLY_ACCUMULATES = check(
    "elwmul-accumulate",
    NonContractualBehaviorError,
    "ELWMUL always accumulates; dest_accum_en={value} means nothing",
    page="ELWMUL.md",
    cure="leave dest_accum_en at 0; use ZEROACC first to assign rather than add",
)


@kernel
def product(a: int, b: int, keep_b: int, adjust: int, phase: int) -> tuple[int, int]:
    """Exponent and SOP of one product of two datums."""
    exponent_a = (a >> 23) & 255
    exponent_b = (b >> 23) & 255
    exponent = exponent_a + exponent_b + adjust
    if exponent_a == 0 or (exponent_b == 0 and not keep_b) or exponent <= 0:
        return (adjust if adjust > 0 else 0), 0
    sop = (phase_bits_a(a, phase) * phase_bits_b(b, phase)) << 13
    return exponent, -sop if (a ^ b) & 0x80000000 else sop


@kernel
def significand(x: int) -> int:
    """The 11 significant bits of a datum; 0 only for the datum 0."""
    if x:
        return ((x >> 13) & 0x3FF) | 0x400
    return 0


@kernel
def sum_of_two(a: int, b: int, keep_b: int) -> tuple[int, int]:
    """Exponent and SOP of the sum of two datums, aligned to the larger with 11 bits and no more."""
    if not a & EXPONENT:
        a = 0
    if not (b & EXPONENT or keep_b):
        b = 0
    if (a & 0x7FFFFFFF) < (b & 0x7FFFFFFF):
        smaller = a
        a = b
        b = smaller
    exponent = (a >> 23) & 255
    down = exponent - ((b >> 23) & 255)
    small = shift_magnitude(significand(b), down) if down < 12 else 0
    if (a ^ b) & 0x80000000:
        small = -small
    sop = (significand(a) + small) << 13
    return exponent, -sop if a & 0x80000000 else sop


@kernel
def float_element(
    s: Any,
    a: int,
    b: int,
    dst: int,
    operation: int,
    keep_b: int,
    phase: int,
    is_fp16: int,
    kind: int,
) -> int:
    """One element of floating-point data, in fp32's bit layout; ``dst`` is 0 to assign."""
    adjust = phase_exponent(kind, is_fp16, phase)
    if operation == MULTIPLY:
        exponent, sop = product(a, b, keep_b, adjust, phase)
    else:
        exponent, sop = sum_of_two(a, b, keep_b)
        if is_fp16 and kind == DST_FP32:
            exponent = exponent + 127 - 15 if exponent else 127 - 30
        if phase & 1:
            exponent -= 5
        if phase & 2:
            exponent -= 7
    return accumulate(s, exponent, sop, 0, 0, dst, kind)


@kernel
def integer_element(a: int, b: int, dst: int, operation: int, keep_b: int, phase: int) -> int:
    """One element of int8 data; ``dst`` is 0 to assign."""
    zero_a = not a & EXPONENT
    zero_b = not (b & EXPONENT or keep_b)
    if operation == MULTIPLY:
        a &= INT8_MASK_A[phase & 1]
        b &= INT8_MASK_B[phase >> 1]
    x = 0 if zero_a else int8_from_src(a)
    y = 0 if zero_b else int8_from_src(b)
    return saturating_add(dst, x * y if operation == MULTIPLY else x + y)


@kernel
def operands_seen(s: Any, row_a: int, row_b: int, step_b: int, columns: int) -> int:
    """Union of all datums that an element-wise instruction reads."""
    seen = 0
    for i in range(8):
        for column in range(16):
            seen |= s.src_a[s.src_a_matrix_bank, row_a + i, column]
            seen |= s.src_b[s.src_b_matrix_bank, row_b + i * step_b, column * columns]
    return seen


@kernel
def elementwise(
    s: Any,
    t: int,
    operation: int,
    clear: int,
    accumulates: int,
    broadcast: int,
    addr_mode: int,
    dst: int,
) -> int:
    """Any of the three; ``broadcast`` bit 0: SrcB's column 0 to all, bit 1: one SrcB row to all."""
    code = wait_src_ab(s)
    if code == OK:
        code = check_addr_mod(s, t)
    if code != OK:
        return code
    code, style_a, style_b = source_styles(s, t)
    if code != OK:
        return code
    phase = fidelity_phase(s, t)
    if operation != MULTIPLY and phase and refuse(s, PHASE_OF_SUM, phase):
        return PHASE_OF_SUM
    kind = dst_kind_of(s, t, style_a)
    row_a = s.rwc[t].src_a & 0x38
    row_b = s.rwc[t].src_b & (0x3F if broadcast & 2 else 0x38)
    step_b = 0 if broadcast & 2 else 1
    columns = 0 if broadcast & 1 else 1
    code = check_exponents(s, style_a, operands_seen(s, row_a, row_b, step_b, columns))
    if code != OK:
        return code

    keep_b = config(s, t, s.f.ALU_ACC_CTRL_Zero_Flag_disabled_src)
    is_fp16 = 1 if style_a == FP16 else 0
    sign = 0x80000000 if operation == SUBTRACT else 0
    row = dst_address(s, t, dst) & 0x3F8
    for i in range(8):
        at = storage_row(s, row + i, kind)
        for column in range(16):
            a = s.src_a[s.src_a_matrix_bank, row_a + i, column] & STYLE_MASK[style_a]
            b = s.src_b[s.src_b_matrix_bank, row_b + i * step_b, column * columns]
            b = (b ^ sign) & STYLE_MASK[style_b]
            value = 0
            if accumulates:
                value = load_dst(s, at, column, kind)
            if style_a == INT8:
                value = integer_element(a, b, value, operation, keep_b, phase)
            else:
                value = float_element(s, a, b, value, operation, keep_b, phase, is_fp16, kind)
            store_dst(s, at, column, kind, value)
        s.dst_valid[at] = 1
    clear_src(s, t, clear)
    return apply_addr_mod(s, t, addr_mode, 1)


@semantics("ELWADD")
def elwadd(
    s: Any,
    t: int,
    clear_dvalid: int,
    dest_accum_en: int,
    instr_mod19: int,
    addr_mode: int,
    dst: int,
) -> int:
    """``Dst = SrcA + SrcB``, or ``Dst +=`` (ELWADD.md)."""
    return elementwise(s, t, ADD, clear_dvalid, dest_accum_en, instr_mod19, addr_mode, dst)


@semantics("ELWSUB")
def elwsub(
    s: Any,
    t: int,
    clear_dvalid: int,
    dest_accum_en: int,
    instr_mod19: int,
    addr_mode: int,
    dst: int,
) -> int:
    """``Dst = SrcA - SrcB``, or ``Dst +=`` (ELWSUB.md)."""
    return elementwise(s, t, SUBTRACT, clear_dvalid, dest_accum_en, instr_mod19, addr_mode, dst)


@semantics("ELWMUL")
def elwmul(
    s: Any,
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
