"""SrcA and SrcB: who owns which bank, which format a bank holds, how its datums are laid out.

A bank belongs to the unpackers or to the matrix unit (``AllowedClient``; ``s.src_a_valid[bank]``
is 1 for the matrix unit). An instruction that reads a bank waits until it belongs to the matrix
unit; one that clears "dvalid" gives the bank back and turns to the other one.

Source: tt-isa-documentation, SrcASrcB.md. On Blackhole a bank remembers the format it was
unpacked as, and that format counts unless DISABLE_IMPLIED_SRCx_FMT says otherwise (ttsim).
"""

from typing import Final

from tilelab.sim.checks import Policy, check, refuse
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel, narrow
from tilelab.tensix.backend.semantics import config, thread_config
from tilelab.tensix.state.records import State
from tilelab.tensix.words.waits import WAIT_SRC_A_MATRIX, WAIT_SRC_B_MATRIX

SRC_ROWS: Final = 64
CLEAR_A: Final = 1
CLEAR_B: Final = 2

BF16: Final = 0
FP16: Final = 1
TF32: Final = 2
INT8: Final = 3
FIVE_BIT_EXPONENT: Final = 1
"""The bit that FP16 and INT8 have in common."""
NO_STYLE: Final = -1

STYLE_OF_FORMAT: Final = (
    BF16,  # 0 fp32
    FP16,  # 1 fp16
    FP16,  # 2 bfp8a
    FP16,  # 3 bfp4a
    TF32,  # 4 tf32
    BF16,  # 5 bf16
    BF16,  # 6 bfp8
    BF16,  # 7 bfp4
    BF16,  # 8 int32
    BF16,  # 9 int16
    FP16,  # 10 fp8
    FP16,  # 11 bfp2a
    NO_STYLE,
    NO_STYLE,
    FP16,  # 14 int8
    BF16,  # 15 bfp2
)
"""How the matrix unit reads a datum of each data format (MVMUL.md)."""

FORMAT_FP16: Final = 1
FORMAT_TF32: Final = 4
FORMAT_INT8: Final = 14
FORMAT_BFP2: Final = 15

STYLE_MASK: Final = (~0xFFFF, ~0x70001FFF, ~0x1FFF, ~0x1FFF)
"""Which bits of a stored datum count, by style: bf16 has 7 mantissa bits, fp16 5 exponent bits."""

MAGNITUDE: Final = 0x7FFFFFFF
EXPONENT: Final = 0x7F800000
FP16_HIGH_EXPONENT: Final = 0x70000000
"""Exponent bits that a datum with a 5-bit exponent keeps at zero."""
ALL_ONES: Final = 0xFFFFE000
"""All 19 bits of a datum: what ZEROSRC writes as negative infinity."""

CLEAR_SRC_A_NOT_OWNED = check(
    "src-a-clear-not-valid",
    NonContractualBehaviorError,
    "SrcA bank {value} is cleared, but the unpackers already own it",
    page="SrcASrcB.md",
    cure="wait for the bank (STALLWAIT on SrcA valid) before an instruction that clears its dvalid",
    policy=Policy.ERROR,
)
CLEAR_SRC_B_NOT_OWNED = check(
    "src-b-clear-not-valid",
    NonContractualBehaviorError,
    "SrcB bank {value} is cleared, but the unpackers already own it",
    page="SrcASrcB.md",
    cure="wait for the bank (STALLWAIT on SrcB valid) before an instruction that clears its dvalid",
    policy=Policy.ERROR,
)


@kernel
def wait_src_a(s: State) -> int:
    """OK if the matrix unit owns the SrcA bank that it is at, otherwise the wait code."""
    if s.src_a_valid[s.src_a_matrix_bank]:
        return OK
    return WAIT_SRC_A_MATRIX


@kernel
def wait_src_b(s: State) -> int:
    """OK if the matrix unit owns the SrcB bank that it is at, otherwise the wait code."""
    if s.src_b_valid[s.src_b_matrix_bank]:
        return OK
    return WAIT_SRC_B_MATRIX


@kernel
def wait_src_ab(s: State) -> int:
    """OK if the matrix unit owns both banks that it is at, otherwise a wait code."""
    if wait_src_a(s) != OK:
        return WAIT_SRC_A_MATRIX
    return wait_src_b(s)


