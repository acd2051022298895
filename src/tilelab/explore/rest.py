"""Whether anything but those who are held can move: a delay *until rest* ends when nothing can.

By the rule by which a tile is said to be stuck: every thread is held up, nothing is about to be
there late, and every core waits or has come back to the very registers it had, with nothing in
between that it could see itself later. However long a core computes before it does something, that
is no rest. One that reads a clock again and again never rests; a delay ends after the plan's
``longest`` rounds even so.
"""

from typing import Final

from tilelab.explore.plan import UNTIL_REST
from tilelab.explore.view import Exploring
from tilelab.sim.kernel import kernel
from tilelab.tensix.backend.vector_unit.load_macro import settling
from tilelab.tensix.run.stuck import all_effects, remember, spinning

SOON: Final = 4
"""Rounds in which nothing moved, after which the cores' registers are noted for the first time."""


@kernel
def rests(s: Exploring) -> None:
    """A round passes in which a delay until rest goes on: see whether that is to end now."""
    p = s.plan
    p.resting = 0
    seen = all_effects(s) - p.waited
    follows = s.clock == p.rest_at + 1
    p.rest_at = s.clock
    if not follows or s.engine.moved or seen != p.rest_seen or pending(s):
        p.rest_seen = seen
        p.still = 0
        p.next_look = SOON
        return
    p.still += 1
    if p.still == p.next_look:
        p.next_look = 2 * p.still  # at growing distances, as :func:`.stuck` has them
        for core in range(s.arch.cores):
            remember(s, core)
    elif p.still > SOON and spinning(s):
        p.still = 0
        p.next_look = SOON
        p.rested = last_held(s)


@kernel
def pending(s: Exploring) -> int:
    """Whether anything that was issued is to be there later, by itself."""
    p = s.plan
    return 1 if p.put_off or p.turning or p.holding or settling(s) else 0


@kernel
def last_held(s: Exploring) -> int:
    """1 + the last of the schedule's delays that go on until rest: one ends at a time."""
    p = s.plan
    found = 0
    for i in range(p.count):
        d = p.delay[i]
        if d.held and not d.over and d.rounds == UNTIL_REST and not d.late:
            found = i + 1
    return found
