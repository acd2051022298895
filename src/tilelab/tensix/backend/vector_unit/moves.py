"""Moves within and between lanes: SFPMOV, SFPSWAP, SFPTRANSP, SFPSHFT2."""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.semantics import BOTH, semantics
from tilelab.tensix.backend.vector_unit.integer import shifted
from tilelab.tensix.backend.vector_unit.lreg import (
    ALL_LANES,
    ENABLE_DEST_INDEX,
    EXCHANGE_SRCB_SRCC,
    RESERVED_MODIFIER,
    SIGN,
    advance_prng,
    enabled_lanes,
    lane_config,
    ordered,
    reserved,
    sign_extended_12,
    signed,
    write_from,
    write_lanes,
)
from tilelab.tensix.state.records import State

NEGATE, EVERY_LANE, FROM_SPECIAL = 1, 2, 8
"""SFPMOV's modes."""

COPY4, CHAINED_COPY4, SHFLROR1_AND_COPY4, SHFLROR1, SHFLSHR1, SHFT_LREG, SHFT_IMM = range(7)
"""SFPSHFT2's modes."""

VD_GETS_MIN: Final = (
    0,
    0xFFFFFFFF,
    0x0000FFFF,
    0x00FF00FF,
    0xFF0000FF,
    0x000000FF,
    0x0000FF00,
    0x00FF0000,
    0xFF000000,
    0,
)
"""Lanes in which SFPSWAP leaves the smaller value in VD, by mode; mode 0 always swaps.

In every mode from 9 on VD gets the larger one: the page says so, and the vendor's kernels use 15.
"""

EVERY_ROW: Final = 0x01010101
"""Times a mask of the 8 columns: the mask of their lanes."""

SHUFFLE_MODE = check(
    "vector-shuffle-mode",
    UndefinedBehaviorError,
    "SFPSHFT2 has no mode {value}",
    page="SFPSHFT2.md",
    cure="modes are 0 to 6",
)


@kernel
def special_value(s: State, vc: int, lane: int) -> int:
    """What SFPMOV reads in mode 8: LoadMacroConfig, the random generator, LaneConfig."""
    if vc < 4:
        value = s.vector.load_macro.template[vc]
    elif vc < 8:
        value = s.vector.load_macro.sequence[vc - 4]
    elif vc == 8:
        value = s.vector.load_macro.misc
    elif vc == 9:
        value = advance_prng(s, lane)
    elif vc == 15:
        value = lane_config(s, lane & 7)
    else:
        value = 0
    return value


