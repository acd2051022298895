"""MOVA2D, MOVDBGA2D, MOVB2D, MOVD2A, MOVD2B, MOVB2A: rows between SrcA, SrcB and Dst.

Source: tt-isa-documentation, the pages of those names. LaneConfig.BLOCK_DEST_MOV (SFPCONFIG.md)
keeps the even or the odd columns of a move's target as they were.

The page and ttsim disagree on three points, and ttsim's recorded cases rule: MOVB2A copies all 19
bits (the page truncates to SrcB's format), MOVB2D on Blackhole heeds the bank's implied format, and
MOVB2D reads only the bits that SrcB's own format has, whichever format governs the move. Data that
was unpacked in the format it is moved in is the same either way.
"""

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import (
    UndefinedBehaviorError,
)
from tilelab.sim.kernel import OK, kernel, lanes
from tilelab.tensix.backend.dst import (
    LOW_HALF,
    bf16_from_dst,
    bf16_to_dst,
    dst16_row,
    dst32_row,
    fp16_from_dst,
    fp16_to_dst,
)
from tilelab.tensix.backend.matrix_unit.operands import UNKNOWN_FORMAT, dst_address
from tilelab.tensix.backend.rwc import apply_addr_mod, check_addr_mod
from tilelab.tensix.backend.semantics import (
    BOTH,
    config,
    semantics,
    thread_config,
)
from tilelab.tensix.backend.src_registers import (
    BF16,
    EXPONENT,
    FORMAT_FP16,
    FORMAT_TF32,
    FP16,
    NO_STYLE,
    SRC_A,
    SRC_B,
    STYLE_MASK,
    STYLE_OF_FORMAT,
    TF32,
    fp16_from_src,
    move_format,
    row_of,
    src_format,
    src_from_fp16,
    wait_src,
)
from tilelab.tensix.state.records import State

TF32_TO_LOW_HALF = check(
    "move-tf32-low",
    UndefinedBehaviorError,
    "dest_32b_lo={value} with a tf32 source mixes its upper into its lower bits (erratum TEN-4245)",
    page="MOVA2D.md",
    cure="clear dest_32b_lo, or use a source format other than tf32",
    policy=Policy.ERROR,
)
DST16_HAS_NO_LOW_HALF = check(
    "move-dst16-low",
    UndefinedBehaviorError,
    "dest_32b_lo={value}, but Dst holds 16-bit data",
    page="MOVD2A.md",
    cure="clear dest_32b_lo, or set ALU_ACC_CTRL_Fp32_enabled",
)
DST16_HOLDS_NO_TF32 = check(
    "move-dst16-tf32",
    UndefinedBehaviorError,
    "source format {value} is tf32, but Dst holds 16-bit data",
    page="MOVD2A.md",
    cure="set ALU_ACC_CTRL_Fp32_enabled, or use a 16-bit source format",
)


@kernel
def column_blocked(s: State, column: int) -> int:
    """1 if LaneConfig.BLOCK_DEST_MOV keeps moves away from the column."""
    return (s.vector.lane_config >> (9 + (column & 1))) & 1


@kernel
def move_style(s: State, t: int, data_format: int) -> int:
    """Style of a format for a move, FP16A_FORCE considered; NO_STYLE for an unknown format."""
    if thread_config(s, t, s.f.FP16A_FORCE_Enable):
        return FP16
    return STYLE_OF_FORMAT[data_format]


@kernel
def check_move(s: State, t: int, data_format: int) -> int:
    """OK if a datum of the format can be moved at all."""
    code = check_addr_mod(s, t)
    if code == OK and move_style(s, t, data_format) == NO_STYLE:
        return fault(s, UNKNOWN_FORMAT, data_format)
    return code


@kernel
def check_move_to_dst(s: State, t: int, data_format: int, low_half: int) -> int:
    """OK if a datum of the format can be moved to Dst."""
    code = check_move(s, t, data_format)
    if code != OK:
        return code
    if STYLE_OF_FORMAT[data_format] == TF32 and low_half:
        if refuse(s, TF32_TO_LOW_HALF, low_half):
            return TF32_TO_LOW_HALF
    return OK


@kernel
def put_in_dst(s: State, row: int, style: int, to32: int, low_half: int) -> int:
    """Write the datums of ``scratch_a[column]`` to row ``Dst16b`` or ``Dst32b``; returns OK.

    Of a 32-bit row, ``to32`` writes both halves (tf32 has three mantissa bits more than bf16);
    otherwise ``low_half`` says which.
    """
    at = dst32_row(s, row) if to32 or low_half else dst16_row(s, row)
    to_high = to32 or not low_half
    defined = 0xFFFF if s.dst_valid[at] else 0
    for column in lanes(16):
        x = s.scratch_a[column]
        value = fp16_to_dst(fp16_from_src(x)) if style == FP16 else bf16_to_dst(x >> 16)
        old = s.dst[at, column]
        high = value if to_high else old & defined
        s.dst[at, column] = old if column_blocked(s, column) else high
    if to32 or low_half:
        for column in lanes(16):
            x = s.scratch_a[column]
            value = fp16_to_dst(fp16_from_src(x)) if style == FP16 else bf16_to_dst(x >> 16)
            low = value if low_half else 0
            low |= (x >> 13 & 7) << 13 if to32 else 0
            old = s.dst[at + LOW_HALF, column]
            s.dst[at + LOW_HALF, column] = old if column_blocked(s, column) else low
    s.dst_valid[at] = 1
    return OK


