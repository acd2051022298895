"""SETRWC, INCRWC, CLEARDVALID, GATESRCRST, ZEROACC, ZEROSRC: counters, banks, clearing.

Source: tt-isa-documentation, the pages of those names. ZEROACC's Blackhole-only parts (the
clear_zero_flags bit, blocks counted from the half of Dst in use) are as ttsim has them. ttsim
refuses most of what the pages allow beyond the vendor's kernels; the pages rule here.
"""

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import (
    NonContractualBehaviorError,
    UndefinedBehaviorError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.dst import DST_ROWS, dst16_row, dst32_row
from tilelab.tensix.backend.matrix_unit.operands import dst_address
from tilelab.tensix.backend.rwc import (
    DST_MASK,
    SRC_MASK,
    apply_addr_mod,
    check_addr_mod,
    step_dst,
    step_src,
)
from tilelab.tensix.backend.semantics import (
    BLACKHOLE,
    BOTH,
    WORMHOLE,
    config,
    semantics,
    thread_config,
)
from tilelab.tensix.backend.src_registers import (
    ALL_ONES,
    SRC_A,
    SRC_B,
    SRC_ROWS,
    SRCS,
    check_clear,
    check_owned,
    clear_src,
)
from tilelab.tensix.state.records import State

ONE_ROW, SIXTEEN_ROWS, HALF = 0, 1, 2
NO_BLOCK = 0xFF
"""The number of 16 rows that marks none (ckernel_instr_params.h, p_zeroacc::WHERE_NOP)."""

RESET_DROPS_BANKS = check(
    "cleardvalid-reset",
    UnsupportedFunctionalityError,
    "CLEARDVALID with reset={value} drops every SrcA and SrcB bank (tt-metal issue 22383)",
    page="CLEARDVALID.md",
    cure="clear single banks instead",
    policy=Policy.ERROR,
)
BLOCK_OUT_OF_RANGE = check(
    "zeroacc-block",
    NonContractualBehaviorError,
    "ZEROACC of block {value}, which Dst does not have, clears nothing on present silicon only",
    page="ZEROACC.md",
    cure="keep the block of 16 rows below 64, or below 32 for 32-bit data; 255 is none",
    policy=Policy.ERROR,
)
REVERT = check(
    "zeroacc-revert",
    UndefinedBehaviorError,
    "ZEROACC with clear_zero_flags=1 and clear_mode={value}, not 16 rows of 32 bits, is undefined",
    page="ZEROACC.md",
    cure="leave clear_zero_flags at 0",
)


@semantics("SETRWC", BOTH)
def setrwc(
    s: State,
    t: int,
    clear_ab_vld: int,
    rwc_cr: int,
    rwc_d: int,
    rwc_b: int,
    rwc_a: int,
    bit_mask: int,
) -> int:
    """Set counters, and give source banks back (SETRWC.md)."""
    code = check_clear(s, t, clear_ab_vld)
    if code != OK:
        return code
    for which in SRCS:
        if bit_mask >> which & 1:
            value = rwc_b if which == SRC_B else rwc_a
            if rwc_cr >> which & 1:
                value += s.rwc[t].src_cr[which]
            s.rwc[t].src[which] = value & SRC_MASK
            s.rwc[t].src_cr[which] = value & SRC_MASK
    if bit_mask & 4 or rwc_cr & 8:
        if rwc_cr & 8:  # C to CR
            rwc_d += s.rwc[t].dst
        elif rwc_cr & 4:
            rwc_d += s.rwc[t].dst_cr
        s.rwc[t].dst = rwc_d & DST_MASK
        s.rwc[t].dst_cr = rwc_d & DST_MASK
    if bit_mask & 8:
        s.rwc[t].fidelity = 0
    return clear_src(s, t, clear_ab_vld)


@semantics("INCRWC", BOTH)
def incrwc(s: State, t: int, rwc_cr: int, rwc_d: int, rwc_b: int, rwc_a: int) -> int:
    """Step counters (INCRWC.md)."""
    step_src(s, t, SRC_A, rwc_a, rwc_cr & 1)
    step_src(s, t, SRC_B, rwc_b, rwc_cr & 2)
    return step_dst(s, t, rwc_d, rwc_cr & 4)


@kernel
def drop_banks(s: State, which: int) -> int:
    """Have both banks of a source register as they are after a reset; returns OK."""
    src = s.src[which]
    src.matrix_bank = 0
    src.unpack_bank = 0
    for bank in range(2):
        src.valid[bank] = 0
        src.format[bank] = 0
        s.cycle.pending[which, bank] = 0
    return OK


@semantics("CLEARDVALID", BOTH)
def cleardvalid(s: State, t: int, cleardvalid: int, reset: int) -> int:
    """Give source banks back to the unpackers, whatever CLR_DVALID_SrcX_Disable says."""
    if reset & 1:
        if refuse(s, RESET_DROPS_BANKS, reset):
            return RESET_DROPS_BANKS
        for which in SRCS:
            drop_banks(s, which)
        return OK
    for which in SRCS:
        if cleardvalid >> which & 1:
            code = check_owned(s, which)
            if code != OK:
                return code
    turn = 0 if reset & 2 else 1  # bit 1: keep reading the same bank
    for which in SRCS:
        if cleardvalid >> which & 1:
            src = s.src[which]
            src.valid[src.matrix_bank] = 0
            src.matrix_bank = src.matrix_bank ^ turn
    return OK


@semantics("GATESRCRST", BOTH)
def gatesrcrst(s: State, t: int, reset_srcb_gate_control: int, reset_srca_gate_control: int) -> int:
    """Drop SrcB's operand cache, which holds nothing that the register does not (GATESRCRST.md)."""
    return OK


@kernel
def check_block(s: State, block: int, wide: int) -> int:
    """OK if Dst has a block of 16 rows of that number."""
    if block >= (32 if wide else 64) and refuse(s, BLOCK_OUT_OF_RANGE, block):
        return BLOCK_OUT_OF_RANGE
    return OK


@kernel
def mark_sixteen(s: State, block: int, wide: int, valid: int) -> int:
    """Mark 16 rows of ``Dst16b`` or ``Dst32b``; a block past the end is none. Returns OK."""
    block &= 0xFF
    if block < (32 if wide else 64):
        for i in range(16):
            row = 16 * block + i
            at = dst32_row(s, row) if wide else dst16_row(s, row)
            s.dst_valid[at] = valid
    return OK


@kernel
def mark_block(s: State, which: int, base: int, wide: int, valid: int) -> int:
    """Mark a block of 16 rows, counted from block ``base``; OK or a check's code.

    ``NO_BLOCK`` is none, wherever blocks count from: the instruction only moves counters.
    """
    if which == NO_BLOCK:
        return OK
    code = check_block(s, which + base, wide)
    if code != OK:
        return code
    return mark_sixteen(s, which + base, wide, valid)


@kernel
def zero_rows(s: State, t: int, mode: int, where: int) -> int:
    """The modes of ZEROACC that differ in nothing between chips; returns OK."""
    if mode == ONE_ROW:
        row = dst_address(s, t, where)
        wide = config(s, t, s.f.ALU_ACC_CTRL_Fp32_enabled)
        wide |= config(s, t, s.f.ALU_ACC_CTRL_INT8_math_enabled)
        at = dst32_row(s, row) if wide else dst16_row(s, row)
        s.dst_valid[at] = 0
    elif mode == HALF:
        start = (where & 1) * (DST_ROWS // 2)
        for row in range(start, start + DST_ROWS // 2):
            s.dst_valid[row] = 0
    else:
        for row in range(DST_ROWS):
            s.dst_valid[row] = 0
    return OK


@semantics("ZEROACC", WORMHOLE)
def zeroacc_wormhole(s: State, t: int, clear_mode: int, addr_mode: int, dst: int) -> int:
    """Mark rows of Dst as undefined (ZEROACC.md)."""
    mode = clear_mode & 3
    if mode <= SIXTEEN_ROWS:
        code = check_addr_mod(s, t)
        if code != OK:
            return code
    if mode == SIXTEEN_ROWS:
        code = mark_block(s, dst, 0, clear_mode >> 2, 0)
        if code != OK:
            return code
    else:
        zero_rows(s, t, mode, dst)
    if mode <= SIXTEEN_ROWS:
        return apply_addr_mod(s, t, addr_mode, 1)
    return OK


@semantics("ZEROACC", BLACKHOLE)
def zeroacc_blackhole(
    s: State,
    t: int,
    clear_mode: int,
    use_32_bit_mode: int,
    clear_zero_flags: int,
    addr_mode: int,
    where: int,
) -> int:
    """Mark rows of Dst as undefined, or with clear_zero_flags as defined (ZEROACC.md).

    Unless zeroacc_absolute_tile_mode is set, a block of 16 rows counts from the half of Dst that
    the thread's Dst offset lies in.
    """
    if clear_mode <= SIXTEEN_ROWS:
        code = check_addr_mod(s, t)
        if code != OK:
            return code
    if clear_zero_flags and not (clear_mode == SIXTEEN_ROWS and use_32_bit_mode):
        return fault(s, REVERT, clear_mode)
    if clear_mode == SIXTEEN_ROWS:
        base = 0
        offset = s.rwc[t].dst + thread_config(s, t, s.f.DEST_TARGET_REG_CFG_MATH_Offset)
        if not config(s, t, s.f.DEST_ACCESS_CFG_zeroacc_absolute_tile_mode):
            if use_32_bit_mode and offset & 768:
                base = 16
            elif not use_32_bit_mode and offset & 512:
                base = 32
        code = mark_block(s, where, base, use_32_bit_mode, clear_zero_flags)
        if code != OK:
            return code
    else:
        zero_rows(s, t, clear_mode, where)
    if clear_mode <= SIXTEEN_ROWS:
        return apply_addr_mod(s, t, addr_mode, 1)
    return OK


@semantics("ZEROSRC", BOTH)
def zerosrc(s: State, t: int, zero_val: int, write_mode: int, bank_mask: int, src_mask: int) -> int:
    """Fill source banks with 0, or SrcA with negative infinity (ZEROSRC.md).

    Clears both banks (``bank_mask``), the matrix unit's (``write_mode``) or the unpacker's.
    """
    for which in SRCS:
        src = s.src[which]
        only = src.matrix_bank if write_mode else src.unpack_bank
        fill = ALL_ONES if zero_val and which == SRC_A else 0
        for bank in range(2):
            if src_mask >> which & 1 and (bank_mask or bank == only):
                for row in range(SRC_ROWS):
                    for column in range(16):
                        src.data[bank, row, column] = fill
    return OK
