"""Resources that may be made faster than they are, to see what a kernel's time depends on.

``state.cycle.what_if`` has a number for each: 0 as it is, FREE takes no time, n from 2 on goes n
times as fast. Only *when* things happen changes.
"""

from typing import Final

from tilelab.sim.kernel import kernel
from tilelab.tensix.state.cycle_record import FREE
from tilelab.tensix.state.records import State

UNPACK: Final = 0
PACK: Final = 1
THCON: Final = 2
DST: Final = 3
MISPREDICT: Final = 4
FETCH: Final = 5
LOAD: Final = 6
STORE: Final = 7


@kernel
def spent(s: State, resource: int, cycles: int) -> int:
    """How many of so many cycles a resource takes."""
    factor = s.cycle.what_if[resource]
    if factor == 0:
        return cycles
    if factor == FREE:
        return 0
    return (cycles + factor - 1) // factor
