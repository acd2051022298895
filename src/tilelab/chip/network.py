"""The NoC: takes requests that tiles have initiated, carries them out, counts what came back.

Requests of one tile arrive in the order in which they were initiated, each before the tile's next
round: the earliest that the rules allow. Late delivery keeps them back until the tile can do
nothing else, or its turn ends; a tile's reads then come after all that leaves it.

Sources: tt-isa-documentation, NoC/MemoryMap.md, NoC/Counters.md, NoC/Alignment.md, NoC/Atomics.md.

Under the cycle clock ``stages.py`` calls these functions, when it is time.

Not modelled: linked transactions as a unit, byte
enables, delivery to streams, replies to another tile than the asking one, atomics other than
increment, counters of the target's side.
"""

from typing import Final

from tilelab.chip import problems
from tilelab.chip.answers import (
    move,
    put_word,
    read_place,
    wake,
    word_of,
    write_place,
)
from tilelab.chip.problems import report
from tilelab.chip.state import (
    DRAM,
    ETHERNET,
    HOST,
    NOTES,
    NOTHING,
    STAGE,
    TENSIX,
    WANT_LINK,
    ChipState,
)
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.noc import niu as n
from tilelab.tensix.noc.ethernet import LINK
from tilelab.tensix.noc.late import reads_before
from tilelab.tensix.run.rounds import STOP_TRACE
from tilelab.tensix.state.records import Request, State

INCREMENT: Final = 1
"""The only atomic opcode modelled, in bits 15..12 of its length register."""
REGISTERS: Final = 0xFF000000
INLINE_BYTES: Final = 16
L1_ALIGNMENT: Final = 16
PLACE: Final = 0xFFF


@kernel
def place_of(c: ChipState, niu: int, at: int) -> int:
    """The place of coordinates as an interface uses them; they may be physical."""
    x = at & 63
    y = at >> 6 & 63
    if x >= c.arch.layout.mirrored_below:
        return at & PLACE
    if niu:
        x = c.arch.noc.width - 1 - x & 63
        y = c.arch.noc.height - 1 - y & 63
        if c.both_ways and c.kind[c.translated[x | y << 6]] == NOTHING:
            return c.translated[at & PLACE]
    return c.translated[x | y << 6]


@kernel
def spans(start: int, value: int, end: int) -> int:
    """Whether a range of coordinates, which may wrap around, holds a value."""
    if start <= end:
        return 1 if start <= value <= end else 0
    return 1 if value <= end or start <= value else 0


@kernel
def in_rectangle(c: ChipState, niu: int, at: int, i: int) -> int:
    """Whether a broadcast to a rectangle reaches a tile."""
    end = place_of(c, niu, at)
    start = place_of(c, niu, at >> 12)
    own = c.place_of[i]
    if niu:
        return spans(end & 63, own & 63, start & 63) & spans(end >> 6, own >> 6, start >> 6)
    return spans(start & 63, own & 63, end & 63) & spans(start >> 6, own >> 6, end >> 6)


@kernel
def alignment(c: ChipState, place: int, read: int) -> int:
    """What both addresses of a request have to be equal modulo; 1: anything."""
    kind = c.kind[place]
    if kind == DRAM:
        return c.arch.noc.read_alignment if read else L1_ALIGNMENT
    return L1_ALIGNMENT if kind in (TENSIX, ETHERNET) else 1


@kernel
def aligned(c: ChipState, r: Request, place: int, read: int) -> int:
    """Both addresses must agree in their low bits, as many as the memories demand."""
    modulo = alignment(c, place, read)
    if r.target < REGISTERS and r.ret < REGISTERS and (r.target ^ r.ret) & (modulo - 1):
        return report(c, problems.ALIGNMENT, place, r.target, modulo)
    return OK


@kernel
def at_home(c: ChipState, i: int, niu: int, at: int) -> int:
    """Whether coordinates are those of the asking tile: OK, or PROBLEM."""
    place = place_of(c, niu, at)
    if place != c.place_of[i]:
        return report(c, problems.ANSWER_ELSEWHERE, place, 0, 0)
    return OK


