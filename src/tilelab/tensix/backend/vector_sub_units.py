"""What each sub-unit executes for SFPLOADMACRO: an instruction word with replaced operands.

``vb``, ``vc`` and ``vd`` are the operands that SFPLOADMACRO decided on, ``word`` has the rest.
"""

from typing import Any

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.vector_condition_codes import (
    complement_flags,
    enable_flags,
    pop_flags,
    push_flags,
    set_flags,
)
from tilelab.tensix.backend.vector_configuration import configure
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
    shift,
)
from tilelab.tensix.backend.vector_lanes import move, shift_or_shuffle, swap, transpose
from tilelab.tensix.backend.vector_luts import approximate, look_up, look_up_fp32
from tilelab.tensix.backend.vector_round import cast, stochastic_round


@kernel
def simple(s: Any, word: int, vb: int, vc: int, vd: int) -> int:
    """The simple sub-unit; SFPNOP is what remains."""
    opcode = word >> 24
    imm12 = word >> 12 & 0xFFF
    mod1 = word & 15
    if opcode == 0x76:
        return change_exponent(s, imm12, vc, vd, mod1)
    if opcode == 0x77:
        return extract_exponent(s, vc, vd, mod1)
    if opcode == 0x78:
        return extract_mantissa(s, vc, vd, mod1)
    if opcode == 0x79:
        return add_integers(s, imm12, vb, vc, vd, mod1)
    if opcode == 0x7A:
        return shift(s, imm12, vb, vc, vd, mod1)
    if opcode == 0x7B:
        return set_flags(s, imm12 & 1, vc, mod1)
    if opcode == 0x7C:
        return move(s, vc, vd, mod1)
    if opcode == 0x7D:
        return absolute(s, vc, vd, mod1)
    if opcode == 0x7E:
        return bitwise_and(s, vb, vc, vd)
    if opcode == 0x7F:
        return bitwise_or(s, vb, vc, vd)
    if opcode == 0x80:
        return bitwise_not(s, vc, vd)
    if opcode == 0x81:
        return count_leading_zeros(s, vc, vd, mod1)
    if opcode == 0x82:
        return set_exponent(s, imm12 & 0xFF, vb, vc, vd, mod1)
    if opcode == 0x83:
        return set_mantissa(s, imm12, vb, vc, vd, mod1)
    if opcode == 0x89:
        return set_sign(s, imm12 & 1, vb, vc, vd, mod1)
    return simple_continued(s, word, vb, vc, vd)


@kernel
def simple_continued(s: Any, word: int, vb: int, vc: int, vd: int) -> int:
    """The simple sub-unit: flags, moves between lanes, conversions, comparisons."""
    opcode = word >> 24
    mod1 = word & 15
    if opcode == 0x87:
        return push_flags(s, mod1)
    if opcode == 0x88:
        return pop_flags(s, mod1)
    if opcode == 0x8A:
        return enable_flags(s, word >> 12 & 3, mod1)
    if opcode == 0x8B:
        return complement_flags(s)
    if opcode == 0x8C:
        return transpose(s)
    if opcode == 0x8D:
        return bitwise_xor(s, vb, vc, vd)
    if opcode == 0x90:
        return cast(s, vc, vd, mod1)
    if opcode == 0x91:
        return configure(s, word >> 8 & 0xFFFF, vd, mod1)
    if opcode == 0x92:
        return swap(s, vc, vd, mod1)
    if opcode == 0x96:
        return compare(s, vb, vc, vd, mod1, 0)
    if opcode == 0x97:
        return compare(s, vb, vc, vd, mod1, 1)
    if opcode == 0x99:
        return approximate(s, vb, vc, vd, mod1)
    return OK


@kernel
def mad(s: Any, word: int, vb: int, vc: int, vd: int) -> int:
    """The MAD sub-unit; SFPNOP is what remains."""
    opcode = word >> 24
    imm16 = word >> 8 & 0xFFFF
    va = word >> 16 & 15
    mod1 = word & 15
    if opcode == 0x73:
        return look_up(s, vd, word >> 16 & 15)
    if opcode == 0x74:
        return with_immediate(s, imm16, vc, vd, mod1, 0)
    if opcode == 0x75:
        return with_immediate(s, imm16, vc, vd, mod1, 1)
    if opcode == 0x84:
        return multiply_add(s, va, vb, vc, vd, mod1)
    if opcode == 0x85:
        return add(s, va, vb, vc, vd, mod1)
    if opcode == 0x86:
        return multiply(s, va, vb, vc, vd, mod1)
    if opcode == 0x95:
        return look_up_fp32(s, vd, mod1)
    if opcode == 0x98:
        return multiply_integers(s, va, vb, vc, vd, mod1)
    return OK


@kernel
def round_or_shuffle(s: Any, word: int, vb: int, vc: int, vd: int) -> int:
    """The round sub-unit; SFPNOP is what remains."""
    opcode = word >> 24
    mod1 = word & 15
    if opcode == 0x8E:
        return stochastic_round(s, word >> 21 & 3, word >> 16 & 31, vb, vc, vd, mod1)
    if opcode == 0x94:
        return shift_or_shuffle(s, word >> 12 & 0xFFF, vb, vc, vd, mod1)
    return OK
