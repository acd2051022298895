"""What one tile puts down in another, and whether that one can know that it has come.

A write of a tile to another has arrived for sure if a core that asked for it has seen its
acknowledgement and something has come from there since: whatever a tile puts down elsewhere takes
along what its core knows then, and what the tile was told itself. A later request to the same tile
on the same static virtual channel comes behind it as well (NoC/Ordering.md). A core that loads what
has come sees that it has.

More lenient than the pages: a tile is told as a whole, all its cores at once, and by the host of
everything; a write behind another on one channel is taken to be committed behind it; of broadcasts
on one channel it is not asked whether they go to the same rectangle.
"""

from typing import Any, Final

from tilelab.check.accesses import report
from tilelab.check.rules import NOC_UNANSWERED, NOC_UNWAITED
from tilelab.check.shadow import (
    ACTOR_MASK,
    ARRIVALS,
    EPOCH_SHIFT,
    GRANULE_SHIFT,
    NOC_LAND_PIPE,
    NOC_LOG,
    NOC_READ_PIPE,
    OTHER_ACTOR,
    PEERS,
)
from tilelab.check.view import Checking, epoch_of
from tilelab.chip.state import ChipState
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.noc import niu as n
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.state.records import Request
from tilelab.tensix.tables.noc_registers import NIUS
from tilelab.tensix.words.origin import origin_of

IN_ORDER: Final = 1 << 7 | 1 << 6
"""NOC_CMD_VC_STATIC and NOC_CMD_VC_LINKED, of NOC_CTRL."""
CHANNEL_SHIFT: Final = 13
CREDIT: Final = 16
"""So few bytes may be meant to tell of others; more are not."""


@kernel
def channel(r: Request) -> int:
    """The way on which a request keeps behind those before it: 1 and more, 0 if on none."""
    if not r.control & IN_ORDER:
        return 0
    broadcast = 1 if r.control & n.BROADCAST else 0
    return 1 + (r.niu << 4 | (r.control >> CHANNEL_SHIFT & 7) << 1 | broadcast)


@kernel
def arrives(c: ChipState, s: Checking, sender: Any, place: int, address: int, count: int) -> None:
    """What the tile in turn, the sender, has asked for is put down in a tile."""
    i = c.turn
    now = s.shadow.noc_now & (ARRIVALS - 1)
    s.shadow.from_tile[now] = 0
    if c.place_of[i] == place or sender.noc.requests == 0 or i >= PEERS:
        return
    r = sender.noc.request[c.next % sender.noc.requests]
    epoch = sender.shadow.noc_now + 1
    way = channel(r)
    if address + count <= s.arch.l1_size:
        s.shadow.from_tile[now] = i + 1
        s.shadow.from_epoch[now] = epoch
        s.shadow.from_niu[now] = r.niu
        s.shadow.from_way[now] = way
    s.shadow.last_way[i, way] = epoch
    for u in range(2 * NIUS):
        actor = (NOC_LAND_PIPE if u < NIUS else NOC_READ_PIPE) * 4 + u % NIUS
        seen = sender.shadow.known[THREADS + r.core].of[actor]
        s.shadow.told[i, u] = max(s.shadow.told[i, u], seen)
    if count <= CREDIT:
        tells(c, s, sender)


@kernel
def tells(c: ChipState, s: Any, other: Any) -> None:
    """A tile learns what another one was told."""
    for j in range(min(c.tiles, PEERS)):
        for u in range(2 * NIUS):
            s.shadow.told[j, u] = max(s.shadow.told[j, u], other.shadow.told[j, u])


@kernel
def fetched(c: ChipState, s: Checking, place: int, address: int, count: int) -> None:
    """A tile's L1 is read: perhaps by the tile in turn, before what it fetches is there."""
    i = c.turn
    if not c.settling or c.place_of[i] == place or address + count > s.arch.l1_size or i >= PEERS:
        return
    reader = c.tile[i]
    if count <= CREDIT:
        tells(c, reader, s)
        return
    for granule in range(address >> GRANULE_SHIFT, (address + count - 1 >> GRANULE_SHIFT) + 1):
        mark = s.shadow_writer[granule]
        actor = mark & ACTOR_MASK
        epoch = epoch_of(mark)
        at = epoch & (ARRIVALS - 1)
        if actor == OTHER_ACTOR and s.shadow.noc_now - epoch < ARRIVALS and s.shadow.from_tile[at]:
            tile = s.shadow.from_tile[at] - 1
            if tile != i:
                looks_for(c, reader, granule, tile, s.shadow.from_epoch[at], s.shadow.from_niu[at])
        elif actor == NOC_READ_PIPE * 4 or actor == NOC_READ_PIPE * 4 + 1:
            tile = c.index[place]
            looks_for(c, reader, granule, tile, epoch, NIUS + (actor & 1))


@kernel
def looks_for(c: ChipState, s: Any, granule: int, tile: int, epoch: int, niu: int) -> int:
    """The tile in turn fetches what a request of a tile brings: has it been told that it came?"""
    if tile >= PEERS or s.shadow.told[tile, niu] >= epoch:
        return OK
    t = s.shadow
    r = s.noc.request[c.next % s.noc.requests]
    t.noc_now += 1
    at = t.noc_now & (ARRIVALS - 1)
    t.noc_actor[t.noc_now & (NOC_LOG - 1)] = 0
    t.from_tile[at] = tile + 1
    t.from_epoch[at] = epoch
    t.from_niu[at] = niu
    t.from_way[at] = 0
    t.origin = origin_of(r.core, r.pc)
    t.word = 0
    t.mark = t.noc_now << EPOCH_SHIFT | NOC_READ_PIPE * 4 + r.niu
    other = t.noc_now << EPOCH_SHIFT | OTHER_ACTOR
    return report(
        s, NOC_UNANSWERED if niu < NIUS else NOC_UNWAITED, granule << GRANULE_SHIFT, other
    )


@kernel
def latest(tile: Any) -> int:
    """The epoch of what a tile's interfaces did last."""
    now: int = tile.shadow.noc_now
    return now


@kernel
def host_tells(c: ChipState, s: Checking) -> None:
    """The host writes to a tile: it may know of everything."""
    for j in range(min(c.tiles, PEERS)):
        for u in range(2 * NIUS):
            s.shadow.told[j, u] = latest(c.tile[j])
