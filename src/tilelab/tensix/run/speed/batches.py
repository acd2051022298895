"""Many rounds in one go, by the rules of ``rounds``. Both engines run this.

What is saved is looking. Which threads and cores have anything to do can only change by what they
do themselves, or with ``state.effects``, so it is noted once and looked at again when that may have
happened. ``stream`` runs those of one thread alone. Rounds that are run one at a time, for which
nothing is noted, leave the same: a test holds them equal.

Whoever owns the clock of a tile calls :func:`run_rounds` with as many rounds as may pass; one that
returns STOP_IDLE changes nothing until somebody writes to it. Compiled, the call needs the tile's
memory alone and no Python lock, so tiles run side by side.
"""

from tilelab.sim.kernel import OK, bit_length, kernel
from tilelab.tensix.backend.vector_unit.load_macro import settling
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
    end_round,
    in_flight,
    quiet,
    run_cores,
    step_thread,
    stop,
    stop_unless_stuck,
)
from tilelab.tensix.run.speed.alone import run_alone, step_cores, stopped_cores
from tilelab.tensix.run.speed.stream import seen_by_cores, stream, streams
from tilelab.tensix.run.stops import STOP_BREAK
from tilelab.tensix.run.stuck import all_poll
from tilelab.tensix.state.records import State
from tilelab.tensix.words.origin import pusher


@kernel
def busy_threads(s: State) -> int:
    """Bit per thread that has anything to do in a round."""
    mask = 0
    for t in range(s.arch.threads):
        mask |= (1 if in_flight(s, t) or s.frontend[t].wait.kind else 0) << t
    return mask


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
    return -1 if active & (active - 1) else bit_length(active) - 1


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
        active &= busy_threads(s)
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
    if busy_threads(s) or settling(s):
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
