"""The vector unit's arithmetic rows: floating point, fields, integers, bits, comparisons."""

from typing import Any

from tilelab.tensix.backend.load_macro import GO, issue
from tilelab.tensix.backend.semantics import semantics
from tilelab.tensix.backend.vector_fields import (
    change_exponent,
    extract_exponent,
    extract_mantissa,
    set_exponent,
    set_mantissa,
    set_sign,
)
from tilelab.tensix.backend.vector_float import (
    add,
    multiply,
    multiply_add,
    multiply_integers,
    with_immediate,
)
from tilelab.tensix.backend.vector_integer import (
    absolute,
    add_integers,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    compare,
    count_leading_zeros,
    second_source,
    shift,
)
from tilelab.tensix.backend.vector_luts import approximate, look_up, look_up_fp32
from tilelab.tensix.backend.vector_round import cast


@semantics("SFPLUT")
def sfplut(s: Any, t: int, lreg_ind: int, instr_mod0: int) -> int:
    """VD = a function of LReg[3] by a table of 8-bit floats (SFPLUT.md)."""
    code = issue(s, t, 0x73000000 | lreg_ind << 20 | instr_mod0 << 16)
    if code != GO:
        return code
    return look_up(s, lreg_ind, instr_mod0)


@semantics("SFPMULI")
def sfpmuli(s: Any, t: int, imm16_math: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD *= a BF16 immediate (SFPMULI.md)."""
    code = issue(s, t, 0x74000000 | imm16_math << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return with_immediate(s, imm16_math, lreg_dest, lreg_dest, instr_mod1, 0)


@semantics("SFPADDI")
def sfpaddi(s: Any, t: int, imm16_math: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD += a BF16 immediate (SFPADDI.md)."""
    code = issue(s, t, 0x75000000 | imm16_math << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return with_immediate(s, imm16_math, lreg_dest, lreg_dest, instr_mod1, 1)


@semantics("SFPDIVP2")
def sfpdivp2(s: Any, t: int, imm12_math: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD = VC with its exponent replaced or added to (SFPDIVP2.md)."""
    code = issue(s, t, 0x76000000 | imm12_math << 12 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return change_exponent(s, imm12_math, lreg_c, lreg_dest, instr_mod1)


@semantics("SFPEXEXP")
def sfpexexp(s: Any, t: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD = the exponent of VC (SFPEXEXP.md)."""
    code = issue(s, t, 0x77000000 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return extract_exponent(s, lreg_c, lreg_dest, instr_mod1)


@semantics("SFPEXMAN")
def sfpexman(s: Any, t: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD = the mantissa of VC (SFPEXMAN.md)."""
    code = issue(s, t, 0x78000000 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return extract_mantissa(s, lreg_c, lreg_dest, instr_mod1)


@semantics("SFPIADD")
def sfpiadd(s: Any, t: int, imm12_math: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD = VC + VD, VC - VD or VC + immediate (SFPIADD.md)."""
    code = issue(s, t, 0x79000000 | imm12_math << 12 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return add_integers(s, imm12_math, lreg_dest, lreg_c, lreg_dest, instr_mod1)


@semantics("SFPSHFT")
def sfpshft(s: Any, t: int, imm12_math: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD shifted by VC or by an immediate (SFPSHFT.md)."""
    code = issue(s, t, 0x7A000000 | imm12_math << 12 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return shift(s, imm12_math, lreg_dest, lreg_c, lreg_dest, instr_mod1)


@semantics("SFPABS")
def sfpabs(s: Any, t: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD = |VC| (SFPABS.md)."""
    code = issue(s, t, 0x7D000000 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return absolute(s, lreg_c, lreg_dest, instr_mod1)


@semantics("SFPAND")
def sfpand(s: Any, t: int, imm12_math: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD &= VC, or on Blackhole VD = VB & VC (SFPAND.md)."""
    code = issue(s, t, 0x7E000000 | imm12_math << 12 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    vb = second_source(s, imm12_math, lreg_dest, instr_mod1)
    return bitwise_and(s, vb, lreg_c, lreg_dest)


@semantics("SFPOR")
def sfpor(s: Any, t: int, imm12_math: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD |= VC, or on Blackhole VD = VB | VC (SFPOR.md)."""
    code = issue(s, t, 0x7F000000 | imm12_math << 12 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    vb = second_source(s, imm12_math, lreg_dest, instr_mod1)
    return bitwise_or(s, vb, lreg_c, lreg_dest)


@semantics("SFPNOT")
def sfpnot(s: Any, t: int, lreg_c: int, lreg_dest: int) -> int:
    """VD = ~VC (SFPNOT.md)."""
    code = issue(s, t, 0x80000000 | lreg_c << 8 | lreg_dest << 4)
    if code != GO:
        return code
    return bitwise_not(s, lreg_c, lreg_dest)


@semantics("SFPLZ")
def sfplz(s: Any, t: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD = leading zeros of VC (SFPLZ.md)."""
    code = issue(s, t, 0x81000000 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return count_leading_zeros(s, lreg_c, lreg_dest, instr_mod1)


@semantics("SFPSETEXP")
def sfpsetexp(s: Any, t: int, imm12_math: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD = VC with another exponent (SFPSETEXP.md)."""
    code = issue(s, t, 0x82000000 | imm12_math << 12 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return set_exponent(s, imm12_math, lreg_dest, lreg_c, lreg_dest, instr_mod1)


@semantics("SFPSETMAN")
def sfpsetman(s: Any, t: int, imm12_math: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD = VC with another mantissa (SFPSETMAN.md)."""
    code = issue(s, t, 0x83000000 | imm12_math << 12 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return set_mantissa(s, imm12_math, lreg_dest, lreg_c, lreg_dest, instr_mod1)


@semantics("SFPMAD")
def sfpmad(
    s: Any,
    t: int,
    lreg_src_a: int,
    lreg_src_b: int,
    lreg_src_c: int,
    lreg_dest: int,
    instr_mod1: int,
) -> int:
    """VD = VA * VB + VC (SFPMAD.md)."""
    code = issue(
        s,
        t,
        0x84000000
        | lreg_src_a << 16
        | lreg_src_b << 12
        | lreg_src_c << 8
        | lreg_dest << 4
        | instr_mod1,
    )
    if code != GO:
        return code
    return multiply_add(s, lreg_src_a, lreg_src_b, lreg_src_c, lreg_dest, instr_mod1)


@semantics("SFPADD")
def sfpadd(
    s: Any,
    t: int,
    lreg_src_a: int,
    lreg_src_b: int,
    lreg_src_c: int,
    lreg_dest: int,
    instr_mod1: int,
) -> int:
    """VD = VB + VC (SFPADD.md)."""
    code = issue(
        s,
        t,
        0x85000000
        | lreg_src_a << 16
        | lreg_src_b << 12
        | lreg_src_c << 8
        | lreg_dest << 4
        | instr_mod1,
    )
    if code != GO:
        return code
    return add(s, lreg_src_a, lreg_src_b, lreg_src_c, lreg_dest, instr_mod1)


@semantics("SFPMUL")
def sfpmul(
    s: Any,
    t: int,
    lreg_src_a: int,
    lreg_src_b: int,
    lreg_src_c: int,
    lreg_dest: int,
    instr_mod1: int,
) -> int:
    """VD = VA * VB (SFPMUL.md)."""
    code = issue(
        s,
        t,
        0x86000000
        | lreg_src_a << 16
        | lreg_src_b << 12
        | lreg_src_c << 8
        | lreg_dest << 4
        | instr_mod1,
    )
    if code != GO:
        return code
    return multiply(s, lreg_src_a, lreg_src_b, lreg_src_c, lreg_dest, instr_mod1)


@semantics("SFPSETSGN")
def sfpsetsgn(s: Any, t: int, imm12_math: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD = VC with another sign (SFPSETSGN.md)."""
    code = issue(s, t, 0x89000000 | imm12_math << 12 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return set_sign(s, imm12_math, lreg_dest, lreg_c, lreg_dest, instr_mod1)


@semantics("SFPXOR")
def sfpxor(s: Any, t: int, lreg_c: int, lreg_dest: int) -> int:
    """VD ^= VC (SFPXOR.md)."""
    code = issue(s, t, 0x8D000000 | lreg_c << 8 | lreg_dest << 4)
    if code != GO:
        return code
    return bitwise_xor(s, lreg_dest, lreg_c, lreg_dest)


@semantics("SFPCAST")
def sfpcast(s: Any, t: int, lreg_src_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD = VC converted (SFPCAST.md)."""
    code = issue(s, t, 0x90000000 | lreg_src_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return cast(s, lreg_src_c, lreg_dest, instr_mod1)


@semantics("SFPLUTFP32")
def sfplutfp32(s: Any, t: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD = a function of LReg[3] by a table of FP32 or FP16 (SFPLUTFP32.md)."""
    code = issue(s, t, 0x95000000 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return look_up_fp32(s, lreg_dest, instr_mod1)


@semantics("SFPLE")
def sfple(s: Any, t: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD <= VC (SFPLE.md)."""
    code = issue(s, t, 0x96000000 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return compare(s, lreg_dest, lreg_c, lreg_dest, instr_mod1, 0)


@semantics("SFPGT")
def sfpgt(s: Any, t: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD > VC (SFPGT.md)."""
    code = issue(s, t, 0x97000000 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return compare(s, lreg_dest, lreg_c, lreg_dest, instr_mod1, 1)


@semantics("SFPMUL24")
def sfpmul24(
    s: Any,
    t: int,
    lreg_src_a: int,
    lreg_src_b: int,
    lreg_src_c: int,
    lreg_dest: int,
    instr_mod1: int,
) -> int:
    """VD = half of a product of 23-bit integers (SFPMUL24.md)."""
    code = issue(
        s,
        t,
        0x98000000
        | lreg_src_a << 16
        | lreg_src_b << 12
        | lreg_src_c << 8
        | lreg_dest << 4
        | instr_mod1,
    )
    if code != GO:
        return code
    return multiply_integers(s, lreg_src_a, lreg_src_b, lreg_src_c, lreg_dest, instr_mod1)


@semantics("SFPARECIP")
def sfparecip(s: Any, t: int, imm12_math: int, lreg_c: int, lreg_dest: int, instr_mod1: int) -> int:
    """VD = about 1/VC or e**VC (SFPARECIP.md)."""
    code = issue(s, t, 0x99000000 | imm12_math << 12 | lreg_c << 8 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return approximate(s, imm12_math, lreg_c, lreg_dest, instr_mod1)
