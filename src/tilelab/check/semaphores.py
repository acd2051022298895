"""What the checker does about who initialises a semaphore: nobody may be using it then.

A SEMINIT sets the value whatever it was, so a post or a get that nothing orders with it is kept or
lost by luck. Waiting is no use: a semaphore is waited for until it has been initialised.

A get takes the oldest post that is left. Who gets has to know of it, by a wait or by what it was
told: else the get may come before the post, and then nothing is taken.
"""

from typing import Final

from tilelab.check import places
from tilelab.check.accesses import report_of, report_with, unknown, unordered
from tilelab.check.knowledge import acts, note, release
from tilelab.check.rules import SEMAPHORE_OVER, SEMAPHORE_UNDER
from tilelab.check.shadow import ACT, ACTOR_MASK, CORE_ACTOR, ISSUE_ACTOR, KNOWERS
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.checks import Policy
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend import sync_unit
from tilelab.tensix.chips.opcodes import SEMWAIT
from tilelab.tensix.frontend import wait_gate
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.tables.figures import SEMAPHORES, SHORT_PIPE
from tilelab.tensix.tables.units import Block

WATCH = Watch("semaphores")
POSTS: Final = sync_unit.SEMAPHORE_LIMIT + 1
SYNC: Final = int(Block.SYNC)
WATCH.field("semaphore_initialised", ACT, (SEMAPHORES,))
WATCH.field("semaphore_began", "u1", (SEMAPHORES,))
WATCH.field("semaphore_changed", ACT, (SEMAPHORES, KNOWERS))  # posted or got last, by whom
WATCH.field("semaphore_posted", ACT, (SEMAPHORES, POSTS))  # the last posts, in a ring
WATCH.field("semaphore_posts", "<u4", (SEMAPHORES,))  # how many
WATCH.field("wait_forgotten", "<u8", (THREADS,))  # behind how many words that was said last

RACE_SEMAPHORE: Final = WATCH.rule(
    "race-semaphore",
    NonContractualBehaviorError,
    "uses {where} with nothing that orders it and the other's use, and one of them is SEMINIT",
    "used it",
    "SEMINIT.md",
    "initialise semaphores before the other threads are told to begin, or wait for them first",
    place=places.semaphore,
)
GOT_EARLY: Final = WATCH.rule(
    "semaphore-got-early",
    NonContractualBehaviorError,
    "gets {where}, and nothing orders that behind the post",
    "posted it",
    "SEMGET.md, tt-llk#185",
    "SEMWAIT (stall on zero), or poll it, before the get; or post before whatever else leads to it",
    place=places.semaphore,
)
WAIT_FORGOTTEN: Final = WATCH.rule(
    "wait-forgotten",
    NonContractualBehaviorError,
    "waits behind a wait that does not block it: by the older manual it replaces that one",
    "is then forgotten",
    "SEMWAIT.md, Block mask",
    "have each STALLWAIT and SEMWAIT block SYNC as well",
    policy=Policy.WARN,
)


@WATCH.at(wait_gate.evaluate_wait)
@kernel
def forgets_wait(s: Checking, t: int) -> int:
    """A thread has a latched wait: does a SEMWAIT come behind it, which it does not block?"""
    c = s.shadow
    f = s.frontend[t]
    if not f.gate_full or f.gate_word >> 24 != SEMWAIT or f.wait.block_mask & SYNC:
        return OK
    if c.wait_forgotten[t] == 1 + c.issued[t] or not sync_unit.keeps_waiting(s, t):
        return OK
    c.wait_forgotten[t] = 1 + c.issued[t]
    acts(s, t, SHORT_PIPE, ISSUE_ACTOR | t, f.gate_word, f.gate_origin)
    return report_with(s, WAIT_FORGOTTEN, 0, ISSUE_ACTOR | t, f.wait.word, f.wait.origin)


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
            c.semaphore_posts[i] = init_value
            for k in range(init_value):
                c.semaphore_posted[i][k].mark = 0
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
    if value < sync_unit.SEMAPHORE_LIMIT:
        c = s.shadow
        note(s, c.semaphore_posted[index][c.semaphore_posts[index] & (POSTS - 1)])
        c.semaphore_posts[index] += 1
    return changes(s, index, 0, 1 if over else 0, SEMAPHORE_OVER)


@WATCH.at(sync_unit.get)
@kernel
def gets(s: Checking, index: int) -> int:
    """A semaphore is got by what acts now: of the posts that are left, the oldest."""
    c = s.shadow
    value = s.semaphore[index].value
    if value and c.semaphore_posts[index] >= value:
        post = c.semaphore_posted[index][c.semaphore_posts[index] - value & (POSTS - 1)]
        of_core = post.mark & ACTOR_MASK >= CORE_ACTOR  # a core's pipe orders no other core's
        if unordered(s, post.mark) and (of_core or unknown(s, post.mark)):
            report_of(s, GOT_EARLY, index, post)
    return changes(s, index, 1, 0 if value else 1, SEMAPHORE_UNDER)
