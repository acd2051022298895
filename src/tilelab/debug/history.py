"""A tile's past: snapshots, page by page, from which any moment since is found again by running.

What the machine does depends on nothing but its state, so a snapshot and a number of rounds are
every state that came after, up to the next change from outside; that takes a snapshot of its own.
A snapshot shares its pages with the one before where they are the same.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.debug.places import Place
from tilelab.tensix.run.stops import L1
from tilelab.tensix.tile import Tile

PAGE: Final = 4096
MOST: Final = 512
"""Snapshots kept; every second one goes when there are more."""


@dataclass
class Snapshot:
    """A tile at the end of a round."""

    clock: int
    pages: list[npt.NDArray[np.uint64]]
    warnings: dict[tuple[int, int, int], int]
    record_bytes: int
    extra: Any = None

    def read(self, place: Place) -> bytes:
        """What was at a place."""
        start = place.start + (self._l1_start if place.space == L1 else 0)
        first, last = start // PAGE, (start + place.size - 1) // PAGE
        joined = b"".join(page.tobytes() for page in self.pages[first : last + 1])
        return joined[start - first * PAGE :][: place.size]

    @property
    def _l1_start(self) -> int:
        return -(-self.record_bytes // PAGE) * PAGE

    def restore(self, tile: Tile) -> None:
        """Put the tile back to this moment."""
        whole = np.concatenate(self.pages).view(np.uint8)
        record = tile.state.record.reshape(1).view(np.uint8)
        record[:] = whole[: self.record_bytes]
        tile.state.l1[:] = whole[self._l1_start : self._l1_start + len(tile.state.l1)]
        tile.engine.warnings.clear()
        tile.engine.warnings.update(self.warnings)


@dataclass
class History:
    """Snapshots of a tile, by clock."""

    tile: Tile
    snapshots: list[Snapshot] = field(default_factory=list)

    def _memory(self) -> npt.NDArray[np.uint64]:
        """All that the tile is, in whole pages."""
        record = self.tile.state.record.reshape(1).view(np.uint8)
        l1 = self.tile.state.l1
        pages = -(-len(record) // PAGE)
        whole = np.zeros(pages * PAGE + -(-len(l1) // PAGE) * PAGE, np.uint8)
        whole[: len(record)] = record
        whole[pages * PAGE : pages * PAGE + len(l1)] = l1
        return whole.view(np.uint64).reshape(-1, PAGE // 8)

    def take(self, extra: Any = None) -> Snapshot:
        """Keep this moment, in place of one that was kept for the same clock."""
        clock = int(self.tile.state.s.clock)
        now = self._memory()
        at = bisect_left(self.clocks, clock)
        before = self.snapshots[at - 1].pages if at else []
        if before:
            same = (now == np.stack(before)).all(axis=1)
            pages = [before[i] if same[i] else now[i].copy() for i in range(len(now))]
        else:
            pages = [page.copy() for page in now]
        record_bytes = self.tile.state.record.dtype.itemsize
        made = Snapshot(clock, pages, dict(self.tile.engine.warnings), record_bytes, extra)
        held = at < len(self.snapshots) and self.snapshots[at].clock == clock
        self.snapshots[at : at + held] = [made]
        if len(self.snapshots) > MOST:
            self.snapshots[1:-1] = self.snapshots[2:-1:2]
        return made

    @property
    def clocks(self) -> list[int]:
        """When each was taken."""
        return [snapshot.clock for snapshot in self.snapshots]

    def at_or_before(self, clock: int) -> Snapshot:
        """The last snapshot that is no later."""
        return self.snapshots[max(0, bisect_right(self.clocks, clock) - 1)]

    def before(self, clock: int) -> list[Snapshot]:
        """All snapshots that are earlier, the last one first."""
        return self.snapshots[: bisect_left(self.clocks, clock)][::-1]

    def forget_after(self, clock: int) -> None:
        """Forget what came later: something changed from outside."""
        del self.snapshots[bisect_right(self.clocks, clock) :]
