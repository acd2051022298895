"""The cores' part of the cycle clock: of one cycle, and of many while nothing else has any to do.

One core that is alone runs on until others could notice, without a look at anything in between.
"""

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.cycle.cores import count_core, run_lone, tick_core
from tilelab.tensix.cycle.events import note_states
from tilelab.tensix.cycle.fetch import forget
from tilelab.tensix.cycle.stores import tick_stores
from tilelab.tensix.run.rounds import STOP_STUCK
from tilelab.tensix.run.stuck import STALE_ROUNDS, all_effects, forget_stuck, stuck
from tilelab.tensix.state.records import State
from tilelab.tensix.tables import causes


@kernel
def tick_cores(s: State) -> int:
    """The cores' part of a cycle, which ends it; OK, or a failed check's code."""
    cycle = s.cycle
    for core in range(s.arch.cores):
        if s.riscv[core].running:
            if cycle.cold[core]:
                forget(s, core)
            code = tick_core(s, core)
            if code != OK:
                return code
        else:
            count_core(s, core, causes.CORE_RESET)
    if cycle.stores:
        tick_stores(s)
    if cycle.trace_on:
        note_states(s)
    s.clock = s.clock + 1
    return OK


@kernel
def lone_core(s: State) -> int:
    """The only core that runs, -1 if it is not one; which run changes only with ``s.effects``."""
    found = -1
    for core in range(s.arch.cores):
        if s.riscv[core].running:
            if found >= 0:
                return -1
            found = core
    return found


@kernel
def count_resting(s: State, core: int, cycles: int, code: int) -> int:
    """Count cycles in which all others were in reset; those behind it not the one that failed."""
    for other in range(s.arch.cores):
        if other != core:
            rested = cycles + 1 if code > OK and other < core else cycles
            s.cycle.core_cycles[other, causes.CORE_RESET] = (
                s.cycle.core_cycles[other, causes.CORE_RESET] + rested
            )
    return OK


@kernel
def unasked(s: State) -> int:
    """How many cycles without an effect may pass before ``stuck`` is to be asked again.

    It is also to be where a lone core comes back to what was remembered.
    """
    engine = s.engine
    if all_effects(s) != engine.effects_seen:
        return 1
    return max(1, engine.next_look - engine.stale)


@kernel
def run_cores_alone(s: State) -> int:
    """Run cycles of the cores alone, to the first in which one does what others could notice.

    Whether the last left the tile stuck is the caller's question. OK, STOP_STUCK or a failed
    check's code.
    """
    engine = s.engine
    engine.moved = 0
    effects = s.effects
    before = s.clock
    counted = before
    code = OK
    lone = lone_core(s)
    if lone >= 0 and s.cycle.cold[lone]:
        forget(s, lone)
    while code == OK:
        if lone >= 0:
            code = run_lone(s, lone, min(engine.end, counted + unasked(s)))
        else:
            code = tick_cores(s)
        if code != OK or s.clock >= engine.end or s.effects != effects:
            break
        if all_effects(s) != engine.effects_seen:  # so it is not stuck, and all begins anew
            engine.effects_seen = all_effects(s)
            forget_stuck(s)
            counted = s.clock
        elif lone >= 0 or engine.stale + s.clock - counted >= STALE_ROUNDS:
            if stuck(s, s.clock - counted):
                code = STOP_STUCK
            counted = s.clock
    ran = s.clock - before
    if lone >= 0:
        count_resting(s, lone, ran, code)
    if code == OK:
        engine.stale += s.clock - counted - 1
    elif code > OK:
        ran += 1  # the cycle in which a check failed, which did not end
    for t in range(s.arch.threads):
        spent = s.cycle.thread_cycles[t, causes.FIFO_EMPTY]
        s.cycle.thread_cycles[t, causes.FIFO_EMPTY] = spent + ran
    return code
