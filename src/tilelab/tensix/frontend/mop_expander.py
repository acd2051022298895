"""The MOP expander of one thread, as a state machine that emits one word at a time.

Manual: MOPExpander.md, MOP.md, MOP_CFG.md. :mod:`tilelab.tensix.frontend.expand` has the same
expander as the manual writes it, a generator; a property test holds the two equal.
"""

from typing import Any

from tilelab.sim.checks import Policy, check, refuse
from tilelab.sim.errors import NonContractualBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.frontend.fifo import (
    FIFO_MASK,
    LATE_CAPACITY,
    append_late,
    mop_pending,
)
from tilelab.tensix.tables.opcodes import MOP, MOP_CFG, NOP
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

START, LOOP, END0, END1, NEXT_OUTER = 0, 1, 2, 3, 4
OUTER_BUG = 128


@kernel
def write_mop_cfg(s: Any, t: int, index: int, value: int) -> int:
    """Write one MopCfg register, as the thread's TRISC does."""
    if mop_pending(s, t) and refuse(s, MOP_CFG_DURING_EXPANSION, index):
        return MOP_CFG_DURING_EXPANSION
    s.frontend[t].mop_cfg[index] = value
    return OK


@kernel
def is_nop(word: int) -> int:
    """1 for plain NOP only, whatever its operand bits; not DMANOP, not SFPNOP."""
    return 1 if word >> 24 == NOP else 0


@kernel
def mop_cfg_word(s: Any, t: int, index: int) -> int:
    """What an expansion under way sees of MopCfg: its snapshot, or the live register."""
    if s.arch.mop_sampling:
        value: int = s.frontend[t].mop_cfg[index]
    else:
        value = s.frontend[t].mop_snapshot[index]
    return value


@kernel
def outer_count(s: Any, t: int) -> int:
    """Outer iterations of template 1, the hardware bug included."""
    count = mop_cfg_word(s, t, 0) & count_mask(s)
    return count + OUTER_BUG if has_outer_bug(s, t, count) else count


@kernel
def has_outer_bug(s: Any, t: int, count: int) -> int:
    """1 if template 1 meets the hardware's bug, ``count`` being its OuterCount."""
    if count != 1 or inner_count(s, t):
        return 0
    return 1 if is_nop(mop_cfg_word(s, t, 2)) and not is_nop(mop_cfg_word(s, t, 3)) else 0


@kernel
def count_mask(s: Any) -> int:
    """The bits of MopCfg that are a count of template 1."""
    mask: int = (1 << s.arch.mop_count_bits) - 1
    return mask


@kernel
def check_counts(s: Any, t: int) -> int:
    """OK, or the check that template 1's counts fail."""
    for i in range(2):
        if mop_cfg_word(s, t, i) > count_mask(s) and refuse(s, MOP_COUNT_BITS, i):
            return MOP_COUNT_BITS
    if has_outer_bug(s, t, mop_cfg_word(s, t, 0) & count_mask(s)) and refuse(s, MOP_OUTER_BUG, 1):
        return MOP_OUTER_BUG
    return OK


@kernel
def inner_count(s: Any, t: int) -> int:
    """Inner iterations of template 1: twice InnerCount when two LoopOps alternate."""
    count = mop_cfg_word(s, t, 1) & count_mask(s)
    if not is_nop(mop_cfg_word(s, t, 6)):
        count *= 2
    return count


@kernel
def _settle1(s: Any, t: int) -> int:
    """Template 1: move to the next place that emits a word; 0 if the expansion is over."""
    f = s.frontend[t]
    while f.mop_outer < outer_count(s, t):
        if f.mop_stage == START:
            if not is_nop(mop_cfg_word(s, t, 2)):
                return 1
            f.mop_stage = LOOP
        if f.mop_stage == LOOP:
            if f.mop_inner < inner_count(s, t):
                return 1
            f.mop_stage = END0
        if f.mop_stage == END0:
            if not is_nop(mop_cfg_word(s, t, 3)):
                return 1
            f.mop_stage = NEXT_OUTER
        if f.mop_stage == END1:
            if not is_nop(mop_cfg_word(s, t, 4)):
                return 1
            f.mop_stage = NEXT_OUTER
        f.mop_stage = START
        f.mop_inner = 0
        f.mop_outer = f.mop_outer + 1
    return 0


