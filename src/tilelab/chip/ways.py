"""The ways of packets under the cycle clock, each with the time until when it is taken.

NoC 0 takes packets along x and then along y, to greater coordinates and round the torus; NoC 1
along y and then along x, to smaller ones (NoC/RoutingPaths.md). A packet's head waits for each way
until that is free, takes it for as long as its flits need, and is at the next router a hop later;
while it waits, flits for which no router has room hold up the ways behind it, for packets of the
same virtual channel. Answers choose between two of these at every router; all requests have one.
A packet books its ways when it leaves its interface; who is at a way first goes first.
Acknowledgements and requests for reads are one flit of another virtual channel: they slip in
between others' flits.
Times are in tenths of a cycle. ``noc_times`` of the chip has the figures.
"""

from typing import Final

from tilelab.chip import speeds
from tilelab.chip.flight_record import (
    ALONG_X,
    ALONG_Y,
    ATOMICS,
    CHANNEL,
    GAPS,
    IN,
    INTAKE,
    OUT,
    REQUESTS_CHANNEL,
)
from tilelab.chip.flights import TENTHS
from tilelab.chip.speeds import taking
from tilelab.chip.state import ChipState
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.arch import Arch

THOUSAND: Final = 1000
HUNDRED: Final = THOUSAND // TENTHS


@kernel
def way(niu: int, x: int, y: int, which: int) -> int:
    """The number of a way at a router."""
    return niu << 14 | y << 9 | x << 4 | which


def ways_between(arch: Arch, niu: int, start: int, end: int) -> list[int]:
    """The links from one physical place to another, and the way out of the network there."""
    step = -1 if niu else 1
    (x, y), (to_x, to_y) = ((place & 63, place >> 6) for place in (start, end))
    xs = [(x + step * i) % arch.noc.width for i in range((to_x - x) * step % arch.noc.width)]
    ys = [(y + step * i) % arch.noc.height for i in range((to_y - y) * step % arch.noc.height)]
    row, column = (to_y, x) if niu else (y, to_x)
    found = [way(niu, at, row, ALONG_X) for at in xs] + [way(niu, column, at, ALONG_Y) for at in ys]
    return [*found, way(niu, to_x, to_y, OUT)]


@kernel
def take(c: ChipState, k: int, at: int, length: int, vc: int) -> int:
    """Take a way at a time or as soon as it is free, for so long; when that begins.

    A multicast takes each way once, however many of its targets lie there.
    """
    if c.way_packet[k] == c.packets:
        return c.way_start[k]
    begin = slot(c, k, max(at, c.held[k, vc]), length)
    c.waited += begin - at
    c.way_busy[k] += length
    c.way_packet[k] = c.packets
    c.way_start[k] = begin
    return begin


@kernel
def virtual_channel(c: ChipState, k: int) -> int:
    """Which virtual channel of a way the packet takes that is being booked: answers choose."""
    if c.is_request:
        return REQUESTS_CHANNEL
    return 0 if c.held[k, 0] <= c.held[k, 1] else 1


@kernel
def slot(c: ChipState, k: int, at: int, length: int) -> int:
    """Take the first time that a way is free for so long, and remembered as free; when it begins.

    Who comes to a way first goes first, though it may be booked later.
    """
    free = c.way_free[k]
    if at < free:
        for g in range(GAPS):
            begin = max(at, c.gap_from[k, g])
            if begin + length <= c.gap_until[k, g]:
                c.gap_from[k, g] = begin + length
                return begin
    begin = max(at, free)
    if begin > free:
        oldest = 0
        for g in range(1, GAPS):
            if c.gap_until[k, g] < c.gap_until[k, oldest]:
                oldest = g
        c.gap_from[k, oldest] = free
        c.gap_until[k, oldest] = begin
    c.way_free[k] = begin + length
    return begin


@kernel
def hold_back(c: ChipState, begin: int, length: int) -> int:
    """Hold up the ways behind a packet's head until its flits can be there; OK.

    A router keeps so many flits of a packet; those behind wait where they are.
    """
    room = 0
    back = c.passed
    while back and room < length:
        back -= 1
        room += c.arch.noc_times.buffer_flits.value * TENTHS
        k, vc = c.passed_way[back], c.passed_vc[back]
        c.held[k, vc] = max(c.held[k, vc], begin + length - room)
    return OK


@kernel
def flits(c: ChipState, count: int) -> int:
    """How many flits a packet with so many bytes has."""
    size = c.arch.noc_times.flit_bytes.value
    return 1 + (count + size - 1) // size


@kernel
def taken_by(c: ChipState, count: int) -> int:
    """For how long a packet of so many bytes takes a link."""
    time = flits(c, count) * c.arch.noc_times.flit_thousandths.value // HUNDRED
    return taking(c, speeds.LINKS, time)


@kernel
def taken_by_answer(c: ChipState, count: int) -> int:
    """For how long a read's answer takes a link."""
    time = flits(c, count) * c.arch.noc_times.answer_thousandths.value // HUNDRED
    return taking(c, speeds.LINKS, time)


@kernel
def new_packet(c: ChipState) -> None:
    """Begin to book for another packet; ``waited`` is for how long it waits."""
    c.packets += 1
    c.waited = 0


@kernel
def leave(c: ChipState, niu: int, place: int, at: int, length: int) -> int:
    """When a new packet leaves an interface: at a time, or as soon as that is free."""
    new_packet(c)
    here = c.physical_at[place]
    k = way(niu, here & 63, here >> 6, IN)
    return take(c, k, at, length, virtual_channel(c, k))


@kernel
def slip(c: ChipState, k: int, at: int) -> int:
    """Take a way for a flit that waits for nobody; when that is."""
    length = taken_by(c, 0)
    c.way_free[k] = max(c.way_free[k], at) + length
    c.way_busy[k] += length
    return at


