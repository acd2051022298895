"""Integers, bits and comparisons: SFPIADD, SFPSHFT, SFPABS, SFPLZ, SFPAND … SFPXOR, SFPLE, SFPGT.

``vb`` is VD, except where an instruction names it or SFPLOADMACRO overrides it.
"""

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.semantics import BLACKHOLE, BOTH, semantics
from tilelab.tensix.backend.vector_unit.lreg import (
    MAGNITUDE,
    RESERVED_MODIFIER,
    SIGN,
    change_flags,
    enabled_lanes,
    leading_zeros,
    ordered,
    reserved,
    sign_extended_12,
    signed,
    write_lanes,
    write_result,
)
from tilelab.tensix.chips.opcodes import SFPLE
from tilelab.tensix.state.records import State

NEGATIVE_NAN = 0xFF800000


@semantics("SFPIADD", BOTH)
def sfpiadd(s: State, t: int, imm12_math: int, vc: int, vd: int, instr_mod1: int, vb: int) -> int:
    """SFPIADD: VC + immediate (Mod1 1), VC - VB (2), VC + VB; flags from the sign unless 4."""
    addend = sign_extended_12(imm12_math)
    if instr_mod1 & 1:
        for lane in range(32):
            s.scratch_32[lane] = (s.vector.lreg[vc, lane] + addend) & 0xFFFFFFFF
    elif instr_mod1 & 2:
        for lane in range(32):
            s.scratch_32[lane] = (s.vector.lreg[vc, lane] - s.vector.lreg[vb, lane]) & 0xFFFFFFFF
    else:
        for lane in range(32):
            s.scratch_32[lane] = (s.vector.lreg[vc, lane] + s.vector.lreg[vb, lane]) & 0xFFFFFFFF
    negative = 0
    if not instr_mod1 & 4:
        for lane in range(32):
            negative |= s.scratch_32[lane] >> 31 << lane
    write_result(s, vd)
    return change_flags(s, vd, ~instr_mod1 & 4, negative, instr_mod1 & 8)


@kernel
def shifted(x: int, amount: int, arithmetic: int) -> int:
    """x shifted left by a signed amount, of which the magnitude counts modulo 32."""
    if amount >= 0:
        return (x << (amount & 31)) & 0xFFFFFFFF
    if arithmetic:
        return (signed(x) >> (-amount & 31)) & 0xFFFFFFFF
    return x >> (-amount & 31)


@semantics("SFPSHFT", BOTH)
def sfpshft(s: State, t: int, imm12_math: int, vc: int, vd: int, instr_mod1: int, vb: int) -> int:
    """SFPSHFT: VB shifted by VC or (Mod1 1) an immediate.

    Blackhole: Mod1 2 shifts right arithmetically, 4 with 1 shifts VC instead of VB.
    """
    meant = 0b10101111 if s.arch.vector_modifiers else 0b11
    if not meant >> instr_mod1 & 1 and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    if not s.arch.vector_modifiers:
        instr_mod1 &= 1
    arithmetic = instr_mod1 & 2
    source = vc if instr_mod1 & 5 == 5 else vb
    amount = sign_extended_12(imm12_math)
    for lane in range(32):
        if not instr_mod1 & 1:
            amount = signed(s.vector.lreg[vc, lane])
        s.scratch_32[lane] = shifted(s.vector.lreg[source, lane], amount, arithmetic)
    return write_result(s, vd)


@semantics("SFPABS", BOTH)
def sfpabs(s: State, t: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPABS: |VC| of a two's complement integer, or (Mod1 1) of FP32 that is no negative NaN."""
    if instr_mod1 > 1 and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    for lane in range(32):
        x = s.vector.lreg[vc, lane]
        if not instr_mod1 & 1:
            x = -x & 0xFFFFFFFF if x & SIGN else x
        elif x <= NEGATIVE_NAN:
            x &= MAGNITUDE
        s.scratch_32[lane] = x
    return write_result(s, vd)


@semantics("SFPLZ", BOTH)
def sfplz(s: State, t: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPLZ: leading zeros of VC, or (Mod1 4) of its magnitude; may set flags by VC != 0."""
    if instr_mod1 & 1 and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    mask = MAGNITUDE if instr_mod1 & 4 else 0xFFFFFFFF
    not_zero = 0
    for lane in range(32):
        x = s.vector.lreg[vc, lane] & mask
        s.scratch_32[lane] = leading_zeros(x)
        not_zero |= min(x, 1) << lane
    write_result(s, vd)
    return change_flags(s, vd, instr_mod1 & 2, not_zero, instr_mod1 & 8)


@semantics("SFPAND", BOTH)
def sfpand(s: State, t: int, imm12_math: int, vc: int, vd: int, instr_mod1: int, vb: int) -> int:
    """SFPAND."""
    for lane in range(32):
        s.scratch_32[lane] = s.vector.lreg[vb, lane] & s.vector.lreg[vc, lane]
    return write_result(s, vd)


@semantics("SFPOR", BOTH)
def sfpor(s: State, t: int, imm12_math: int, vc: int, vd: int, instr_mod1: int, vb: int) -> int:
    """SFPOR."""
    for lane in range(32):
        s.scratch_32[lane] = s.vector.lreg[vb, lane] | s.vector.lreg[vc, lane]
    return write_result(s, vd)


@semantics("SFPXOR", BOTH)
def sfpxor(s: State, t: int, vc: int, vd: int, vb: int) -> int:
    """SFPXOR."""
    for lane in range(32):
        s.scratch_32[lane] = s.vector.lreg[vb, lane] ^ s.vector.lreg[vc, lane]
    return write_result(s, vd)


@semantics("SFPNOT", BOTH)
def sfpnot(s: State, t: int, vc: int, vd: int) -> int:
    """SFPNOT."""
    for lane in range(32):
        s.scratch_32[lane] = s.vector.lreg[vc, lane] ^ 0xFFFFFFFF
    return write_result(s, vd)


@semantics("SFPLE", BLACKHOLE)
@semantics("SFPGT", BLACKHOLE)
def compare(s: State, t: int, vc: int, vd: int, instr_mod1: int, vb: int, word: int) -> int:
    """SFPGT (VB > VC) and SFPLE (VB <= VC), in the total order of sign-magnitude integers.

    Mod1: 1 sets flags, 2 combines into the top of the flag stack (or, with 4, ORs), 8 writes VD.
    """
    holds = 0
    for lane in range(32):
        holds |= (ordered(s.vector.lreg[vb, lane]) > ordered(s.vector.lreg[vc, lane])) << lane
    if word >> 24 == SFPLE:
        holds ^= 0xFFFFFFFF
    lanes = enabled_lanes(s)
    if instr_mod1 & 8:
        for lane in range(32):
            s.scratch_32[lane] = 0xFFFFFFFF if holds >> lane & 1 else 0
        write_lanes(s, vd, lanes)
    if instr_mod1 & 1:
        s.vector.lane_flags = (s.vector.lane_flags & ~lanes) | (holds & lanes)
    depth = s.vector.flag_stack_depth
    if instr_mod1 & 2 and depth:
        top = s.vector.flag_stack[depth - 1]
        s.vector.flag_stack[depth - 1] = top | holds if instr_mod1 & 4 else top & holds
    return OK
