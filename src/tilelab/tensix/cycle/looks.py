"""A core's looks at the counters of circular buffers: how long it polls each, by its number.

Who waits for tiles (``cb_wait_front``) looks at how many were received, who waits for room
(``cb_reserve_back``) at how many were acknowledged, again and again. From look to look a core does
nothing else; two looks that are further apart are of two waits. To a core these cycles are
instructions and loads, as which they count as well (tt-metal#56697: an idle share without them).
"""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.state.cycle_record import BUFFERS
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.noc_registers import STREAM_BYTES
from tilelab.tensix.tables.tile_registers import STREAMS

IN_STREAMS: Final = 0
"""Where the counters of circular buffers are, if not in L1: stream n counts those of buffer n."""
TURN: Final = 64
"""Cycles of a polling loop's turn, at most: a load, and a few instructions."""


@kernel
def counter_at(s: State, address: int) -> int:
    """What an address counts: 1 + 2 * buffer, and 1 for its acknowledged tiles; 0: nothing."""
    cycle = s.cycle
    if cycle.buffer_counters == IN_STREAMS:
        place = (address - STREAMS) % STREAM_BYTES
        buffer = (address - STREAMS) // STREAM_BYTES
        if place != s.arch.noc.stream_size and place != s.arch.noc.stream_start:
            return 0
        side = 1 if place == s.arch.noc.stream_start else 0
    else:
        buffer = (address - cycle.buffer_counters) // 8
        side = (address - cycle.buffer_counters) // 4 & 1
    if buffer < 0 or buffer >= BUFFERS:
        return 0
    return 1 + 2 * buffer + side if cycle.buffers >> buffer & 1 else 0


@kernel
def note_look(s: State, core: int, address: int) -> int:
    """A core loads from an address: if that counts tiles, add what passed since it did so last."""
    cycle = s.cycle
    counter = counter_at(s, address)
    if counter == 0:
        return OK
    buffer = (counter - 1) // 2
    side = (counter - 1) & 1
    cycle.looked[core, side] = cycle.looked[core, side] | 1 << buffer
    passed = s.clock - cycle.look_at[core]
    if cycle.look[core] == counter and passed <= TURN:
        cycle.polled[core, buffer, side] = cycle.polled[core, buffer, side] + passed
    cycle.look[core] = counter
    cycle.look_at[core] = s.clock
    return OK