@kernel
def pass_way(c: ChipState, k: int, at: int, length: int) -> int:
    """When a packet begins to take a way; of length 0: one that slips in."""
    if not length:
        return slip(c, k, at)
    vc = virtual_channel(c, k)
    begin = take(c, k, at, length, vc)
    if begin > at:
        hold_back(c, begin, length)
    c.passed_way[c.passed] = k
    c.passed_vc[c.passed] = vc
    c.passed += 1
    return begin


@kernel
def slip_away(c: ChipState, niu: int, start: int, end: int, at: int) -> int:
    """When a packet of one flit that slips in everywhere is at another place."""
    new_packet(c)
    here = c.physical_at[start]
    slip(c, way(niu, here & 63, here >> 6, IN), at)
    return travel(c, niu, start, end, at, 0) + taken_by(c, 0)


@kernel
def beside(niu: int, at: int, count: int) -> int:
    """The column or row that a NoC goes on to, of so many."""
    if niu:
        return at - 1 if at else count - 1
    return at + 1 if at + 1 < count else 0


@kernel
def travel(c: ChipState, niu: int, start: int, end: int, at: int, length: int) -> int:
    """When the head of a packet that leaves one place is at another one; ``length`` as above."""
    here = c.physical_at[start]
    there = c.physical_at[end]
    x, y, to_x, to_y = here & 63, here >> 6, there & 63, there >> 6
    width, height = c.arch.noc.width, c.arch.noc.height
    hop = taking(c, speeds.HOPS, c.arch.noc_times.hop.value * TENTHS)
    at += taking(c, speeds.HOPS, c.arch.noc_times.into_network.value * TENTHS)
    c.passed_way[0] = way(niu, x, y, IN)
    c.passed_vc[0] = virtual_channel(c, c.passed_way[0])
    c.passed = 1
    if niu == 0:
        while x != to_x:
            at = pass_way(c, way(niu, x, y, ALONG_X), at, length) + hop
            x = beside(niu, x, width)
        while y != to_y:
            at = pass_way(c, way(niu, x, y, ALONG_Y), at, length) + hop
            y = beside(niu, y, height)
    else:
        while y != to_y:
            at = pass_way(c, way(niu, x, y, ALONG_Y), at, length) + hop
            y = beside(niu, y, height)
        while x != to_x:
            at = pass_way(c, way(niu, x, y, ALONG_X), at, length) + hop
            x = beside(niu, x, width)
    at = pass_way(c, way(niu, x, y, OUT), at, length)
    return at + taking(c, speeds.HOPS, c.arch.noc_times.out_of_network.value * TENTHS)


@kernel
def straight(c: ChipState, niu: int, start: int, end: int) -> int:
    """How long a packet of one flit that waits for nobody takes from one place to another."""
    here = c.physical_at[start]
    there = c.physical_at[end]
    x, y = (there & 63) - (here & 63), (there >> 6) - (here >> 6)
    if niu:
        x, y = -x, -y
    hops = (x if x >= 0 else x + c.arch.noc.width) + (y if y >= 0 else y + c.arch.noc.height)
    ends = c.arch.noc_times.into_network.value + c.arch.noc_times.out_of_network.value
    cycles = ends + hops * c.arch.noc_times.hop.value
    return taking(c, speeds.HOPS, cycles * TENTHS) + taken_by(c, 0)


@kernel
def through_interface(c: ChipState) -> int:
    """From a request, or a packet's arrival, to a packet's or an answer's first flit."""
    return taking(c, speeds.HOPS, c.arch.noc_times.interface.value * TENTHS)


@kernel
def read_length(c: ChipState, count: int) -> int:
    """For how long a read of so many bytes takes a DRAM channel."""
    return taking(
        c, speeds.CHANNEL, count * THOUSAND * TENTHS // c.arch.noc_times.dram_read_rate.value
    )


@kernel
def take_dram(c: ChipState, niu: int, place: int, at: int, address: int, count: int) -> int:
    """When a DRAM channel begins with a read of so many bytes that arrives at a time.

    ``waited`` is then for how long it had to wait.
    """
    new_packet(c)
    there = c.physical_at[place]
    intake = way(niu, there & 63, there >> 6, INTAKE)
    at = take(
        c, intake, at, taking(c, speeds.INTAKE, c.arch.noc_times.dram_request_tenths.value), 0
    )
    return take(c, channel(c, place, address), at, read_length(c, count), 0)


@kernel
def give_dram(c: ChipState, place: int, at: int, address: int, count: int) -> int:
    """When a DRAM channel has taken a write of so many bytes whose last arrives at a time."""
    new_packet(c)
    rate = c.arch.noc_times.dram_write_rate.value
    length = taking(c, speeds.CHANNEL, count * THOUSAND * TENTHS // rate)
    carried = taken_by(c, count)
    begin = take(c, channel(c, place, address), at - carried, length, 0)
    return max(begin + length, at)


@kernel
def channel(c: ChipState, place: int, address: int) -> int:
    """The way that a DRAM channel is: at the place of its bank's number."""
    number = address >> c.arch.noc_times.dram_channel_bits.value & 1
    return way(number, c.index[place], 0, CHANNEL)


@kernel
def take_atomic(c: ChipState, niu: int, place: int, at: int) -> int:
    """When a place begins with an atomic that arrives at a time."""
    new_packet(c)
    there = c.physical_at[place]
    k = way(niu, there & 63, there >> 6, ATOMICS)
    return take(c, k, at, taking(c, speeds.ATOMICS, c.arch.noc_times.atomic_tenths.value), 0)
