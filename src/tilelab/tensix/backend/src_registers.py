"""SrcA and SrcB: who owns which bank, which format a bank holds, how its datums are laid out.

A bank belongs to the unpackers or to the matrix unit (``AllowedClient``): ``s.src[which]`` has it
as ``valid[bank]``, 1 for the matrix unit; ``which`` is 0 for SrcA, 1 for SrcB. An instruction that
reads a bank waits until it belongs to the matrix unit; one that clears "dvalid" gives the bank back
and turns to the other one.

Source: tt-isa-documentation, SrcASrcB.md. On Blackhole a bank remembers the format it was
unpacked as, and that format counts unless DISABLE_IMPLIED_SRCx_FMT says otherwise (ttsim).
"""

from typing import Final

from tilelab.sim.checks import Policy, check, refuse
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel, narrow
from tilelab.tensix.backend.semantics import config, thread_config
from tilelab.tensix.state.cycle_record import BECOMES_VALID
from tilelab.tensix.state.records import State
from tilelab.tensix.words.waits import WAIT_SRC_MATRIX

SRC_A: Final = 0
SRC_B: Final = 1
SRCS: Final = (SRC_A, SRC_B)
"""What ``which`` counts: SrcA, SrcB. In masks of both, SrcA is bit 0."""
SRC_ROWS: Final = 64

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

CLEAR_NOT_OWNED = tuple(
    check(
        f"src-{letter.lower()}-clear-not-valid",
        NonContractualBehaviorError,
        f"Src{letter} bank {{value}} is cleared, but the unpackers already own it",
        page="SrcASrcB.md",
        cure=f"wait for the bank (STALLWAIT on Src{letter} valid) before an instruction that "
        "clears its dvalid",
        policy=Policy.ERROR,
    )
    for letter in "AB"
)


@kernel
def wait_src(s: State, which: int) -> int:
    """OK if the matrix unit owns the bank that it is at, otherwise the wait code."""
    src = s.src[which]
    return OK if src.valid[src.matrix_bank] else WAIT_SRC_MATRIX[which]


@kernel
def turning(s: State, which: int) -> int:
    """Whether others still see the bank that the matrix unit has turned from, which was valid.

    Under the cycle clock alone.
    """
    return 1 if s.cycle.turned_at[which] > s.clock else 0


@kernel
def given(s: State, which: int, bank: int) -> int:
    """Whether a bank is the matrix unit's, or on its way to it, which only the cycle clock knows.

    To the unpackers it is gone from the moment that one of their instructions gave it.
    """
    src = s.src[which]
    return 1 if src.valid[bank] or s.cycle.pending[which, bank] == BECOMES_VALID else 0


@kernel
def wait_src_ab(s: State) -> int:
    """OK if the matrix unit owns both banks that it is at, otherwise a wait code."""
    code = wait_src(s, SRC_A)
    return code if code != OK else wait_src(s, SRC_B)


@kernel
def valid_bits(s: State) -> int:
    """Who owns each bank, in one number: SrcA's banks in bits 0 and 1, SrcB's in 2 and 3."""
    a = s.src[SRC_A]
    b = s.src[SRC_B]
    return a.valid[0] | a.valid[1] << 1 | b.valid[0] << 2 | b.valid[1] << 3


@kernel
def check_owned(s: State, which: int) -> int:
    """OK if the bank that the matrix unit is at is the matrix unit's to give back."""
    src = s.src[which]
    if not src.valid[src.matrix_bank] and refuse(s, CLEAR_NOT_OWNED[which], src.matrix_bank):
        return CLEAR_NOT_OWNED[which]
    return OK


@kernel
def keeps_src(s: State, t: int, which: int) -> int:
    """Whether a thread's instructions that clear "dvalid" only turn to the other bank."""
    return thread_config(s, t, s.f.CLR_DVALID_Src_Disable[which])


@kernel
def check_clear(s: State, t: int, clear: int) -> int:
    """OK if :func:`clear_src` may clear the banks of ``clear`` (bit 0 SrcA, bit 1 SrcB)."""
    for which in SRCS:
        if clear >> which & 1 and not keeps_src(s, t, which):
            code = check_owned(s, which)
            if code != OK:
                return code
    return OK


@kernel
def clear_src(s: State, t: int, clear: int) -> int:
    """Give banks back to the unpackers (unless disabled) and turn to the other ones; returns OK."""
    for which in SRCS:
        if clear >> which & 1:
            turn_bank(s, which, keeps_src(s, t, which))
    return OK


@kernel
def turn_bank(s: State, which: int, keeps: int) -> None:
    """Turn to the other bank; give the one before back to the unpackers unless it is kept."""
    src = s.src[which]
    if not keeps:
        src.valid[src.matrix_bank] = 0
    src.matrix_bank = src.matrix_bank ^ 1


@kernel
def configured_format(s: State, t: int, which: int) -> int:
    """A source register's data format as configured, without what a bank implies."""
    if config(s, t, s.f.ALU_FORMAT_SPEC_REG_Src_override[which]):
        return config(s, t, s.f.ALU_FORMAT_SPEC_REG_Src_val[which])
    if which == SRC_A:
        return config(s, t, s.f.ALU_FORMAT_SPEC_REG0_SrcA)
    return config(s, t, s.f.ALU_FORMAT_SPEC_REG1_SrcB)


@kernel
def format_for(s: State, t: int, which: int, ruling: int) -> int:
    """The bank's format where ``ruling``'s configuration lets it count, else that one's own."""
    disabled = thread_config(s, t, s.f.DISABLE_IMPLIED_SRC_FMT_Base[ruling])
    if s.arch.implied_src_format and not disabled:
        return s.src[which].format[s.src[which].matrix_bank]
    return configured_format(s, t, ruling)


@kernel
def src_format(s: State, t: int, which: int) -> int:
    """Data format that the matrix unit takes a source register to hold."""
    return format_for(s, t, which, which)


@kernel
def move_format(s: State, t: int, which: int) -> int:
    """Format that governs moves to and from Dst: as SrcA's is configured, or the bank's own."""
    return format_for(s, t, which, SRC_A)


@kernel
def row_of(s: State, t: int, which: int, row: int) -> int:
    """Row that an instruction names, counted from the thread's counter."""
    return (row + s.rwc[t].src[which]) & (SRC_ROWS - 1)


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
