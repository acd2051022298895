"""Scalar unit (ThCon): arithmetic on a thread's 64 GPRs.

Manual: ScalarUnit.md, SETDMAREG.md, ADDDMAREG.md, MULDMAREG.md, DMANOP.md. Not modelled, and
reported: SETDMAREG's special mode (it reads the packers' tile headers), REG2FLOP's variants that
write address counters, memory and atomic instructions (LOADIND, STOREIND, ATINCGET, …).
"""

from typing import Any

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UnimplementedFunctionalityError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.configuration_unit import write_config
from tilelab.tensix.backend.semantics import config_bank, semantics

WORD = 0xFFFFFFFF

SETDMAREG_SPECIAL = check(
    "setdmareg-special",
    UnimplementedFunctionalityError,
    "SETDMAREG in its special mode (input source {value}) is not modelled",
    "SETDMAREG_Special.md",
)
REG2FLOP_MODE = check(
    "reg2flop-mode",
    UnsupportedFunctionalityError,
    "REG2FLOP with target {value} is not modelled",
    "REG2FLOP.md",
    "use WRCFG",
)


@semantics("SETDMAREG")
def setdmareg(
    s: Any,
    t: int,
    payload_sig_sel_size: int,
    payload_sig_sel: int,
    set_signals_mode: int,
    reg_index_16b: int,
) -> int:
    """Set one half of a GPR to a 16-bit immediate."""
    if set_signals_mode:
        return fault(s, SETDMAREG_SPECIAL, payload_sig_sel)
    value = payload_sig_sel | payload_sig_sel_size << 14
    register = reg_index_16b >> 1
    old = s.gpr[t, register]
    if reg_index_16b & 1:
        s.gpr[t, register] = (old & 0xFFFF) | value << 16
    else:
        s.gpr[t, register] = (old & 0xFFFF0000) | value
    return OK


@kernel
def right_operand(s: Any, t: int, is_const: int, index: int) -> int:
    """The right operand: a GPR or its six-bit number itself."""
    value: int = index if is_const else s.gpr[t, index]
    return value


@semantics("ADDDMAREG")
def adddmareg(
    s: Any,
    t: int,
    op_b_is_const: int,
    result_reg_index: int,
    op_b_reg_index: int,
    op_a_reg_index: int,
) -> int:
    """GPR = GPR + GPR or constant."""
    right = right_operand(s, t, op_b_is_const, op_b_reg_index)
    s.gpr[t, result_reg_index] = (s.gpr[t, op_a_reg_index] + right) & WORD
    return OK


@semantics("MULDMAREG")
def muldmareg(
    s: Any,
    t: int,
    op_b_is_const: int,
    result_reg_index: int,
    op_b_reg_index: int,
    op_a_reg_index: int,
) -> int:
    """GPR = low half of GPR * low half of GPR or constant."""
    right = right_operand(s, t, op_b_is_const, op_b_reg_index)
    s.gpr[t, result_reg_index] = (s.gpr[t, op_a_reg_index] & 0xFFFF) * (right & 0xFFFF)
    return OK


@semantics("DMANOP")
def dmanop(s: Any, t: int) -> int:
    """Occupy the scalar unit for a cycle."""
    return OK


@semantics("REG2FLOP")
def reg2flop(
    s: Any,
    t: int,
    size_sel: int,
    target_sel: int,
    byte_offset: int,
    context_id_2: int,
    flop_index: int,
    reg_index: int,
) -> int:
    """Copy a GPR, or an aligned group of four, to a THCON_ configuration register."""
    if target_sel or byte_offset or context_id_2 or not s.arch.reg2flop_base:
        return fault(s, REG2FLOP_MODE, target_sel)
    base = s.arch.reg2flop_base
    if base + flop_index >= s.arch.global_config:
        return fault(s, REG2FLOP_MODE, flop_index)
    bank = config_bank(s, t)
    if size_sel:
        return write_config(s, bank, base + flop_index, s.gpr[t, reg_index])
    for i in range(4):
        write_config(s, bank, base + (flop_index & ~3) + i, s.gpr[t, (reg_index & ~3) + i])
    return OK
