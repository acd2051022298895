"""Rounds of the only thread that has anything to do, while every core waits.

:func:`stream` looks at nothing but what that thread's expanders give; :func:`streams` says when it
may. What a replay expander plays back often is issued by a function of its own, see
``playbacks.py``.
"""

from tilelab.sim.fifo import peek, peek_origin
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import MOP, MOP_CFG, REPLAY
from tilelab.tensix.frontend.fifo import LATE_CAPACITY
from tilelab.tensix.frontend.replay_expander import PASS, PLAY_BACK, step_replay_expander
from tilelab.tensix.run.execute import execute
from tilelab.tensix.run.polls.polling import SHOWS
from tilelab.tensix.run.rounds import (
    blame,
    condition_met,
    end_round,
    expand_mop,
    issued,
    pass_time,
    rounds_to_stop,
    stop,
    stop_unless_stuck,
)
from tilelab.tensix.run.speed.playbacks import ISSUED, ISSUED_BITS
from tilelab.tensix.run.stuck import forget_stuck
from tilelab.tensix.state.records import State
from tilelab.tensix.words.origin import with_replay_slot


@kernel
def streams(s: State, t: int) -> int:
    """Whether the word at a thread's gate can be issued as far as the frontend goes."""
    f = s.frontend[t]
    if not f.gate_full or f.wait.kind:
        return 0
    return 0 if f.gate_word >> 24 in (REPLAY, MOP, MOP_CFG) else 1


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
def seen_to(s: State) -> int:
    """Whether a round has brought what the run, or a polling core, waits for in L1."""
    if s.engine.polling and s.engine.shown:
        return 1
    return condition_met(s)


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
def play(s: State, t: int, index: int, left: int) -> int:
    """Issue words that a thread plays back, from its gate's on, in a function made of them.

    0 if there is none, as here: the fast engine has ``playbacks.play`` in its place. Otherwise how
    many were issued, and above ISSUED_BITS what the next one returned if that waits or fails. The
    round of the last one is to be ended; if there is a code, it has been.
    """
    return 0


@kernel
def passed_by(s: State, t: int, index: int, left: int, words: int) -> tuple[int, int, int, int]:
    """Have words that a thread plays back leave its gate, and the next one come to it.

    The slot after that one, how many words are left, that word and its origin.
    """
    f = s.frontend[t]
    index = (index + words) & 31
    if words and left == words:
        f.replay_index = index
        f.replay_left = 0
        f.replay_mode = PASS
    at = (index - 1) & 31
    return index, left - words, f.replay_buffer[at], with_replay_slot(f.replay_origin, at)


@kernel
def issue(s: State, t: int, word: int, origin: int) -> int:
    """Execute a thread's word, and count it if it is issued; what it returned."""
    code = execute(s, t, word)
    return issued(s, t, word, origin) if code == OK else code


@kernel
def has_latched(s: State, t: int, word: int, origin: int) -> int:
    """Whether a thread waits, as the word says that it has issued last: note that."""
    wait = s.frontend[t].wait
    if wait.kind:
        wait.word = word
        wait.origin = origin
    return 1 if wait.kind else 0


@kernel
def stream(s: State, t: int, more: int) -> int:
    """Rounds of a thread that streams while nothing else can happen: one, or ``more``.

    The cores have had their turn in the first one. OK, a STOP code or a failed check's code.
    """
    f = s.frontend[t]
    effects = s.effects
    index, left = f.replay_index, left_to_play(s, t)
    word, origin = f.gate_word, f.gate_origin
    seen = seen_by_cores(s, t)
    rests = mop_expander_rests(s, t)
    limit = rounds_to_stop(s) if more else 1
    count, played, vector, on, code, ended = 0, 0, 0, 1, OK, OK
    looks = seen_to(s)  # what cores did in this round; afterwards only words that show do such
    plays = 0 if s.engine.trace_on else 1
    begins = 0 if looks else plays
    while on and count < limit:
        may_play = begins and rests and left and left < limit - count
        ahead = play(s, t, index, left) if may_play else 0
        begins = 0
        if ahead:
            code = ahead >> ISSUED_BITS
            passed = (ahead & ISSUED) - (1 if code == OK else 0)
            index, left, word, origin = passed_by(s, t, index, left, passed)
            played += passed
            count += passed
        else:
            code = issue(s, t, word, origin)
        if code != OK:
            break
        opcode = word >> 24
        vector = 1 if s.arch.vector.first <= opcode <= s.arch.vector.last else 0
        count += 1
        if has_latched(s, t, word, origin):
            on = 0
        if left and rests:
            index, left, word, origin = passed_by(s, t, index, left, 1)
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
            begins = plays
            if not streams(s, t) or seen_by_cores(s, t) != seen:
                on = 0
            rests = mop_expander_rests(s, t)
        ended = pass_time(s, vector)
        if ended != OK or s.effects != effects or looks or (SHOWS[opcode] and seen_to(s)):
            break
    put_back(s, t, word, origin, index, left)
    f.expanded += played
    s.engine.vector = vector
    return close_stream(s, t, count, code, ended)


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
