"""What exploring code does where cores and instructions touch memory."""

from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.explore.plan import PAGE_SHIFT, SEEN, notes
from tilelab.tensix.explore.touches import GRANULE_SHIFT, touches, touches_address
from tilelab.tensix.explore.turns import steps
from tilelab.tensix.explore.view import Exploring
from tilelab.tensix.tables.tile_registers import TENSIX_CFG, TENSIX_CFG_END


@kernel
def notes_access(s: Exploring, core: int, writes: int) -> int:
    """A core touches what others can see; one that polls has done so before."""
    p = s.plan
    pc = s.riscv[core].pc
    p.again = 0
    p.vain[core] = 0
    for i in range(SEEN):
        if p.seen_pc[core, i] == pc:
            p.again = 1
            if not writes:
                p.blocked = p.blocked | 1 << core
            return OK
    p.seen_pc[core, p.passed[core] % SEEN] = pc
    if p.recording:
        notes(s, core, p.passed[core], 0, core << 56 | pc)
    p.passed[core] = p.passed[core] + 1
    if p.prioritised:
        if writes:
            p.blocked = 0
        steps(s, core)
    return OK


@kernel
def loads(s: Exploring, core: int, address: int, size: int) -> int:
    """A core loads."""
    if shared(s, core, address):
        notes_access(s, core, 0)
        touches_address(s, address, 0)
    return OK


@kernel
def stores(s: Exploring, core: int, address: int, size: int, value: int) -> int:
    """A core stores."""
    if address < s.arch.l1_size:
        s.plan.dirty[address >> PAGE_SHIFT] = 1
    if shared(s, core, address):
        notes_access(s, core, 1)
        touches_address(s, address, 1)
    return OK


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
def writes_l1(s: Exploring, first: int, last: int) -> int:
    """An instruction writes bytes of L1."""
    for page in range(first >> PAGE_SHIFT, (last >> PAGE_SHIFT) + 1):
        s.plan.dirty[page] = 1
    if s.plan.logging:
        for granule in range(first >> GRANULE_SHIFT, (last >> GRANULE_SHIFT) + 1):
            touches(s, granule, 1)
    return OK


@kernel
def reads_l1(s: Exploring, first: int, last: int) -> int:
    """An instruction reads bytes of L1."""
    if s.plan.logging:
        for granule in range(first >> GRANULE_SHIFT, (last >> GRANULE_SHIFT) + 1):
            touches(s, granule, 0)
    return OK


@kernel
def streams(s: Exploring, t: int) -> int:
    """Whether a thread's words may be issued without counting each: no, delays go by the count."""
    return 0
