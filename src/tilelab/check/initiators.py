"""What the checker does about who asks a NoC interface: one core at a time by each initiator.

An initiator's registers are written one by one and a last store begins the request. What another
core writes in between goes out with it.

Source: tt-isa-documentation, NoC/MemoryMap.md.
"""

from typing import Final

from tilelab.check.accesses import report, unordered
from tilelab.check.shadow import CORE_PIPE
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.noc import niu
from tilelab.tensix.tables.noc_registers import INITIATORS, NIUS

WATCH = Watch("NoC initiators")
WATCH.field("initiator_user", "<u8", (NIUS, INITIATORS))

NOC_SHARED: Final = WATCH.rule(
    "noc-two-users",
    NonContractualBehaviorError,
    "asks {where} with nothing that orders it behind the other core's requests",
    "asks it too",
    "NoC/MemoryMap.md",
    "give each core an interface, or an initiator, of its own: BRISC and NCRISC by default ask "
    "different ones",
    place=lambda tile, value: (
        f"NoC interface {value // INITIATORS}, initiator {value % INITIATORS}"
    ),
)


@WATCH.at(niu.write_niu)
@kernel
def writes_niu(s: Checking, interface: int, offset: int, address: int, value: int) -> int:
    """A register of an interface is written: by a core, or from elsewhere."""
    c = s.shadow
    if not CORE_PIPE <= c.pipe <= CORE_PIPE + 1 or offset >= INITIATORS * s.arch.noc.stride:
        return OK
    i = offset // s.arch.noc.stride
    mark = c.initiator_user[interface, i]
    begins = offset % s.arch.noc.stride == s.arch.noc.go and value & 1
    if begins:
        if unordered(s, mark):
            report(s, NOC_SHARED, interface * INITIATORS + i, mark)
        c.initiator_user[interface, i] = c.mark
    return OK
