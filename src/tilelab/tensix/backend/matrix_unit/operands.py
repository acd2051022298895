"""What the matrix unit's instructions share: formats, row addresses, fidelity phase, checks.

Source: tt-isa-documentation, MVMUL.md, ELWADD.md, ELWMUL.md; RWCs.md for addresses. Rows are
masked to the alignment that each page states. ttsim refuses most of what that masking allows.
"""

from typing import Final

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import (
    MissingSpecificationError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK, kernel, lanes, narrow, signed32
from tilelab.tensix.backend.matrix_unit.numerics import DST_BF16, DST_FP16, DST_FP32, DST_INT32
from tilelab.tensix.backend.rwc import check_addr_mod
from tilelab.tensix.backend.semantics import config, thread_config
from tilelab.tensix.backend.src_registers import (
    FIVE_BIT_EXPONENT,
    FORMAT_BFP2,
    FORMAT_INT8,
    FP16,
    FP16_HIGH_EXPONENT,
    INT8,
    NO_STYLE,
    SRC_A,
    SRC_B,
    STYLE_OF_FORMAT,
    src_format,
    wait_src_ab,
)
from tilelab.tensix.state.records import State

UNKNOWN_FORMAT = check(
    "matrix-format-unknown",
    MissingSpecificationError,
    "data format {value} of a source operand names no format",
    page="SrcASrcB.md",
    cure="set ALU_FORMAT_SPEC_REG0_SrcA / REG1_SrcB, or unpack with a format",
)
FORMATS_DIFFER = check(
    "matrix-formats-differ",
    UnsupportedFunctionalityError,
    "SrcA has data format {value} but SrcB is of the other exponent width",
    page="MVMUL.md",
    cure="give both operands 8-bit-exponent formats, or both 5-bit-exponent formats",
    policy=Policy.ERROR,
)
INT8_FORMAT = check(
    "matrix-int8-format",
    UnsupportedFunctionalityError,
    "integer maths is enabled, but a source operand has data format {value}",
    page="MVMUL.md",
    cure="unpack both operands as int8, or clear ALU_ACC_CTRL_INT8_math_enabled",
    policy=Policy.ERROR,
)
HIGH_EXPONENT = check(
    "matrix-fp16-exponent",
    UnsupportedFunctionalityError,
    "a datum of {value:#010x} (all operand bits united) has more than 5 exponent bits",
    page="SrcASrcB.md",
    cure="the operand was written in another format than the one it is read in",
    policy=Policy.ERROR,
)
STOCHASTIC = check(
    "matrix-alu-rounding-mode-fpu-srnd-en",
    MissingSpecificationError,
    "ALU_ROUNDING_MODE_Fpu_srnd_en asks for stochastic rounding, whose random bits nobody "
    "documents: rounded as without it",
    page="MVMUL.md",
    cure="clear it, or compare with a tolerance",
    policy=Policy.WARN,
)


@kernel
def dst_address(s: State, t: int, dst: int) -> int:
    """An instruction's Dst row, before masking: its field, the thread's offset, RWC and base."""
    row = s.rwc[t].dst
    row += dst + thread_config(s, t, s.f.DEST_TARGET_REG_CFG_MATH_Offset)
    return row + config(s, t, s.f.DEST_REGW_BASE_Base)


@kernel
def fidelity_phase(s: State, t: int) -> int:
    """Which of the four slices of the operands is multiplied."""
    phase = s.rwc[t].fidelity
    return (phase + thread_config(s, t, s.f.FIDELITY_BASE_Phase)) & 3


@kernel
def check_start(s: State, t: int) -> int:
    """OK if both banks are there and the address mode is modelled, else a wait or check's code."""
    code = wait_src_ab(s)
    return code if code != OK else check_addr_mod(s, t)


@kernel
def source_styles(s: State, t: int) -> tuple[int, int, int]:
    """Return ``(code, style of SrcA, style of SrcB)`` for an instruction that computes."""
    stochastic = config(s, t, s.f.ALU_ROUNDING_MODE_Fpu_srnd_en)
    if stochastic and refuse(s, STOCHASTIC, stochastic):
        return STOCHASTIC, FP16, FP16
    if thread_config(s, t, s.f.FP16A_FORCE_Enable):
        return OK, FP16, FP16
    a = src_format(s, t, SRC_A)
    b = src_format(s, t, SRC_B)
    if config(s, t, s.f.ALU_ACC_CTRL_INT8_math_enabled):
        if a != FORMAT_INT8 and refuse(s, INT8_FORMAT, a):
            return INT8_FORMAT, INT8, INT8
        if b != FORMAT_INT8 and b != FORMAT_BFP2 and refuse(s, INT8_FORMAT, b):
            return INT8_FORMAT, INT8, INT8
        return OK, INT8, INT8
    style_a = STYLE_OF_FORMAT[a]
    style_b = STYLE_OF_FORMAT[b]
    if style_a == NO_STYLE:
        return fault(s, UNKNOWN_FORMAT, a), style_a, style_b
    if style_b == NO_STYLE:
        return fault(s, UNKNOWN_FORMAT, b), style_a, style_b
    if (style_a == FP16) != (style_b == FP16):
        if refuse(s, FORMATS_DIFFER, a):
            return FORMATS_DIFFER, style_a, style_b
        style_b = style_a  # the pages let SrcA's format rule
    return OK, style_a, style_b


@kernel
def dst_kind_of(s: State, t: int, style: int) -> int:
    """Which kind of number Dst holds for an instruction whose SrcA has the given style."""
    if style == INT8:
        return DST_INT32
    if thread_config(s, t, s.f.FP16A_FORCE_Enable):
        return DST_FP16
    if config(s, t, s.f.ALU_ACC_CTRL_Fp32_enabled):
        return DST_FP32
    if style == FP16:
        return DST_FP16
    return DST_BF16


@narrow(32)
def union(s: State, which: int, row: int, rows: int, columns: int) -> int:
    """The union of all datums in the first columns of rows of SrcA or SrcB."""
    src = s.src[which]
    bank = src.matrix_bank
    seen = 0
    for i in range(rows):
        for column in lanes(16):
            x = signed32(src.data[bank, row + i, column])
            seen |= x if column < columns else 0
    return seen


@kernel
def check_exponents(s: State, style: int, seen: int) -> int:
    """OK unless ``seen``, the union of all datums read, has bits that the style lacks."""
    if style & FIVE_BIT_EXPONENT and seen & FP16_HIGH_EXPONENT:
        if refuse(s, HIGH_EXPONENT, seen & 0xFFFFFFFF):
            return HIGH_EXPONENT  # otherwise the extra bits are dropped
    return OK


INT8_MASK_A: Final = (~0x7FE3FFFF, ~0x7FFC1FFF)
"""Sign and magnitude bits of a SrcA int8 that a phase multiplies: 7..5, or 4..0 if phase & 1."""
INT8_MASK_B: Final = (~0x7F81FFFF, ~0x7FFE1FFF)
"""Sign and magnitude bits of a SrcB int8 that a phase multiplies: 9..4, or 3..0 if phase & 2."""
