"""What the checker does at the NoC: what brings data to L1, what takes them, and who knows of it.

A request is carried out at once, but nobody may rely on that: a read's data are sure to be there,
and a write's source is free, only for those who have looked at a counter of the interface since,
or have been told by one who had; and a write has arrived only if its acknowledgement was looked
for. So each interface has three actors, which bring, take, and put down in this tile. A counter
that is read is taken to be waited for; of a transaction id it tells of the requests with that id,
and of those before them.

What another tile writes comes behind what that tile knows, which is not followed: it is no race
here, but it may not have come yet (``knowledge.py``). Who reads it in L1 may have been told that
this tile's own writes have come there.

An initiator's registers are written one by one and a last store begins the request. What another
core writes in between goes out with it.

Source: tt-isa-documentation, NoC/Counters.md, NoC/MemoryMap.md.
"""

from typing import Final

from tilelab.check.accesses import report, unknown, unordered
from tilelab.check.knowledge import acts, has_come, learns, learnt, own_epoch
from tilelab.check.l1 import bytes_of, uses, writes_bytes
from tilelab.check.rules import NOC_EARLY, NOC_UNANSWERED, NOC_UNFLUSHED
from tilelab.check.shadow import (
    ACTOR_MASK,
    CORE_PIPE,
    EPOCH_SHIFT,
    GRANULE_SHIFT,
    HOST_MARK,
    HOST_PIPE,
    NOC_LAND_PIPE,
    NOC_LOG,
    NOC_READ_PIPE,
    NOC_WRITE_PIPE,
    OTHER_ACTOR,
    PARTS,
    PC_SHIFT,
)
from tilelab.check.stores import l1_under_way
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.noc import niu as n
from tilelab.tensix.noc.memory_map import NIU_BYTES
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.state.noc_record import ITSELF
from tilelab.tensix.state.records import Request
from tilelab.tensix.tables.noc_registers import COUNTER_WORDS, COUNTERS, INITIATORS, NIUS
from tilelab.tensix.words.origin import origin_of

WATCH = Watch("the NoC")
WATCH.field("initiator_user", "<u8", (NIUS, INITIATORS))  # who began a request last
WHOLE = 0xFFFF
NO_ANSWER = 1
"""Instead of who has seen that a write has come: nothing tells."""
ATOMICS = 2
"""Before the interface, in an actor's number: what puts down an atomic's answer."""


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


@WATCH.at(n.write_niu)
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


@kernel
def as_interface(s: Checking, r: Request, pipe: int) -> None:
    """It is an interface that acts now, for the core that made the request."""
    c = s.shadow
    c.row = THREADS + r.core
    own_epoch(s)
    c.noc_now += 1
    c.began[pipe] = 0
    mark = r.pc << PC_SHIFT | c.noc_now << EPOCH_SHIFT | pipe * 4 + r.niu
    acts(s, THREADS + r.core, pipe, mark, 0, origin_of(r.core, r.pc))
    remembers(s, r, c.actor)
    c.noc_tagged[pipe - NOC_READ_PIPE, r.niu, n.transaction(r.tag)] = c.noc_now


@kernel
def remembers(s: Checking, r: Request, actor: int) -> None:
    """A request is made, and nobody has waited for it."""
    c = s.shadow
    at = c.noc_now & (NOC_LOG - 1)
    c.noc_origin[at] = origin_of(r.core, r.pc)
    c.noc_actor[at] = actor
    c.noc_seen[0, at] = 0
    written = actor >> 2 == NOC_WRITE_PIPE and r.control & n.RESPONSE
    c.noc_seen[1, at] = 0 if written else NO_ANSWER