@semantics("SFPMOV", BOTH)
def sfpmov(s: State, t: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPMOV: copy, negate (Mod1 1), copy in every lane (2), read what is no LReg (8)."""
    if instr_mod1 & 4 and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    lanes = ALL_LANES if instr_mod1 == EVERY_LANE else enabled_lanes(s)
    if instr_mod1 & FROM_SPECIAL:
        for lane in range(32):
            if lanes >> lane & 1:
                s.scratch_32[lane] = special_value(s, vc, lane)
    else:
        sign = SIGN if instr_mod1 & NEGATE else 0
        for lane in range(32):
            s.scratch_32[lane] = s.vector.lreg[vc, lane] ^ sign
    return write_lanes(s, vd, lanes)


@kernel
def swapping_lanes(s: State, vc: int, vd: int, mod1: int) -> int:
    """Bit mask of the lanes in which SFPSWAP finds VC and VD in the wrong order."""
    if mod1 == 0:
        return ALL_LANES
    vd_gets_min = VD_GETS_MIN[mod1] if mod1 < 9 else 0
    c_smaller = 0
    for lane in range(32):
        c_smaller |= (ordered(s.vector.lreg[vc, lane]) < ordered(s.vector.lreg[vd, lane])) << lane
    swap = ~(c_smaller ^ vd_gets_min) & ALL_LANES
    exchanged = ALL_LANES if s.vector.lane_config & EXCHANGE_SRCB_SRCC else 0
    differing = s.vector.exchange_columns * EVERY_ROW
    return swap ^ exchanged ^ differing


@semantics("SFPSWAP", BOTH)
def sfpswap(s: State, t: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPSWAP: exchange VC and VD, always or to order them; LReg[4..7] follow as indices."""
    lanes = enabled_lanes(s) & swapping_lanes(s, vc, vd, instr_mod1)
    indexed = s.vector.lane_config & ENABLE_DEST_INDEX
    limit = 4 if indexed else 8
    exchange(s, vc, vd, lanes, limit)
    if indexed:
        exchange(s, 4 + (vc & 3), 4 + (vd & 3), lanes, 8)
    return OK


@kernel
def exchange(s: State, vc: int, vd: int, lanes: int, limit: int) -> int:
    """Exchange two registers in some lanes; those from ``limit`` on only give; returns OK."""
    for lane in range(32):
        s.scratch_32[lane] = s.vector.lreg[vc, lane]
        s.scratch_32[32 + lane] = s.vector.lreg[vd, lane]
    if vd < limit:
        write_lanes(s, vd, lanes)
    if vc < limit:
        write_from(s, 32, vc, lanes)
    return OK


@semantics("SFPTRANSP", BOTH)
def sfptransp(s: State, t: int, vd: int) -> int:
    """SFPTRANSP: in each column, transpose the rows of LReg[0..3] and of LReg[4..7]."""
    lanes = enabled_lanes(s)
    for base in range(0, 8, 4):
        for i in range(1, 4):
            for j in range(i):
                for column in range(8):
                    upper = s.vector.lreg[base + i, j * 8 + column]
                    lower = s.vector.lreg[base + j, i * 8 + column]
                    if lanes >> (j * 8 + column) & 1:
                        s.vector.lreg[base + i, j * 8 + column] = lower
                    if lanes >> (i * 8 + column) & 1:
                        s.vector.lreg[base + j, i * 8 + column] = upper
    return OK


@kernel
def rotate_rows(s: State, source: int, remember: int) -> int:
    """Put LReg[source], each row of eight lanes rotated right by one, into scratch_32[0..31].

    ``remember``: 1 if Wormhole is to remember the operand, which SFPSHFT2's SHFLSHR1 leaks.
    """
    for lane in range(32):
        s.scratch_32[lane] = s.vector.lreg[source, lane - 1 if lane & 7 else lane + 7]
    if remember and s.arch.vector_bugs:
        for lane in range(32):
            s.vector.rotated[lane] = s.vector.lreg[source, lane]
    return OK


@kernel
def copy_down(s: State, lanes: int) -> int:
    """LReg[0..2] = LReg[1..3], LReg[3] = scratch_32[0..31]."""
    for lane in range(32):
        if lanes >> lane & 1:
            for i in range(3):
                s.vector.lreg[i, lane] = s.vector.lreg[i + 1, lane]
    return write_lanes(s, 3, lanes)


@kernel
def chain_down(s: State, lanes: int, mod1: int) -> int:
    """SFPSHFT2's COPY4 modes; LReg[3] gets zeros, or LReg[0] moved up a row."""
    for lane in range(32):
        s.scratch_32[lane] = (
            s.vector.lreg[0, lane + 8] if mod1 == CHAINED_COPY4 and lane < 24 else 0
        )
    return copy_down(s, lanes)


@kernel
def shuffle(s: State, lanes: int, vc: int, vd: int, mod1: int) -> int:
    """SFPSHFT2's SHFLROR1 and SHFLSHR1: rows of eight lanes move right by one lane."""
    rotates = 1 if mod1 == SHFLROR1 else 0
    rotate_rows(s, vc, rotates)
    if not rotates:
        # Wormhole shifts in what the last rotation would have, instead of zeros
        for lane in range(0, 32, 8):
            s.scratch_32[lane] = s.vector.rotated[lane + 7] if s.arch.vector_bugs else 0
    return write_lanes(s, vd, lanes)


@semantics("SFPSHFT2", BOTH)
def sfpshft2(s: State, t: int, imm12_math: int, vc: int, vd: int, instr_mod1: int, vb: int) -> int:
    """SFPSHFT2: shuffles of lanes and registers, or VB shifted by VC (5) or an immediate (6)."""
    if instr_mod1 > SHFT_IMM:
        return fault(s, SHUFFLE_MODE, instr_mod1)
    lanes = enabled_lanes(s)
    if instr_mod1 <= CHAINED_COPY4:
        return chain_down(s, lanes, instr_mod1)
    if instr_mod1 == SHFLROR1_AND_COPY4:
        rotate_rows(s, vc, 1)
        return copy_down(s, lanes)
    if instr_mod1 <= SHFLSHR1:
        return shuffle(s, lanes, vc, vd, instr_mod1)
    amount = sign_extended_12(imm12_math)
    for lane in range(32):
        if instr_mod1 == SHFT_LREG:
            amount = signed(s.vector.lreg[vc, lane])
        s.scratch_32[lane] = shifted(s.vector.lreg[vb, lane], amount, 0)
    return write_lanes(s, vd, lanes)
