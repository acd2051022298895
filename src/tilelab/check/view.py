"""What the checker's kernels see: the state, and beside it the checker's shadow."""

from typing import Any, Protocol

from tilelab.check.shadow import EPOCH_MASK, EPOCH_SHIFT
from tilelab.sim.array import Array1
from tilelab.sim.kernel import kernel
from tilelab.tensix.state.records import State


class Clock(Protocol):
    """A vector clock, whatever else its record holds."""

    of: Array1


class Act(Protocol):
    """Who acted: a mark, and the word with its origin."""

    mark: int
    word: int
    origin: int


class Checking(State):
    """The state of a tile that runs under the checker; see :mod:`.shadow`."""

    shadow: Any
    shadow_writer: Array1
    shadow_reader: Array1
    shadow_bytes: Array1
    shadow_kind: Array1


@kernel
def field_bits(place: int) -> int:
    """The bits of a word that a configuration field has."""
    return (1 << (place & 63)) - 1 << (place >> 8 & 31)


@kernel
def epoch_of(mark: int) -> int:
    """When somebody acted, by the mark: the actor's epoch."""
    return mark >> EPOCH_SHIFT & EPOCH_MASK
