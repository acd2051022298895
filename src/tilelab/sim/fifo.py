"""A queue in a machine's state: a ring of words, of which the oldest one leaves first.

A queue's capacity is its user's to know: it may be less than the ring has slots, never more.
"""

from typing import Any

import numpy as np

from tilelab.sim.array import Array1
from tilelab.sim.kernel import kernel
from tilelab.sim.record import record_type


class Fifo:
    """A record made by :func:`fifo_type`, as kernels see it."""

    data: Array1
    """A word for each slot of the ring."""
    head: int
    """The oldest word's slot."""
    count: int
    """Words in the queue; they stand in the slots from ``head`` on."""


class TracedFifo(Fifo):
    """A queue that knows where its words come from."""

    origin: Array1
    """Of the word in each slot; packed as the machine does."""


def fifo_type(slots: int, traced: bool = False) -> np.dtype[Any]:
    """A :class:`Fifo` of 32-bit words, or a :class:`TracedFifo`; ``slots`` is a power of two."""
    assert slots & (slots - 1) == 0
    origin = [("origin", "<u8", (slots,))] if traced else []
    return record_type([("data", "<u4", (slots,)), *origin, ("head", "<u4"), ("count", "<u4")])


@kernel
def slot(queue: Fifo, place: int) -> int:
    """The slot of the word at a place: the oldest one's is 0, the next one's to come ``count``."""
    return (queue.head + place) & (len(queue.data) - 1)


@kernel
def push(queue: Fifo, word: int) -> int:
    """Put a word behind the others; there must be room. Returns its slot."""
    at = slot(queue, queue.count)
    queue.data[at] = word
    queue.count += 1
    return at


@kernel
def push_traced(queue: TracedFifo, word: int, origin: int) -> int:
    """Put a word with its origin behind the others; there must be room. Returns its slot."""
    at = push(queue, word)
    queue.origin[at] = origin
    return at


@kernel
def peek(queue: Fifo) -> int:
    """The oldest word; of an empty queue, what its slot held last."""
    return queue.data[queue.head]


@kernel
def peek_origin(queue: TracedFifo) -> int:
    """Where the oldest word comes from."""
    return queue.origin[queue.head]


@kernel
def pop(queue: Fifo) -> int:
    """Take the oldest word; there must be one."""
    word = queue.data[queue.head]
    queue.head = slot(queue, 1)
    queue.count -= 1
    return word


@kernel
def clear(queue: Fifo) -> None:
    """Forget all words, and begin at the first slot."""
    queue.count = 0
    queue.head = 0
