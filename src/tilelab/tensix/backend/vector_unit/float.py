"""The MAD sub-unit: SFPMAD, SFPADD, SFPMUL, SFPADDI, SFPMULI and (Blackhole) SFPMUL24."""

from tilelab.sim.checks import Policy, check, refuse
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.semantics import BLACKHOLE, BOTH, semantics
from tilelab.tensix.backend.vector_unit.fma import ONE, X, Y, Z, fma_lanes
from tilelab.tensix.backend.vector_unit.lreg import (
    EXTRA,
    RESERVED_MODIFIER,
    SIGN,
    enabled_lanes,
    reserved,
    writable,
    write_result,
)
from tilelab.tensix.chips.opcodes import SFPADDI
from tilelab.tensix.state.records import State

NEGATE_VA, NEGATE_VC, INDIRECT_VA, INDIRECT_VD = 1, 2, 4, 8
"""SFPMAD's modifiers; the indices come from the low four bits of LReg[7]."""

ADDEND = check(
    "vector-multiply-addend",
    NonContractualBehaviorError,
    "a multiplication adds LReg[{value}], not zero",
    page="SFPMUL.md",
    cure="let VC be 9 (the constant zero), or use SFPMAD",
    policy=Policy.ERROR,
)
FACTOR = check(
    "vector-add-factor",
    NonContractualBehaviorError,
    "an addition multiplies by LReg[{value}], not one",
    page="SFPADD.md",
    cure="let VA be 10 (the constant one), or use SFPMAD",
    policy=Policy.WARN,
)


@kernel
def write_indirect(s: State, vd: int, mod: int) -> int:
    """Write ``scratch_32[0..31]`` to LReg[VD], or (INDIRECT_VD) where LReg[7] says; returns OK."""
    if not mod & INDIRECT_VD or vd == EXTRA:
        return write_result(s, vd)
    lanes = enabled_lanes(s)
    for lane in range(32):
        d = s.vector.lreg[7, lane] & 15
        if lanes >> lane & 1 and writable(d):
            s.vector.lreg[d, lane] = s.scratch_32[lane]
    return OK


@kernel
def take_factor(s: State, va: int, mod: int, sign: int) -> int:
    """X of :func:`fma_lanes` = LReg[VA], or (INDIRECT_VA) what LReg[7] says, times a sign."""
    if mod & INDIRECT_VA:
        for lane in range(32):
            s.scratch_32[X + lane] = s.vector.lreg[s.vector.lreg[7, lane] & 15, lane] ^ sign
    else:
        for lane in range(32):
            s.scratch_32[X + lane] = s.vector.lreg[va, lane] ^ sign
    return OK


@semantics("SFPMAD", BOTH)
def sfpmad(s: State, t: int, va: int, vb: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPMAD: VD = ±VA * VB ± VC; the signs are Blackhole's."""
    if not s.arch.vector_modifiers and instr_mod1 & (NEGATE_VA | NEGATE_VC):
        if reserved(s, instr_mod1):
            return RESERVED_MODIFIER
        instr_mod1 &= INDIRECT_VA | INDIRECT_VD
    a_sign = SIGN if instr_mod1 & NEGATE_VA else 0
    c_sign = SIGN if instr_mod1 & NEGATE_VC else 0
    take_factor(s, va, instr_mod1, a_sign)
    for lane in range(32):
        s.scratch_32[Y + lane] = s.vector.lreg[vb, lane]
        s.scratch_32[Z + lane] = s.vector.lreg[vc, lane] ^ c_sign
    fma_lanes(s)
    return write_indirect(s, vd, instr_mod1)


@semantics("SFPADD", BOTH)
def sfpadd(s: State, t: int, va: int, vb: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPADD: SFPMAD for a factor that is the constant one."""
    if va != 10 and vb != 10 and refuse(s, FACTOR, va):
        return FACTOR
    return sfpmad(s, t, va, vb, vc, vd, instr_mod1)


@semantics("SFPMUL", BOTH)
def sfpmul(s: State, t: int, va: int, vb: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPMUL: SFPMAD for an addend that is the constant zero."""
    if vc != 9 and refuse(s, ADDEND, vc):
        return ADDEND
    return sfpmad(s, t, va, vb, vc, vd, instr_mod1)


@semantics("SFPADDI", BOTH)
@semantics("SFPMULI", BOTH)
def with_immediate(
    s: State, t: int, imm16_math: int, vd: int, instr_mod1: int, vc: int, word: int
) -> int:
    """SFPADDI and SFPMULI: VD = immediate (a BF16) + VC, or times VC plus zero."""
    known = NEGATE_VC | INDIRECT_VD if s.arch.vector_modifiers else INDIRECT_VD
    if instr_mod1 & ~known and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    c_sign = SIGN if instr_mod1 & known & NEGATE_VC else 0
    adds = word >> 24 == SFPADDI
    immediate = imm16_math << 16
    for lane in range(32):
        c = s.vector.lreg[vc, lane] ^ c_sign
        s.scratch_32[X + lane] = immediate
        s.scratch_32[Y + lane] = ONE if adds else c
        s.scratch_32[Z + lane] = c if adds else 0
    fma_lanes(s)
    return write_indirect(s, vd, instr_mod1)


@kernel
def shift_added(product: int, z: int) -> int:
    """What SFPMUL24's product becomes on its way through the floating-point adder with z."""
    z_exponent = (z >> 23) & 255
    if z_exponent == 0:
        return product
    top = z_exponent if z_exponent > 129 else 129
    shift = (top - z_exponent) & 31
    addend = ((z & 0x7FFFFF) | 0x800000) << 3
    product >>= (top - 129) & 31
    kept = addend >> shift
    if kept:
        product += kept
        if addend - (kept << shift) > 0xFFFF:
            product += 1 << 16
        product &= 0x7FFFFF
    return product


@semantics("SFPMUL24", BLACKHOLE)
def sfpmul24(s: State, t: int, va: int, vb: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPMUL24: low or (Mod1 1) high 23 bits of the product of 23-bit integers."""
    if instr_mod1 & 2 and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    if vc != 9 and refuse(s, ADDEND, vc):
        return ADDEND
    take_factor(s, va, instr_mod1, 0)
    for lane in range(32):
        product = (s.scratch_32[X + lane] & 0x7FFFFF) * (s.vector.lreg[vb, lane] & 0x7FFFFF)
        result = product >> 23 if instr_mod1 & 1 else product & 0x7FFFFF
        z = s.vector.lreg[vc, lane]
        if z:
            result = shift_added(result, z)
        s.scratch_32[lane] = result
    return write_indirect(s, vd, instr_mod1)
