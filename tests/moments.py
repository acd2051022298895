"""Moments of a debugged run, to be found again."""

import numpy as np

from tilelab.debug import Debugger

COUNTERS = (
    *(f"riscv[{core}].retired" for core in range(3)),
    *(f"frontend[{t}].{name}" for t in range(3) for name in ("pushed", "expanded", "issued")),
    "semaphore[1].value",
    "src_a_valid",
)


class Moment:
    """Everything that a tile is, but what engines keep about runs."""

    def __init__(self, made: Debugger) -> None:
        self.made = made
        self.clock = made.clock
        self.record = made.snapshot()
        self.l1 = made.state.l1.copy()

    def check(self) -> None:
        assert self.made.clock == self.clock
        assert self.made.changes(self.record) == []
        assert np.array_equal(self.made.state.l1, self.l1)
        for name in ("issued", "stalled"):
            assert np.array_equal(self.made.state.engine[name], self.record["engine"][name])
