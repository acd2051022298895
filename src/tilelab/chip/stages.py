"""What befalls a flight: a request's stages, and how long each takes.

A write leaves its tile, arrives, and is acknowledged; a read's request arrives, is served, its data
leave, and arrive. ``network.py`` says what each request does, ``ways.py`` how long its ways take.
Bytes of a write are taken as it leaves, those of a read as its answer leaves.

Not modelled: virtual channels but those of ``ways.py``; the host's link, which takes no time beyond
the NoC; bounds on what an interface has under way.
"""

from tilelab.chip.answers import read_place, wake, write_place
from tilelab.chip.flight_record import (
    ACKNOWLEDGED,
    ANSWERS,
    ARRIVES,
    BACK,
    BEGINS,
    GOES,
    LEAVES,
    RETURNS,
    SENT,
    SERVED,
    WAITS,
)
from tilelab.chip.flights import (
    TENTHS,
    call_at,
    copy_request,
    free_flight,
    load_stage,
    new_flight,
    take_stage,
)
from tilelab.chip.network import (
    aligned,
    in_rectangle,
    increment,
    legal,
    note,
    place_of,
    write_inline,
)
from tilelab.chip.queues import release, send
from tilelab.chip.speeds import ANSWER, taking
from tilelab.chip.state import DRAM, ChipState
from tilelab.chip.ways import (
    give_dram,
    hold_back,
    leave,
    new_packet,
    read_length,
    slip_away,
    straight,
    take_atomic,
    take_dram,
    taken_by,
    taken_by_answer,
    through_interface,
    travel,
)
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.noc import niu as n
from tilelab.tensix.state.records import Request


@kernel
def befall(c: ChipState, k: int) -> int:
    """Let a flight's next stage come: OK, PROBLEM, a check's code or a wish for host memory."""
    stage = c.flight[k].stage
    if stage == LEAVES:
        return leaves(c, k)
    if stage == GOES:
        return goes(c, k)
    if stage == SENT:
        return has_left(c, k)
    if stage == WAITS:
        return takes_turn(c, k)
    if stage == ARRIVES:
        return arrives(c, k)
    if stage == ACKNOWLEDGED:
        return acknowledged(c, k)
    if stage == SERVED:
        return served(c, k)
    if stage == BEGINS:
        return begins(c, k)
    if stage == ANSWERS:
        return answers(c, k)
    if stage == RETURNS:
        return returns(c, k)
    return back(c, k)


@kernel
def bytes_carried(r: Request) -> int:
    """How many bytes a request's packet has besides its header."""
    return 0 if r.control & 3 != n.WRITE or r.control & n.INLINE else r.length


@kernel
def goes_to(r: Request) -> int:
    """The coordinates that a request's packet goes to."""
    return r.ret_at if bytes_carried(r) else r.target_at


@kernel
def leaves(c: ChipState, k: int) -> int:
    """A request's bytes are taken; its packet leaves as soon as its interface is free."""
    f = c.flight[k]
    r = f.request
    own = c.place_of[f.tile]
    code = legal(c, r, f.tile)
    count = bytes_carried(r)
    if code == OK and count:
        code = read_place(c, own, r.target, count)
    if code != OK:
        return code
    f.at = f.asked * TENTHS + through_interface(c)
    if r.control & 3 == n.READ:
        f.place = place_of(c, r.niu, r.target_at)
        begin = f.at
        f.at += straight(c, r.niu, own, f.place)
        return send(c, k, r.niu, own, begin)
    take_stage(c, k, count)
    c.is_request = 1
    f.at = leave(c, r.niu, own, f.at, taken_by(c, count))
    return call_at(c, k, GOES, f.at)


