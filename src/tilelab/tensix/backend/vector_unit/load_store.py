"""Moves between Dst and vector registers, and immediates: SFPLOAD, SFPSTORE, SFPLOADI.

A load or store covers four rows of Dst and their even or odd columns: lane l is row
``(address & ~3) + l // 8``, column ``2 * (l % 8)``, plus one if address bit 1 is set.

Not modelled: Blackhole's stack addressing (SFPU_STACK_Incr with mode INT32_ALL).
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError, UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, kernel, lanes, narrow
from tilelab.tensix.backend.dst import (
    LOW_HALF,
    bf16_from_dst,
    bf16_to_dst,
    dst16_row,
    dst32_row,
    fp16_to_dst,
    fp32_from_dst,
    fp32_to_dst,
)
from tilelab.tensix.backend.semantics import BOTH, config, semantics, thread_config
from tilelab.tensix.backend.vector_unit.lreg import (
    ALL_LANES,
    BLOCK_DEST_WR_FROM_SFPU,
    BLOCK_SFPU_RD_FROM_DEST,
    CAPTURE_DEFAULT_DEST_INDEX,
    DEST_RD_COL_EXCHANGE,
    DEST_WR_COL_EXCHANGE,
    ENABLE_DEST_INDEX,
    ENABLE_FP16A_INF,
    EXPONENT,
    INFINITY,
    MAGNITUDE,
    SIGN,
    enabled_lanes,
    write_lanes,
)
from tilelab.tensix.state.records import State

# Mod0 of SFPLOAD and SFPSTORE
SRCB, FP16, BF16, FP32, INT32, INT8, UINT16, HI16 = range(8)
INT16, LO16, INT32_ALL, ZERO, INT32_SM, INT8_COMP, LO16_ONLY, HI16_ONLY = range(8, 16)

LOADS_32_BITS: Final = 1 << FP32 | 1 << INT32 | 1 << INT32_ALL | 1 << INT32_SM
STORES_32_BITS: Final = LOADS_32_BITS | 1 << LO16 | 1 << HI16
CONVERTS: Final = 1 << INT32_SM | 1 << INT8_COMP
BYTES: Final = 1 << INT8 | 1 << INT8_COMP

FORMATS_AS_BF16: Final = 1 << 0 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 15
"""Data formats that SRCB resolves to BF16: fp32, tf32, bf16, bfp8, bfp4, int32, int16, bfp2."""

IMMEDIATE_BF16, IMMEDIATE_FP16, USHORT, SHORT, UPPER, LOWER = 0, 1, 2, 4, 8, 10
"""SFPLOADI's modes."""

IMMEDIATE_MODE = check(
    "vector-immediate-mode",
    UndefinedBehaviorError,
    "SFPLOADI has no mode {value}",
    page="SFPLOADI.md",
    cure="modes are 0 BF16, 1 FP16, 2 unsigned, 4 signed, 8 upper half, 10 lower half",
)
STACK_ADDRESSING = check(
    "vector-stack-addressing",
    UnimplementedFunctionalityError,
    "SFPU_STACK_Incr is {value}: stack addressing of mode INT32_ALL is not modelled",
    page="SFPLOAD.md",
    cure="keep SFPU_STACK_Incr at 0, or use mode INT32",
)


@kernel
def write_loaded(s: State, vd: int, lanes: int) -> int:
    """LReg[vd] = ``scratch_32[0..31]`` in some lanes, kept from results that appear next cycle."""
    s.vector.late.lanes[0, vd] = s.vector.late.lanes[0, vd] & ~lanes & ALL_LANES
    return write_lanes(s, vd, lanes)


@semantics("SFPLOADI", BOTH)
def sfploadi(s: State, t: int, vd: int, instr_mod0: int, imm16: int) -> int:
    """SFPLOADI: write an immediate to all lanes, converted or into one half."""
    keep = 0
    value = imm16
    if instr_mod0 == IMMEDIATE_BF16:
        value = imm16 << 16
    elif instr_mod0 == IMMEDIATE_FP16:
        # rebias the exponent; no zeros, denormals, infinities or NaNs are recognised
        value = (imm16 & 0x8000) << 16 | ((imm16 & 0x7FFF) + (112 << 10)) << 13
    elif instr_mod0 == SHORT:
        value = (imm16 - ((imm16 & 0x8000) << 1)) & 0xFFFFFFFF
    elif instr_mod0 == UPPER:
        value = imm16 << 16
        keep = 0x0000FFFF
    elif instr_mod0 == LOWER:
        keep = 0xFFFF0000
    elif instr_mod0 != USHORT:
        return fault(s, IMMEDIATE_MODE, instr_mod0)
    for lane in range(32):
        s.scratch_32[lane] = (s.vector.lreg[vd, lane] & keep) | value
    return write_loaded(s, vd, enabled_lanes(s))


