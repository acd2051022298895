"""Scalar unit (ThCon): arithmetic on a thread's 64 GPRs.

Manual: ScalarUnit.md, SETDMAREG.md, ADDDMAREG.md, SUBDMAREG.md, MULDMAREG.md, BITWOPDMAREG.md,
SHIFTDMAREG.md, CMPDMAREG.md, DMANOP.md, FLUSHDMA.md. Its loads, stores and atomics are in
``memory.py``, REG2FLOP in ``reg2flop.py``.

Not modelled: what SETDMAREG's special mode reads of sizes, zero flags and exponents of packed
tiles, which the packers here do not keep.
"""

from typing import Final

from tilelab.sim.checks import check, fault, fault2
from tilelab.sim.errors import UndefinedBehaviorError, UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.backend.packers.config import packer_field
from tilelab.tensix.backend.semantics import BOTH, config, semantics
from tilelab.tensix.chips.opcodes import ADDDMAREG, BITWOPDMAREG, SHIFTDMAREG, SUBDMAREG
from tilelab.tensix.state.records import State

SETDMAREG_SPECIAL = check(
    "setdmareg-special",
    UnimplementedFunctionalityError,
    "SETDMAREG reads what the packers found out about a tile (input source {value}): not kept",
    "SETDMAREG_Special.md",
)
MODE = check(
    "scalar-mode",
    UndefinedBehaviorError,
    "the scalar unit has no operation {value} of opcode {value2:#04x}",
    "ScalarUnit.md",
)
SHIFT_AMOUNT = check(
    "shiftdmareg-amount",
    UndefinedBehaviorError,
    "SHIFTDMAREG by a constant {value}, which has more than five bits",
    "SHIFTDMAREG.md",
    "shift by 0 to 31",
)

NO_PACKER_STATE: Final = 10
"""SETDMAREG's input sources from here on are zero."""
TILE_HEADER: Final = 2
"""SETDMAREG's input source that is the tile header of packer 0; the other packers' follow."""


@kernel
def packer_half(s: State, t: int, source: int, half: int) -> int:
    """One of the eight halves of SETDMAREG's special value; -1 if it is not kept here."""
    if source >= NO_PACKER_STATE:
        return 0
    p = source - TILE_HEADER
    if p < 0 or p >= s.arch.packers:
        return -1
    if half != 3:
        return 0 if half in (1, 2, 6, 7) else -1
    uncompressed = packer_field(s, t, p, s.f.THCON_SEC0_REG1_Disable_zero_compress)
    if config(s, t, s.f.THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd):
        every = config(s, t, s.f.THCON_SEC0_REG1_All_pack_disable_zero_compress)
        uncompressed = (every >> p) & 1
    return packer_field(s, t, p, s.f.THCON_SEC0_REG1_Out_data_format) | uncompressed << 4


@kernel
def set_half(s: State, t: int, index: int, value: int) -> int:
    """Write half a GPR, counted from the low half of GPR 0; returns OK."""
    old = s.gpr[t, index >> 1]
    if index & 1:
        s.gpr[t, index >> 1] = (old & 0xFFFF) | value << 16
    else:
        s.gpr[t, index >> 1] = (old & 0xFFFF0000) | value
    return OK


@kernel
def setdmareg_special(s: State, t: int, size: int, select: int, result: int) -> int:
    """Copy 16, 32 or 128 bits of packer state to GPRs (SETDMAREG_Special.md)."""
    source = (select >> 3) & 15
    half = select & 7
    count = 1
    if size == 1:
        count = 2
    elif size > 1:
        count = 8
        half = 0
    first = half & -count
    target = result & -count
    for i in range(count):
        if packer_half(s, t, source, first + i) < 0:
            return fault(s, SETDMAREG_SPECIAL, source)
    for i in range(count):
        value = packer_half(s, t, source, first + i)
        if size == 3 and i == 3:
            value = (value & 0xFF) | ((s.gpr[t, (target + i) >> 1] >> 16) & 0xFF00)
        if size != 3 or i in (0, 3, 4, 5):
            set_half(s, t, target + i, value)
    return OK


@semantics("SETDMAREG", BOTH)
def setdmareg(
    s: State,
    t: int,
    payload_sig_sel_size: int,
    payload_sig_sel: int,
    set_signals_mode: int,
    reg_index_16b: int,
) -> int:
    """Set one half of a GPR to a 16-bit immediate, or GPRs to packer state."""
    if set_signals_mode:
        return setdmareg_special(s, t, payload_sig_sel_size, payload_sig_sel, reg_index_16b)
    value = payload_sig_sel | payload_sig_sel_size << 14
    return set_half(s, t, reg_index_16b, value)


@kernel
def right_operand(s: State, t: int, is_const: int, index: int) -> int:
    """The right operand: a GPR or its six-bit number itself."""
    return index if is_const else s.gpr[t, index]


@semantics("ADDDMAREG", BOTH)
@semantics("SUBDMAREG", BOTH)
@semantics("MULDMAREG", BOTH)
def arithmetic(
    s: State,
    t: int,
    op_b_is_const: int,
    result_reg_index: int,
    op_b_reg_index: int,
    op_a_reg_index: int,
    word: int,
) -> int:
    """GPR = GPR plus, or minus, GPR or constant; or the product of their low halves."""
    left = s.gpr[t, op_a_reg_index]
    right = right_operand(s, t, op_b_is_const, op_b_reg_index)
    if word >> 24 == ADDDMAREG:
        result = (left + right) & WORD
    elif word >> 24 == SUBDMAREG:
        result = (left - right) & WORD
    else:
        result = (left & 0xFFFF) * (right & 0xFFFF)
    s.gpr[t, result_reg_index] = result
    return OK


@semantics("DMANOP", BOTH)
def dmanop(s: State, t: int) -> int:
    """Occupy the scalar unit for a cycle."""
    return OK


@semantics("BITWOPDMAREG", BOTH)
@semantics("SHIFTDMAREG", BOTH)
@semantics("CMPDMAREG", BOTH)
def operation(
    s: State,
    t: int,
    op_b_is_const: int,
    op_sel: int,
    result_reg_index: int,
    op_b_reg_index: int,
    op_a_reg_index: int,
    word: int,
) -> int:
    """GPR = GPR and, or, xor GPR or constant; or shifted left or right, filling with zeros.

    Or 1 if GPR is greater than, less than, equal to GPR or constant (unsigned), else 0.
    """
    opcode = word >> 24
    left = s.gpr[t, op_a_reg_index]
    right = right_operand(s, t, op_b_is_const, op_b_reg_index)
    if opcode == SHIFTDMAREG and op_b_is_const and right > 31:
        return fault(s, SHIFT_AMOUNT, right)
    if op_sel > 2 or (op_sel == 2 and opcode == SHIFTDMAREG):
        return fault2(s, MODE, op_sel, opcode)
    if opcode == BITWOPDMAREG:
        result = left & right if op_sel == 0 else left | right if op_sel == 1 else left ^ right
    elif opcode == SHIFTDMAREG:
        result = left >> (right & 31) if op_sel else (left << (right & 31)) & WORD
    elif op_sel == 0:
        result = 1 if left > right else 0
    elif op_sel == 1:
        result = 1 if left < right else 0
    else:
        result = 1 if left == right else 0
    s.gpr[t, result_reg_index] = result
    return OK


@semantics("FLUSHDMA", BOTH)
def flushdma(s: State, t: int, flush_spec: int) -> int:
    """Wait for the thread's memory requests, unpacks and packs: all have completed here."""
    return OK
