"""Many rounds in one go, by the rules of ``rounds``. Both engines run this.

What is saved is looking. Which threads and cores have anything to do can only change by what they
do themselves, or with ``state.effects``, so it is noted once and looked at again when that may have
happened. While one thread alone has anything to do and every core waits, :func:`stream` looks at
nothing but what that thread's expanders give; :func:`streams` says when. Rounds that are run one at
a time, for which nothing is noted, leave the same: a test holds them equal.

Whoever owns the clock of a tile calls :func:`run_rounds` with as many rounds as may pass; one that
returns STOP_IDLE changes nothing until somebody writes to it. Compiled, the call needs the tile's
memory alone and no Python lock, so tiles run side by side.
"""

from tilelab.sim.fifo import peek, peek_origin
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import MOP, MOP_CFG, REPLAY
from tilelab.tensix.frontend.fifo import LATE_CAPACITY
from tilelab.tensix.frontend.replay_expander import PASS, PLAY_BACK, step_replay_expander
from tilelab.tensix.run.execute import execute, is_vector, play_vector
from tilelab.tensix.run.polls.polling import (
    leave_changed,
    leave_loops,
    look,
    look_around,
    resume,
    step_all,
    woken,
)
from tilelab.tensix.run.rounds import (
    STOP_END,
    STOP_IDLE,
    STOP_NOC,
    STOP_STUCK,
    blame,
    condition_met,
    end_round,
    expand_mop,
    in_flight,
    issued,
    pass_time,
    quiet,
    rounds_to_stop,
    run_cores,
    step_thread,
    stop,
    stop_unless_stuck,
    threads_at_rest,
)
from tilelab.tensix.run.speed.alone import run_alone, step_cores, stopped_cores
from tilelab.tensix.run.stops import STOP_BREAK
from tilelab.tensix.run.stuck import all_poll, forget_stuck
from tilelab.tensix.state.records import State
from tilelab.tensix.words.origin import pusher, with_replay_slot


@kernel
def busy(s: State, t: int) -> int:
    """Whether a thread has anything to do in a round."""
    return 1 if in_flight(s, t) or s.frontend[t].wait.kind else 0


@kernel
def busy_threads(s: State) -> int:
    """Bit per thread that has anything to do in a round."""
    mask = 0
    for t in range(s.arch.threads):
        mask |= busy(s, t) << t
    return mask


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
    f.gate_full = 0
    code = step_replay_expander(s, t)  # as rounds' expand, which is a tenth slower here
    if code != OK:
        blame(s, t, peek(f.late_fifo), peek_origin(f.late_fifo))
        return code
    return expand_mop(s, t)


@kernel
def stream(s: State, t: int, more: int) -> int:
    """Rounds of a thread that streams while nothing else can happen: one, or ``more``.

    The cores have had their turn in the first one. OK, a STOP code or a failed check's code.
    """
    f = s.frontend[t]
    effects = s.effects
    word, origin = f.gate_word, f.gate_origin
    index, left = f.replay_index, left_to_play(s, t)
    seen = seen_by_cores(s, t)
    rests = mop_expander_rests(s, t)
    limit = rounds_to_stop(s) if more else 1
    count, played, vector, on = 0, 0, 0, 1
    code, ended = OK, OK
    while on and count < limit:
        most = min(left + 1, limit - count) if rests and is_vector(s, word) else 0
        if most > 1 and nothing_is_noted(s):
            done, code = play_vector(s, t, word, index, most)
            if done == 0:
                break
            if done > 1:  # all but the last of these rounds are over
                word, origin, index, left = take(s, t, index + done - 2, left - done + 2)
                played += done - 1
                s.clock += done - 1
            count += done
        else:
            code = execute(s, t, word)
            if code != OK:
                break
            issued(s, t, word, origin)
            count += 1
        vector = is_vector(s, word)
        if f.wait.kind:
            f.wait.word = word
            f.wait.origin = origin
            on = 0
        if left and rests:
            word, origin, index, left = take(s, t, index, left)
            played += 1
            if word >> 24 in (REPLAY, MOP, MOP_CFG):
                on = 0
        else:
            put_back(s, t, word, origin, index, left)
            ended = refill(s, t)
            word, origin = f.gate_word, f.gate_origin
            index, left = f.replay_index, left_to_play(s, t)
            if ended != OK:
                break
            if not streams(s, t) or seen_by_cores(s, t) != seen:
                on = 0
            rests = mop_expander_rests(s, t)
        ended = pass_time(s, vector)
        polled = s.engine.polling and s.engine.shown  # without polls it is never taken back
        if ended != OK or s.effects != effects or polled or condition_met(s) or code != OK:
            break
    put_back(s, t, word, origin, index, left)
    f.expanded += played
    s.engine.vector = vector
    return close_stream(s, t, count, code, ended)


@kernel
def nothing_is_noted(s: State) -> int:
    """Whether words that concern nobody but the vector unit may go by without a look at each.

    They change nothing that a condition is about; but a core may have, in the same round.
    """
    if s.engine.trace_on or (s.engine.polling and s.engine.shown):
        return 0
    return 0 if condition_met(s) else 1