@kernel
def goes(c: ChipState, k: int) -> int:
    """The packet of a write or an atomic leaves, and takes its ways; OK."""
    f = c.flight[k]
    r = f.request
    begin = f.at
    length = taken_by(c, bytes_carried(r))
    call_at(c, k, SENT, begin + length)
    new_packet(c)
    c.is_request = 1
    if r.control & n.BROADCAST:
        return spread(c, k, begin, length)
    f.place = place_of(c, r.niu, goes_to(r))
    f.at = travel(c, r.niu, c.place_of[f.tile], f.place, begin, length) + length
    f.links += c.waited
    if c.kind[f.place] == DRAM and bytes_carried(r):
        done = give_dram(c, f.place, f.at, r.ret, bytes_carried(r))
        hold_back(c, done - length, length)
        f.queue += c.waited
        f.served += done - f.at
        f.at = done
    return OK


@kernel
def spread(c: ChipState, k: int, begin: int, length: int) -> int:
    """Make a flight for each target of a multicast whose packet has begun to leave; OK."""
    f = c.flight[k]
    at = goes_to(f.request)
    for i in range(c.tiles):
        own = i == f.tile and not f.request.control & n.INCLUDE_SELF
        if in_rectangle(c, f.request.niu, at, i) and not own:
            one = new_flight(c)
            copy = c.flight[one]
            copy_request(copy.request, f.request)
            copy.tile = f.tile
            copy.asked = f.asked
            copy.parent = k
            copy.place = c.place_of[i]
            start = c.place_of[f.tile]
            copy.at = travel(c, f.request.niu, start, copy.place, begin, length) + length
            f.reached += 1
            call_at(c, one, WAITS if f.request.control & 3 == n.ATOMIC else ARRIVES, copy.at)
    f.links += c.waited
    f.copies = f.reached
    c.flights_left += c.tiles - f.reached
    return OK


@kernel
def has_left(c: ChipState, k: int) -> int:
    """The packet's last flit has left the interface."""
    f = c.flight[k]
    r = f.request
    n.count_left(c.tile[f.tile], r)
    wake(c, f.tile)
    if r.control & n.BROADCAST:
        return OK if f.copies else over(c, k)
    return call_at(c, k, WAITS if r.control & 3 == n.ATOMIC else ARRIVES, f.at)


@kernel
def takes_turn(c: ChipState, k: int) -> int:
    """An atomic has come to its target, which does one after the other."""
    f = c.flight[k]
    f.at = take_atomic(c, f.request.niu, f.place, f.at)
    f.queue += c.waited
    return call_at(c, k, ARRIVES, f.at)


@kernel
def arrives(c: ChipState, k: int) -> int:
    """A write or an atomic takes effect."""
    f = c.flight[k]
    r = f.request
    count = bytes_carried(r)
    if r.control & 3 == n.ATOMIC:
        code = increment(c, r, f.tile, f.place)
    elif r.control & n.INLINE:
        code = write_inline(c, r, f.place)
    else:
        code = aligned(c, r, f.place, 0)
        if code == OK:
            load_stage(c, f.parent, count)
            code = write_place(c, f.place, r.ret, count)
    if code != OK:
        return code
    if c.kind[f.place] == DRAM and count:
        later = taking(c, ANSWER, c.arch.noc_times.dram_write.value * TENTHS)
        f.served += later
        f.at += later
    if not r.control & n.RESPONSE:
        return copy_over(c, k)
    f.at += through_interface(c)
    return call_at(c, k, ACKNOWLEDGED, f.at)


@kernel
def acknowledged(c: ChipState, k: int) -> int:
    """An acknowledgement, or an atomic's answer, goes back; OK."""
    f = c.flight[k]
    f.at = slip_away(c, f.request.niu, f.place, c.place_of[f.tile], f.at)
    return call_at(c, k, BACK, f.at)


@kernel
def served(c: ChipState, k: int) -> int:
    """A read's request has arrived. DRAM's last bytes may be later than a link could take them."""
    f = c.flight[k]
    r = f.request
    if c.kind[f.place] == DRAM:
        f.at = take_dram(c, r.niu, f.place, f.at, r.target, r.length)
        f.queue += c.waited
        return call_at(c, k, BEGINS, f.at) if c.waited else begins(c, k)
    f.at += through_interface(c)
    return call_at(c, k, ANSWERS, f.at)


