"""What a core has stored may arrive later than what the core does next (MemoryOrdering.md).

Stores to different regions of memory are not ordered. So what a core stores to configuration, to
GPRs or to L1 is the act of another actor than the core itself; who learns what the core did has not
learnt that this has arrived. It has once the core has read anything back from the region. A
STALLWAIT with condition TRISC_CFG waits for its own TRISC's stores to configuration and GPRs; so
does Blackhole's Auto TTSync, where a program switches it on, before words of that TRISC. What is
read from L1 came behind all that its writer had stored there before: L1 keeps each core's order.

More lenient than the page: what a core stored many stores ago has arrived, pushed words being
stores; that a core goes on to use what it read back is taken for granted; GPRs and configuration
are one region; the counters of circular buffers in streams come behind L1.
"""

from typing import Final

from tilelab.check.knowledge import learns
from tilelab.check.shadow import (
    ACTOR_MASK,
    CORE_ACTOR,
    GPR,
    ISSUE_ACTOR,
    L1_STORE_ACTOR,
    STORE_ACTOR,
    STORE_PIPE,
    STORES,
)
from tilelab.check.view import Checking, epoch_of, field_bits
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.tables.tile_registers import GPRS, PAGE, TENSIX_CFG, TENSIX_CFG_END
from tilelab.tensix.words.origin import NCRISC, pusher

MANY: Final = 32
"""So many stores of a core later a store has arrived: a core's queue holds four, and what lies
between it and a region of memory holds few more."""
TRISC_STORES: Final = -2
"""What waits for a TRISC's stores, among the pipelines that STALLWAIT's conditions wait for."""


@kernel
def in_registers(core: int, address: int) -> int:
    """Whether a core reaches configuration or a GPR at an address."""
    if core == NCRISC:
        return 0
    return 1 if TENSIX_CFG <= address < TENSIX_CFG_END or GPRS <= address < GPRS + PAGE else 0


@kernel
def stores_to_registers(s: Checking, core: int, address: int) -> None:
    """A core that acts now stores to registers: if to those, it is not they that act."""
    c = s.shadow
    if in_registers(core, address):
        c.mark = c.mark - (CORE_ACTOR + core) + STORE_ACTOR + core


@kernel
def reads_back(s: Checking, core: int, address: int) -> int:
    """A core loads from registers: if from those, what it stored there has arrived."""
    if in_registers(core, address):
        return learns(s, THREADS + core, STORE_ACTOR + core, s.shadow.core_now[core])
    return OK


@kernel
def reads_l1_back(s: Checking, core: int) -> int:
    """A core loads from L1: what it stored there has arrived."""
    return learns(s, THREADS + core, L1_STORE_ACTOR + core, s.shadow.stored[core])


@kernel
def released(s: Checking, row: int, core: int) -> int:
    """A core is let out of reset by another: long enough for its stores, and to issue its words."""
    c = s.shadow
    now = c.core_now[core]
    for t in range(THREADS):
        learns(s, row, ISSUE_ACTOR + t, c.now)
    learns(s, row, STORE_ACTOR + core, now)
    return learns(s, row, L1_STORE_ACTOR + core, now)


@kernel
def waits_for_stores(s: Checking, t: int) -> None:
    """A thread's STALLWAIT waits for what its TRISC stored before it pushed the word."""
    c = s.shadow
    c.waiting[t].of[STORE_ACTOR + t] = c.known[t].of[CORE_ACTOR + t]


@kernel
def under_way(s: Checking, cell: int, mark: int) -> int:
    """Whether an act that is not known is a core's store of which who acts knows: 2 if so.

    1: but it has arrived all the same, because of Auto TTSync or long ago.
    """
    c = s.shadow
    actor = mark & ACTOR_MASK
    if actor >> 2 != STORE_PIPE:
        return 0
    core = actor - STORE_ACTOR
    later = c.known[c.row].of[CORE_ACTOR + core] - epoch_of(mark)
    if later < 0:
        return 0
    if later > MANY:
        return 1
    if c.row == core and pusher(c.origin) == core:
        what = s.f.TENSIX_TRISC_SYNC_TrackGlobalCfg
        if cell < GPR + 3 * 64:
            what = s.f.TENSIX_TRISC_SYNC_TrackGPR
        if tracked(s, core, what) and tracked(
            s, core, s.f.TENSIX_TRISC_SYNC_TrackTensixInstructions
        ):
            return 1
    return 2


@kernel
def tracked(s: Checking, t: int, place: int) -> int:
    """Whether a bit of Auto TTSync is set; Wormhole, which has none, has no such bits."""
    return 1 if s.thread_config[t, place >> 16] & field_bits(place) else 0


@kernel
def stored_by(s: Checking, address: int, mark: int) -> int:
    """The mark of a core's last store to a word, of which it has marked the piece; 0: long ago."""
    c = s.shadow
    core = (mark & ACTOR_MASK) - CORE_ACTOR
    last = 0
    for i in range(STORES):
        noted = c.stored_mark[core, i]
        if c.stored_at[core, i] == address >> 2 and epoch_of(noted) > epoch_of(last):
            last = noted
    return last


@kernel
def l1_under_way(s: Checking, mark: int) -> int:
    """Whether who acts knows of a core's store to L1, but not that it has arrived."""
    c = s.shadow
    core = (mark & ACTOR_MASK) - CORE_ACTOR
    if core < 0 or core >= s.arch.cores:
        return 0
    epoch = epoch_of(mark)
    if c.known[c.row].of[CORE_ACTOR + core] - epoch > MANY:
        return 0
    return 1 if epoch > c.known[c.row].of[L1_STORE_ACTOR + core] else 0