@kernel
def take_from_src(s: State, which: int, row: int, keep: int) -> int:
    """A row's datums to ``scratch_a[column]``, denormals as 0 unless they are kept; returns OK."""
    src = s.src[which]
    bank = src.matrix_bank
    for column in lanes(16):
        x = src.data[bank, row, column]
        s.scratch_a[column] = x if x & EXPONENT or keep else 0
    return OK


@kernel
def move_a_to_dst(
    s: State, t: int, low_half: int, src: int, addr_mode: int, mode: int, dst: int
) -> int:
    """MOVA2D without its wait; ``mode`` bit 1: eight rows."""
    data_format = move_format(s, t, SRC_A)
    code = check_move_to_dst(s, t, data_format, low_half)
    if code != OK:
        return code
    style = move_style(s, t, data_format)
    to32 = 1 if STYLE_OF_FORMAT[data_format] == TF32 else 0
    keep = config(s, t, s.f.ALU_ACC_CTRL_Zero_Flag_disabled_src)
    row = dst_address(s, t, dst) & 0x3FF
    row_a = row_of(s, t, SRC_A, src)
    rows = 1
    if mode & 2:
        rows = 8
        row &= 0x3F8
        row_a &= 0x38
    for i in range(rows):
        take_from_src(s, SRC_A, row_a + i, keep)
        put_in_dst(s, row + i, style, to32, low_half)
    return apply_addr_mod(s, t, addr_mode, 1)


@semantics("MOVA2D", BOTH)
def mova2d(
    s: State, t: int, dest_32b_lo: int, src: int, addr_mode: int, instr_mod: int, dst: int
) -> int:
    """Move 1 or 8 rows from SrcA to Dst (MOVA2D.md)."""
    wait = wait_src(s, SRC_A)
    if wait != OK:
        return wait
    return move_a_to_dst(s, t, dest_32b_lo, src, addr_mode, instr_mod, dst)


@semantics("MOVDBGA2D", BOTH)
def movdbga2d(
    s: State, t: int, dest_32b_lo: int, src: int, addr_mode: int, instr_mod: int, dst: int
) -> int:
    """MOVA2D from a bank that need not be valid (MOVDBGA2D.md)."""
    return move_a_to_dst(s, t, dest_32b_lo, src, addr_mode, instr_mod, dst)


@kernel
def moved_bits(own_format: int) -> int:
    """Bits of a SrcB datum that MOVB2D reads, by the format that SrcB holds (ttsim)."""
    if own_format == FORMAT_FP16:
        return STYLE_MASK[FP16]
    return STYLE_MASK[TF32] if own_format == FORMAT_TF32 else STYLE_MASK[BF16]


@semantics("MOVB2D", BOTH, called={"movb2d_instr_mod": "instr_mod"})
def movb2d(
    s: State, t: int, dest_32b_lo: int, src: int, addr_mode: int, instr_mod: int, dst: int
) -> int:
    """Move or broadcast rows from SrcB to Dst (MOVB2D.md).

    ``instr_mod``: bit 0 column 0 to all, bit 1 a row to 8, bit 2 four rows.
    With the option ``movb2d_fp32``, and Fp32_enabled, it writes 32-bit rows whatever the format,
    and nothing to their low halves.
    """
    wait = wait_src(s, SRC_B)
    if wait != OK:
        return wait
    data_format = move_format(s, t, SRC_B)
    code = check_move_to_dst(s, t, data_format, dest_32b_lo)
    if code != OK:
        return code
    style = move_style(s, t, data_format)
    to32 = 1 if STYLE_OF_FORMAT[data_format] == TF32 else 0
    ignored = 0
    if s.arch.movb2d_fp32 and config(s, t, s.f.ALU_ACC_CTRL_Fp32_enabled):
        to32, ignored = 1 - dest_32b_lo, dest_32b_lo
    keep = config(s, t, s.f.ALU_ACC_CTRL_Zero_Flag_disabled_src)
    row = dst_address(s, t, dst) & 0x3FF
    row_b = row_of(s, t, SRC_B, src)
    rows = 1
    step = 1
    if instr_mod & 2:
        rows = 8
        step = 0
        row &= 0x3F8
    elif instr_mod & 4:
        rows = 4
        row &= 0x3FC
        row_b &= 0x3C
    b = s.src[SRC_B]
    bank = b.matrix_bank
    mask = moved_bits(src_format(s, t, SRC_B))
    rows = 0 if ignored else rows
    for i in range(rows):
        first = b.data[bank, row_b + i * step, 0]
        for column in lanes(16):
            x = b.data[bank, row_b + i * step, column]
            x = first if instr_mod & 1 else x
            s.scratch_a[column] = x & mask if x & EXPONENT or keep else 0
        put_in_dst(s, row + i, style, to32, dest_32b_lo)
    return apply_addr_mod(s, t, addr_mode, 1)