@kernel
def resolved_format(s: State, t: int, mod0: int) -> int:
    """Mod0 with SRCB ("as SrcB's format") replaced by FP32, BF16 or FP16."""
    if mod0 != SRCB:
        return mod0
    if config(s, t, s.f.ALU_ACC_CTRL_SFPU_Fp32_enabled):
        return FP32
    if config(s, t, s.f.ALU_FORMAT_SPEC_REG_SrcB_override):
        data_format = config(s, t, s.f.ALU_FORMAT_SPEC_REG_SrcB_val)
    else:
        data_format = config(s, t, s.f.ALU_FORMAT_SPEC_REG1_SrcB)
    if thread_config(s, t, s.f.SFPU_DEST_FMT_Enable):
        data_format = thread_config(s, t, s.f.SFPU_DEST_FMT_Base)
    return BF16 if FORMATS_AS_BF16 >> data_format & 1 else FP16


@kernel
def check_addressing(s: State, t: int, mod0: int) -> int:
    """Return OK if :func:`dst_address` is modelled for this mode."""
    if mod0 == INT32_ALL:
        step = thread_config(s, t, s.f.SFPU_STACK_Incr)
        if step:
            return fault(s, STACK_ADDRESSING, step)
    return OK


@kernel
def dst_address(s: State, t: int, imm10: int, mod0: int) -> int:
    """Dst address of a load or store: bits 9:2 select four rows, bit 1 odd columns.

    The Sp counter stays 0, since nothing modelled steps it.
    """
    address = imm10 + thread_config(s, t, s.f.DEST_TARGET_REG_CFG_MATH_Offset)
    offset = s.rwc[t].dst + config(s, t, s.f.DEST_REGW_BASE_Base)
    stack = config(s, t, s.f.DEST_SP_BASE_Base)
    if mod0 == INT32_ALL:
        address += stack + (offset & 3)
    else:
        address += offset + (stack & 3)
    return address & 0x3FF


@kernel
def twos_complement(x: int) -> int:
    """Sign and magnitude to two's complement; -0 becomes 0."""
    return -(x & MAGNITUDE) & 0xFFFFFFFF if x & SIGN else x


@kernel
def sign_magnitude(x: int) -> int:
    """Two's complement to sign and magnitude; -2**31 becomes -0."""
    return SIGN | (-x & MAGNITUDE) if x & SIGN else x


@kernel
def fp16_to_fp32(x: int, has_infinity: int) -> int:
    """Dst's FP16 as FP32 bits; denormals stay denormals."""
    exponent = x & 31
    mantissa = (x >> 5) & 0x3FF
    sign = (x & 0x8000) << 16
    if has_infinity and x & 0x7FFF == 0x7FFF:
        return sign | INFINITY
    if exponent:
        exponent += 112
    return sign | exponent << 23 | mantissa << 13


@kernel
def loaded(s: State, mod0: int, raw: int, old: int) -> int:
    """A datum of Dst (16 or 32 bits, as the mode reads it) as SFPLOAD puts it into a lane."""
    if LOADS_32_BITS >> mod0 & 1:
        x = fp32_from_dst(raw)
        return twos_complement(x) if mod0 == INT32_SM and s.arch.vector_twos_complement else x
    if mod0 == FP16:
        return fp16_to_fp32(raw, s.vector.lane_config & ENABLE_FP16A_INF)
    if mod0 == INT8:
        mask = s.arch.vector_int8_mask
        return (raw & 0x8000) << 16 | (raw >> 5 & mask)
    if mod0 == INT8_COMP:
        x = (raw & 0x8000) << 16 | ((raw >> 5) & 0x3FF)
        return twos_complement(x) if s.arch.vector_twos_complement else x
    if mod0 == INT16:
        return (raw & 0x8000) << 16 | (raw & 0x7FFF)
    if mod0 == HI16:
        return raw << 16
    if mod0 == LO16_ONLY:
        return (old & 0xFFFF0000) | raw
    if mod0 == HI16_ONLY:
        return raw << 16 | (old & 0xFFFF)
    return 0 if mod0 == ZERO else raw


@kernel
def first_row(s: State, address: int, wide: int) -> int:
    """Storage row of the first of an address's four rows of Dst, which are stored side by side."""
    row = address & 0x3FC
    return dst32_row(s, row) if wide else dst16_row(s, row)


@narrow(32, 256)
def read_columns(s: State, at: int, odd: int, first: int) -> int:
    """Read the even or odd columns of a storage row of Dst to ``scratch_32[first…]``; returns OK.

    The others are read too, so that it takes one read of the whole row.
    """
    for i in lanes(8):
        even = s.dst[at, 2 * i]
        other = s.dst[at, 2 * i + 1]
        s.scratch_32[first + i] = other if odd else even
    return OK


@kernel
def read_group(s: State, at: int, wide: int, odd: int, first: int) -> int:
    """Read eight data of Dst to ``scratch_32[first…]``; the lower halves of wide ones beyond 32."""
    if not s.dst_valid[at]:
        for i in range(8):
            s.scratch_32[first + i] = 0
            s.scratch_32[32 + first + i] = 0
        return OK
    read_columns(s, at, odd, first)
    if wide:
        read_columns(s, at + LOW_HALF, odd, 32 + first)
    return OK