@kernel
def _register1(s: Any, t: int) -> int:
    """Template 1: the MopCfg register whose word is at the current place."""
    f = s.frontend[t]
    stage = f.mop_stage
    if stage == LOOP:
        i = f.mop_inner
        if i != inner_count(s, t) - 1:
            alternate = not is_nop(mop_cfg_word(s, t, 6)) and i & 1
            return 6 if alternate else 5
        return 8 if f.mop_outer != outer_count(s, t) - 1 else 7
    if stage == START:
        return 2
    return 3 if stage == END0 else 4


@kernel
def _word1(s: Any, t: int) -> int:
    """Template 1: the word at the current place; moves past it."""
    f = s.frontend[t]
    register = _register1(s, t)
    stage = f.mop_stage
    if stage == LOOP:
        f.mop_inner = f.mop_inner + 1
    elif stage == START:
        f.mop_stage = LOOP
    elif stage == END0:
        f.mop_stage = END1
    else:
        f.mop_stage = NEXT_OUTER
    return mop_cfg_word(s, t, register)


@kernel
def _settle0(s: Any, t: int) -> int:
    """Template 0: 0 if the expansion is over."""
    f = s.frontend[t]
    return 1 if f.mop_outer <= (f.mop_word >> 16) & 127 else 0


@kernel
def _register0(s: Any, t: int) -> int:
    """Template 0: the MopCfg register whose word is at the current place."""
    f = s.frontend[t]
    stage = f.mop_stage
    if f.mop_mask & 1:
        return 7 if stage == 0 else 8
    a123 = 3 if mop_cfg_word(s, t, 1) & 2 else 0
    index: int = 3 + stage if stage <= a123 else 2
    return index


@kernel
def _word0(s: Any, t: int) -> int:
    """Template 0: the word at the current place; moves past it."""
    f = s.frontend[t]
    register = _register0(s, t)
    flags = mop_cfg_word(s, t, 1)
    last = flags & 1
    if not f.mop_mask & 1 and flags & 2:
        last += 3
    if f.mop_stage >= last:
        f.mop_stage = 0
        f.mop_outer = f.mop_outer + 1
        f.mop_mask = f.mop_mask >> 1
    else:
        f.mop_stage = f.mop_stage + 1
    return mop_cfg_word(s, t, register)


@kernel
def mop_place(s: Any, t: int) -> int:
    """The current place in the loops, packed as :func:`origin.unpack_place` reads it."""
    f = s.frontend[t]
    place: int = f.mop_outer << 4
    if MOP.mop_type(f.mop_word):
        place |= 1 << 20 | f.mop_inner << 12 | _register1(s, t)
        return place
    place |= _register0(s, t)
    return place


@kernel
def start_mop(s: Any, t: int, word: int, origin: int) -> int:
    """Take in a MOP: snapshot MopCfg, begin at the first place."""
    f = s.frontend[t]
    template = MOP.mop_type(word)
    count = MOP.loop_count(word) + 1
    if template == 0 and count > 32 and refuse(s, MOP_COUNT_ABOVE_32, count):
        return MOP_COUNT_ABOVE_32
    for i in range(9):
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
def _settle(s: Any, t: int) -> int:
    if MOP.mop_type(s.frontend[t].mop_word):
        return _settle1(s, t)
    return _settle0(s, t)


@kernel
def step_mop_expander(s: Any, t: int) -> int:
    """Move at most one word out of the MOP expander; absorb MOP and MOP_CFG on the way."""
    f = s.frontend[t]
    if not f.mop_active:
        if f.input_count == 0:
            return OK
        word = f.input_fifo[f.input_head]
        origin = f.input_origin[f.input_head]
        opcode = word >> 24
        if opcode == MOP:
            code = start_mop(s, t, word, origin)
            if code != OK:
                return code
        elif opcode == MOP_CFG:
            f.mask_hi = MOP_CFG.zmask_hi16(word)
        elif f.late_count >= LATE_CAPACITY:
            return OK
        else:
            append_late(s, t, word, origin)
        f.input_head = (f.input_head + 1) & FIFO_MASK
        f.input_count = f.input_count - 1
        if not f.mop_active:
            return OK
        if not _settle(s, t):
            f.mop_active = 0
            return OK
    if f.late_count >= LATE_CAPACITY:
        return OK
    emitted = f.mop_emitted
    if s.cycle.trace_on:
        f.mop_place = mop_place(s, t)
    word = _word1(s, t) if MOP.mop_type(f.mop_word) else _word0(s, t)
    append_late(s, t, word, with_mop_step(f.mop_origin, emitted))
    f.mop_emitted = emitted + 1
    f.mop_active = _settle(s, t)
    return OK
