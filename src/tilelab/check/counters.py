"""The counters of circular buffers: who counts them, and whether what they say can be.

A buffer's two counters, tiles received and tiles acknowledged, are at ``l1_map.CIRCULAR_BUFFERS``.
One core fills a buffer and one drains it; a thread counts for the core that pushes its words. Only
buffers that the kernel places are looked at.

The vendor's kernels keep them in registers of stream n for c_n instead (tt-metal, stream_io_map.h):
received in STREAM_REMOTE_DEST_BUF_SIZE, acknowledged in STREAM_REMOTE_DEST_BUF_START, as numbers of
16 bits. How much such a buffer holds is not known here. A store of 0 is a new beginning.
"""

from typing import Final

from tilelab.check import places
from tilelab.check.accesses import note, report_of
from tilelab.check.knowledge import acquire, learns, release
from tilelab.check.l1 import COUNTERS
from tilelab.check.noc import learn_from_other
from tilelab.check.shadow import (
    ACT,
    EPOCH_MASK,
    HOST_OWNER,
    HOST_PIPE,
    IN_STREAMS,
    L1_STORE_ACTOR,
    NOBODY,
    OF_COUNTERS,
    SIDES,
)
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.noc import streams
from tilelab.tensix.state.layout import CORES, THREADS
from tilelab.tensix.tables.noc_registers import STREAM_BYTES

SHORT: Final = 16
"""How far counters of 16 bits are shifted up, so that they wrap as those of 32 do."""
AHEAD: Final = 1 << 31
"""A counter that is this far ahead of another is behind it."""
WATCH = Watch("circular buffers")

