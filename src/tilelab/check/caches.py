"""A core's data cache: what it holds of L1 does not change when somebody else writes there.

A load from L1 that misses fills one of four lines; one that hits does not look at L1. A fence and
an atomic empty the cache, the core's own store its line. Which line a miss replaces is not
published: one is taken to be held until as many others have been filled behind it. Hits flush the
cache by chance, too, one in 128, unless cfg0 says no: so a loop that polls may come to an end all
the same, later (tt-metal#22058).

Source: Blackhole's BabyRISCV/MemoryOrdering.md. Wormhole's cores have no such cache. tilelab's
cores load what is there now: a finding is about what the hardware may do.
"""

from typing import Final

from tilelab.check import places
from tilelab.check.accesses import report
from tilelab.check.edges import as_core
from tilelab.check.l1 import bytes_of
from tilelab.check.shadow import ACTOR_MASK, CORE_ACTOR, GRANULE_SHIFT, HOST_MARK
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.riscv import load_store
from tilelab.tensix.riscv.csr import CFG0_NO_DATA_CACHE
from tilelab.tensix.state.layout import CORES

WATCH = Watch("data caches")
MOST_LINES: Final = 4

WATCH.field("line", "<u4", (CORES, MOST_LINES))  # 1 + the piece of L1 that it holds
WATCH.field("line_mark", "<u8", (CORES, MOST_LINES))  # who had written there last
WATCH.field("next_line", "u1", (CORES,))

STALE: Final = WATCH.rule(
    "l1-cache-stale",
    NonContractualBehaviorError,
    "loads {where}, of which its data cache may still hold what was there before the other's write",
    "wrote it since",
    "BabyRISCV/MemoryOrdering.md",
    "empty the cache before each load of what others write, in the loop that polls: "
    "invalidate_l1_cache(), which is a fence",
    place=places.l1,
)


@WATCH.at(load_store.load)
@kernel
def loads(s: Checking, core: int, address: int, size: int) -> int:
    """A core loads: from its cache, if that holds a line of L1."""
    lines = s.arch.data_cache_lines
    if lines == 0 or address >= s.arch.l1_size or s.riscv[core].cfg0 & CFG0_NO_DATA_CACHE:
        return OK
    c = s.shadow
    granule = address >> GRANULE_SHIFT
    mark = s.shadow_writer[granule]
    for i in range(lines):
        if c.line[core, i] == granule + 1:
            if c.line_mark[core, i] == mark:
                return OK
            c.line_mark[core, i] = mark
            actor = mark & ACTOR_MASK
            mine = bytes_of(granule, address, address + size - 1)
            if (
                actor == CORE_ACTOR + core
                or mark == HOST_MARK
                or not s.shadow_bytes[granule] & mine
            ):
                return OK
            as_core(s, core)
            return report(s, STALE, granule << GRANULE_SHIFT, mark)
    i = c.next_line[core]
    c.line[core, i] = granule + 1
    c.line_mark[core, i] = mark
    c.next_line[core] = i + 1 if i + 1 < lines else 0
    return OK


@WATCH.at(load_store.store)
@kernel
def stores(s: Checking, core: int, address: int, size: int, value: int) -> None:
    """A core stores: its cache no longer holds that line."""
    if address < s.arch.l1_size:
        for i in range(s.arch.data_cache_lines):
            if s.shadow.line[core, i] == (address >> GRANULE_SHIFT) + 1:
                s.shadow.line[core, i] = 0


@WATCH.at(load_store.fence)
@kernel
def fences(s: Checking, core: int) -> None:
    """A core executes a fence: its cache is empty."""
    empty(s, core)


@WATCH.at(load_store.load_atomic)
@kernel
def atomics(s: Checking, core: int, address: int) -> None:
    """A core executes an atomic: its cache is empty."""
    empty(s, core)


@kernel
def empty(s: Checking, core: int) -> None:
    """A core's cache holds nothing any more."""
    for i in range(s.arch.data_cache_lines):
        s.shadow.line[core, i] = 0
