"""What the explorer's kernels see: the state, and beside it the schedule that is followed."""

from typing import Any

from tilelab.tensix.state.records import State


class Exploring(State):
    """The state of a tile that runs under a schedule; see :mod:`.plan`."""

    plan: Any