# the counters in L1, then those in streams
WATCH.field("capacity", "<u4", (SIDES // 2,))  # tiles, 0 of a buffer that the kernel does not place
WATCH.field("counter", "<u4", (SIDES,))
WATCH.field("counter_set", "u1", (SIDES,))  # start-up has set it
WATCH.field("counted_by", "u1", (SIDES,))  # 1 + the core that counts
WATCH.field("counted", ACT, (SIDES,))
WATCH.field("seen", "<u4", (CORES, SIDES))  # what a core has last read
WATCH.field("counting", "<u4")  # 1 + the counter that the scalar unit's word writes


def counter(tile: places.Noted, value: int) -> str:
    """Which counter of which buffer."""
    kept, index = divmod(value, IN_STREAMS)
    side = "acknowledged" if index & 1 else "received"
    return f"tiles {side} of c_{index >> 1}" + (f" (stream {index >> 1})" if kept else "")


CB_TWO: Final = WATCH.rule(
    "cb-two-owners",
    NonContractualBehaviorError,
    "counts {where}, which another core, or the host, counts",
    "counts it",
    "tilelab: circular_buffers.h",
    "one core fills a circular buffer, and one drains it",
    place=counter,
)
CB_EMPTY: Final = WATCH.rule(
    "cb-pop-unfilled",
    NonContractualBehaviorError,
    "counts {where} beyond the tiles that were pushed",
    "pushed last",
    "tilelab: circular_buffers.h",
    "cb_wait_front for as many tiles as cb_pop_front takes",
    place=counter,
)
CB_UNWAITED: Final = WATCH.rule(
    "cb-pop-unwaited",
    NonContractualBehaviorError,
    "counts {where} beyond the tiles that its core has seen there",
    "pushed last",
    "tilelab: circular_buffers.h",
    "cb_wait_front before cb_pop_front, for as many tiles",
    place=counter,
)
CB_FULL: Final = WATCH.rule(
    "cb-push-unreserved",
    NonContractualBehaviorError,
    "counts {where} beyond what the buffer has room for",
    "popped last",
    "tilelab: circular_buffers.h",
    "cb_reserve_back for as many tiles as cb_push_back gives",
    place=counter,
)
CB_BACK: Final = WATCH.rule(
    "cb-counter-back",
    NonContractualBehaviorError,
    "sets {where} back to a lower number",
    "counted last",
    "tilelab: circular_buffers.h",
    "count on in all 32 bits: a narrower counter starts anew, and the other side waits for ever",
    place=counter,
)
CB_LEFT: Final = WATCH.rule(
    "cb-pages-left",
    NonContractualBehaviorError,
    "the program ends with {where}",
    "counted the other side last",
    "tilelab: circular_buffers.h",
    "let both sides of the buffer count the same tiles: see the bounds of the two loops",
    place=counter,
)


@kernel
def sees_counter(s: Checking, core: int, index: int) -> int:
    """A core reads a counter in L1: it learns what those knew who counted.

    Several counters share a piece of L1, of which only the last store is remembered.
    """
    s.shadow.seen[core, index] = s.l1_32[(COUNTERS >> 2) + index]
    return acquire(s, THREADS + core, OF_COUNTERS + index)


@kernel
def stream_counter(s: Checking, offset: int) -> int:
    """Which counter a stream's register is, or -1."""
    stream = offset // STREAM_BYTES
    place = offset % STREAM_BYTES
    if stream >= IN_STREAMS // 2:
        return -1
    if place == s.arch.noc.stream_size:
        return IN_STREAMS + 2 * stream
    return IN_STREAMS + 2 * stream + 1 if place == s.arch.noc.stream_start else -1


@WATCH.at(streams.read_stream)
@kernel
def reads_stream(s: Checking, offset: int, address: int) -> int:
    """A stream's register is read by what acts now: it learns what those knew who counted."""
    c = s.shadow
    if c.pipe == HOST_PIPE:
        return OK
    if offset % STREAM_BYTES == s.arch.noc.stream_space:
        return learn_from_other(s, c.row, c.noc_now)
    index = stream_counter(s, offset)
    if index >= 0:
        core = c.row - THREADS if c.row >= THREADS else c.row
        stream = offset // STREAM_BYTES
        value = s.noc.stream_start[stream] if index & 1 else s.noc.stream_size[stream]
        c.seen[core, index] = value << SHORT & EPOCH_MASK
        acquire(s, c.row, OF_COUNTERS + index)
    return OK


@WATCH.at(streams.write_stream)
@kernel
def writes_stream(s: Checking, offset: int, address: int, value: int) -> None:
    """A stream's register is written by what acts now."""
    c = s.shadow
    index = stream_counter(s, offset)
    if index < 0:
        return
    count = value << SHORT & EPOCH_MASK
    if c.pipe != HOST_PIPE:
        tells(s, OF_COUNTERS + index)
    if count == 0 or not c.counter_set[index] or c.pipe == HOST_PIPE:
        c.counter_set[index] = 1
        c.counter[index] = count
        c.counted_by[index] = NOBODY
        return
    counts(s, c.row - THREADS if c.row >= THREADS else c.row, index, count)


@kernel
def starts_counter(s: Checking, index: int, value: int) -> int:
    """Whether a store sets up a counter: each starts at 0, or full if the host has filled it."""
    c = s.shadow
    if c.counter_set[index]:
        return 0
    c.counter_set[index] = 1
    if value != 0 and (index & 1 or value != c.capacity[index >> 1]):
        return 0
    c.counter[index] = value
    return 1


@kernel
def tells(s: Checking, i: int) -> int:
    """Who counts passes on what it knows; a core, that all it stored to L1 has arrived before."""
    c = s.shadow
    if c.row >= THREADS:
        core = c.row - THREADS
        learns(s, c.row, L1_STORE_ACTOR + core, c.stored[core])
    return release(s, i)


@kernel
def counts(s: Checking, core: int, index: int, value: int) -> None:
    """A counter is given a value: by a core's store, or by a word of its thread."""
    c = s.shadow
    if index < IN_STREAMS:
        tells(s, OF_COUNTERS + index)
    capacity = c.capacity[index >> 1]
    if index < IN_STREAMS and (capacity == 0 or starts_counter(s, index, value)):
        return
    before = c.counter[index]
    by = c.counted_by[index]
    c.counter[index] = value
    other = c.counter[index ^ 1]
    seen = c.seen[core, index ^ 1]
    if by == HOST_OWNER or (by != NOBODY and by != 1 + core):
        report_of(s, CB_TWO, index, c.counted[index])
    elif (value - before & EPOCH_MASK) >= AHEAD:
        report_of(s, CB_BACK, index, c.counted[index])
    elif index & 1:
        if (value - before & EPOCH_MASK) > (other - before & EPOCH_MASK):
            report_of(s, CB_EMPTY, index, c.counted[index ^ 1])
        elif 0 < (value - seen & EPOCH_MASK) < AHEAD:
            report_of(s, CB_UNWAITED, index, c.counted[index ^ 1])
    elif index < IN_STREAMS and (value - other & EPOCH_MASK) > capacity:
        report_of(s, CB_FULL, index, c.counted[index ^ 1])
    c.counted_by[index] = 1 + core
    note(s, c.counted[index])
