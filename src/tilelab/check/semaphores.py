"""What the checker does about who initialises a semaphore: nobody may be using it then.

A SEMINIT sets the value whatever it was, so a post or a get that nothing orders with it is kept or
lost by luck. Waiting is no use: a semaphore is waited for until it has been initialised.
"""

from typing import Final

from tilelab.check import places
from tilelab.check.accesses import report_of, unknown
from tilelab.check.knowledge import note, release
from tilelab.check.rules import SEMAPHORE_OVER, SEMAPHORE_UNDER
from tilelab.check.shadow import ACT, ISSUE_ACTOR, KNOWERS
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend import sync_unit
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.tables.figures import SEMAPHORES

WATCH = Watch("semaphores")
WATCH.field("semaphore_initialised", ACT, (SEMAPHORES,))
WATCH.field("semaphore_began", "u1", (SEMAPHORES,))
WATCH.field("semaphore_changed", ACT, (SEMAPHORES, KNOWERS))  # posted or got last, by whom

RACE_SEMAPHORE: Final = WATCH.rule(
    "race-semaphore",
    NonContractualBehaviorError,
    "uses {where} with nothing that orders it and the other's use, and one of them is SEMINIT",
    "used it",
    "SEMINIT.md",
    "initialise semaphores before the other threads are told to begin, or wait for them first",
    place=places.semaphore,
)


@WATCH.at(sync_unit.seminit)
@kernel
def initialises(s: Checking, t: int, max_value: int, init_value: int, sem_sel: int) -> None:
    """Semaphores are initialised: is what others did to them over?"""
    c = s.shadow
    for i in range(SEMAPHORES):
        if sem_sel >> i & 1:
            release(s, i)
            c.semaphore_began[i] = init_value
            for row in range(KNOWERS):
                if row != c.row and unknown(s, c.semaphore_changed[i][row].mark):
                    report_of(s, RACE_SEMAPHORE, i, c.semaphore_changed[i][row])
            note(s, c.semaphore_initialised[i])
            passes_itself(s, i)


@kernel
def passes_itself(s: Checking, index: int) -> None:
    """Who learns from a semaphore learns of the word too that changed it."""
    c = s.shadow
    if c.row < THREADS:
        c.passed[index].of[c.actor] = c.now
        c.passed[index].of[ISSUE_ACTOR | c.row] = c.now


@kernel
def changes(s: Checking, index: int, gets: int, over: int, code: int) -> int:
    """A semaphore is posted or, with ``gets``, got by what acts now; ``over``: beyond its ends."""
    c = s.shadow
    last = c.semaphore[index][gets]
    if over:
        report_of(s, code, index, last)
    note(s, last)
    release(s, index)
    if unknown(s, c.semaphore_initialised[index].mark):
        report_of(s, RACE_SEMAPHORE, index, c.semaphore_initialised[index])
    note(s, c.semaphore_changed[index][c.row])
    passes_itself(s, index)
    return OK


@WATCH.at(sync_unit.post)
@kernel
def posts(s: Checking, index: int) -> int:
    """A semaphore is posted by what acts now."""
    value = s.semaphore[index].value
    most = s.semaphore[index].max
    limited = most or s.shadow.limited >> index & 1
    over = (value >= most and limited) or value == sync_unit.SEMAPHORE_LIMIT
    return changes(s, index, 0, 1 if over else 0, SEMAPHORE_OVER)


@WATCH.at(sync_unit.get)
@kernel
def gets(s: Checking, index: int) -> int:
    """A semaphore is got by what acts now."""
    return changes(s, index, 1, 0 if s.semaphore[index].value else 1, SEMAPHORE_UNDER)
