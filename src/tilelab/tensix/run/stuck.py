"""Whether a tile can go on without the host: the search for cores that only spin."""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.state.records import State

STALE_ROUNDS: Final = 256
"""Rounds without an effect after which cores are watched for coming back to the same registers."""

DROWSY_ROUNDS: Final = 4 * STALE_ROUNDS
"""Rounds without an effect from which on a chip's tile is looked at after each: more than it takes
firmware to clear its memory, which is clear already.
"""

WATCHED_ROUNDS: Final = 2 * DROWSY_ROUNDS
"""Rounds without an effect up to which it is."""

BATCH: Final = 1024
"""Rounds that cores may run alone before anything else is looked at."""


@kernel
def remember(s: State, core: int) -> int:
    """Note a core's registers, to see whether it comes back to them."""
    s.engine.seen_pc[core] = s.riscv[core].pc
    s.engine.seen_retired[core] = s.riscv[core].retired
    for i in range(32):
        s.engine.seen_x[core, i] = s.riscv[core].x[i]
    s.engine.spinning[core] = 0
    return OK


@kernel
def came_back(s: State, core: int) -> int:
    """Whether a core has the very registers that were noted."""
    if s.engine.seen_pc[core] != s.riscv[core].pc:
        return 0
    if s.engine.seen_retired[core] == s.riscv[core].retired:
        return 0  # it has not gone anywhere yet
    differ = 0
    for i in range(32):
        differ |= s.engine.seen_x[core, i] ^ s.riscv[core].x[i]
    return 0 if differ else 1


@kernel
def all_effects(s: State) -> int:
    """A number that changes whenever a core does anything that it could see itself later."""
    return s.effects + s.l1_effects + s.private_effects


@kernel
def all_poll(s: State) -> int:
    """Whether every core that runs polls or waits: none can go on unless something else does.

    One that waits for the clock can.
    """
    if s.engine.wake_at:
        return 0
    for core in range(s.arch.cores):
        if s.riscv[core].running and not s.engine.polling >> core & 1:
            if s.engine.core_wait[core] >= OK:
                return 0
    return 1


@kernel
def stuck(s: State, rounds: int) -> int:
    """Whether nothing can change any more without the host; ask after every batch of rounds.

    Exact, not a time-out: it is true once every thread is held up and every core either waits or
    has come back to the very registers it had, with no store, push or clock read in between. A
    loop like that can only be left if memory changes, and nothing can change it.
    """
    engine = s.engine
    seen = all_effects(s)
    if engine.moved or seen != engine.effects_seen or engine.wake_at:
        engine.effects_seen = seen
        return forget_stuck(s)
    engine.stale += rounds
    if engine.stale < engine.next_look:
        return 0 if engine.stale < STALE_ROUNDS else spinning(s)
    # a new reference point, at growing distances (Brent's cycle search)
    engine.next_look = 2 * engine.stale
    for core in range(s.arch.cores):
        remember(s, core)
    return 0


@kernel
def spinning(s: State) -> int:
    """Whether every core has been seen to wait or to come back to the registers that were noted."""
    result = 1
    for core in range(s.arch.cores):
        if not s.engine.spinning[core]:
            rests = not s.riscv[core].running or s.engine.polling >> core & 1
            if rests or s.engine.core_wait[core] < 0 or came_back(s, core):
                s.engine.spinning[core] = 1
            else:
                result = 0
    return result


@kernel
def forget_stuck(s: State) -> int:
    """Start the search of :func:`stuck` anew: the host changed something."""
    s.engine.stale = 0
    s.engine.next_look = STALE_ROUNDS
    return OK


@kernel
def look_again(s: State) -> int:
    """Something outside changed memory: note where the cores are now.

    Those that poll something else come back to that within one turn of their loops, and then
    :func:`stuck` says so; the others do something that it sees.
    """
    for core in range(s.arch.cores):
        if s.riscv[core].running:
            remember(s, core)
    s.engine.stale = STALE_ROUNDS
    s.engine.next_look = 2 * STALE_ROUNDS
    s.engine.effects_seen = all_effects(s)
    s.engine.look_at = 0
    return OK


@kernel
def drowsy(s: State) -> int:
    """Whether a chip's tile may be about to fall asleep: it is looked at after each round.

    Looked at every 1024 rounds only, a core in a short loop is seldom seen where it was.
    """
    return 1 if s.noc.connected and DROWSY_ROUNDS <= s.engine.stale < WATCHED_ROUNDS else 0


@kernel
def drowsy_rounds(s: State) -> int:
    """For how many rounds without an effect :func:`stuck` would do nothing but look."""
    return min(s.engine.next_look, WATCHED_ROUNDS) - s.engine.stale