@kernel
def take(s: State, t: int, index: int, left: int) -> tuple[int, int, int, int]:
    """Take a word to play back: it, its origin, and from where on how many are left."""
    f = s.frontend[t]
    index &= 31
    word = f.replay_buffer[index]
    origin = with_replay_slot(f.replay_origin, index)
    index = (index + 1) & 31
    if left == 1:
        f.replay_index = index
        f.replay_left = 0
        f.replay_mode = PASS
    return word, origin, index, left - 1


@kernel
def left_to_play(s: State, t: int) -> int:
    """How many words a thread's replay expander has yet to play back."""
    f = s.frontend[t]
    return f.replay_left if f.replay_mode == PLAY_BACK else 0


@kernel
def put_back(s: State, t: int, word: int, origin: int, index: int, left: int) -> int:
    """Leave in the frontend what :func:`stream` kept of it: gate and place of playing; OK."""
    f = s.frontend[t]
    f.gate_word = word
    f.gate_origin = origin
    if left:
        f.replay_index = index
        f.replay_left = left
    return OK


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
    if code != OK:
        return code
    return stop_unless_stuck(s, end_round(s), 1)


@kernel
def step_threads(s: State, active: int) -> int:
    """One round of the threads named by bits, and its end.

    OK, a STOP code or a failed check's code.
    """
    for t in range(s.arch.threads):
        if active >> t & 1:
            code = step_thread(s, t)
            if code != OK:
                return code
    return stop_unless_stuck(s, end_round(s), 1)


@kernel
def lone(active: int) -> int:
    """The only thread among bits, or -1."""
    if active == 1:
        return 0
    if active == 2:
        return 1
    return 2 if active == 4 else -1


@kernel
def still_busy(s: State, active: int) -> int:
    """Bits of those threads that still have anything to do."""
    for t in range(s.arch.threads):
        if active >> t & 1 and not busy(s, t):
            active &= ~(1 << t)
    return active


@kernel
def run_busy(s: State) -> int:
    """Run at least one round; return when something is to be decided.

    OK, a STOP code or a failed check's code.
    """
    engine = s.engine
    active = busy_threads(s)
    stopped = stopped_cores(s)
    skip = stopped
    effects = s.effects
    code = OK
    while code == OK:
        if engine.find_polls:
            skip = look_around(s, skip)
        engine.moved = 0
        engine.vector = 0
        if skip != (1 << s.arch.cores) - 1:
            code, skip = step_cores(s, skip)
            if code != OK:
                return code
            if s.effects != effects:
                active = busy_threads(s)
        t = lone(active)
        seen = seen_by_cores(s, t) if t >= 0 else 0
        if t >= 0 and s.effects == effects and not engine.attention and streams(s, t):
            code = stream(s, t, skip == (1 << s.arch.cores) - 1)
        else:
            code = step_threads(s, active)
        active = still_busy(s, active)
        if t < 0 or not s.frontend[t].gate_full or seen_by_cores(s, t) != seen:
            skip = stopped  # what cores wait for may have changed
        if s.effects != effects:
            effects = s.effects
            stopped = stopped_cores(s)
            skip = stopped
        if not active or (stopped == (1 << s.arch.cores) - 1 and quiet(s)):
            return code
    return code


@kernel
def run_batch(s: State) -> int:
    """Run at least one round, of the cores alone if only they have anything to do.

    OK, a STOP code or a failed check's code.
    """
    engine = s.engine
    if not threads_at_rest(s):
        return run_busy(s)
    if engine.polling and engine.shown:
        leave_changed(s, 0)
    before = s.clock
    if engine.wake_at and engine.wake_at <= before:
        woken(s)
    end = min(engine.end, engine.wake_at) if engine.wake_at else engine.end
    engine.moved = 0
    if engine.attention:
        step_all(s)
        code = run_cores(s, 1)
    elif not engine.find_polls:
        code = run_alone(s, end - before)
    elif engine.looking or engine.look_at <= before:
        code = look(s, end - before)
    else:
        code = run_alone(s, min(end, engine.look_at) - before)
    if code != OK:
        return code
    code = stop(s)
    if engine.polling and all_poll(s) and code not in (STOP_BREAK, STOP_NOC):
        return STOP_STUCK
    return stop_unless_stuck(s, code, s.clock - before)


@kernel
def had_turn(s: State) -> int:
    """How many cores had their turn in a round in which a check failed: a core's, or a thread's."""
    engine = s.engine
    return s.arch.cores if engine.fault_thread >= 0 else pusher(engine.fault_origin)


@kernel
def run_rounds(s: State, rounds: int) -> int:
    """Run up to ``rounds`` rounds: OK, a STOP code, or a failed check's code."""
    s.engine.end = s.clock + rounds
    if s.engine.find_polls:
        resume(s)
    code = stop(s)
    while code == OK:
        if quiet(s):
            return STOP_IDLE
        code = run_batch(s)
    if s.engine.polling:
        leave_loops(s, had_turn(s) if code > 0 else 0)
    return OK if code == STOP_END else code
