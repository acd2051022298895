"""For which part of the time each link, interface's way and DRAM channel was taken, over time."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.chip.chip import Chip
from tilelab.chip.flight_record import ALONG_X, ALONG_Y, CHANNEL, IN, OUT, WAYS
from tilelab.chip.flights import TENTHS

Numbers = npt.NDArray[Any]
SHOWN: Final = {ALONG_X: "x", ALONG_Y: "y", OUT: "in", IN: "out", CHANNEL: "bank"}
"""Ways that a map shows; ``in`` and ``out`` as a tile sees it."""


WAY_KINDS: Final = {
    ALONG_X: "link along x from {x},{y}, NoC {niu}",
    ALONG_Y: "link along y from {x},{y}, NoC {niu}",
    OUT: "into {x},{y}, NoC {niu}",
    IN: "out of {x},{y}, NoC {niu}",
    CHANNEL: "DRAM bank {x}, channel {niu}",
}
"""Ways whose use is told; coordinates are physical."""


def way_name(k: int) -> str:
    """What a way is called; "" for one whose use is not told."""
    kind = WAY_KINDS.get(k & 15, "")
    return kind.format(x=k >> 4 & 31, y=k >> 9 & 31, niu=k >> 14)


class WaysUsed:
    """Collects for how long ways are taken, from now on; ``often``: also how that changes."""

    def __init__(self, chip: Chip, often: bool = True) -> None:
        self._busy: Numbers = chip.memory.record["way_busy"]
        self._chip = chip
        self._before = self._busy.copy()
        self._times = [chip.time]
        self._booked: list[tuple[Numbers, Numbers]] = []
        if often:
            chip.looks.append(self._look)

    def _look(self) -> None:
        """Note what has been booked since the last time."""
        if self._chip.time == self._times[-1]:
            return
        more = self._busy - self._before
        which = np.flatnonzero(more)
        self._booked.append((which, more[which] / TENTHS))
        self._times.append(self._chip.time)
        self._before = self._busy.copy()

    def shares(self, end: int, parts: int) -> tuple[list[int], Numbers]:
        """The ways that a map shows, and a row of shares for each, by equal parts of the time.

        What is booked while a way is taken follows when that is free.
        """
        self._look()
        ways = [int(k) for k in np.flatnonzero(self._before) if int(k) & 15 in SHOWN]
        place = np.full(WAYS, -1)
        place[ways] = np.arange(len(ways))
        used = np.zeros((len(self._times), len(ways)))
        booked = np.zeros(len(ways))
        for i, (which, cycles) in enumerate(self._booked, 1):
            own = place[which]
            booked[own[own >= 0]] += cycles[own >= 0]
            used[i] = np.minimum(booked, used[i - 1] + self._times[i] - self._times[i - 1])
        edges = np.linspace(0, max(1, end), parts + 1)
        rows = [np.diff(np.interp(edges, self._times, column)) for column in used.T]
        table = np.array(rows).reshape(len(ways), parts) / edges[1]
        return ways, np.clip(table, 0, 1)


def row_of(k: int) -> dict[str, Any]:
    """What a page knows of a way."""
    at = [k >> 4 & 31, k >> 9 & 31]
    return {"name": way_name(k), "kind": SHOWN[k & 15], "noc": k >> 14, "at": at}