@kernel
def brings(s: Checking, r: Request, sent: int, answers: int, reached: int) -> None:
    """A request has been answered: if it is a read, its data are in L1."""
    c = s.shadow
    c.landing = 0
    if sent == n.ATOMICS_SENT and r.control & n.RESPONSE:
        c.noc_now += 1
        remembers(s, r, NOC_READ_PIPE * 4 + ATOMICS + r.niu)
        if r.ret < s.arch.l1_size:  # what was there before
            mark = c.noc_now << EPOCH_SHIFT | NOC_READ_PIPE * 4 + ATOMICS + r.niu
            s.shadow_writer[r.ret >> GRANULE_SHIFT] = mark
            s.shadow_bytes[r.ret >> GRANULE_SHIFT] = bytes_of(
                r.ret >> GRANULE_SHIFT, r.ret, r.ret + 3
            )
    last = r.ret + r.length - 1
    if sent != n.READS_SENT or last >= s.arch.l1_size:
        return
    as_interface(s, r, NOC_READ_PIPE)
    if r.target_at == r.ret_at:
        loops_back(s, r)
    writes_bytes(s, r.ret, last)


@kernel
def loops_back(s: Checking, r: Request) -> None:
    """A read takes its data from this tile's own L1."""
    over_itself(s, r)
    last = min(r.target + r.length, s.arch.l1_size) - 1
    for granule in range(r.target >> GRANULE_SHIFT, (last >> GRANULE_SHIFT) + 1):
        mark = s.shadow_writer[granule]
        if s.shadow_bytes[granule] & bytes_of(granule, r.target, last):
            if l1_under_way(s, mark):
                report(s, NOC_EARLY, granule << GRANULE_SHIFT, mark)
            elif (mark & ACTOR_MASK) >> 2 == NOC_LAND_PIPE and unknown(s, mark):
                report(s, NOC_UNANSWERED, granule << GRANULE_SHIFT, mark)
        s.shadow_reader[granule] = s.shadow.mark


@kernel
def over_itself(s: Checking, r: Request) -> None:
    """A request's data go where some of them still have to be taken from."""
    if r.ret != r.target and abs(r.ret - r.target) < r.length:
        report(s, NOC_UNFLUSHED, max(r.ret, r.target), s.shadow.mark)


@kernel
def takes(s: Checking, r: Request, acks: int) -> int:
    """A write has been carried out: its data were taken from L1."""
    c = s.shadow
    last = r.target + r.length - 1
    if r.control & n.INLINE or last >= s.arch.l1_size:
        return OK
    as_interface(s, r, NOC_WRITE_PIPE)
    for granule in range(r.target >> GRANULE_SHIFT, (last >> GRANULE_SHIFT) + 1):
        mine = bytes_of(granule, r.target, last)
        uses(s, granule, mine, NOC_EARLY)
        if mine == WHOLE:
            s.shadow_reader[granule] = c.mark
        else:
            at = c.parts & (PARTS - 1)
            c.part_at[at] = granule
            c.part_bytes[at] = mine
            c.part_mark[at] = c.mark
            c.parts += 1
    if s.noc.connected == ITSELF:  # on a chip the tile that is written to is told
        over_itself(s, r)
        return lands(s, r) if r.control & n.RESPONSE else comes(s, r.ret, r.length, 0)
    return OK


@kernel
def lands(s: Checking, r: Request) -> int:
    """A write to the tile itself puts its data where they go."""
    c = s.shadow
    c.began[NOC_LAND_PIPE] = 0
    mark = r.pc << PC_SHIFT | c.noc_now << EPOCH_SHIFT | NOC_LAND_PIPE * 4 + r.niu
    acts(s, c.row, NOC_LAND_PIPE, mark, 0, c.origin)
    writes_bytes(s, r.ret, r.ret + r.length - 1)
    return OK


