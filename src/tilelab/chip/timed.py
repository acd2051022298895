"""A chip under the cycle clock: what its tiles ask of the NoC takes time.

Tiles run side by side to the next event, or for CYCLES, in which no request has an effect. What
they asked for meanwhile becomes flights (``stages.py``), and events befall these in the order of
their cycles. These functions stand in for those of ``turns.py`` that have the same names.
"""

from collections.abc import Callable
from typing import Any, Final

from tilelab.chip import turns
from tilelab.chip.answers import wake
from tilelab.chip.flight_record import LEAVES
from tilelab.chip.flights import (
    TENTHS,
    blame_flight,
    call_at,
    copy_request,
    forget_first,
    new_flight,
    next_event,
)
from tilelab.chip.stages import befall
from tilelab.chip.state import NOTES, ChipState
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.noc import niu as n
from tilelab.tensix.run.rounds import STOP_IDLE, STOP_NOC, STOP_STUCK, STOP_TRACE
from tilelab.tensix.run.speed.batches import run_rounds
from tilelab.tensix.state.noc_record import REQUEST_SLOTS
from tilelab.tensix.state.records import State

LOOK: Final = 9
"""Whoever notes requests may look at a chip every so many cycles, as a power of two; in long runs
less often."""
ENDING, BEFALLING = 1, 2
"""What ``settling`` is: tiles' turns are ended, or events befall flights."""


@kernel
def slice_end(c: ChipState) -> int:
    """To where tiles run at present: no event is passed over."""
    if c.events and c.awake == 1:
        return min(next_event(c), c.end)  # they all sleep
    return min(c.time + c.slice, next_event(c), c.end)


@kernel
def run_tile(c: ChipState, i: int) -> None:
    """Run a tile that is awake, and note when it asked for what."""
    s = c.tile[i]
    end = slice_end(c)
    if c.is_awake[i] and s.clock < end:
        c.written[i] = 0
        code = run_rounds(s, end - s.clock)
        note_asked(c, s, i)
        while code == STOP_NOC:
            code = run_rounds(s, end - s.clock)
            note_asked(c, s, i)
        c.code_of[i] = code
        c.ran[i] = 1


@kernel
def note_asked(c: ChipState, s: State, i: int) -> int:
    """Note that a tile has asked for what is new in the cycle that has just ended; OK."""
    for j in range(s.noc.held, s.noc.requests):
        c.asked_at[i, j] = s.clock - 1
    s.noc.held = s.noc.requests
    return OK


@kernel
def settle(c: ChipState) -> int:
    """End the turns of tiles that ran; once all are there, have events befall flights.

    OK, PROBLEM, a wish for host memory, or what the tile in turn ended with. Then call it again.
    """
    if c.settling != BEFALLING:
        c.settling = ENDING
        end = slice_end(c)
        while c.turn < c.tiles:
            if c.ran[c.turn]:
                code = end_turn(c, c.tile[c.turn], c.turn, end)
                if code != OK:
                    return code
                c.ran[c.turn] = 0
            c.turn += 1
        c.turn = 0
        for i in range(c.tiles):
            if c.is_awake[i] and c.tile[i].clock < end:
                c.settling = 0
                return OK
        c.time = end
        c.settling = BEFALLING
    while next_event(c) <= c.time:
        if c.noted == NOTES:
            return STOP_TRACE
        k = c.event_flight[0]
        code = befall(c, k)
        if code != OK:
            blame_flight(c, c.tile[c.flight[k].tile], k)
            return code
        forget_first(c)
    c.turn = 0
    c.settling = 0
    if c.noting and c.time >= c.next_look:
        c.next_look = c.time + max(1 << LOOK, c.time >> LOOK)
        return STOP_TRACE
    return OK


@kernel
def end_turn(c: ChipState, s: State, i: int, end: int) -> int:
    """Deal with what ended a tile's run: OK, or what :func:`settle` is to return."""
    code = c.code_of[i]
    take_requests(c, s, i, end)
    if s.noc.requests and (code == STOP_IDLE or code == STOP_STUCK):
        s.clock = end  # they wait for room
        return OK
    return turns.ended(c, i, code)


@kernel
def take_requests(c: ChipState, s: State, i: int, end: int) -> int:
    """Make flights of what a tile has asked for, as long as there is room; OK."""
    full = 1 if s.noc.requests == REQUEST_SLOTS else 0
    taken = 0
    while taken < s.noc.requests:
        need = 1 + c.tiles if s.noc.request[taken].control & n.BROADCAST else 1
        if c.flights_left < need:
            break
        c.flights_left -= need
        k = new_flight(c)
        f = c.flight[k]
        copy_request(f.request, s.noc.request[taken])
        f.tile = i
        f.asked = c.asked_at[i, taken]
        f.parent = k
        call_at(c, k, LEAVES, f.asked * TENTHS)
        taken += 1
    left = s.noc.requests - taken
    for j in range(left if taken else 0):
        copy_request(s.noc.request[j], s.noc.request[j + taken])
        c.asked_at[i, j] = end
    s.noc.requests = left
    s.noc.held = left
    if full and taken:
        wake(c, i)
    return OK


INSTEAD: Final[dict[Callable[..., Any], Callable[..., Any]]] = {
    turns.run_tile: run_tile,
    turns.settle: settle,
}
