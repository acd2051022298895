"""The MOP expander of one thread, as a state machine that emits one word at a time.

What a MOP means stands in :mod:`tilelab.tensix.words.mop`; here is what changes while one expands.
:mod:`tilelab.tensix.frontend.expand` has the functional model; a property test holds the two equal.
"""

from tilelab.sim.checks import Policy, check, refuse
from tilelab.sim.errors import NonContractualBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.fifo import peek, peek_origin, pop, push_traced
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import MOP, MOP_CFG
from tilelab.tensix.frontend.fifo import LATE_CAPACITY, mop_pending
from tilelab.tensix.state.records import State
from tilelab.tensix.words.mop import (
    END_OP0,
    END_OP1,
    FLAGS,
    INNER_COUNT,
    LOOP,
    LOOP_OP1,
    NEXT_OUTER,
    OUTER_BUG,
    OUTER_COUNT,
    REGISTERS,
    START,
    START_OP,
    has_outer_bug,
    inner_iterations,
    last_stage0,
    place,
    register0,
    register1,
    settled1,
)
from tilelab.tensix.words.origin import with_mop_step

MOP_COUNT_ABOVE_32 = check(
    "mop-count-above-32",
    UnsupportedFunctionalityError,
    "MOP template 0 runs {value} iterations: from the 33rd on the mask reads 0",
    "MOPExpander.md",
    policy=Policy.WARN,
)
MOP_OUTER_BUG = check(
    "mop-outer-count-bug",
    NonContractualBehaviorError,
    "OuterCount 1, InnerCount 0, no StartOp but an EndOp0: hardware runs 129 outer iterations",
    "MOPExpander.md",
    "set InnerCount to at least 1, or issue the EndOps without a MOP",
    policy=Policy.WARN,
)
MOP_COUNT_BITS = check(
    "mop-count-bits",
    NonContractualBehaviorError,
    "MopCfg[{value}] holds a loop count that is too large: the expander drops its upper bits",
    "MOPExpander.md",
    "keep both below 128, or split the loop; Tile(mop_count_bits=10) is tt-llk's reading",
    policy=Policy.WARN,
)
MOP_CFG_DURING_EXPANSION = check(
    "mop-cfg-during-expansion",
    NonContractualBehaviorError,
    "MopCfg[{value}] is written while a MOP of this thread is queued or expanding",
    "MOPExpander.md",
    "call mop_sync() before programming the MOP",
    policy=Policy.WARN,
)


@kernel
def write_mop_cfg(s: State, t: int, index: int, value: int) -> int:
    """Write one MopCfg register, as the thread's TRISC does."""
    if mop_pending(s, t) and refuse(s, MOP_CFG_DURING_EXPANSION, index):
        return MOP_CFG_DURING_EXPANSION
    s.frontend[t].mop_cfg[index] = value
    return OK


@kernel
def mop_cfg_word(s: State, t: int, index: int) -> int:
    """What an expansion under way sees of MopCfg: its snapshot, or the live register."""
    if s.arch.mop_sampling:
        value = s.frontend[t].mop_cfg[index]
    else:
        value = s.frontend[t].mop_snapshot[index]
    return value


@kernel
def count_mask(s: State) -> int:
    """The bits of MopCfg that are a count of template 1."""
    return (1 << s.arch.mop_count_bits) - 1


@kernel
def outer_iterations(s: State, t: int) -> int:
    """Template 1: outer iterations of the MOP under way, the hardware bug included."""
    count = mop_cfg_word(s, t, OUTER_COUNT) & count_mask(s)
    start_op, end_op0 = mop_cfg_word(s, t, START_OP), mop_cfg_word(s, t, END_OP0)
    if has_outer_bug(count, loop_iterations(s, t), start_op, end_op0):
        count += OUTER_BUG
    return count


@kernel
def loop_iterations(s: State, t: int) -> int:
    """Template 1: inner iterations of the MOP under way."""
    count = mop_cfg_word(s, t, INNER_COUNT) & count_mask(s)
    return inner_iterations(count, mop_cfg_word(s, t, LOOP_OP1))


@kernel
def check_counts(s: State, t: int) -> int:
    """OK, or the check that template 1's counts fail."""
    for i in range(2):
        if mop_cfg_word(s, t, i) > count_mask(s) and refuse(s, MOP_COUNT_BITS, i):
            return MOP_COUNT_BITS
    outer = mop_cfg_word(s, t, OUTER_COUNT) & count_mask(s)
    if outer_iterations(s, t) != outer and refuse(s, MOP_OUTER_BUG, 1):
        return MOP_OUTER_BUG
    return OK


