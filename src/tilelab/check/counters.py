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
from tilelab.check.accesses import report, report_of, unordered
from tilelab.check.knowledge import acquire, learns, note, release
from tilelab.check.l1 import COUNTERS
from tilelab.check.noc import learn_from_other
from tilelab.check.shadow import (
    ACT,
    EPOCH_MASK,
    EPOCH_SHIFT,
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
WATCH.field("looked", "<u8", (CORES, SIDES))  # its mark then
WATCH.field("counting", "<u4")  # 1 + the counter that the scalar unit's word writes


def counter(tile: places.Noted, value: int) -> str:
    """Which counter of which buffer."""
    kept, index = divmod(value, IN_STREAMS)
    side = "acknowledged" if index & 1 else "received"
    return f"tiles {side} of c_{index >> 1}" + (f" (stream {index >> 1})" if kept else "")


def _rule(name: str, message: str, other: str, cure: str) -> int:
    """Declare a check of a counter."""
    page = "tilelab: circular_buffers.h"
    category = NonContractualBehaviorError
    return WATCH.rule(name, category, message, other, page, cure, place=counter)


CB_TWO: Final = _rule(
    "cb-two-owners",
    "counts {where}, which another core, or the host, counts",
    "counts it",
    "one core fills a circular buffer, and one drains it",
)
CB_TAKEN: Final = _rule(
    "cb-taken-by-another",
    "waits for, or pops, {where}, and nothing orders that and the other core's",
    "pops, or waits for, the same tiles",
    "give each core that uses the tiles a buffer of its own",
)
CB_EMPTY: Final = _rule(
    "cb-pop-unfilled",
    "counts {where} beyond the tiles that were pushed",
    "pushed last",
    "cb_wait_front for as many tiles as cb_pop_front takes",
)
CB_UNWAITED: Final = _rule(
    "cb-pop-unwaited",
    "counts {where} beyond the tiles that its core has seen there",
    "pushed last",
    "cb_wait_front before cb_pop_front, for as many tiles",
)
CB_FULL: Final = _rule(
    "cb-push-unreserved",
    "counts {where} beyond what the buffer has room for",
    "popped last",
    "cb_reserve_back for as many tiles as cb_push_back gives",
)
CB_BACK: Final = _rule(
    "cb-counter-back",
    "sets {where} back to a lower number",
    "counted last",
    "count on in all 32 bits: a narrower counter starts anew, and the other side waits for ever",
)
CB_LEFT: Final = _rule(
    "cb-pages-left",
    "the program ends with {where}",
    "counted the other side last",
    "let both sides of the buffer count the same tiles: see the bounds of the two loops",
)


@kernel
def sees_counter(s: Checking, core: int, index: int) -> int:
    """A core reads a counter in L1: it learns what those knew who counted.

    Several counters share a piece of L1, of which only the last store is remembered.
    """
    s.shadow.seen[core, index] = s.l1_32[(COUNTERS >> 2) + index]
    looks(s, core, index)
    return acquire(s, THREADS + core, OF_COUNTERS + index)


@kernel
def looks(s: Checking, core: int, index: int) -> int:
    """A core waits for tiles: they are its own to pop, or it tells who pops them."""
    c = s.shadow
    by = c.counted_by[index ^ 1]
    c.core_now[core] += 1
    c.looked[core, index] = c.mark + (1 << EPOCH_SHIFT)
    mine = by in (NOBODY, 1 + core) or c.counted_by[index] in (NOBODY, 1 + core)
    if index & 1 or mine or by == HOST_OWNER:
        return OK
    if unordered(s, c.counted[index ^ 1].mark):
        return report_of(s, CB_TAKEN, index, c.counted[index ^ 1])
    return OK


@kernel
def takes_before_others(s: Checking, core: int, index: int) -> None:
    """A core pops tiles: are others through who wait for them as well?"""
    c = s.shadow
    for other in range(CORES):
        if other != core and c.counted_by[index ^ 1] not in (NOBODY, 1 + other, HOST_OWNER):
            if unordered(s, c.looked[other, index ^ 1]):
                report(s, CB_TAKEN, index ^ 1, c.looked[other, index ^ 1])


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
        looks(s, core, index)
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
        takes_before_others(s, core, index)
        if (value - before & EPOCH_MASK) > (other - before & EPOCH_MASK):
            report_of(s, CB_EMPTY, index, c.counted[index ^ 1])
        elif 0 < (value - seen & EPOCH_MASK) < AHEAD:
            report_of(s, CB_UNWAITED, index, c.counted[index ^ 1])
    elif index < IN_STREAMS and (value - other & EPOCH_MASK) > capacity:
        report_of(s, CB_FULL, index, c.counted[index ^ 1])
    c.counted_by[index] = 1 + core
    note(s, c.counted[index])