@kernel
def begins(c: ChipState, k: int) -> int:
    """A DRAM channel begins with a read; OK."""
    f = c.flight[k]
    count = f.request.length
    release(c, f.request.niu, f.place, f.at)
    late = max(0, read_length(c, count) - taken_by_answer(c, count))
    later = taking(c, ANSWER, c.arch.noc_times.dram_read.value * TENTHS) + late
    f.served += later
    f.at += later + through_interface(c)
    return call_at(c, k, ANSWERS, f.at)


@kernel
def answers(c: ChipState, k: int) -> int:
    """A read's data leave."""
    f = c.flight[k]
    r = f.request
    code = read_place(c, f.place, r.target, r.length)
    if code != OK:
        return code
    take_stage(c, k, r.length)
    length = taken_by_answer(c, r.length)
    c.is_request = 0
    f.at = leave(c, r.niu, f.place, f.at, length)
    f.links += c.waited
    return call_at(c, k, RETURNS, f.at)


@kernel
def returns(c: ChipState, k: int) -> int:
    """The packet of a read's answer leaves, and takes its ways; OK.

    Where L1 gives the flits it is slower than links, which others may take in between; what DRAM
    gives holds links for longer.
    """
    f = c.flight[k]
    r = f.request
    leaving = taken_by_answer(c, r.length)
    length = leaving
    if c.kind[f.place] != DRAM:
        release(c, r.niu, f.place, f.at)
        length = taken_by(c, r.length)
    new_packet(c)
    c.is_request = 0
    f.at = travel(c, r.niu, f.place, c.place_of[f.tile], f.at, length) + leaving
    f.links += c.waited
    return call_at(c, k, BACK, f.at)


@kernel
def back(c: ChipState, k: int) -> int:
    """A read's data, an acknowledgement or an atomic's answer is back: it counts."""
    f = c.flight[k]
    r = f.request
    s = c.tile[f.tile]
    if r.control & 3 != n.READ:
        return copy_over(c, k)
    load_stage(c, k, r.length)
    code = write_place(c, c.place_of[f.tile], r.ret, r.length)
    if code != OK:
        return code
    n.count_left(s, r)
    n.count_back(s, r, n.READ_RESPONSES, 1)
    wake(c, f.tile)
    return finish(c, k)


@kernel
def copy_over(c: ChipState, k: int) -> int:
    """A write or an atomic is over at one place: the request is, if that was the last one; OK."""
    f = c.flight[k]
    whole = f.parent
    if whole == k:
        f.reached = 1
        return over(c, k)
    p = c.flight[whole]
    p.queue = max(p.queue, f.queue)
    p.links = max(p.links, f.links)
    p.copies -= 1
    free_flight(c, k)
    return OK if p.copies else over(c, whole)


@kernel
def over(c: ChipState, k: int) -> int:
    """A write or an atomic is over: count what came back of it; OK."""
    f = c.flight[k]
    r = f.request
    if r.control & n.RESPONSE:
        answers = n.ATOMIC_RESPONSES if r.control & 3 == n.ATOMIC else n.WRITE_ACKS
        n.count_back(c.tile[f.tile], r, answers, f.reached)
        wake(c, f.tile)
    return finish(c, k)


@kernel
def finish(c: ChipState, k: int) -> int:
    """A request is over; OK."""
    f = c.flight[k]
    if c.noting:
        at = c.noted
        note(c, c.tile[f.tile], f.request, f.tile)
        c.noted_clock[at] = f.asked
        c.noted_took[at] = c.time - f.asked
        c.noted_links[at] = f.links // TENTHS
        c.noted_queue[at] = f.queue // TENTHS
        c.noted_served[at] = f.served // TENTHS
    c.requests += 1
    return free_flight(c, k)
