"""FP32 fields (sign, exponent, mantissa) taken apart and put together.

SFPDIVP2, SFPEXEXP, SFPEXMAN, SFPSETEXP, SFPSETMAN, SFPSETSGN. ``vb`` is VD, except where
SFPLOADMACRO overrides it.
"""

from typing import Any

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.lreg import (
    EXPONENT,
    MAGNITUDE,
    MANTISSA,
    RESERVED_MODIFIER,
    SIGN,
    reserved,
    update_flag,
    writing_lanes,
)


@kernel
def change_exponent(s: Any, imm12: int, vc: int, vd: int, mod1: int) -> int:
    """SFPDIVP2: replace the exponent by an immediate, or (Mod1 1) add to it, modulo 256."""
    if mod1 > 1 and reserved(s, mod1):
        return RESERVED_MODIFIER
    lanes = writing_lanes(s, vd)
    for lane in range(32):
        if lanes >> lane & 1:
            c = s.lreg[vc, lane]
            exponent = imm12 & 255
            if mod1 & 1:
                old = (c >> 23) & 255
                exponent = (old + imm12) & 255 if old != 255 else 255
            s.lreg[vd, lane] = (c & ~EXPONENT) | exponent << 23
    return OK


@kernel
def extract_exponent(s: Any, vc: int, vd: int, mod1: int) -> int:
    """SFPEXEXP: the exponent, less 127 unless Mod1 bit 0; may set flags by its sign."""
    if mod1 & 4 and reserved(s, mod1):
        return RESERVED_MODIFIER
    bias = 0 if mod1 & 1 else 127
    lanes = writing_lanes(s, vd)
    flags: int = s.lane_flags
    for lane in range(32):
        if lanes >> lane & 1:
            exponent = ((s.lreg[vc, lane] >> 23) & 255) - bias
            s.lreg[vd, lane] = exponent & 0xFFFFFFFF
            flags = update_flag(flags, lane, mod1 & 2, exponent & SIGN, mod1 & 8)
    if vd < 8:
        s.lane_flags = flags
    return OK


@kernel
def extract_mantissa(s: Any, vc: int, vd: int, mod1: int) -> int:
    """SFPEXMAN: the mantissa, with its hidden bit unless Mod1 is 1."""
    if mod1 > 1 and reserved(s, mod1):
        return RESERVED_MODIFIER
    hidden = 0 if mod1 & 1 else 0x800000
    lanes = writing_lanes(s, vd)
    for lane in range(32):
        if lanes >> lane & 1:
            s.lreg[vd, lane] = (s.lreg[vc, lane] & MANTISSA) | hidden
    return OK


@kernel
def set_exponent(s: Any, imm8: int, vb: int, vc: int, vd: int, mod1: int) -> int:
    """SFPSETEXP: VC with the exponent of an immediate (1), of VB (2), or VB's low 8 bits (0)."""
    if mod1 > 3 and reserved(s, mod1):
        return RESERVED_MODIFIER
    lanes = writing_lanes(s, vd)
    for lane in range(32):
        if lanes >> lane & 1:
            exponent = imm8
            if not mod1 & 1:
                b = s.lreg[vb, lane]
                exponent = b >> 23 & 255 if mod1 & 2 else b & 255
            s.lreg[vd, lane] = (s.lreg[vc, lane] & ~EXPONENT) | exponent << 23
    return OK


@kernel
def set_mantissa(s: Any, imm12: int, vb: int, vc: int, vd: int, mod1: int) -> int:
    """SFPSETMAN: VC with the mantissa of VB, or (Mod1 1) of an immediate's 12 upper bits."""
    if mod1 > 1 and reserved(s, mod1):
        return RESERVED_MODIFIER
    lanes = writing_lanes(s, vd)
    for lane in range(32):
        if lanes >> lane & 1:
            mantissa = imm12 << 11 if mod1 & 1 else s.lreg[vb, lane] & MANTISSA
            s.lreg[vd, lane] = (s.lreg[vc, lane] & ~MANTISSA) | mantissa
    return OK


@kernel
def set_sign(s: Any, imm1: int, vb: int, vc: int, vd: int, mod1: int) -> int:
    """SFPSETSGN: VC with the sign of VB, or (Mod1 1) an immediate sign."""
    if mod1 > 1 and reserved(s, mod1):
        return RESERVED_MODIFIER
    lanes = writing_lanes(s, vd)
    for lane in range(32):
        if lanes >> lane & 1:
            sign = imm1 << 31 if mod1 & 1 else s.lreg[vb, lane] & SIGN
            s.lreg[vd, lane] = (s.lreg[vc, lane] & MAGNITUDE) | sign
    return OK