@kernel
def _settle1(s: State, t: int) -> int:
    """Template 1: move to the next place that emits a word; 0 if the expansion is over."""
    f = s.frontend[t]
    while f.mop_outer < outer_iterations(s, t):
        left = loop_iterations(s, t) - f.mop_inner
        if f.mop_stage == LOOP and left:  # nearly always: without looking at the other words
            return 1
        f.mop_stage = settled1(
            f.mop_stage,
            left,
            mop_cfg_word(s, t, START_OP),
            mop_cfg_word(s, t, END_OP0),
            mop_cfg_word(s, t, END_OP1),
        )
        if f.mop_stage != NEXT_OUTER:
            return 1
        f.mop_stage = START
        f.mop_inner = 0
        f.mop_outer += 1
    return 0


@kernel
def _register(s: State, t: int) -> int:
    """The MopCfg register whose word is at the current place."""
    f = s.frontend[t]
    if not MOP.mop_type(f.mop_word):
        return register0(mop_cfg_word(s, t, FLAGS), f.mop_mask & 1, f.mop_stage)
    is_last_inner = 1 if f.mop_inner == loop_iterations(s, t) - 1 else 0
    is_last_outer = 0
    if is_last_inner:
        is_last_outer = 1 if f.mop_outer == outer_iterations(s, t) - 1 else 0
    loop_op1 = mop_cfg_word(s, t, LOOP_OP1)
    return register1(f.mop_stage, f.mop_inner, is_last_inner, is_last_outer, loop_op1)


@kernel
def _pass1(s: State, t: int) -> None:
    """Template 1: move past the current place."""
    f = s.frontend[t]
    if f.mop_stage == LOOP:
        f.mop_inner += 1
    else:
        f.mop_stage += 1


@kernel
def _pass0(s: State, t: int) -> None:
    """Template 0: move past the current place."""
    f = s.frontend[t]
    if f.mop_stage < last_stage0(mop_cfg_word(s, t, FLAGS), f.mop_mask & 1):
        f.mop_stage += 1
        return
    f.mop_stage = 0
    f.mop_outer += 1
    f.mop_mask >>= 1


@kernel
def _word(s: State, t: int) -> int:
    """The word at the current place; moves past it."""
    f = s.frontend[t]
    register = _register(s, t)
    if s.cycle.trace_on:
        template = MOP.mop_type(f.mop_word)
        f.mop_place = place(template, f.mop_outer, f.mop_inner, register)
    if MOP.mop_type(f.mop_word):
        _pass1(s, t)
    else:
        _pass0(s, t)
    return mop_cfg_word(s, t, register)


@kernel
def start_mop(s: State, t: int, word: int, origin: int) -> int:
    """Take in a MOP: snapshot MopCfg, begin at the first place."""
    f = s.frontend[t]
    template = MOP.mop_type(word)
    count = MOP.loop_count(word) + 1
    if template == 0 and count > 32 and refuse(s, MOP_COUNT_ABOVE_32, count):
        return MOP_COUNT_ABOVE_32
    for i in range(REGISTERS):
        f.mop_snapshot[i] = f.mop_cfg[i]
    code = check_counts(s, t) if template else OK
    if code != OK:
        return code
    f.mop_word = word
    f.mop_origin = origin
    f.mop_mask = f.mask_hi << 16 | MOP.zmask_lo16_or_loop_count(word)
    f.mop_outer = 0
    f.mop_inner = 0
    f.mop_stage = 0
    f.mop_emitted = 0
    f.mop_active = 1
    return OK


@kernel
def _settle(s: State, t: int) -> int:
    """0 if the expansion is over."""
    f = s.frontend[t]
    if MOP.mop_type(f.mop_word):
        return _settle1(s, t)
    return 1 if f.mop_outer <= MOP.loop_count(f.mop_word) else 0


@kernel
def step_mop_expander(s: State, t: int) -> int:
    """Move at most one word out of the MOP expander; absorb MOP and MOP_CFG on the way."""
    f = s.frontend[t]
    if not f.mop_active:
        if f.input_fifo.count == 0:
            return OK
        word = peek(f.input_fifo)
        origin = peek_origin(f.input_fifo)
        opcode = word >> 24
        if opcode == MOP:
            code = start_mop(s, t, word, origin)
            if code != OK:
                return code
        elif opcode == MOP_CFG:
            f.mask_hi = MOP_CFG.zmask_hi16(word)
        elif f.late_fifo.count >= LATE_CAPACITY:
            return OK
        else:
            push_traced(f.late_fifo, word, origin)
        pop(f.input_fifo)
        if not f.mop_active:
            return OK
        if not _settle(s, t):
            f.mop_active = 0
            return OK
    if f.late_fifo.count >= LATE_CAPACITY:
        return OK
    emitted = f.mop_emitted
    word = _word(s, t)
    push_traced(f.late_fifo, word, with_mop_step(f.mop_origin, emitted))
    f.mop_emitted = emitted + 1
    f.mop_active = _settle(s, t)
    return OK
