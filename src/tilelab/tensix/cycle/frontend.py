"""A thread's frontend, one cycle at a time: MOP expander, replay expander, the FIFO at the gate.

The expanders are those of the functional clock; here is when they may move, and what a bubble was.
Each passes on why it emitted nothing, as it would have passed on a word.

Not modelled: the loss of a word where BRISC's and the MOP expander's meet at the mux between the
expanders; the check ``brisc-push-collision`` reports that they may.
"""

from typing import Final

from tilelab.sim.fifo import peek, slot
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import MOP, REPLAY
from tilelab.tensix.cycle.events import MOP_OUT, RECORD_SLOT, REPLAY_OUT, note
from tilelab.tensix.frontend.fifo import LATE_CAPACITY
from tilelab.tensix.frontend.mop_expander import step_mop_expander
from tilelab.tensix.frontend.replay_expander import (
    PLAY_BACK,
    RECORD,
    RECORD_AND_EXECUTE,
    step_replay_expander,
)
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.causes import ABSORBED, FIFO_EMPTY, MOP_TRANSITION, RECORDED
from tilelab.tensix.words.origin import BRISC, by_expander, pusher

MOP_STAGE: Final = 0
REPLAY_STAGE: Final = 1


@kernel
def shift_gate(s: State, t: int) -> int:
    """Let the word behind the gate's step up, if the gate has just become free."""
    f = s.frontend[t]
    if s.cycle.behind_full[t] and not f.gate_full:
        f.gate_word = s.cycle.behind_word[t]
        f.gate_origin = s.cycle.behind_origin[t]
        f.gate_full = 1
        s.cycle.behind_full[t] = 0
    return OK


@kernel
def needs_room(s: State, t: int) -> int:
    """Whether the replay expander's next move puts a word into the FIFO at the gate."""
    f = s.frontend[t]
    mode = f.replay_mode
    if mode == RECORD:
        return 0
    if mode == 0 and f.late_fifo.count:
        word = peek(f.late_fifo)
        if word >> 24 == REPLAY and REPLAY.load_mode(word):
            return 0
    return 1


@kernel
def tick_replay(s: State, t: int) -> int:
    """One cycle of the replay expander; OK, or a failed check's code."""
    f = s.frontend[t]
    cycle = s.cycle
    if f.late_fifo.count == 0 and f.replay_mode != PLAY_BACK:
        cycle.replay_bubble[t] = cycle.mop_bubble[t]
        return OK
    recorded = f.late_fifo.count
    index = f.replay_index
    recording = 1 if f.replay_mode in (RECORD, RECORD_AND_EXECUTE) else 0
    full = f.gate_full
    if full:
        if cycle.behind_full[t] and needs_room(s, t):
            cycle.stage_stalled[t, REPLAY_STAGE] = cycle.stage_stalled[t, REPLAY_STAGE] + 1
            return OK
        # lend the expander an empty gate: what it emits belongs behind the word that waits there
        word = f.gate_word
        origin = f.gate_origin
        f.gate_full = 0
        code = step_replay_expander(s, t)
        if f.gate_full:
            cycle.behind_word[t] = f.gate_word
            cycle.behind_origin[t] = f.gate_origin
            cycle.behind_full[t] = 1
            if cycle.trace_on:
                note(s, REPLAY_OUT, t, f.gate_word, 0, f.gate_origin)
        f.gate_word = word
        f.gate_origin = origin
        f.gate_full = 1
    else:
        code = step_replay_expander(s, t)
        if not f.gate_full:
            cycle.replay_bubble[t] = RECORDED
        elif cycle.trace_on:
            note(s, REPLAY_OUT, t, f.gate_word, 0, f.gate_origin)
    if recording and cycle.trace_on and f.late_fifo.count != recorded:
        last = slot(f.late_fifo, -1)
        note(s, RECORD_SLOT, t, f.late_fifo.data[last], index, f.late_fifo.origin[last])
    s.engine.moved = 1
    return code


@kernel
def tick_mop(s: State, t: int) -> int:
    """One cycle of the MOP expander; OK, or a failed check's code."""
    f = s.frontend[t]
    cycle = s.cycle
    mop_next = 0
    if not f.mop_active:
        if f.input_fifo.count and peek(f.input_fifo) >> 24 == MOP:
            mop_next = 1
        if cycle.dead[t]:
            cycle.dead[t] = 0
            if not mop_next:
                cycle.mop_bubble[t] = MOP_TRANSITION
                s.engine.moved = 1
                return OK
        if f.input_fifo.count == 0:
            cycle.mop_bubble[t] = FIFO_EMPTY
            return OK
    if f.late_fifo.count >= LATE_CAPACITY:
        # the first word leaves in the cycle that takes the MOP in, so the MOP waits too
        cycle.stage_stalled[t, MOP_STAGE] = cycle.stage_stalled[t, MOP_STAGE] + 1
        return OK
    before = f.late_fifo.count
    expanding = mop_next or f.mop_active
    code = step_mop_expander(s, t)
    if f.late_fifo.count == before:
        cycle.mop_bubble[t] = ABSORBED
    elif expanding and not f.mop_active:
        cycle.dead[t] = 1
    if cycle.trace_on and f.late_fifo.count != before:
        last = slot(f.late_fifo, before)
        place = f.mop_place if expanding else 0
        note(s, MOP_OUT, t, f.late_fifo.data[last], place, f.late_fifo.origin[last])
    s.engine.moved = 1
    return code


@kernel
def tracked(s: State, t: int) -> int:
    """How many of the TRISC's words are in front of the gate without having been expanded."""
    f = s.frontend[t]
    count = f.input_fifo.count
    for i in range(f.late_fifo.count):
        if is_plain(f.late_fifo.origin[slot(f.late_fifo, i)]):
            count += 1
    if f.gate_full and is_plain(f.gate_origin):
        count += 1
    if s.cycle.behind_full[t] and is_plain(s.cycle.behind_origin[t]):
        count += 1
    return count


@kernel
def is_plain(origin: int) -> int:
    """Whether a word is one that a TRISC pushed, not one that an expander made of it."""
    return 1 if by_expander(origin) == 0 and pusher(origin) != BRISC else 0
