"""Tiles of a chip in step that only poll: they cost nothing, and go on where they would be.

Once every core of a tile waits, or has come back to the very registers that it had, with nothing
done in between that it could see itself later, each repeats itself until somebody writes to the
tile. Where a core is then follows from how long its loop is.
"""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chip.record import CORES, ChipState
from tilelab.tensix.riscv.core import step
from tilelab.tensix.run.stuck import all_effects, came_back, remember
from tilelab.tensix.state.records import State
from tilelab.tensix.words.origin import BRISC

QUIET: Final = 16
"""Clocks without an effect after which a tile's cores are watched."""


@kernel
def runs(c: ChipState, s: State, i: int, core: int) -> int:
    """Whether a core runs; an Ethernet tile has one, in BRISC's place."""
    if i >= c.tiles and core != BRISC:
        return 0
    return 1 if s.riscv[core].running else 0


@kernel
def watch_anew(c: ChipState, i: int) -> int:
    """Something happened in a tile: watch its cores from the beginning, a little later."""
    c.anew[i] = 1
    c.stirring[i] = 1
    c.watched[i] = 0
    c.window[i] = QUIET
    c.look[i] = c.time + QUIET
    return OK


@kernel
def watch(c: ChipState, s: State, i: int, issued: int) -> int:
    """See at the end of a tile's clock whether it rests from now on; ``issued``: any word was."""
    seen = all_effects(s)
    if issued or seen != c.effects_seen[i] or (c.stirring[i] and s.vector.load_macro.busy):
        c.effects_seen[i] = seen
        return watch_anew(c, i)
    if c.time >= c.look[i]:
        for core in range(CORES):
            if c.running[i] >> core & 1:
                remember(s, core)
        c.back[i] = 0
        c.since[i] = c.time
        c.watched[i] = 1
        c.window[i] *= 2
        c.look[i] = c.time + c.window[i]
        return OK
    if c.watched[i] and all_repeat(c, s, i):
        c.resting[i] = 1
        c.rested[i] = c.time
    return OK


@kernel
def all_repeat(c: ChipState, s: State, i: int) -> int:
    """Whether every core that runs waits or has come back; how long that took is noted."""
    left = c.running[i] & ~c.back[i]
    for core in range(CORES):
        if left >> core & 1:
            if s.engine.core_wait[core] < 0:
                c.period[CORES * i + core] = 1
                left &= ~(1 << core)
            elif came_back(s, core):
                c.period[CORES * i + core] = c.time - c.since[i]
                left &= ~(1 << core)
    c.back[i] = c.running[i] & ~left
    return 0 if left else 1


@kernel
def catch_up(c: ChipState, s: State, i: int) -> int:
    """Bring a resting tile to where it would be; call it before anything there changes."""
    if c.in_step:
        s.clock = c.time
    if not c.resting[i]:
        return OK
    c.resting[i] = 0
    gone = c.time - c.rested[i]
    if i >= c.turn:
        gone -= 1  # its turn in this clock is to come
    for core in range(CORES):
        if runs(c, s, i, core):
            more = gone % c.period[CORES * i + core]
            for _ in range(more):
                step(s, core)
            if s.engine.core_wait[core] >= 0:
                s.riscv[core].retired += gone - more
    return watch_anew(c, i)