@kernel
def check_clear(s: State, t: int, clear: int) -> int:
    """OK if :func:`clear_src` may clear the banks of ``clear`` (bit 0 SrcA, bit 1 SrcB)."""
    bank = s.src_a_matrix_bank
    if clear & CLEAR_A and not s.src_a_valid[bank]:
        if not thread_config(s, t, s.f.CLR_DVALID_SrcA_Disable):
            if refuse(s, CLEAR_SRC_A_NOT_OWNED, bank):
                return CLEAR_SRC_A_NOT_OWNED
    bank = s.src_b_matrix_bank
    if clear & CLEAR_B and not s.src_b_valid[bank]:
        if not thread_config(s, t, s.f.CLR_DVALID_SrcB_Disable):
            if refuse(s, CLEAR_SRC_B_NOT_OWNED, bank):
                return CLEAR_SRC_B_NOT_OWNED
    return OK


@kernel
def clear_src(s: State, t: int, clear: int) -> int:
    """Give banks back to the unpackers (unless disabled) and turn to the other ones; returns OK."""
    if clear & CLEAR_A:
        if not thread_config(s, t, s.f.CLR_DVALID_SrcA_Disable):
            s.src_a_valid[s.src_a_matrix_bank] = 0
        s.src_a_matrix_bank = s.src_a_matrix_bank ^ 1
    if clear & CLEAR_B:
        if not thread_config(s, t, s.f.CLR_DVALID_SrcB_Disable):
            s.src_b_valid[s.src_b_matrix_bank] = 0
        s.src_b_matrix_bank = s.src_b_matrix_bank ^ 1
    return OK


@kernel
def configured_src_a_format(s: State, t: int) -> int:
    """SrcA's data format as configured, without what a bank implies."""
    if config(s, t, s.f.ALU_FORMAT_SPEC_REG_SrcA_override):
        return config(s, t, s.f.ALU_FORMAT_SPEC_REG_SrcA_val)
    return config(s, t, s.f.ALU_FORMAT_SPEC_REG0_SrcA)


@kernel
def src_a_format(s: State, t: int) -> int:
    """Data format that the matrix unit takes SrcA to hold."""
    if s.arch.implied_src_format and not thread_config(s, t, s.f.DISABLE_IMPLIED_SRCA_FMT_Base):
        return s.src_a_format[s.src_a_matrix_bank]
    return configured_src_a_format(s, t)


@kernel
def src_b_format(s: State, t: int) -> int:
    """Data format that the matrix unit takes SrcB to hold."""
    if s.arch.implied_src_format and not thread_config(s, t, s.f.DISABLE_IMPLIED_SRCB_FMT_Base):
        return s.src_b_format[s.src_b_matrix_bank]
    if config(s, t, s.f.ALU_FORMAT_SPEC_REG_SrcB_override):
        return config(s, t, s.f.ALU_FORMAT_SPEC_REG_SrcB_val)
    return config(s, t, s.f.ALU_FORMAT_SPEC_REG1_SrcB)


@kernel
def src_b_move_format(s: State, t: int) -> int:
    """Format that governs moves between SrcB and Dst: SrcA's, but implied by SrcB's bank."""
    if s.arch.implied_src_format and not thread_config(s, t, s.f.DISABLE_IMPLIED_SRCA_FMT_Base):
        return s.src_b_format[s.src_b_matrix_bank]
    return configured_src_a_format(s, t)


@kernel
def src_from_fp16(x: int) -> int:
    """A 16-bit float with 5 exponent bits as a datum of SrcA or SrcB."""
    return ((x & 0x8000) << 16) | ((x & 0x7FFF) << 13)


@kernel
def fp16_from_src(x: int) -> int:
    """A datum as sign, 5 exponent bits, 10 mantissa bits; the upper exponent bits are dropped."""
    return ((x >> 16) & 0x8000) | ((x >> 13) & 0x7FFF)


@narrow(32)
def int8_from_src(x: int) -> int:
    """A datum's sign and 10-bit magnitude (the datum as a signed word) as an integer."""
    magnitude = (x >> 13) & 0x3FF
    return -magnitude if x < 0 else magnitude