@kernel
def deliver(c: ChipState, i: int) -> int:
    """Carry out everything that a tile has initiated, from ``c.next`` on.

    Late ones come in two passes: what leaves the tile first, then what it reads. OK, PROBLEM,
    WANT_HOST_READ, WANT_HOST_WRITE or STOP_TRACE; after these, call it again.
    """
    s = c.tile[i]
    passes = 2 if c.late else 1
    while c.next < passes * s.noc.requests:
        r = s.noc.request[c.next % s.noc.requests]
        second = 1 if c.next >= s.noc.requests else 0
        if passes == 1 or second == (1 if r.control & 3 == n.READ else 0):
            if second == 0 and c.late and r.control & (n.INLINE | n.WRITE) == n.WRITE:
                reads_before(s, r.target, r.target + r.length - 1, c.next)
            if c.noted == NOTES:
                return STOP_TRACE
            code = carry_out(c, s, r, i)
            if code != OK:
                return code
            if c.noting:
                note(c, s, r, i)
            c.requests += 1
        c.next += 1
    s.noc.requests = 0
    s.noc.held = 0
    c.next = 0
    return wake(c, i)  # what waits for a counter may go on


@kernel
def note(c: ChipState, s: State, r: Request, i: int) -> None:
    """Note a request that has been carried out."""
    k = c.noted
    own = c.place_of[i]
    c.noted_clock[k] = s.clock
    c.noted_tile[k] = i
    c.noted_niu[k] = r.niu
    c.noted_core[k] = r.core
    c.noted_pc[k] = r.pc
    c.noted_control[k] = r.control
    c.noted_length[k] = r.length
    c.noted_target[k] = r.target
    c.noted_ret[k] = r.ret
    c.noted_from[k] = own
    if r.niu == LINK:
        c.noted_to[k] = own  # and on to the peer
    elif r.control & 3 == n.READ:
        c.noted_from[k] = place_of(c, r.niu, r.target_at)
        c.noted_to[k] = own
    elif r.control & 3 == n.ATOMIC or r.control & n.INLINE:
        c.noted_to[k] = place_of(c, r.niu, r.target_at)
    else:
        c.noted_to[k] = place_of(c, r.niu, r.ret_at)
    if r.control & n.BROADCAST:
        at = r.ret_at if r.control & 3 == n.WRITE and not r.control & n.INLINE else r.target_at
        c.noted_to[k] = place_of(c, r.niu, at >> 12) << 12 | place_of(c, r.niu, at)
    c.noted = k + 1


@kernel
def legal(c: ChipState, r: Request, i: int) -> int:
    """What can be said of a request before it leaves: OK or PROBLEM."""
    kind = r.control & 3
    if kind == n.ATOMIC:
        if r.length >> 12 & 15 != INCREMENT:
            return report(c, problems.ATOMIC, c.place_of[i], r.target, r.length)
        return at_home(c, i, r.niu, r.ret_at) if r.control & n.RESPONSE else OK
    if kind == n.READ:
        code = at_home(c, i, r.niu, r.ret_at)
        return aligned(c, r, place_of(c, r.niu, r.target_at), 1) if code == OK else code
    if r.control & n.INLINE:
        return OK
    if r.control & n.BYTE_ENABLES:
        return report(c, problems.BYTE_ENABLES, c.place_of[i], 0, 0)
    return OK if r.control & n.BROADCAST else at_home(c, i, r.niu, r.target_at)


@kernel
def carry_out(c: ChipState, s: State, r: Request, i: int) -> int:
    """Carry out one request of a tile."""
    if r.niu == LINK:
        return leave(c, s, r, i)
    code = legal(c, r, i)
    if code != OK:
        return code
    kind = r.control & 3
    if kind == n.READ:
        return read(c, s, r, i)
    if kind == n.ATOMIC:
        return atomic(c, s, r, i)
    return write(c, s, r, i)


@kernel
def leave(c: ChipState, s: State, r: Request, i: int) -> int:
    """A transfer over an Ethernet tile's link: WANT_LINK, and OK once that is done; or PROBLEM."""
    if c.host_done:
        c.host_done = 0
        return OK
    memory = c.arch.layout.ethernet.memory
    c.link = c.index[c.place_of[i]]
    c.host_address = r.ret
    c.host_count = r.length
    if r.control & n.INLINE:
        put_word(c, 0, r.data)
        return WANT_LINK
    if r.length > STAGE or max(r.target, r.ret) + r.length > memory:
        return report(c, problems.OUTSIDE, c.place_of[i], max(r.target, r.ret), r.length)
    move(c, s.l1, r.target, r.length, 0)
    return WANT_LINK


