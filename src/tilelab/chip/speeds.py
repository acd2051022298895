"""How fast parts of the NoC and DRAM are, where that was made otherwise: see ``faster.py``."""

from typing import Final

from tilelab.chip.state import ChipState
from tilelab.sim.kernel import kernel
from tilelab.tensix.state.cycle_record import FREE

HOPS: Final = 0
"""From interface to interface, and through these."""
LINKS: Final = 1
"""For how long flits take links."""
INTAKE: Final = 2
"""For how long DRAM tiles accept no further read."""
CHANNEL: Final = 3
"""For how long DRAM channels are taken."""
ANSWER: Final = 4
"""By how much later DRAM answers than L1."""
ATOMICS: Final = 5


@kernel
def taking(c: ChipState, part: int, time: int) -> int:
    """What a part takes that takes such a time as it is."""
    factor = c.what_if[part]
    if factor == 0:
        return time
    return 0 if factor == FREE else (time + factor - 1) // factor
