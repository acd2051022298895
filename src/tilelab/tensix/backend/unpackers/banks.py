"""SrcA's and SrcB's banks from the unpackers' side: waiting for one, filling it, giving it away.

Unpacker 0 writes SrcA, unpacker 1 SrcB. Sources: tt-isa-documentation, SrcASrcB.md,
UNPACR_Regular.md and UNPACR_NOP_*.md.

Not modelled: UNPACR_NOP of streams and registers, of both banks while the matrix unit owns one of
them, and Blackhole's clearing to an integer one or to a register's value.
"""

from typing import Final

from tilelab.sim.checks import Policy, check, fault, fault2, refuse
from tilelab.sim.errors import (
    NonContractualBehaviorError,
    UnimplementedFunctionalityError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.semantics import BLACKHOLE, WORMHOLE, config, semantics, thread_config
from tilelab.tensix.backend.src_registers import (
    ALL_ONES,
    SRC_ROWS,
    given,
    src_from_fp16,
    turning,
)
from tilelab.tensix.state.records import State
from tilelab.tensix.words.waits import WAIT_SRC_UNPACK

CLEAR: Final = 1
NOTHING: Final = 2
TO_INFINITY: Final = 1
TO_ONE: Final = 2
"""What Src_ClrVal_Ctrl says beside 0, clear to zero (tt-llk, assembly.yaml)."""
ONE_FP16: Final = src_from_fp16(0x3C00)
ONE_BF16: Final = 0x3F800000

ALREADY_VALID = tuple(
    check(
        f"src{letter.lower()}-already-valid",
        NonContractualBehaviorError,
        f"Src{letter}'s bank {{value}} is given to the matrix unit, which owns it already",
        page="UNPACR_NOP_SETDVALID.md",
        cure=f"wait until the bank is free: STALLWAIT on SRC{letter}_CLR, or an UNPACR before it",
        policy=Policy.ERROR,
    )
    for letter in "AB"
)
NOP_MODE = check(
    "unpacr-nop-mode",
    UnsupportedFunctionalityError,
    "UNPACR_NOP mode {value} is not modelled",
    page="UNPACR_NOP_ZEROSRC.md",
)
NOP_STREAM = check(
    "unpacr-nop-stream",
    UnsupportedFunctionalityError,
    "UNPACR_NOP with stream operands ({value}) is not modelled",
    page="UNPACR_NOP_OverlayClear.md",
)
NOP_BOTH_BANKS = check(
    "unpacr-nop-both-banks",
    UnsupportedFunctionalityError,
    "UNPACR_NOP of both banks races with the matrix unit, which owns bank {value}",
    page="UNPACR_NOP_ZEROSRC.md",
    cure="release both banks first: the instruction waits for one of them only",
)
NOP_CLEAR_VALUE = check(
    "unpacr-nop-clear-value",
    UnimplementedFunctionalityError,
    "UNPACR_NOP clear value {value}, format {value2}, is not modelled",
    page="UNPACR_NOP_ZEROSRC.md",
)
NOP_CLEAR_ONE = check(
    "unpacr-nop-clear-one",
    NonContractualBehaviorError,
    "UNPACR_NOP clears to one in format {value}: one of tt-llk's files names it, one reserves it",
    page="UNPACR_NOP_ZEROSRC.md",
    cure="unpack a tile of ones; what is cleared so is the number 1.0 in the format it names",
    policy=Policy.WARN,
)
NOP_B_INFINITY = check(
    "unpacr-nop-srcb-infinity",
    NonContractualBehaviorError,
    "UNPACR_NOP cannot fill SrcB with minus infinity on this chip (mode {value}): it clears it",
    page="UNPACR_NOP_ZEROSRC.md",
    policy=Policy.ERROR,
)


@kernel
def src_wait(s: State, unpacker: int, bank: int) -> int:
    """Return a wait code while the matrix unit owns the bank, or soon will, otherwise OK."""
    return WAIT_SRC_UNPACK[unpacker] if given(s, unpacker, bank) else OK


@kernel
def unpack_bank(s: State, unpacker: int) -> int:
    """The bank that the unpacker writes."""
    return s.src[unpacker].unpack_bank


@kernel
def give_src(s: State, t: int, unpacker: int, data_format: int) -> None:
    """Give the unpacker's bank to the matrix unit and go on with the other; returns 0.

    Where banks carry a format (Blackhole), the bank's becomes ``data_format``.
    """
    src = s.src[unpacker]
    bank = src.unpack_bank
    src.valid[bank] = 1
    src.unpack_bank = bank ^ 1
    if s.arch.implied_src_format:
        src.format[bank] = data_format
    s.unpack_src_row[unpacker, t] = thread_config(s, t, s.f.SRC_SET_Base[unpacker]) << 4


@kernel
def check_gift(s: State, unpacker: int) -> int:
    """OK if :func:`give_src` may give the unpacker's bank away."""
    bank = unpack_bank(s, unpacker)
    if given(s, unpacker, bank) and refuse(s, ALREADY_VALID[unpacker], bank):
        return ALREADY_VALID[unpacker]
    return OK


@kernel
def fill_src(s: State, unpacker: int, bank: int, value: int) -> None:
    """Fill a bank of the unpacker's with one value; returns 0."""
    src = s.src[unpacker]
    for row in range(SRC_ROWS):
        for column in range(16):
            src.data[bank, row, column] = value


@kernel
def clear_wait(s: State, unpacker: int, like_unpacr: int) -> int:
    """Return a wait code while clearing must wait for the matrix unit, otherwise OK.

    What counts is the bank that the matrix unit is at, or the unpacker's own if ``like_unpacr``.
    """
    if like_unpacr:
        return src_wait(s, unpacker, unpack_bank(s, unpacker))
    if turning(s, unpacker):
        return WAIT_SRC_UNPACK[unpacker]
    return src_wait(s, unpacker, s.src[unpacker].matrix_bank)


@kernel
def clear_and_give(
    s: State,
    t: int,
    unpacker: int,
    clear: int,
    like_unpacr: int,
    both: int,
    value: int,
    give: int,
) -> int:
    """Clear the unpacker's bank, or both, if asked to, then give it to the matrix unit if asked to.

    ``value`` is what it is filled with. Clearing waits (:func:`clear_wait`), giving a bank does
    not.
    """
    bank = unpack_bank(s, unpacker)
    if clear:
        code = clear_wait(s, unpacker, like_unpacr)
        if code != OK:
            return code
        if both and src_wait(s, unpacker, 0):
            return fault(s, NOP_BOTH_BANKS, 0)
        if both and src_wait(s, unpacker, 1):
            return fault(s, NOP_BOTH_BANKS, 1)
    if give:
        code = check_gift(s, unpacker)
        if code != OK:
            return code
    if clear:
        fill_src(s, unpacker, bank, value)
        if both:
            fill_src(s, unpacker, bank ^ 1, value)
    if give:
        give_src(s, t, unpacker, config(s, t, s.f.THCON_SEC_REG2_Out_data_format[unpacker]))
    return OK


@kernel
def clear_value(s: State, control: int, one_format: int) -> tuple[int, int]:
    """``(code, what Blackhole's UNPACR_NOP fills a bank with)``.

    ``one_format``: in which format a one is written, 0 fp16, 1 bf16 and tf32 (tt-llk,
    ckernel_instr_params.h, UNP_CLRSRC_ONE_*).
    """
    if control > TO_ONE or one_format > (1 if control == TO_ONE else 0):
        return fault2(s, NOP_CLEAR_VALUE, control, one_format), 0
    if control == TO_INFINITY:
        return OK, ALL_ONES
    if control == TO_ONE:
        if refuse(s, NOP_CLEAR_ONE, one_format):
            return NOP_CLEAR_ONE, 0
        return OK, ONE_BF16 if one_format else ONE_FP16
    return OK, 0


@semantics("UNPACR_NOP", BLACKHOLE)
def unpacr_nop_blackhole(
    s: State,
    t: int,
    unpacker_select: int,
    stream_id: int,
    msg_clr_cnt: int,
    set_dvalid: int,
    clr_to1_fmt_ctrl: int,
    stall_clr_cntrl: int,
    bank_clr_ctrl: int,
    src_clr_val_ctrl: int,
    unpack_pop: int,
) -> int:
    """Clear a Src bank and give it to the matrix unit, in order with UNPACR (UNPACR_NOP_*.md)."""
    if unpack_pop != CLEAR and unpack_pop != NOTHING:
        return fault(s, NOP_MODE, unpack_pop)
    if stream_id or msg_clr_cnt:
        return fault(s, NOP_STREAM, stream_id)
    code, value = clear_value(s, src_clr_val_ctrl, clr_to1_fmt_ctrl)
    if code != OK:
        return code
    clear = 1 if unpack_pop == CLEAR else 0
    return clear_and_give(
        s, t, unpacker_select, clear, stall_clr_cntrl, bank_clr_ctrl, value, set_dvalid
    )


@semantics("UNPACR_NOP", WORMHOLE)
def unpacr_nop_wormhole(s: State, t: int, unpack_block_selection: int, no_op: int) -> int:
    """Clear a Src bank, or give it to the matrix unit, in order with UNPACR (UNPACR_NOP_*.md)."""
    if no_op == NOTHING:
        return OK
    if no_op == 7:
        return clear_and_give(s, t, unpack_block_selection, 0, 0, 0, 0, 1)
    if no_op & 3 != CLEAR:
        return fault(s, NOP_MODE, no_op)
    negative = no_op >> 2 & 1
    if negative and unpack_block_selection:
        code = clear_wait(s, 1, no_op >> 4)
        if code != OK:
            return code
        if refuse(s, NOP_B_INFINITY, no_op):
            return NOP_B_INFINITY
        negative = 0
    value = ALL_ONES if negative else 0
    return clear_and_give(s, t, unpack_block_selection, 1, no_op >> 4, no_op >> 3 & 1, value, 0)
