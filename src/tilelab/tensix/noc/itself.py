"""The NoC of a tile by itself, which reaches that tile's L1 and nothing else.

What a core asks of it is done at once. Requests that need a chip are refused: other places,
broadcasts, atomics, inline writes, byte enables, registers.

Sources: tt-isa-documentation, NoC/MemoryMap.md, NoC/Alignment.md. Not modelled: time.
"""

from typing import Final

from tilelab.sim.checks import check, fault, fault2
from tilelab.sim.errors import UndefinedBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.noc import niu as n
from tilelab.tensix.state.records import Request, State

ALIGNMENT: Final = 16
PLACE: Final = 0xFFF

NEEDS_CHIP = check(
    "noc-needs-a-chip",
    UnsupportedFunctionalityError,
    "a request with NOC_CTRL {value:#x} needs a chip: a tile by itself copies in its own L1 only",
    page="NoC/MemoryMap.md",
    cure="run the program on a chip",
)
OTHER_PLACE = check(
    "noc-other-place",
    UnsupportedFunctionalityError,
    "a request to the NoC's place {value:#x}: a tile by itself is {value2:#x} and reaches no other",
    page="NoC/MemoryMap.md",
    cure="run the program on a chip",
)
OUTSIDE_L1 = check(
    "noc-outside-l1",
    UnsupportedFunctionalityError,
    "a request to {value:#x} of a tile by itself, up to {value2:#x}: that is not in L1",
    page="NoC/MemoryMap.md",
)
NOT_ALIGNED = check(
    "noc-alignment",
    UndefinedBehaviorError,
    "a request from {value:#x} to {value2:#x}: they differ in their low four bits",
    page="NoC/Alignment.md",
)


@kernel
def refused(s: State, r: Request) -> int:
    """OK if a request copies from L1 to L1, else a failed check's code."""
    kind = r.control & 3
    if kind == n.ATOMIC or r.control & (n.INLINE | n.BROADCAST | n.BYTE_ENABLES):
        return fault(s, NEEDS_CHIP, r.control)
    own = s.noc.node_id[r.niu] & PLACE
    if r.target_at != own or r.ret_at != own:
        return fault2(s, OTHER_PLACE, r.ret_at if r.target_at == own else r.target_at, own)
    if r.target + r.length > s.arch.l1_size:
        return fault2(s, OUTSIDE_L1, r.target, r.target + r.length)
    if r.ret + r.length > s.arch.l1_size:
        return fault2(s, OUTSIDE_L1, r.ret, r.ret + r.length)
    if (r.target ^ r.ret) & (ALIGNMENT - 1):
        return fault2(s, NOT_ALIGNED, r.target, r.ret)
    return OK


@kernel
def carry_out(s: State) -> int:
    """Do what has just been initiated; OK, or a failed check's code."""
    r = s.noc.request[0]
    s.noc.requests = 0
    code = refused(s, r)
    if code != OK:
        return code
    for i in range(r.length):
        s.l1[r.ret + i] = s.l1[r.target + i]
    if r.control & 3 == n.READ:
        return n.count_answered(s, r, n.READS_SENT, n.READ_RESPONSES, 1)
    return n.count_write(s, r, 1)
