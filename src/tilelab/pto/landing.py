"""A consumer's local ring: where popped tiles land, and which of them a later one overwrote."""

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from tilelab.pto.config import TMPipe
from tilelab.pto.errors import LocalAliasHazard
from tilelab.pto.memory import Memory
from tilelab.pto.ring import Ring
from tilelab.pto.tile import Tile
from tilelab.pto.trace import Span

Place = tuple[int, int, NDArray[Any], NDArray[Any]]  # start, end, whole view, valid view
Report = Callable[..., None]  # a core's `hazard`
Fits = Callable[[Memory, int, int, str], None]  # memory, start, bytes, what: told if beyond it (E6)


class LandingLease:
    """The right to read a tile in the local ring: it ends when another lands on its bytes."""

    __slots__ = ("by", "local", "overwritten_by", "place", "tile")
    by: str

    def __init__(self, local: "LocalRing", place: Place, tile: int) -> None:
        self.local = local
        self.place = place
        self.tile = tile
        self.overwritten_by = -1

    def check(self) -> None:
        """Report a hazard if another tile has landed here."""
        if self.overwritten_by >= 0:
            ring = self.local.ring
            by = getattr(self, "by", "")  # set where it is not the ring's own next tile
            self.local.hazard(
                LocalAliasHazard,
                ring,
                self.tile,
                f"tile {self.tile} is read after {by} was written over it"
                if by
                else f"tile {self.tile} is read after tile {self.overwritten_by} landed on its "
                f"local slot (local ring of {ring.pipe.local_slot_num})",
            )

    show = check


class LocalRing:
    """The local places of one consumer; ``all_`` are those of every consumer of its core."""

    def __init__(
        self,
        ring: Ring,
        base: int,
        memory: Memory,
        hazard: Report,
        fits: Fits,
        all_: list["LocalRing"],
    ) -> None:
        self.ring = ring
        self.hazard = hazard
        self._fits = fits
        self.landed: dict[int, LandingLease] = {}
        self._number = ring.pipe.local_slot_num
        self._base = base
        self._memory = memory
        self._all = all_
        self._shared_by: list[LocalRing] = []
        self._apart = True  # tiles of one size so far: each local place has its own bytes
        self._places: dict[tuple[int, tuple[int, ...]], Place] = {}
        # The newest tile's on each place: the next is mostly its like, and no hash is so cheap.
        self._last: list[tuple[Any, Any]] = [(None, None)] * ring.pipe.local_slot_num
        all_.append(self)

    def land(self, tile: Tile, index: int) -> None:
        """TASSIGN the tile to its place; what lies there is overwritten (H10)."""
        local = index % self._number
        shape, place = self._last[local]
        if shape is not tile.geometry:
            place = self._places.get((local, tile.geometry))
            if place is None:
                place = self._places[local, tile.geometry] = self._place(tile, local)
            self._last[local] = (tile.geometry, place)
        if self._shared_by:
            for other in (self, *self._shared_by):
                other._cover(
                    index, place, "" if other is self else f"tile {index} of {self.ring.name}"
                )
        elif not self._apart:
            self._cover(index, place)
        elif local in self.landed:
            self.landed[local].overwritten_by = index
        self.landed[local] = lease = LandingLease(self, place, index)
        tile.show(place[2], place[3], place[0], lease)

    def span(self, tile: Tile, index: int) -> tuple[Span, ...]:
        """Which bytes the tile's valid part will lie on."""
        key = (index % self._number, tile.geometry)
        if key not in self._places:
            self._places[key] = self._place(tile, key[0])
        rows = self._memory.span(self._places[key][3])
        return () if rows is None else ((self._memory, rows),)

    def _cover(self, index: int, place: Place, by: str = "") -> None:
        """Tile ``index`` lands here: whatever lay on these bytes, of whichever size, is gone."""
        for local, old in list(self.landed.items()):
            if old.place[0] < place[1] and place[0] < old.place[1]:
                old.overwritten_by = index
                old.by = by
                del self.landed[local]

    def _place(self, tile: Tile, local: int) -> Place:
        """(start, end, whole view, valid view) of a local slot for tiles of this geometry."""
        ring = self.ring
        rows, cols = tile.shape
        nbytes = rows * cols * tile.dtype.itemsize
        by_tile = not ring.arch.reduces or isinstance(ring.pipe, TMPipe)
        stride = nbytes if by_tile else ring.stride
        known = [other[1] - other[0] for other in self._places.values()]
        self._apart = stride >= nbytes and all(size == nbytes for size in known)
        start = self._base + local * stride
        self._fits(self._memory, start, nbytes, f"{ring.name}'s consumer buffer")
        for other in self._all:  # another pipe whose tiles land on the same bytes
            reach = [(p[0], p[1]) for p in other._places.values()]
            if other is not self and any(a < start + nbytes and start < b for a, b in reach):
                for one, two in ((self, other), (other, self)):
                    if two not in one._shared_by:
                        one._shared_by.append(two)
        view = self._memory.window(start, tile.dtype, rows, cols, cols)
        return start, start + nbytes, view, view[: tile.geometry[0], : tile.geometry[1]]
