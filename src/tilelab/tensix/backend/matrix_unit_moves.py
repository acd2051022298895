"""MOVA2D, MOVDBGA2D, MOVB2D, MOVD2A, MOVD2B, MOVB2A: rows between SrcA, SrcB and Dst.

Source: tt-isa-documentation, the pages of those names. LaneConfig.BLOCK_DEST_MOV (SFPCONFIG.md)
keeps the even or the odd columns of a move's target as they were.

The page and ttsim disagree on two points, and ttsim's recorded cases rule: MOVB2A copies all 19
bits (the page truncates to SrcB's format), and MOVB2D on Blackhole heeds the bank's implied
format. Data that was unpacked in the format it is moved in is the same either way.
"""

from typing import Any

from tilelab.sim.checks import check, fault, refuse
from tilelab.sim.errors import (
    UndefinedBehaviorError,
)
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.dst import (
    LOW_HALF,
    bf16_from_dst,
    bf16_to_dst,
    dst16_row,
    dst32_row,
    fp16_from_dst,
    fp16_to_dst,
)
from tilelab.tensix.backend.matrix_unit_operands import UNKNOWN_FORMAT, dst_address
from tilelab.tensix.backend.rwc import apply_addr_mod, check_addr_mod
from tilelab.tensix.backend.semantics import config, semantics, thread_config
from tilelab.tensix.backend.src_registers import (
    BF16,
    EXPONENT,
    FP16,
    NO_STYLE,
    STYLE_MASK,
    STYLE_OF_FORMAT,
    TF32,
    fp16_from_src,
    src_a_format,
    src_b_format,
    src_b_move_format,
    src_from_fp16,
    wait_src_a,
    wait_src_b,
)

