"""SFPCONFIG: programmable constants, LaneConfig and LoadMacroConfig (SFPCONFIG.md)."""

from typing import Final

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import NonContractualBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.semantics import BOTH, semantics
from tilelab.tensix.backend.vector_unit.lreg import EXCHANGE_SRCB_SRCC, lane_config
from tilelab.tensix.state.records import State

IS_VALUE, OR, AND, XOR, IS_LANE_MASK = 1, 2, 4, 6, 8

DEFAULT_CONSTANTS: Final = (0xBF800000, 0x37800000, 0xBF2CC4C7, 0xBEB08FF9)
"""What "immediate" writes to LReg[11..14] store: -1, 2**-16, -0.67487759, -0.34484843."""

NOTHING = check(
    "vector-config-no-target",
    NonContractualBehaviorError,
    "SFPCONFIG to target {value} does nothing",
    page="SFPCONFIG.md",
    cure="targets are 0-3 templates, 4-7 sequences, 8 misc, 11-14 constants, 15 LaneConfig",
    policy=Policy.ERROR,
)
COLUMNS_DIFFER = check(
    "vector-config-columns-differ",
    UnsupportedFunctionalityError,
    "SFPCONFIG target {value} would differ between columns of lanes",
    page="SFPCONFIG.md",
    cure="enable all of lanes 0-7 and give them one value in LReg[0]; of LaneConfig, "
    "EXCHANGE_SRCB_SRCC may differ",
)


@kernel
def combined(old: int, value: int, mod1: int) -> int:
    """The new value of Misc or LaneConfig: replaced, or combined bit by bit."""
    how = mod1 & 6
    if how == OR:
        return old | value
    if how == AND:
        return old & value
    if how == XOR:
        return old ^ value
    return value


@kernel
def configured_columns(s: State, imm16: int, mod1: int) -> int:
    """Bit mask of the 8 columns that SFPCONFIG writes."""
    columns = s.vector.lane_flags & 0xFF if s.vector.use_lane_flags else 0xFF
    if mod1 & IS_LANE_MASK:
        for column in range(8):
            if not imm16 >> (2 * column) & 1:
                columns &= ~(1 << column)
    return columns


@kernel
def configure_constants(s: State, columns: int, vd: int, mod1: int) -> int:
    """Write LReg[11..14], in the given columns of all four rows."""
    for lane in range(32):
        column = lane & 7
        if columns >> column & 1:
            if mod1 & IS_VALUE:
                s.vector.lreg[vd, lane] = DEFAULT_CONSTANTS[vd - 11]
            else:
                s.vector.lreg[vd, lane] = s.vector.lreg[0, column]
    return OK


@kernel
def configured_lane(s: State, imm16: int, column: int, mod1: int) -> int:
    """The new LaneConfig of a column that SFPCONFIG writes."""
    old = lane_config(s, column)
    if mod1 & IS_VALUE:
        # 16 immediate bits do not reach bits 17:16, which the hardware keeps set if they were
        return combined(old, imm16, mod1) | old & 0x30000
    return combined(old, s.vector.lreg[0, column] & 0x3FFFF, mod1)


@kernel
def configure_lanes(s: State, imm16: int, columns: int, mod1: int) -> int:
    """Write LaneConfig in the given columns; only EXCHANGE_SRCB_SRCC may come to differ."""
    first = 0
    differ = 0
    for column in range(8):
        new = lane_config(s, column)
        if columns >> column & 1:
            new = configured_lane(s, imm16, column, mod1)
        if column == 0:
            first = new
        if (new ^ first) & ~EXCHANGE_SRCB_SRCC:
            return fault(s, COLUMNS_DIFFER, 15)
        if new != first:
            differ |= 1 << column
    s.vector.lane_config = first
    s.vector.exchange_columns = differ
    return OK


@semantics("SFPCONFIG", BOTH)
def sfpconfig(s: State, t: int, imm16_math: int, vd: int, instr_mod1: int) -> int:
    """SFPCONFIG, to whichever target VD names."""
    if vd == 9 or vd == 10:
        if refuse(s, NOTHING, vd):
            return NOTHING
        return OK
    columns = configured_columns(s, imm16_math, instr_mod1)
    if columns == 0 or vd > 15:
        return OK
    if 11 <= vd <= 14:
        return configure_constants(s, columns, vd, instr_mod1)
    if vd == 15:
        return configure_lanes(s, imm16_math, columns, instr_mod1)
    if columns != 0xFF:
        return fault(s, COLUMNS_DIFFER, vd)
    value = imm16_math
    if vd < 4 or not instr_mod1 & IS_VALUE:
        value = s.vector.lreg[0, 0]
        for column in range(1, 8):
            if s.vector.lreg[0, column] != value:
                return fault(s, COLUMNS_DIFFER, vd)
    if vd < 4:
        s.vector.load_macro.template[vd] = value
    elif vd < 8:
        s.vector.load_macro.sequence[vd - 4] = value
    else:
        s.vector.load_macro.misc = combined(s.vector.load_macro.misc, value & 0xFFF, instr_mod1)
    return OK
