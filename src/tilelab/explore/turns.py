"""Whose turn it is, by priorities: kernels for a schedule of probabilistic concurrency testing.

Only the one with the highest priority goes on, of those that can; a thread that waits cannot, nor
a core that polls or has ended, until somebody else has done something. At given steps the one who
steps falls behind all others. A *step* is an access of a core outside of its own RAM (one that
polls counts once), or an issued word that others can notice.
"""

from typing import Final

from tilelab.explore.plan import ACTORS, LOSSES, THREAD_ACTOR, come, waits
from tilelab.explore.view import Exploring
from tilelab.sim.kernel import kernel

STREAK: Final = 512
"""So many steps in a row, and the others have a turn: it may be waiting for them in a long loop."""
VAIN: Final = 256
"""So many instructions of a core without an access, and it is taken to have ended."""


@kernel
def steps(s: Exploring, actor: int) -> None:
    """Count a step; its actor falls behind all others if that is planned for this one."""
    p = s.plan
    p.steps += 1
    p.streak = p.streak + 1 if p.stepper == actor else 0
    p.stepper = actor
    if p.streak > STREAK:
        p.blocked |= 1 << actor
        p.streak = 0
    for i in range(p.changes):
        if p.change[i] == p.steps:
            p.priority[actor] = p.changes - i


@kernel
def has_turn(s: Exploring, actor: int) -> int:
    """Whether nobody with a higher priority could go on in this round."""
    p = s.plan
    p.asked[actor] = s.clock + 1
    mine = 0 if p.blocked >> actor & 1 else p.priority[actor]
    for other in range(ACTORS):
        if other != actor and p.asked[other] >= s.clock and not p.blocked >> other & 1:
            if p.priority[other] > mine:
                loses(s, actor)
                return 0
    return 1


@kernel
def loses(s: Exploring, actor: int) -> int:
    """Somebody has no turn; if it could go on, it has lost it here, once."""
    p = s.plan
    if p.lost_last[actor] != come(s, actor) + 1 and not p.blocked >> actor & 1:
        p.lost_last[actor] = come(s, actor) + 1
        if p.losses < LOSSES:
            p.lost_actor[p.losses] = actor
            p.lost_at[p.losses] = come(s, actor)
            p.losses += 1
    return waits(s)


@kernel
def went(s: Exploring, actor: int, code: int, step: int) -> None:
    """An actor that had its turn has used it; ``code`` is negative if it could do nothing."""
    p = s.plan
    if code < 0:
        p.blocked |= 1 << actor
    elif actor >= THREAD_ACTOR:
        p.blocked = 0
        if step:
            steps(s, actor)
    else:
        p.vain[actor] += 1
        if p.vain[actor] > VAIN:
            p.blocked |= 1 << actor
