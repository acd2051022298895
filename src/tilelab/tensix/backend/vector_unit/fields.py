"""FP32 fields (sign, exponent, mantissa) taken apart and put together.

SFPDIVP2, SFPEXEXP, SFPEXMAN, SFPSETEXP, SFPSETMAN, SFPSETSGN. ``vb`` is VD, except where
SFPLOADMACRO overrides it.
"""

from tilelab.tensix.backend.semantics import BOTH, semantics
from tilelab.tensix.backend.vector_unit.lreg import (
    EXPONENT,
    MAGNITUDE,
    MANTISSA,
    RESERVED_MODIFIER,
    SIGN,
    change_flags,
    reserved,
    write_result,
)
from tilelab.tensix.state.records import State


@semantics("SFPDIVP2", BOTH)
def sfpdivp2(s: State, t: int, imm12_math: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPDIVP2: replace the exponent by an immediate, or (Mod1 1) add to it, modulo 256."""
    if instr_mod1 > 1 and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    for lane in range(32):
        c = s.vector.lreg[vc, lane]
        exponent = imm12_math & 255
        if instr_mod1 & 1:
            old = (c >> 23) & 255
            exponent = (old + imm12_math) & 255 if old != 255 else 255
        s.scratch_32[lane] = (c & ~EXPONENT) | exponent << 23
    return write_result(s, vd)


@semantics("SFPEXEXP", BOTH)
def sfpexexp(s: State, t: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPEXEXP: the exponent, less 127 unless Mod1 bit 0; may set flags by its sign."""
    if instr_mod1 & 4 and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    bias = 0 if instr_mod1 & 1 else 127
    negative = 0
    for lane in range(32):
        exponent = (((s.vector.lreg[vc, lane] >> 23) & 255) - bias) & 0xFFFFFFFF
        s.scratch_32[lane] = exponent
        negative |= exponent >> 31 << lane
    write_result(s, vd)
    return change_flags(s, vd, instr_mod1 & 2, negative, instr_mod1 & 8)


@semantics("SFPEXMAN", BOTH)
def sfpexman(s: State, t: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPEXMAN: the mantissa, with its hidden bit unless Mod1 is 1."""
    if instr_mod1 > 1 and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    hidden = 0 if instr_mod1 & 1 else 0x800000
    for lane in range(32):
        s.scratch_32[lane] = (s.vector.lreg[vc, lane] & MANTISSA) | hidden
    return write_result(s, vd)


@semantics("SFPSETEXP", BOTH)
def sfpsetexp(s: State, t: int, imm12_math: int, vc: int, vd: int, instr_mod1: int, vb: int) -> int:
    """SFPSETEXP: VC with the exponent of an immediate (1), of VB (2), or VB's low 8 bits (0)."""
    if instr_mod1 > 3 and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    for lane in range(32):
        exponent = imm12_math
        if not instr_mod1 & 1:
            b = s.vector.lreg[vb, lane]
            exponent = b >> 23 & 255 if instr_mod1 & 2 else b & 255
        s.scratch_32[lane] = (s.vector.lreg[vc, lane] & ~EXPONENT) | exponent << 23
    return write_result(s, vd)


@semantics("SFPSETMAN", BOTH)
def sfpsetman(s: State, t: int, imm12_math: int, vc: int, vd: int, instr_mod1: int, vb: int) -> int:
    """SFPSETMAN: VC with the mantissa of VB, or (Mod1 1) of an immediate's 12 upper bits."""
    if instr_mod1 > 1 and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    for lane in range(32):
        mantissa = imm12_math << 11 if instr_mod1 & 1 else s.vector.lreg[vb, lane] & MANTISSA
        s.scratch_32[lane] = (s.vector.lreg[vc, lane] & ~MANTISSA) | mantissa
    return write_result(s, vd)


@semantics("SFPSETSGN", BOTH)
def sfpsetsgn(s: State, t: int, imm12_math: int, vc: int, vd: int, instr_mod1: int, vb: int) -> int:
    """SFPSETSGN: VC with the sign of VB, or (Mod1 1) an immediate sign."""
    if instr_mod1 > 1 and reserved(s, instr_mod1):
        return RESERVED_MODIFIER
    for lane in range(32):
        sign = imm12_math << 31 if instr_mod1 & 1 else s.vector.lreg[vb, lane] & SIGN
        s.scratch_32[lane] = (s.vector.lreg[vc, lane] & MAGNITUDE) | sign
    return write_result(s, vd)
