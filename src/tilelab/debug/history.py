"""A tile's past: snapshots, page by page, from which any moment since is found again by running.

What the machine does depends on nothing but its state, so a snapshot and a number of rounds are
every state that came after, up to the next change from outside; that takes a snapshot of its own.
A snapshot shares its pages with the one before where they are the same.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.tensix.tile.tile import Tile

WORDS: Final = 512
"""64-bit words of a page."""
Page = npt.NDArray[np.uint64]
MOST: Final = 512
"""Snapshots kept; every second one goes when there are more."""


@dataclass
class Snapshot:
    """A tile at the end of a round."""

    clock: int
    pages: list[Page]
    warnings: dict[tuple[int, int, int], int]
    l1_page: int
    """The first page of L1; those before hold the record."""
    extra: Any = None

    def restore(self, tile: Tile) -> None:
        """Put the tile back to this moment."""
        for part, pages in zip(
            _parts(tile), (self.pages[: self.l1_page], self.pages[self.l1_page :]), strict=True
        ):
            part[:] = np.concatenate(pages)[: len(part)]
        tile.engine.warnings.clear()
        tile.engine.warnings.update(self.warnings)


def _parts(tile: Tile) -> tuple[Page, Page]:
    """The memory that is all a tile is: its record and L1."""
    return tile.state.record.reshape(1).view(np.uint64), tile.state.l1.view(np.uint64)


class History:
    """Snapshots of a tile, by clock."""

    def __init__(self, tile: Tile) -> None:
        self.tile = tile
        self.snapshots: list[Snapshot] = []
        sizes = [-(-len(part) // WORDS) for part in _parts(tile)]
        self._l1_page = sizes[0]
        self._flat = np.zeros(sum(sizes) * WORDS, np.uint64)
        self._in_flat: Snapshot | None = None
        """Whose contents ``_flat`` has."""

    def take(self, extra: Any = None) -> Snapshot:
        """Keep this moment, in place of one that was kept for the same clock."""
        clock = int(self.tile.state.s.clock)
        at = bisect_left(self.clocks, clock)
        pages = self._pages(self.snapshots[at - 1] if at else None)
        made = Snapshot(clock, pages, dict(self.tile.engine.warnings), self._l1_page, extra)
        self._in_flat = made
        held = at < len(self.snapshots) and self.snapshots[at].clock == clock
        self.snapshots[at : at + held] = [made]
        if len(self.snapshots) > MOST:
            self.snapshots[1:-1] = self.snapshots[2:-1:2]
        return made

    def _pages(self, before: Snapshot | None) -> list[Page]:
        """The tile's pages now, shared with an earlier snapshot where nothing has changed."""
        if before is not None and self._in_flat is not before:
            self._flat[:] = np.concatenate(before.pages)
        pages: list[Page] = list(before.pages) if before else []
        first = 0
        for part in _parts(self.tile):
            held = self._flat[first : first + len(part)]
            if before is None:
                held[:] = part
            else:
                differ = np.flatnonzero(np.add.reduceat(held != part, range(0, len(part), WORDS)))
                for page in differ.tolist():
                    here = slice(page * WORDS, (page + 1) * WORDS)
                    held[here] = part[here]
                    whole = slice(first + page * WORDS, first + (page + 1) * WORDS)
                    pages[first // WORDS + page] = self._flat[whole].copy()
            first += -(-len(part) // WORDS) * WORDS
        if before is None:
            whole_copy = self._flat.copy()
            pages = [whole_copy[i : i + WORDS] for i in range(0, len(whole_copy), WORDS)]
        return pages

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
