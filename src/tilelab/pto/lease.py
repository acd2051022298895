"""The right to read a popped tile where it lies, and the hazard of reading it too late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from tilelab.pto.errors import LocalAliasHazard, UseAfterFreeHazard

if TYPE_CHECKING:
    from tilelab.pto.consumer import Consumer
    from tilelab.pto.core import Core
    from tilelab.pto.ring import Ring, Slot

Place = tuple[int, int, NDArray[Any], NDArray[Any]]  # start, end, whole view, valid view


class SlotLease:
    """The right to read a slot in place: it ends with TFREE, or when the slot is rewritten."""

    __slots__ = ("core", "freed", "ring", "slot", "tile")

    def __init__(self, core: Core, ring: Ring, slot: Slot, tile: int) -> None:
        self.core, self.ring, self.slot, self.tile = core, ring, slot, tile
        self.freed = False

    def check(self) -> None:
        """Report a hazard if the slot is no longer this tile's."""
        if self.slot.tile != self.tile:
            what = f"its slot was freed and now holds tile {self.slot.tile}"
        elif self.freed:
            what = "its slot was freed by TFREE"
        else:
            return
        self.core.hazard(
            UseAfterFreeHazard, "H8", self.ring, self.tile, f"tile {self.tile} is read after {what}"
        )


class LandingLease:
    """The right to read a tile in the local ring: it ends when a later tile lands on its bytes."""

    __slots__ = ("consumer", "overwritten_by", "place", "tile")

    def __init__(self, consumer: Consumer, place: Place, tile: int) -> None:
        self.consumer = consumer
        self.place = place
        self.tile = tile
        self.overwritten_by = -1

    def check(self) -> None:
        """Report a hazard if another tile has landed here."""
        if self.overwritten_by >= 0:
            ring = self.consumer.ring
            self.consumer.core.hazard(
                LocalAliasHazard,
                "H10",
                ring,
                self.tile,
                f"tile {self.tile} is read after tile {self.overwritten_by} landed on its "
                f"local slot (local ring of {ring.pipe.local_slot_num})",
            )