@kernel
def read(c: ChipState, s: State, r: Request, i: int) -> int:
    """A read: data of another place to the tile's own L1."""
    code = read_place(c, place_of(c, r.niu, r.target_at), r.target, r.length)
    if code == OK:
        code = write_place(c, c.place_of[i], r.ret, r.length)
    if code != OK:
        return code
    return n.count_answered(s, r, n.READS_SENT, n.READ_RESPONSES, 1)


@kernel
def write(c: ChipState, s: State, r: Request, i: int) -> int:
    """A write: data of the tile's own L1, or of the request itself, to one place or many."""
    at = r.target_at if r.control & n.INLINE else r.ret_at
    code, reached = do_everywhere(c, r, i, at)
    return n.count_write(s, r, reached) if code == OK else code


@kernel
def do_everywhere(c: ChipState, r: Request, i: int, at: int) -> tuple[int, int]:
    """Write or increment at one place or many: OK or a code, and at how many that was."""
    if not r.control & n.BROADCAST:
        return do_at(c, r, i, place_of(c, r.niu, at)), 1
    reached = 0
    for tile in range(c.tiles):
        if in_rectangle(c, r.niu, at, tile) and (tile != i or r.control & n.INCLUDE_SELF):
            code = do_at(c, r, i, c.place_of[tile])
            if code != OK:
                return code, 0
            reached += 1
    return OK, reached


@kernel
def do_at(c: ChipState, r: Request, i: int, place: int) -> int:
    """Write or increment at one place."""
    return increment(c, r, i, place) if r.control & 3 == n.ATOMIC else write_to(c, r, i, place)


@kernel
def write_to(c: ChipState, r: Request, i: int, place: int) -> int:
    """Write to one place."""
    if r.control & n.INLINE:
        return write_inline(c, r, place)
    code = aligned(c, r, place, 0)
    if code == OK and not (c.kind[place] == HOST and c.host_done):
        code = read_place(c, c.place_of[i], r.target, r.length)
    if code != OK:
        return code
    return write_place(c, place, r.ret, r.length)


@kernel
def write_inline(c: ChipState, r: Request, place: int) -> int:
    """Write the four bytes of an inline write; to L1 (Wormhole) by byte enables of 16 bytes."""
    if r.target >= REGISTERS:
        put_word(c, 0, r.data)
        return write_place(c, place, r.target, 4)
    if not c.arch.noc.inline_to_l1:
        return report(c, problems.INLINE_TO_L1, place, r.target, 0)
    base = r.target & ~(INLINE_BYTES - 1)
    for byte in range(2 * INLINE_BYTES):
        if r.length >> byte & 1:
            c.stage[0] = r.data >> 8 * (byte & 3) & 0xFF
            code = write_place(c, place, base + (byte & (INLINE_BYTES - 1)), 1)
            if code != OK:
                return code
    return OK


@kernel
def atomic(c: ChipState, s: State, r: Request, i: int) -> int:
    """An atomic operation at one place or many; with a response, the old value comes back."""
    code, reached = do_everywhere(c, r, i, r.target_at)
    if code != OK:
        return code
    if not r.control & n.RESPONSE:
        return n.count(s, r.niu, n.POSTED_ATOMICS_SENT, 1)
    return n.count_answered(s, r, n.ATOMICS_SENT, n.ATOMIC_RESPONSES, reached)


@kernel
def increment(c: ChipState, r: Request, i: int, place: int) -> int:
    """Increment a word at a place, as many of its bits as the request says."""
    if c.kind[place] == HOST:
        return report(c, problems.ATOMIC, place, r.target, r.length)
    address = (r.target & ~15) + 4 * (r.length & 3)
    mask = (2 << (r.length >> 2 & 31)) - 1 & 0xFFFFFFFF
    code = read_place(c, place, address, 4)
    if code != OK:
        return code
    old = word_of(c, 0)
    put_word(c, 0, (old + r.data & mask) | (old & ~mask & 0xFFFFFFFF))
    code = write_place(c, place, address, 4)
    if code == OK and r.control & n.RESPONSE:
        put_word(c, 0, old)
        code = write_place(c, c.place_of[i], r.ret, 4)
    return code
