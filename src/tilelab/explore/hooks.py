"""What exploring code does where cores and instructions touch memory."""

from tilelab.explore.plan import PAGE_SHIFT, POINTS, SEEN, notes
from tilelab.explore.touches import GRANULE_SHIFT, touches, touches_address
from tilelab.explore.turns import steps
from tilelab.explore.view import Exploring
from tilelab.sim.kernel import WORD, kernel
from tilelab.tensix.tables.tile_registers import TENSIX_CFG, TENSIX_CFG_END


@kernel
def polls(s: Exploring, core: int, address: int) -> int:
    """Whether a load is one of a loop that polls; it is remembered if not."""
    p = s.plan
    pc = s.riscv[core].pc
    for i in range(SEEN):
        if p.seen_pc[core, i] == pc + 1 and p.seen_address[core, i] == address:
            return 1
    place = p.seen[core] % SEEN
    p.seen_pc[core, place] = pc + 1
    p.seen_address[core, place] = address
    p.seen[core] += 1
    return 0


@kernel
def notes_access(s: Exploring, core: int, address: int, writes: int) -> None:
    """A core touches what others can see; one that polls has done so before."""
    p = s.plan
    p.again = 0
    p.vain[core] = 0
    if writes:
        for i in range(SEEN):
            p.seen_pc[core, i] = 0
    elif polls(s, core, address):
        p.again = 1
        p.blocked |= 1 << core
        return
    if p.recording:
        notes(s, core, p.passed[core], 0, core << 56 | s.riscv[core].pc)
    p.passed[core] += 1
    if p.prioritised:
        if writes:
            p.blocked = 0
        steps(s, core)


@kernel
def has_waited(s: Exploring, core: int, before: int) -> None:
    """A core's step was in vain: it waits, and has not made the access that it tried."""
    p = s.plan
    if p.passed[core] != before:
        p.passed[core] = before
        if p.recording and p.points < POINTS:
            p.points -= 1
        for i in range(SEEN):  # what it loads next is no poll
            p.seen_pc[core, i] = 0


@kernel
def loads(s: Exploring, core: int, address: int, size: int) -> None:
    """A core loads."""
    if shared(s, core, address):
        notes_access(s, core, address & WORD, 0)
        if s.plan.logging:
            touches_address(s, core, address & WORD, 0)


@kernel
def stores(s: Exploring, core: int, address: int, size: int, value: int) -> None:
    """A core stores."""
    if address < s.arch.l1_size:
        s.plan.dirty[address >> PAGE_SHIFT] = 1
    if shared(s, core, address):
        notes_access(s, core, address & WORD, 1)
        if s.plan.logging:
            touches_address(s, core, address & WORD, 1)


@kernel
def shared(s: Exploring, core: int, address: int) -> int:
    """Whether an address is not in the core's own RAM."""
    offset = (address - 0xFFB00000) & WORD
    return 0 if offset < s.arch.local_ram[core] else 1


@kernel
def is_config(address: int) -> int:
    """Whether a core's address is in the configuration."""
    return 1 if TENSIX_CFG <= address & WORD < TENSIX_CFG_END else 0


@kernel
def writes_l1(s: Exploring, first: int, last: int) -> None:
    """An instruction writes bytes of L1."""
    for page in range(first >> PAGE_SHIFT, (last >> PAGE_SHIFT) + 1):
        s.plan.dirty[page] = 1
    if s.plan.logging:
        for granule in range(first >> GRANULE_SHIFT, (last >> GRANULE_SHIFT) + 1):
            touches(s, granule, 1)


@kernel
def reads_l1(s: Exploring, first: int, last: int) -> None:
    """An instruction reads bytes of L1."""
    if s.plan.logging:
        for granule in range(first >> GRANULE_SHIFT, (last >> GRANULE_SHIFT) + 1):
            touches(s, granule, 0)


@kernel
def streams(s: Exploring, t: int) -> int:
    """Whether a thread's words, or rounds, may go by without counting each: delays go by them."""
    return 0
