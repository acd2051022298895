"""Data that a NoC read has not brought yet, and who uses them: a barrier is missing there.

While a chip delivers late, requests stay with their tile for as long as it can do anything else.
Whoever reads L1 where one of these will write is noted, the first one only; the chip says so.

Sources: tt-isa-documentation, NoC/Counters.md; the vendor's issue tt-metal#50973.
"""

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.noc import niu as n
from tilelab.tensix.state.records import State


@kernel
def reads_l1(s: State, first: int, last: int) -> int:
    """Bytes of L1 are read, from the first to the last."""
    return reads_before(s, first, last, s.noc.requests)


@kernel
def reads_before(s: State, first: int, last: int, count: int) -> int:
    """The same, if only so many requests had been made before."""
    noc = s.noc
    if noc.early:
        return OK
    for i in range(count):
        r = noc.request[i]
        if r.control & 3 == n.READ and r.ret <= last and first < r.ret + r.length:
            noc.early = i + 1
            noc.early_address = first
            return OK
    return OK
