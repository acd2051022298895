"""Whether what another tile has put down in this one may be used: see ``chip/arrivals.py``."""

from tilelab.check.shadow import ARRIVALS, EPOCH_MASK, EPOCH_SHIFT
from tilelab.check.view import Checking
from tilelab.sim.kernel import kernel


@kernel
def on_its_way(s: Checking, mark: int) -> int:
    """Whether what another tile put down, by its mark, may not have come for all that is known."""
    c = s.shadow
    number = mark >> EPOCH_SHIFT & EPOCH_MASK
    at = number & (ARRIVALS - 1)
    if c.noc_now - number >= ARRIVALS or c.from_tile[at] == 0:
        return 0
    peer = c.from_tile[at] - 1
    epoch = c.from_epoch[at]
    if c.told[peer, c.from_niu[at]] >= epoch:
        return 0
    way = c.from_way[at]
    return 0 if way and c.last_way[peer, way] > epoch else 1


@kernel
def has_come(s: Checking, number: int) -> None:
    """A core has loaded something of what another tile put down: then it has come."""
    if s.shadow.noc_now - number < ARRIVALS:
        s.shadow.from_tile[number & (ARRIVALS - 1)] = 0
