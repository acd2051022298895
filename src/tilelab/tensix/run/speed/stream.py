"""Rounds of one thread that alone has anything to do, while every core waits.

Nothing is looked at but what the thread's expanders give. What the vector unit does with a word
changes nothing that a clock looks at after each round: no core's memory, no wait, none of
``s.effects``. So vector words run in a loop of their own, :func:`play_vector`, MOP after REPLAY.
"""

from tilelab.sim.fifo import peek
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import MOP, MOP_CFG, REPLAY
from tilelab.tensix.frontend.fifo import LATE_CAPACITY
from tilelab.tensix.frontend.replay_expander import PASS, PLAY_BACK
from tilelab.tensix.run.execute import execute
from tilelab.tensix.run.rounds import (
    blame,
    condition_met,
    end_round,
    expand,
    expand_mop,
    is_vector,
    issued,
    pass_time,
    rounds_to_stop,
    stop,
    stop_unless_stuck,
)
from tilelab.tensix.run.stuck import forget_stuck
from tilelab.tensix.state.records import State
from tilelab.tensix.words.origin import with_replay_slot


def execute_vector(s: State, t: int, word: int) -> int:
    """``execute`` for a word of which it is known that it is a vector instruction."""
    return execute(s, t, word)


@kernel
def seen_by_cores(s: State, t: int) -> int:
    """What waiting cores look at of a frontend in which words are in flight.

    ``tensix_sync`` waits on anyway; ``mop_sync`` and pushes wait on while this does not change.
    """
    f = s.frontend[t]
    full = 1 if f.late_fifo.count >= LATE_CAPACITY else 0
    return f.input_fifo.count << 2 | f.mop_active << 1 | full


@kernel
def mop_expander_rests(s: State, t: int) -> int:
    """Whether a thread's MOP expander can do nothing while nothing is taken from behind it."""
    f = s.frontend[t]
    if f.late_fifo.count >= LATE_CAPACITY:
        opcode = peek(f.input_fifo) >> 24
        if f.mop_active or f.input_fifo.count == 0:
            return 1
        return 0 if opcode in (MOP, MOP_CFG) else 1
    return 0 if f.mop_active or f.input_fifo.count else 1


@kernel
def streams(s: State, t: int) -> int:
    """Whether the word at a thread's gate can be issued as far as the frontend goes."""
    f = s.frontend[t]
    if not f.gate_full or f.wait.kind:
        return 0
    return 0 if f.gate_word >> 24 in (REPLAY, MOP, MOP_CFG) else 1


@kernel
def refill(s: State, t: int) -> int:
    """Move the expanders after the gate's word was issued: a failed check's code or OK."""
    f = s.frontend[t]
    if f.replay_mode == PLAY_BACK:
        leave_played(s, t, 1)
        return OK if mop_expander_rests(s, t) else expand_mop(s, t)
    f.gate_full = 0
    return expand(s, t)


@kernel
def stream(s: State, t: int, more: int) -> int:
    """Rounds of a thread that streams while nothing else can happen: one, or ``more``.

    The cores have had their turn in the first one. OK, a STOP code or a failed check's code.
    """
    f = s.frontend[t]
    effects = s.effects
    seen = seen_by_cores(s, t)
    limit = rounds_to_stop(s) if more else 1
    count, done, vector, on = 0, 0, 0, 1
    code, ended = OK, OK
    while on and count < limit:
        vector = is_vector(s, f.gate_word)
        if vector and count + 1 < limit and nothing_is_noted(s) and not s.engine.trace_on:
            done, code, ended = play_vector(s, t, limit - count, seen)
            count += done
        else:
            done, code, ended = play_others(s, t, limit - count)
            count += done
            if s.effects != effects or not nothing_is_noted(s):
                break
        goes_on = streams(s, t) and seen_by_cores(s, t) == seen
        on = 1 if goes_on and code == OK and ended == OK else 0
    s.engine.vector = vector
    return close_stream(s, t, count, code, ended)