@kernel
def dst_is_wide(s: State, t: int) -> int:
    """1 if moves out of Dst read 32-bit data."""
    if thread_config(s, t, s.f.FP16A_FORCE_Enable):
        return 0
    wide = config(s, t, s.f.ALU_ACC_CTRL_Fp32_enabled)
    return wide | config(s, t, s.f.ALU_ACC_CTRL_INT8_math_enabled)


@kernel
def check_move_from_dst(s: State, t: int, data_format: int, low_half: int) -> int:
    """OK if Dst's data can be moved to a source register of the format."""
    code = check_move(s, t, data_format)
    if code != OK:
        return code
    if not dst_is_wide(s, t):
        if low_half:
            return fault(s, DST16_HAS_NO_LOW_HALF, low_half)
        if move_style(s, t, data_format) == TF32:
            return fault(s, DST16_HOLDS_NO_TF32, data_format)
    return OK


@kernel
def take_from_dst(s: State, row: int, style: int, wide: int, low_half: int) -> int:
    """Datums that a move out of a row of Dst gives, to ``scratch_a[column]``; returns OK."""
    at = dst32_row(s, row) if wide else dst16_row(s, row)
    defined = 0xFFFF if s.dst_valid[at] else 0
    low_row = at + LOW_HALF if wide else at
    high_row = low_row if low_half else at
    extra = 0xE000 if wide and style == TF32 else 0
    for column in lanes(16):
        high = s.dst[high_row, column] & defined
        low = s.dst[low_row, column] & defined & extra
        x = (bf16_from_dst(high) << 16) | low
        s.scratch_a[column] = src_from_fp16(fp16_from_dst(high)) if style == FP16 else x
    if low_half and style == TF32:  # the 13 bits that tf32 lacks, as they lie in the storage
        for column in lanes(16):
            low = s.dst[low_row, column] & defined
            s.scratch_a[column] = ((low & 0xFF) << 23) | (((low >> 8) & 0x1F) << 13)
    return OK


@kernel
def put_in_src(s: State, which: int, row: int) -> int:
    """Write the datums of ``scratch_a[column]`` to a row of SrcA or SrcB; returns OK."""
    src = s.src[which]
    bank = src.matrix_bank
    for column in lanes(16):
        old = src.data[bank, row, column]
        src.data[bank, row, column] = old if column_blocked(s, column) else s.scratch_a[column]
    return OK


@kernel
def move_from_dst(
    s: State, t: int, which: int, low_half: int, src: int, addr_mode: int, mode: int, dst: int
) -> int:
    """MOVD2A and MOVD2B; ``mode`` bit 1: four rows."""
    data_format = move_format(s, t, which)
    code = check_move_from_dst(s, t, data_format, low_half)
    if code != OK:
        return code
    style = move_style(s, t, data_format)
    wide = dst_is_wide(s, t)
    row = dst_address(s, t, dst) & 0x3FF
    src_row = row_of(s, t, which, src)
    rows = 1
    if mode & 2:
        rows = 4
        row &= 0x3FC
        src_row &= 0x3C
    for i in range(rows):
        take_from_dst(s, row + i, style, wide, low_half)
        put_in_src(s, which, src_row + i)
    return apply_addr_mod(s, t, addr_mode, 1)


@semantics("MOVD2A", BOTH)
def movd2a(
    s: State, t: int, dest_32b_lo: int, src: int, addr_mode: int, instr_mod: int, dst: int
) -> int:
    """Move 1 or 4 rows from Dst to SrcA; does not wait for the bank (MOVD2A.md)."""
    return move_from_dst(s, t, SRC_A, dest_32b_lo, src, addr_mode, instr_mod, dst)


@semantics("MOVD2B", BOTH)
def movd2b(
    s: State, t: int, dest_32b_lo: int, src: int, addr_mode: int, instr_mod: int, dst: int
) -> int:
    """Move 1 or 4 rows from Dst to SrcB; does not wait for the bank (MOVD2B.md)."""
    return move_from_dst(s, t, SRC_B, dest_32b_lo, src, addr_mode, instr_mod, dst)


@semantics("MOVB2A", BOTH)
def movb2a(s: State, t: int, srca: int, addr_mode: int, instr_mod: int, srcb: int) -> int:
    """Move 1 or 4 rows from SrcB to SrcA; waits for SrcB's bank only (MOVB2A.md)."""
    wait = wait_src(s, SRC_B)
    if wait != OK:
        return wait
    code = check_addr_mod(s, t)
    if code != OK:
        return code
    keep = config(s, t, s.f.ALU_ACC_CTRL_Zero_Flag_disabled_src)
    row_a = row_of(s, t, SRC_A, srca)
    row_b = row_of(s, t, SRC_B, srcb)
    rows = 1
    if instr_mod & 2:
        rows = 4
        row_a &= 0x3C
        row_b &= 0x3C
    for i in range(rows):
        take_from_src(s, SRC_B, row_b + i, keep)
        put_in_src(s, SRC_A, row_a + i)
    return apply_addr_mod(s, t, addr_mode, 1)
