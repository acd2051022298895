"""Lane flags and their stack: SFPENCC, SFPSETCC, SFPPUSHC, SFPPOPC, SFPCOMPC.

All lanes share one UseLaneFlagsForLaneEnable bit: every instruction sets it alike in all lanes.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.semantics import BOTH, semantics
from tilelab.tensix.backend.vector_unit.lreg import (
    ALL_LANES,
    RESERVED_MODIFIER,
    enabled_lanes,
    reserved,
)
from tilelab.tensix.state.records import State

STACK_SIZE: Final = 8

# SFPENCC's Mod1 and immediate bits
INVERT_ENABLE, SET_ENABLE, SET_FLAGS = 1, 2, 8
IMM_ENABLE, IMM_FLAGS = 1, 2

STACK_FULL = check(
    "vector-flag-stack-full",
    UndefinedBehaviorError,
    "the flag stack is full: {value} entries",
    page="SFPPUSHC.md",
    cure="pop (SFPPOPC) before pushing a ninth entry",
)
STACK_EMPTY = check(
    "vector-flag-stack-empty",
    UndefinedBehaviorError,
    "the flag stack is empty",
    page="SFPPOPC.md",
    cure="push (SFPPUSHC) first",
)


@semantics("SFPENCC", BOTH)
def sfpencc(s: State, t: int, imm12_math: int, vd: int, instr_mod1: int) -> int:
    """SFPENCC: whether lane flags predicate, and the flags themselves."""
    if instr_mod1 & SET_ENABLE:
        s.vector.use_lane_flags = imm12_math & IMM_ENABLE
    elif instr_mod1 & INVERT_ENABLE:
        s.vector.use_lane_flags = s.vector.use_lane_flags ^ 1
    if instr_mod1 & SET_FLAGS and not imm12_math & IMM_FLAGS:
        s.vector.lane_flags = 0
    else:
        s.vector.lane_flags = ALL_LANES
    return OK


@kernel
def combined_flags(how: int, a: int, b: int) -> int:
    """The Boolean operations 1..12 of SFPPOPC and SFPPUSHC."""
    result = b
    if how == 2:
        result = ~b
    elif how == 3:
        result = a & b
    elif how == 4:
        result = a | b
    elif how == 5:
        result = a & ~b
    elif how == 6:
        result = a | ~b
    elif how == 7:
        result = ~a & b
    elif how == 8:
        result = ~a | b
    elif how == 9:
        result = ~a & ~b
    elif how == 10:
        result = ~a | ~b
    elif how == 11:
        result = a ^ b
    elif how == 12:
        result = ~(a ^ b)
    return result & ALL_LANES


@semantics("SFPPUSHC", BOTH)
def sfppushc(s: State, t: int, vd: int, instr_mod1: int) -> int:
    """SFPPUSHC: push (Mod1 0), or on Blackhole replace or change the top of the stack."""
    depth = s.vector.flag_stack_depth
    if not s.arch.vector_modifiers and instr_mod1:
        if reserved(s, instr_mod1):
            return RESERVED_MODIFIER
        instr_mod1 = 0
    if instr_mod1 == 0:
        if depth >= STACK_SIZE:
            return fault(s, STACK_FULL, depth)
        s.vector.flag_stack[depth] = s.vector.lane_flags
        s.vector.use_flag_stack[depth] = s.vector.use_lane_flags
        s.vector.flag_stack_depth = depth + 1
        return OK
    if depth == 0:
        return fault(s, STACK_EMPTY, 0)
    use = s.vector.use_lane_flags
    if instr_mod1 <= 12:
        top = combined_flags(instr_mod1, s.vector.flag_stack[depth - 1], s.vector.lane_flags)
    elif instr_mod1 == 13:
        top = s.vector.lane_flags ^ ALL_LANES
        s.vector.lane_flags = top
    else:
        use = 1
        top = ALL_LANES if instr_mod1 == 14 else 0
    s.vector.flag_stack[depth - 1] = top
    s.vector.use_flag_stack[depth - 1] = use
    return OK


@semantics("SFPPOPC", BOTH)
def sfppopc(s: State, t: int, vd: int, instr_mod1: int) -> int:
    """SFPPOPC: pop (Mod1 0), or combine the flags with the top of the stack."""
    depth = s.vector.flag_stack_depth
    if instr_mod1 == 0:
        if depth == 0:
            return fault(s, STACK_EMPTY, 0)
        s.vector.lane_flags = s.vector.flag_stack[depth - 1]
        s.vector.use_lane_flags = s.vector.use_flag_stack[depth - 1]
        s.vector.flag_stack_depth = depth - 1
        return OK
    top_flags = s.vector.flag_stack[depth - 1] if depth else 0
    top_use = s.vector.use_flag_stack[depth - 1] if depth else 0
    if depth == STACK_SIZE and s.arch.vector_bugs:
        # peeking at a full stack copies its top over its bottom
        s.vector.flag_stack[0] = top_flags
        s.vector.use_flag_stack[0] = top_use
    if instr_mod1 <= 12:
        s.vector.use_lane_flags = top_use
        s.vector.lane_flags = combined_flags(instr_mod1, s.vector.lane_flags, top_flags)
    elif instr_mod1 == 13:
        s.vector.lane_flags = s.vector.lane_flags ^ ALL_LANES
    else:
        s.vector.use_lane_flags = 1
        s.vector.lane_flags = ALL_LANES if instr_mod1 == 14 else 0
    return OK


@semantics("SFPCOMPC", BOTH)
def sfpcompc(s: State, t: int, vd: int) -> int:
    """SFPCOMPC: the flags of an "else", under the conditions that the stack's top holds."""
    depth = s.vector.flag_stack_depth
    top_flags = s.vector.flag_stack[depth - 1] if depth else ALL_LANES
    top_use = s.vector.use_flag_stack[depth - 1] if depth else 1
    if top_use and s.vector.use_lane_flags:
        s.vector.lane_flags = top_flags & ~s.vector.lane_flags & ALL_LANES
    else:
        s.vector.lane_flags = 0
    return OK


@semantics("SFPSETCC", BOTH)
def sfpsetcc(s: State, t: int, imm12_math: int, vc: int, vd: int, instr_mod1: int) -> int:
    """SFPSETCC: flags from comparing VC with 0, or constants; raw bits, so -0 is negative."""
    lanes = enabled_lanes(s)
    flags = 0
    if not s.vector.use_lane_flags or instr_mod1 & 8:
        flags = 0
    elif instr_mod1 & 1:
        flags = ALL_LANES if imm12_math else 0
    else:
        # the sign, or (2) whether it is zero
        for lane in range(32):
            x = s.vector.lreg[vc, lane]
            flags |= (min(x, 1) if instr_mod1 & 2 else x >> 31) << lane
        if instr_mod1 & 4:
            flags ^= ALL_LANES
    s.vector.lane_flags = (s.vector.lane_flags & ~lanes) | (flags & lanes)
    return OK
