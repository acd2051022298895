"""The counters of circular buffers: who counts them, and whether what they say can be.

A buffer's two counters, tiles received and tiles acknowledged, are at ``l1_map.CIRCULAR_BUFFERS``.
One core fills a buffer and one drains it; a thread counts for the core that pushes its words. Only
buffers that the kernel places are looked at.
"""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.check.accesses import report_with
from tilelab.tensix.check.l1 import COUNTERS
from tilelab.tensix.check.rules import CB_BACK, CB_EMPTY, CB_FULL, CB_TWO, CB_UNWAITED
from tilelab.tensix.check.shadow import EPOCH_MASK, HOST_OWNER, NOBODY
from tilelab.tensix.check.view import Checking

AHEAD: Final = 1 << 31
"""A counter that is this far ahead of another is behind it."""


@kernel
def sees_counter(s: Checking, core: int, index: int) -> int:
    """A core reads a counter."""
    s.shadow.seen[core, index] = s.l1_32[(COUNTERS >> 2) + index]
    return OK


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
    capacity = c.capacity[index >> 1]
    if capacity == 0 or starts_counter(s, index, value):
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
    elif (value - other & EPOCH_MASK) > capacity:
        blames(s, CB_FULL, index, index ^ 1)
    c.counted_by[index] = 1 + core
    c.counted_mark[index] = c.mark
    c.counted_word[index] = c.word
    c.counted_origin[index] = c.origin
    return OK
