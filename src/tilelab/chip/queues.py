"""Requests for reads on their way: a router's buffers are full, and who goes on next.

A request for a read is one flit. It waits in the buffer behind a link of its way until there is
room behind the next one, and at last in the interface that it asks, which keeps as many until it
serves them. Whose first request wants a link waits in a queue for it: so links are given in turn
to those who come from either way and to the tile itself, however many stand behind each. Where one
interface is asked for more than it gives, requests to others stand behind those for it.

All have one virtual channel, as tt-metal's have. Its dateline bit, for which buffers are apart,
flips where a way goes round the torus, and is clear where it turns (the document does not say
where; without it a ring would stand still). Where nothing is full a request takes its hops alone.

Not modelled: that requests for reads and writes, which have one channel, hold each other up.
"""

from typing import Final

from tilelab.chip.answers import wake
from tilelab.chip.flight_record import ALONG_X, ALONG_Y, IN, OUT, SERVED
from tilelab.chip.flights import call_at
from tilelab.chip.state import ChipState
from tilelab.chip.ways import beside, slip, way
from tilelab.sim.kernel import OK, kernel

INITIATORS: Final = 1
"""In the place of the dateline bit: an interface's requests that its router has no room for."""


@kernel
def queue(niu: int, edge: int, kind: int, x: int, y: int) -> int:
    """The number of the queue behind a link, in an interface that is asked (OUT) or asks (IN)."""
    return niu << 12 | edge << 11 | kind << 9 | y << 5 | x


@kernel
def onward(c: ChipState, q: int) -> int:
    """The queue that the first flight of a queue goes to."""
    x, y, kind, edge, niu = q & 31, q >> 5 & 15, q >> 9 & 3, q >> 11 & 1, q >> 12
    width, height = c.arch.noc.width, c.arch.noc.height
    if kind == ALONG_X:
        x = beside(niu, x, width)
    if kind == ALONG_Y:
        y = beside(niu, y, height)
    if kind == IN and edge == INITIATORS:
        return queue(niu, 0, IN, x, y)
    there = c.physical_at[c.flight[c.queue[q].first - 1].place]
    in_x, in_y = x == there & 63, y == there >> 6
    if in_x and in_y:
        return queue(niu, 0, OUT, x, y)
    along = ALONG_Y if in_x or (niu and not in_y) else ALONG_X
    last = (width if along == ALONG_X else height) - 1
    at_end = (x if along == ALONG_X else y) == (0 if niu else last)
    return queue(niu, 1 if at_end or (edge and along == kind) else 0, along, x, y)


@kernel
def put(c: ChipState, q: int, k: int) -> int:
    """Put a flight behind those of a queue; OK."""
    w = c.queue[q]
    c.flight[k].next = 0
    if w.count:
        c.flight[w.last - 1].next = k + 1
    else:
        w.first = k + 1
    w.last = k + 1
    w.count += 1
    return OK


@kernel
def take_first(c: ChipState, q: int) -> int:
    """Take the first flight out of a queue."""
    w = c.queue[q]
    k = w.first - 1
    w.first = c.flight[k].next
    w.count -= 1
    return k


@kernel
def enter(c: ChipState, q: int, k: int, at: int) -> int:
    """A flight goes through a link, and into the queue behind it; OK."""
    kind = q >> 9 & 3
    slip(c, way(q >> 12, q & 31, q >> 5 & 15, kind), at)
    if kind != OUT:
        return put(c, q, k)
    c.queue[q].count += 1
    f = c.flight[k]
    f.queue += max(0, at - f.at)
    f.at = max(at, f.at)
    return call_at(c, k, SERVED, f.at)


@kernel
def look_at(c: ChipState, q: int) -> int:
    """Have :func:`go_on` look at a queue; OK."""
    if not c.queue[q].listed:
        c.queue[q].listed = 1
        c.listed[c.lists] = q
        c.lists += 1
    return OK


@kernel
def ask_for(c: ChipState, q: int) -> int:
    """The first flight of a queue is to go on: it stands behind others who want the same; OK."""
    there = onward(c, q)
    w = c.queue[there]
    c.queue[q].waits = 1
    c.queue[q].next = 0
    if w.asked_first:
        c.queue[w.asked_last - 1].next = q + 1
    else:
        w.asked_first = q + 1
    w.asked_last = q + 1
    return look_at(c, there)


@kernel
def go_on(c: ChipState, q: int, at: int) -> int:
    """Have all flights go on that can, where a queue has room or another first flight; OK."""
    look_at(c, q)
    while c.lists:
        c.lists -= 1
        q = c.listed[c.lists]
        w = c.queue[q]
        w.listed = 0
        kind = q >> 9 & 3
        while w.asked_first and w.count < c.arch.noc_times.buffer_flits.value:
            other = w.asked_first - 1
            w.asked_first = c.queue[other].next
            c.queue[other].waits = 0
            k = take_first(c, other)
            enter(c, q, k, at)
            if kind == IN:
                engage(c, k, 0)
            look_at(c, other)
        if kind != OUT and w.count and not w.waits:
            ask_for(c, q)
    return OK


@kernel
def engage(c: ChipState, k: int, busy: int) -> int:
    """Have the initiator of a flight's request be busy, or free; OK."""
    f = c.flight[k]
    s = c.tile[f.tile]
    at = s.arch.noc.go >> 2
    if s.noc.initiator[f.request.niu, f.request.initiator, at] != busy:
        s.noc.initiator[f.request.niu, f.request.initiator, at] = busy
        wake(c, f.tile)
    return OK


@kernel
def send(c: ChipState, k: int, niu: int, start: int, at: int) -> int:
    """A flight's request for a read, of one place, leaves at a time; OK."""
    here = c.physical_at[start]
    q = queue(niu, INITIATORS, IN, here & 63, here >> 6)
    put(c, q, k)
    go_on(c, q, at)
    return engage(c, k, 1) if c.queue[q].count else OK


@kernel
def release(c: ChipState, niu: int, place: int, at: int) -> int:
    """An interface has begun with a request that it kept; OK."""
    there = c.physical_at[place]
    q = queue(niu, 0, OUT, there & 63, there >> 6)
    c.queue[q].count -= 1
    return go_on(c, q, at)