@kernel
def comes(s: Checking, address: int, count: int, by_host: int) -> int:
    """The host, or another tile, writes to L1."""
    c = s.shadow
    last = address + count - 1
    c.noc_now += 1
    c.noc_actor[c.noc_now & (NOC_LOG - 1)] = 0
    mark = HOST_MARK if by_host else c.noc_now << EPOCH_SHIFT | OTHER_ACTOR
    for granule in range(address >> GRANULE_SHIFT, (last >> GRANULE_SHIFT) + 1):
        mine = bytes_of(granule, address, last)
        if s.shadow_writer[granule] & 0xFF == mark & 0xFF:
            mine |= s.shadow_bytes[granule]
        s.shadow_writer[granule] = mark
        s.shadow_bytes[granule] = mine
        s.shadow_reader[granule] = 0
    return OK


@kernel
def host_reads(s: Checking, address: int) -> None:
    """The host, or another tile, reads a register."""
    s.shadow.pipe = HOST_PIPE


@kernel
def host_writes(s: Checking, address: int, value: int) -> None:
    """The host, or another tile, writes a register."""
    acts(s, s.shadow.row, HOST_PIPE, HOST_MARK, 0, 0)


# ------------------------------------------------------------------ who knows


@kernel
def looks(s: Checking, row: int, actor: int, epoch: int) -> int:
    """A core sees in a counter that what an interface did up to an epoch is over."""
    c = s.shadow
    which, of = 0, actor
    if actor >> 2 == NOC_LAND_PIPE:
        which, of = 1, actor + 4 * (NOC_WRITE_PIPE - NOC_LAND_PIPE)
    for e in range(max(c.known[row].of[actor], c.noc_now - min(c.noc_now, NOC_LOG)) + 1, epoch + 1):
        at = e & (NOC_LOG - 1)
        if c.noc_actor[at] == of and c.noc_seen[which, at] == 0:
            c.noc_seen[which, at] = c.origin
            c.noc_seen_at[which, at] = c.noc_now
    return learns(s, row, actor, epoch)


@kernel
def sees_interface(s: Checking, row: int, offset: int) -> int:
    """A core reads a register of an interface."""
    c = s.shadow
    niu = offset // NIU_BYTES
    place = offset % NIU_BYTES
    if not COUNTERS <= place < COUNTERS + 4 * COUNTER_WORDS:
        return OK
    counter = (place - COUNTERS) >> 2
    if counter == n.ATOMIC_RESPONSES or n.OUTSTANDING <= counter < n.OUTSTANDING + 16:
        looks(s, row, NOC_READ_PIPE * 4 + ATOMICS + niu, c.noc_now)
    if counter == n.READ_RESPONSES:
        return looks(s, row, NOC_READ_PIPE * 4 + niu, c.noc_now)
    if counter == n.WRITE_ACKS:
        looks(s, row, NOC_LAND_PIPE * 4 + niu, c.noc_now)
    if counter in (n.WRITE_ACKS, n.WRITES_SENT, n.POSTED_WRITES_SENT):
        return looks(s, row, NOC_WRITE_PIPE * 4 + niu, c.noc_now)
    if n.OUTSTANDING <= counter < n.OUTSTANDING + 16:
        tag = counter - n.OUTSTANDING
        looks(s, row, NOC_READ_PIPE * 4 + niu, c.noc_tagged[0, niu, tag])
        looks(s, row, NOC_WRITE_PIPE * 4 + niu, c.noc_tagged[1, niu, tag])
        looks(s, row, NOC_LAND_PIPE * 4 + niu, c.noc_tagged[1, niu, tag])
    if n.OUTGOING <= counter < n.OUTGOING + 16:
        looks(s, row, NOC_WRITE_PIPE * 4 + niu, c.noc_tagged[1, niu, counter - n.OUTGOING])
    return OK


@kernel
def learn_from_other(s: Checking, row: int, epoch: int) -> int:
    """A core sees what another tile wrote: that may say that this tile's writes have come there."""
    c = s.shadow
    c.known[row].of[OTHER_ACTOR] = max(c.known[row].of[OTHER_ACTOR], epoch)
    has_come(s, epoch)
    looks(s, row, NOC_WRITE_PIPE * 4, epoch)
    looks(s, row, NOC_WRITE_PIPE * 4 + 1, epoch)
    return learnt(s, row)