@kernel
def load(s: State, vd: int, mod0: int, address: int) -> int:
    """SFPLOAD, of a resolved mode from a Dst address."""
    lanes = ALL_LANES if mod0 == INT32_ALL else enabled_lanes(s)
    if vd >= 8 or s.vector.lane_config & BLOCK_SFPU_RD_FROM_DEST:
        lanes = 0
    capture = ENABLE_DEST_INDEX | CAPTURE_DEFAULT_DEST_INDEX
    captures = 1 if vd < 4 and s.vector.lane_config & capture == capture else 0
    wide = LOADS_32_BITS >> mod0 & 1
    odd = 1 if address & 2 or s.vector.lane_config & DEST_RD_COL_EXCHANGE else 0
    at = first_row(s, address, wide)
    for group in range(4):
        read_group(s, at + group, wide, odd, 8 * group)
    if wide:
        for lane in range(32):
            s.scratch_32[lane] = s.scratch_32[lane] << 16 | s.scratch_32[32 + lane]
    if mod0 == BF16:
        for lane in range(32):
            s.scratch_32[lane] = bf16_from_dst(s.scratch_32[lane]) << 16
    elif mod0 == FP32 or mod0 == INT32 or mod0 == INT32_ALL:
        for lane in range(32):
            s.scratch_32[lane] = fp32_from_dst(s.scratch_32[lane])
    else:
        for lane in range(32):
            s.scratch_32[lane] = loaded(s, mod0, s.scratch_32[lane], s.vector.lreg[vd, lane])
    write_loaded(s, vd, lanes)
    if captures:
        for lane in range(32):
            row = (address & 0x3FC) + (lane >> 3)
            s.scratch_32[lane] = row << 4 | 2 * (lane & 7) + odd
        write_loaded(s, vd + 4, lanes)
    return OK


@kernel
def fp32_to_fp16(x: int) -> int:
    """FP32 as Dst's FP16: truncated; underflow is a signed zero, overflow all ones."""
    exponent = ((x >> 23) & 255) - 112
    sign = (x >> 16) & 0x8000
    if exponent <= 0:
        return sign
    if exponent > 31:
        return sign | 0x7FFF
    return fp16_to_dst(sign | exponent << 10 | ((x >> 13) & 0x3FF))


@kernel
def without_denormals(x: int) -> int:
    """FP32 bits, denormals replaced by zeros of their sign."""
    return x if x & EXPONENT else x & SIGN


@kernel
def stored(s: State, mod0: int, x: int) -> int:
    """A lane's value as SFPSTORE puts it into Dst (16 or 32 bits, as the mode writes)."""
    if CONVERTS >> mod0 & 1 and s.arch.vector_twos_complement:
        x = sign_magnitude(x)
    if LOADS_32_BITS >> mod0 & 1:
        return fp32_to_dst(x)
    if mod0 == FP16:
        return fp32_to_fp16(x)
    if BYTES >> mod0 & 1:
        return fp16_to_dst((x >> 16) & 0x8000 | 16 << 10 | x & 0x3FF)
    if mod0 == INT16:
        return (x >> 16) & 0x8000 | x & 0x7FFF
    if mod0 == HI16:
        return x
    if mod0 == LO16:
        return (x << 16 | x >> 16) & 0xFFFFFFFF
    if mod0 == HI16_ONLY:
        return x >> 16
    return 0 if mod0 == ZERO else x & 0xFFFF


@kernel
def store(s: State, vd: int, mod0: int, address: int) -> int:
    """SFPSTORE, of a resolved mode to a Dst address."""
    lanes = ALL_LANES if mod0 == INT32_ALL else enabled_lanes(s)
    if s.vector.lane_config & BLOCK_DEST_WR_FROM_SFPU:
        lanes = 0
    wide = STORES_32_BITS >> mod0 & 1
    odd = 1 if address & 2 or s.vector.lane_config & DEST_WR_COL_EXCHANGE else 0
    if mod0 == BF16:
        for lane in range(32):
            s.scratch_32[lane] = bf16_to_dst(without_denormals(s.vector.lreg[vd, lane]) >> 16)
    elif mod0 == FP32:
        for lane in range(32):
            s.scratch_32[lane] = fp32_to_dst(without_denormals(s.vector.lreg[vd, lane]))
    else:
        for lane in range(32):
            s.scratch_32[lane] = stored(s, mod0, s.vector.lreg[vd, lane])
    at = first_row(s, address, wide)
    for group in range(4):
        write_group(s, at + group, wide, odd, group, lanes >> 8 * group & 0xFF)
    return OK


@kernel
def write_group(s: State, at: int, wide: int, odd: int, group: int, lanes: int) -> int:
    """Write eight data of ``scratch_32`` to the even or odd columns of a storage row of Dst."""
    if lanes == 0:
        return OK
    s.dst_valid[at] = 1
    for i in range(8):
        if lanes >> i & 1:
            value = s.scratch_32[8 * group + i]
            if wide:
                s.dst[at, 2 * i + odd] = value >> 16
                s.dst[at + LOW_HALF, 2 * i + odd] = value & 0xFFFF
            else:
                s.dst[at, 2 * i + odd] = value
    return OK
