"""Many rounds in one go, by the rules of ``rounds``. Both engines run this.

What is saved is looking. Which threads and cores have anything to do can only change by what they
do themselves, or with ``state.effects``, so it is noted once and looked at again when that may have
happened. ``stream`` runs those of one thread alone. Rounds that are run one at a time, for which
nothing is noted, leave the same: a test holds them equal.

Whoever owns the clock of a tile calls :func:`run_rounds` with as many rounds as may pass; one that
returns STOP_IDLE changes nothing until somebody writes to it. Compiled, the call needs the tile's
memory alone and no Python lock, so tiles run side by side.
"""

from typing import Final

from tilelab.sim.kernel import OK, bit_length, kernel
from tilelab.tensix.backend.sync_unit import keeps_waiting
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
    stepped_cores,
    stop,
    stop_unless_stuck,
)
from tilelab.tensix.run.speed.alone import run_alone, step_cores
from tilelab.tensix.run.speed.stream import mop_expander_rests, stream, streams
from tilelab.tensix.run.stops import STOP_BREAK
from tilelab.tensix.run.stuck import STALE_ROUNDS, all_poll
from tilelab.tensix.state.records import State
from tilelab.tensix.words.origin import pusher
from tilelab.tensix.words.waits import (
    WAIT_FIFO_FULL,
    WAIT_LATCHED,
    WAIT_MAILBOX,
    WAIT_MUTEX,
    WAIT_SRC_MATRIX,
    WAIT_SRC_UNPACK,
)

HELD: Final = (*WAIT_SRC_MATRIX, *WAIT_SRC_UNPACK, WAIT_MUTEX, WAIT_LATCHED)
"""What only a core, or another thread, can give to a word at a gate."""


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
    waiting, heard = 0, 0
    code = OK
    while code == OK:
        if engine.find_polls:
            look_around(s, waiting)
        engine.moved = 0
        engine.vector = 0
        before = s.effects
        noted = before + s.fault.warnings
        code, waiting = step_cores(s, waiting, heard)
        if code != OK:
            return code
        heard = before
        if s.effects != before:
            active = busy_threads(s)
        t = lone(active)
        if t >= 0 and s.effects == before and not engine.attention and streams(s, t):
            code = stream(s, t, 0 if stepped_cores(s) & ~waiting else 1)
        else:
            code = step_threads(s, active)
        if code == OK and noted == s.effects + s.fault.warnings and held(s, active):
            code = run_held(s, active)
            active = busy_threads(s)
        active &= busy_threads(s)
        if not active or quiet(s):
            return code
    return code


@kernel
def cores_alone(s: State, rounds: int) -> int:
    """Run up to so many rounds of the cores, some of which may poll, while nothing else goes on.

    OK, or a failed check's code.
    """
    engine = s.engine
    if engine.polling and engine.shown:
        leave_changed(s, 0)
    if engine.wake_at and engine.wake_at <= s.clock:
        woken(s)
    if engine.wake_at:
        rounds = min(rounds, engine.wake_at - s.clock)
    if engine.attention:
        step_all(s)
        return run_cores(s, 1)
    if engine.find_polls:
        if engine.looking or engine.look_at <= s.clock:
            return look(s, rounds)
        rounds = min(rounds, engine.look_at - s.clock)
    return run_alone(s, rounds)


@kernel
def held(s: State, active: int) -> int:
    """Whether threads named by bits wait, all of them, for what only a core can do.

    Asked after a round in which each of them had its turn.
    """
    engine = s.engine
    if active == 0 or engine.moved or engine.attention or engine.stale >= STALE_ROUNDS:
        return 0
    for t in range(s.arch.threads):
        if active >> t & 1:
            if not mop_expander_rests(s, t) or engine.gate_wait[t] not in HELD:
                return 0
            if not s.frontend[t].gate_full:
                return 0
            if engine.gate_wait[t] == WAIT_LATCHED and not keeps_waiting(s, t):
                return 0  # for the vector unit, which has settled since
    return 0 if settling(s) else 1


@kernel
def waiting_cores(s: State) -> int:
    """Bit per core that waits for its thread's frontend or a mailbox."""
    mask = 0
    for core in range(s.arch.cores):
        if WAIT_MAILBOX <= s.engine.core_wait[core] <= WAIT_FIFO_FULL:
            mask |= 1 << core
    return mask


@kernel
def run_held(s: State, active: int) -> int:
    """Rounds of the cores while threads named by bits wait, up to the first in which one of the
    cores does what others could notice: in that the threads have their turn.

    OK, a STOP code or a failed check's code.
    """
    engine = s.engine
    if engine.polling and all_poll(s):
        return STOP_STUCK
    effects, before = s.effects, s.clock
    engine.waiting = waiting_cores(s)
    code = cores_alone(s, min(engine.end - before, STALE_ROUNDS - engine.stale))
    engine.waiting = 0
    last = 1 if code == OK and s.effects != effects else 0
    passed = s.clock - last - before
    for t in range(s.arch.threads):
        if active >> t & 1:
            engine.stalled[t] += passed
    if code != OK:
        return code
    if not last:
        return stop_unless_stuck(s, stop(s), passed)
    s.clock -= 1
    engine.moved = 0
    engine.vector = 0
    return step_threads(s, busy_threads(s))


@kernel
def run_batch(s: State) -> int:
    """Run at least one round, of the cores alone if only they have anything to do.

    OK, a STOP code or a failed check's code.
    """
    engine = s.engine
    if busy_threads(s) or settling(s):
        return run_busy(s)
    before = s.clock
    engine.moved = 0
    code = cores_alone(s, engine.end - before)
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