TF32_TO_LOW_HALF = check(
    "move-tf32-low",
    UndefinedBehaviorError,
    "dest_32b_lo={value} with a tf32 source mixes its upper into its lower bits (erratum TEN-4245)",
    page="MOVA2D.md",
    cure="clear dest_32b_lo, or use a source format other than tf32",
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
def column_blocked(s: Any, column: int) -> int:
    """1 if LaneConfig.BLOCK_DEST_MOV keeps moves away from the column."""
    value: int = (s.lane_config >> (9 + (column & 1))) & 1
    return value


@kernel
def move_style(s: Any, t: int, data_format: int) -> int:
    """Style of a format for a move, FP16A_FORCE considered; NO_STYLE for an unknown format."""
    if thread_config(s, t, s.f.FP16A_FORCE_Enable):
        return FP16
    return STYLE_OF_FORMAT[data_format]


@kernel
def check_move_to_dst(s: Any, t: int, data_format: int, low_half: int) -> int:
    """OK if a datum of the format can be moved to Dst."""
    code = check_addr_mod(s, t)
    if code != OK:
        return code
    style = move_style(s, t, data_format)
    if style == NO_STYLE:
        return fault(s, UNKNOWN_FORMAT, data_format)
    if STYLE_OF_FORMAT[data_format] == TF32 and low_half:
        if refuse(s, TF32_TO_LOW_HALF, low_half):
            return TF32_TO_LOW_HALF
    return OK


@kernel
def put_in_dst(s: Any, row: int, column: int, x: int, style: int, to32: int, low_half: int) -> int:
    """Write a datum to row ``Dst16b`` or ``Dst32b``; returns OK. The caller marks the row."""
    value = fp16_to_dst(fp16_from_src(x)) if style == FP16 else bf16_to_dst(x >> 16)
    if to32:  # tf32: three mantissa bits more
        at = dst32_row(s, row)
        low = (x >> 13 & 7) << 13
        s.dst[at, column] = value
        s.dst[at + LOW_HALF, column] = low | value if low_half else low
    elif low_half:
        at = dst32_row(s, row)
        if not s.dst_valid[at]:
            s.dst[at, column] = 0
        s.dst[at + LOW_HALF, column] = value
    else:
        s.dst[dst16_row(s, row), column] = value
    return OK


@kernel
def mark_moved(s: Any, row: int, wide: int) -> int:
    """Mark a row that a move has written as defined; returns OK."""
    at = dst32_row(s, row) if wide else dst16_row(s, row)
    s.dst_valid[at] = 1
    return OK


@kernel
def move_a_to_dst(
    s: Any, t: int, low_half: int, src: int, addr_mode: int, mode: int, dst: int
) -> int:
    """MOVA2D without its wait; ``mode`` bit 1: eight rows."""
    data_format = src_a_format(s, t)
    code = check_move_to_dst(s, t, data_format, low_half)
    if code != OK:
        return code
    style = move_style(s, t, data_format)
    to32 = 1 if STYLE_OF_FORMAT[data_format] == TF32 else 0
    keep = config(s, t, s.f.ALU_ACC_CTRL_Zero_Flag_disabled_src)
    row = dst_address(s, t, dst) & 0x3FF
    row_a = (src + s.rwc[t].src_a) & 0x3F
    rows = 1
    if mode & 2:
        rows = 8
        row &= 0x3F8
        row_a &= 0x38
    for i in range(rows):
        for column in range(16):
            x: int = s.src_a[s.src_a_matrix_bank, row_a + i, column]
            if not (x & EXPONENT or keep):
                x = 0
            if not column_blocked(s, column):
                put_in_dst(s, row + i, column, x, style, to32, low_half)
        mark_moved(s, row + i, to32 or low_half)
    return apply_addr_mod(s, t, addr_mode, 1)


@semantics("MOVA2D")
def mova2d(
    s: Any, t: int, dest_32b_lo: int, src: int, addr_mode: int, instr_mod: int, dst: int
) -> int:
    """Move 1 or 8 rows from SrcA to Dst (MOVA2D.md)."""
    wait = wait_src_a(s)
    if wait != OK:
        return wait
    return move_a_to_dst(s, t, dest_32b_lo, src, addr_mode, instr_mod, dst)


@semantics("MOVDBGA2D")
def movdbga2d(
    s: Any, t: int, dest_32b_lo: int, src: int, addr_mode: int, instr_mod: int, dst: int
) -> int:
    """MOVA2D from a bank that need not be valid (MOVDBGA2D.md)."""
    return move_a_to_dst(s, t, dest_32b_lo, src, addr_mode, instr_mod, dst)


@kernel
def move_b_to_dst(
    s: Any, t: int, low_half: int, src: int, addr_mode: int, mode: int, dst: int
) -> int:
    """MOVB2D on either chip; ``mode``: bit 0 column 0 to all, bit 1 a row to 8, bit 2 four rows."""
    wait = wait_src_b(s)
    if wait != OK:
        return wait
    data_format = src_b_move_format(s, t)
    code = check_move_to_dst(s, t, data_format, low_half)
    if code != OK:
        return code
    own_style = STYLE_OF_FORMAT[src_b_format(s, t)]
    if own_style == NO_STYLE:
        return fault(s, UNKNOWN_FORMAT, src_b_format(s, t))
    style = move_style(s, t, data_format)
    to32 = 1 if STYLE_OF_FORMAT[data_format] == TF32 else 0
    keep = config(s, t, s.f.ALU_ACC_CTRL_Zero_Flag_disabled_src)
    row = dst_address(s, t, dst) & 0x3FF
    row_b = (src + s.rwc[t].src_b) & 0x3F
    rows = 1
    step = 1
    if mode & 2:
        rows = 8
        step = 0
        row &= 0x3F8
    elif mode & 4:
        rows = 4
        row &= 0x3FC
        row_b &= 0x3C
    for i in range(rows):
        for column in range(16):
            from_column = 0 if mode & 1 else column
            x: int = s.src_b[s.src_b_matrix_bank, row_b + i * step, from_column]
            if not (x & EXPONENT or keep):
                x = 0
            x &= STYLE_MASK[own_style]
            if not column_blocked(s, column):
                put_in_dst(s, row + i, column, x, style, to32, low_half)
        mark_moved(s, row + i, to32 or low_half)
    return apply_addr_mod(s, t, addr_mode, 1)


@semantics("MOVB2D", chip="blackhole")
def movb2d_blackhole(
    s: Any, t: int, dest_32b_lo: int, src: int, addr_mode: int, movb2d_instr_mod: int, dst: int
) -> int:
    """Move or broadcast rows from SrcB to Dst (MOVB2D.md)."""
    return move_b_to_dst(s, t, dest_32b_lo, src, addr_mode, movb2d_instr_mod, dst)


@semantics("MOVB2D", chip="wormhole")
def movb2d_wormhole(
    s: Any, t: int, dest_32b_lo: int, src: int, addr_mode: int, instr_mod: int, dst: int
) -> int:
    """Move or broadcast rows from SrcB to Dst (MOVB2D.md)."""
    return move_b_to_dst(s, t, dest_32b_lo, src, addr_mode, instr_mod, dst)


@kernel
def dst_is_wide(s: Any, t: int) -> int:
    """1 if moves out of Dst read 32-bit data."""
    if thread_config(s, t, s.f.FP16A_FORCE_Enable):
        return 0
    wide = config(s, t, s.f.ALU_ACC_CTRL_Fp32_enabled)
    return wide | config(s, t, s.f.ALU_ACC_CTRL_INT8_math_enabled)


@kernel
def check_move_from_dst(s: Any, t: int, data_format: int, low_half: int) -> int:
    """OK if Dst's data can be moved to a source register of the format."""
    code = check_addr_mod(s, t)
    if code != OK:
        return code
    style = move_style(s, t, data_format)
    if style == NO_STYLE:
        return fault(s, UNKNOWN_FORMAT, data_format)
    if not dst_is_wide(s, t):
        if low_half:
            return fault(s, DST16_HAS_NO_LOW_HALF, low_half)
        if style == TF32:
            return fault(s, DST16_HOLDS_NO_TF32, data_format)
    return OK


@kernel
def take_from_dst(s: Any, row: int, column: int, style: int, wide: int, low_half: int) -> int:
    """Datum that a move out of Dst gives to a source register."""
    at = dst32_row(s, row) if wide else dst16_row(s, row)
    if not s.dst_valid[at]:
        return 0
    high: int = s.dst[at, column]
    low: int = 0
    if wide:
        low = s.dst[at + LOW_HALF, column]
    if low_half:
        if style == TF32:  # the 13 bits that tf32 lacks, as they lie in the register's storage
            return ((low & 0xFF) << 23) | (((low >> 8) & 0x1F) << 13)
        high = low
    if style == FP16:
        return src_from_fp16(fp16_from_dst(high))
    value = bf16_from_dst(high) << 16
    if style == BF16:
        return value
    return value | (low & 0xE000)


@semantics("MOVD2A")
def movd2a(
    s: Any, t: int, dest_32b_lo: int, src: int, addr_mode: int, instr_mod: int, dst: int
) -> int:
    """Move 1 or 4 rows from Dst to SrcA; does not wait for the bank (MOVD2A.md)."""
    data_format = src_a_format(s, t)
    code = check_move_from_dst(s, t, data_format, dest_32b_lo)
    if code != OK:
        return code
    style = move_style(s, t, data_format)
    wide = dst_is_wide(s, t)
    row = dst_address(s, t, dst) & 0x3FF
    row_a = (src + s.rwc[t].src_a) & 0x3F
    rows = 1
    if instr_mod & 2:
        rows = 4
        row &= 0x3FC
        row_a &= 0x3C
    for i in range(rows):
        for column in range(16):
            if not column_blocked(s, column):
                x = take_from_dst(s, row + i, column, style, wide, dest_32b_lo)
                s.src_a[s.src_a_matrix_bank, row_a + i, column] = x
    return apply_addr_mod(s, t, addr_mode, 1)


@semantics("MOVD2B")
def movd2b(
    s: Any, t: int, dest_32b_lo: int, src: int, addr_mode: int, instr_mod: int, dst: int
) -> int:
    """Move 1 or 4 rows from Dst to SrcB; does not wait for the bank (MOVD2B.md)."""
    data_format = src_b_move_format(s, t)
    code = check_move_from_dst(s, t, data_format, dest_32b_lo)
    if code != OK:
        return code
    style = move_style(s, t, data_format)
    wide = dst_is_wide(s, t)
    row = dst_address(s, t, dst) & 0x3FF
    row_b = (src + s.rwc[t].src_b) & 0x3F
    rows = 1
    if instr_mod & 2:
        rows = 4
        row &= 0x3FC
        row_b &= 0x3C
    for i in range(rows):
        for column in range(16):
            if not column_blocked(s, column):
                x = take_from_dst(s, row + i, column, style, wide, dest_32b_lo)
                s.src_b[s.src_b_matrix_bank, row_b + i, column] = x
    return apply_addr_mod(s, t, addr_mode, 1)


@semantics("MOVB2A")
def movb2a(s: Any, t: int, srca: int, addr_mode: int, instr_mod: int, srcb: int) -> int:
    """Move 1 or 4 rows from SrcB to SrcA; waits for SrcB's bank only (MOVB2A.md)."""
    wait = wait_src_b(s)
    if wait != OK:
        return wait
    code = check_addr_mod(s, t)
    if code != OK:
        return code
    keep = config(s, t, s.f.ALU_ACC_CTRL_Zero_Flag_disabled_src)
    row_a = (srca + s.rwc[t].src_a) & 0x3F
    row_b = (srcb + s.rwc[t].src_b) & 0x3F
    rows = 1
    if instr_mod & 2:
        rows = 4
        row_a &= 0x3C
        row_b &= 0x3C
    for i in range(rows):
        for column in range(16):
            x: int = s.src_b[s.src_b_matrix_bank, row_b + i, column]
            if not (x & EXPONENT or keep):
                x = 0
            if not column_blocked(s, column):
                s.src_a[s.src_a_matrix_bank, row_a + i, column] = x
    return apply_addr_mod(s, t, addr_mode, 1)
