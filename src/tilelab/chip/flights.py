"""Flights: requests under way on a chip under the cycle clock, and the order of what befalls them.

Events are in a heap, by cycle, and within a cycle in the order in which they were made.
"""

from typing import Final

from tilelab.chip.flight_record import CARRIED
from tilelab.chip.state import NEVER, ChipState
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.state.records import Request, State

TENTHS: Final = 10
"""Of a cycle: what ways are booked in."""


@kernel
def new_flight(c: ChipState) -> int:
    """The number of a free flight; there is one, as ``flights_left`` says."""
    if c.first_free:
        k = c.first_free - 1
        c.first_free = c.flight[k].next
    else:
        k = c.flights_made
        c.flights_made = k + 1
    f = c.flight[k]
    f.copies = 0
    f.reached = 0
    f.links = 0
    f.queue = 0
    f.served = 0
    return k


@kernel
def free_flight(c: ChipState, k: int) -> int:
    """A flight is over; OK."""
    c.flight[k].next = c.first_free
    c.first_free = k + 1
    c.flights_left += 1
    return OK


@kernel
def next_event(c: ChipState) -> int:
    """The cycle of the next event, or NEVER."""
    return c.event_due[0] if c.events else NEVER


@kernel
def before(c: ChipState, a: int, b: int) -> int:
    """Whether an event of the heap comes before another one."""
    if c.event_due[a] != c.event_due[b]:
        return 1 if c.event_due[a] < c.event_due[b] else 0
    return 1 if c.event_order[a] < c.event_order[b] else 0


@kernel
def exchange(c: ChipState, a: int, b: int) -> int:
    """Exchange two events of the heap; OK."""
    due, order, flight = c.event_due[a], c.event_order[a], c.event_flight[a]
    c.event_due[a] = c.event_due[b]
    c.event_order[a] = c.event_order[b]
    c.event_flight[a] = c.event_flight[b]
    c.event_due[b] = due
    c.event_order[b] = order
    c.event_flight[b] = flight
    return OK


@kernel
def call_at(c: ChipState, k: int, stage: int, tenths: int) -> int:
    """Have a flight's next stage come at a time, in the cycle that has begun by then; OK.

    While there are events, the chip is awake.
    """
    c.flight[k].stage = stage
    i = c.events
    c.event_due[i] = (tenths + TENTHS - 1) // TENTHS
    c.event_order[i] = c.event_number
    c.event_flight[i] = k
    c.event_number += 1
    if i == 0:
        c.awake += 1
    c.events = i + 1
    while i and before(c, i, (i - 1) >> 1):
        exchange(c, i, (i - 1) >> 1)
        i = (i - 1) >> 1
    return OK


@kernel
def forget_first(c: ChipState) -> int:
    """Take the first event out of the heap; OK."""
    last = c.events - 1
    exchange(c, 0, last)
    c.events = last
    if last == 0:
        c.awake -= 1
    i = 0
    while 2 * i + 1 < last:
        child = 2 * i + 1
        if child + 1 < last and before(c, child + 1, child):
            child += 1
        if not before(c, child, i):
            break
        exchange(c, i, child)
        i = child
    return OK


@kernel
def copy_request(to: Request, r: Request) -> int:
    """Copy a request; OK."""
    to.niu = r.niu
    to.initiator = r.initiator
    to.core = r.core
    to.pc = r.pc
    to.control = r.control
    to.tag = r.tag
    to.length = r.length
    to.data = r.data
    to.target = r.target
    to.target_at = r.target_at
    to.ret = r.ret
    to.ret_at = r.ret_at
    return OK


@kernel
def load_stage(c: ChipState, k: int, count: int) -> int:
    """Put what a flight carries into the stage; OK."""
    for i in range(count):
        c.stage[i] = c.carried[k * CARRIED + i]
    return OK


@kernel
def take_stage(c: ChipState, k: int, count: int) -> int:
    """Have a flight carry what is in the stage; OK."""
    for i in range(count):
        c.carried[k * CARRIED + i] = c.stage[i]
    return OK


@kernel
def blame_flight(c: ChipState, s: State, k: int) -> int:
    """Have the chip's report tell of a flight's request; OK."""
    if s.noc.requests == 0:
        copy_request(s.noc.request[0], c.flight[k].request)
    c.next = 0
    c.turn = c.flight[k].tile
    return OK