@kernel
def play_others(s: State, t: int, most: int) -> tuple[int, int, int]:
    """As :func:`play_vector`, of other words: one, or those that come from the replay buffer.

    Each is looked at for what it changes.
    """
    f = s.frontend[t]
    effects = s.effects
    at, left, done = f.replay_index, 0, 0
    if f.replay_mode == PLAY_BACK and mop_expander_rests(s, t):
        left = 0 if s.engine.trace_on or s.vector.load_macro.busy else f.replay_left
    most = min(most, left + 1)
    word = f.gate_word
    code = execute(s, t, word)
    while code == OK:
        issued(s, t, word, f.gate_origin)
        done += 1
        if done == most or f.wait.kind or s.effects != effects or not nothing_is_noted(s):
            break
        following = f.replay_buffer[at]
        if is_vector(s, following) or following >> 24 in (REPLAY, MOP, MOP_CFG):
            break
        s.clock += 1
        at = (at + 1) & 31
        word = following
        code = execute(s, t, word)
    moved = done - 1 if code == OK else done
    if moved > 0:
        leave_played(s, t, moved)
    if code != OK:
        return done, code, OK
    if f.wait.kind:
        f.wait.word = word
        f.wait.origin = f.gate_origin
    ended = refill(s, t)
    return done, OK, ended if ended != OK else pass_time(s, is_vector(s, word))


@kernel
def play_vector(s: State, t: int, most: int, seen: int) -> tuple[int, int, int]:
    """Up to ``most`` rounds of a thread that streams vector words.

    Ends where a word is another unit's, waits or fails, and where the expanders have to be looked
    at. How many rounds; what the next word returned, if it waits or fails; why expanding failed.
    """
    f = s.frontend[t]
    done, on = 0, 1
    code, ended = OK, OK
    while on:
        left = 0
        if mop_expander_rests(s, t) and f.replay_mode == PLAY_BACK:
            left = f.replay_left
        ran, code = play(s, t, f.gate_word, f.replay_index, min(left + 1, most - done))
        done += ran
        moved = min(ran, left)
        if moved:
            leave_played(s, t, moved)
        s.clock += moved
        on = 0
        if ran > moved:
            ended = refill(s, t)
            if ended == OK:
                s.clock += 1
                goes_on = streams(s, t) and seen_by_cores(s, t) == seen
                on = 1 if goes_on and done < most else 0
    return done, code, ended


@kernel
def leave_played(s: State, t: int, moved: int) -> int:
    """Leave in the frontend that so many words have moved from the replay buffer to the gate; OK.

    As ``step_replay_expander`` would, word by word.
    """
    f = s.frontend[t]
    slot = (f.replay_index + moved - 1) & 31
    f.gate_word = f.replay_buffer[slot]
    f.gate_origin = with_replay_slot(f.replay_origin, slot)
    f.expanded += moved
    f.replay_index = (slot + 1) & 31
    f.replay_left -= moved
    if f.replay_left == 0:
        f.replay_mode = PASS
    return OK


@kernel
def play(s: State, t: int, word: int, index: int, most: int) -> tuple[int, int]:
    """Execute up to ``most`` vector words: one, and those of the replay buffer from a slot on.

    How many were executed and counted, and what the next one returned if it waits or fails.
    """
    counted = s.engine.issued
    replay = s.frontend[t].replay_buffer
    done, alike = 0, 0
    code = OK
    last = word >> 24
    while done < most and is_vector(s, word):
        code = execute_vector(s, t, word)
        if code != OK:
            break
        opcode = word >> 24
        if opcode != last:  # counted together, for a count in memory is slow to change at once
            counted[t, last] += alike
            last = opcode
            alike = 0
        alike += 1
        done += 1
        word = replay[index]
        index = (index + 1) & 31
    counted[t, last] += alike
    return done, code


@kernel
def nothing_is_noted(s: State) -> int:
    """Whether nothing has come about that is to be looked at: for a run that may stop, or a core
    that polls.
    """
    shown = s.engine.polling and s.engine.shown  # without polls it is never taken back
    return 0 if shown or condition_met(s) else 1


@kernel
def close_stream(s: State, t: int, count: int, code: int, ended: int) -> int:
    """Note what rounds that issued words leave behind, and end the one in which none was.

    ``code`` is what the last word returned, ``ended`` why the rounds ended, if they did.
    OK, a STOP code or a failed check's code.
    """
    f = s.frontend[t]
    if ended == OK and code == OK:
        ended = stop(s)
    if count:
        f.issued += count
        s.engine.gate_wait[t] = OK
        s.engine.moved = 1
        if count > 1 or ended <= OK:
            forget_stuck(s)
    return ended if code == OK else not_issued(s, t, code)


@kernel
def not_issued(s: State, t: int, code: int) -> int:
    """End a round in which the only thread's word waits or fails; ``code`` is what it returned.

    OK, a STOP code or a failed check's code.
    """
    f = s.frontend[t]
    s.engine.gate_wait[t] = code
    s.engine.moved = 0
    s.engine.vector = 0
    if code > 0:
        blame(s, t, f.gate_word, f.gate_origin)
        return code
    s.engine.stalled[t] += 1
    code = expand_mop(s, t)
    return code if code != OK else stop_unless_stuck(s, end_round(s), 1)
