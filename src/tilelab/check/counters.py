"""The counters of circular buffers: who counts them, and whether what they say can be.

A buffer's two counters, tiles received and tiles acknowledged, are at ``l1_map.CIRCULAR_BUFFERS``.
One core fills a buffer and one drains it; a thread counts for the core that pushes its words. Only
buffers that the kernel places are looked at.

The vendor's kernels keep them in registers of stream n for c_n instead (tt-metal, stream_io_map.h):
received in STREAM_REMOTE_DEST_BUF_SIZE, acknowledged in STREAM_REMOTE_DEST_BUF_START, as numbers of
16 bits. How much such a buffer holds is not known here. A store of 0 is a new beginning.
"""

from typing import Final

from tilelab.check.accesses import report_with
from tilelab.check.knowledge import acquire, release
from tilelab.check.l1 import COUNTERS
from tilelab.check.noc import learn_from_other
from tilelab.check.rules import (
    CB_BACK,
    CB_EMPTY,
    CB_FULL,
    CB_TWO,
    CB_UNWAITED,
)
from tilelab.check.shadow import (
    EPOCH_MASK,
    HOST_OWNER,
    HOST_PIPE,
    IN_STREAMS,
    NOBODY,
    OF_COUNTERS,
)
from tilelab.check.view import Checking
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.tables.noc_registers import STREAM_BYTES

SHORT: Final = 16
"""How far counters of 16 bits are shifted up, so that they wrap as those of 32 do."""
AHEAD: Final = 1 << 31
"""A counter that is this far ahead of another is behind it."""


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


@kernel
def writes_stream(s: Checking, offset: int, address: int, value: int) -> int:
    """A stream's register is written by what acts now."""
    c = s.shadow
    index = stream_counter(s, offset)
    if index < 0:
        return OK
    count = value << SHORT & EPOCH_MASK
    if c.pipe != HOST_PIPE:
        release(s, OF_COUNTERS + index)
    if count == 0 or not c.counter_set[index] or c.pipe == HOST_PIPE:
        c.counter_set[index] = 1
        c.counter[index] = count
        c.counted_by[index] = NOBODY
        return OK
    return counts(s, c.row - THREADS if c.row >= THREADS else c.row, index, count)


@kernel
def blames(s: Checking, rule: int, index: int, other: int) -> int:
    """Report what acts now for a counter, with the last one who counted another."""
    c = s.shadow
    mark = c.counted_mark[other]
    return report_with(s, rule, index, mark, c.counted_word[other], c.counted_origin[other])


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
def counts(s: Checking, core: int, index: int, value: int) -> int:
    """A counter is given a value: by a core's store, or by a word of its thread."""
    c = s.shadow
    if index < IN_STREAMS:
        release(s, OF_COUNTERS + index)
    capacity = c.capacity[index >> 1]
    if index < IN_STREAMS and (capacity == 0 or starts_counter(s, index, value)):
        return OK
    before = c.counter[index]
    by = c.counted_by[index]
    c.counter[index] = value
    other = c.counter[index ^ 1]
    seen = c.seen[core, index ^ 1]
    if by == HOST_OWNER or (by != NOBODY and by != 1 + core):
        blames(s, CB_TWO, index, index)
    elif (value - before & EPOCH_MASK) >= AHEAD:
        blames(s, CB_BACK, index, index)
    elif index & 1:
        if (value - before & EPOCH_MASK) > (other - before & EPOCH_MASK):
            blames(s, CB_EMPTY, index, index ^ 1)
        elif 0 < (value - seen & EPOCH_MASK) < AHEAD:
            blames(s, CB_UNWAITED, index, index ^ 1)
    elif index < IN_STREAMS and (value - other & EPOCH_MASK) > capacity:
        blames(s, CB_FULL, index, index ^ 1)
    c.counted_by[index] = 1 + core
    c.counted_mark[index] = c.mark
    c.counted_word[index] = c.word
    c.counted_origin[index] = c.origin
    return OK
