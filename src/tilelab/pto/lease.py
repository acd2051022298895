"""The right to read a popped tile where it lies, and the hazard of reading it too late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tilelab.pto.errors import LocalAliasHazard, LostHazard, UseAfterFreeHazard

if TYPE_CHECKING:
    from tilelab.pto.consumer import Consumer
    from tilelab.pto.core import Core
    from tilelab.pto.ring import Ring, Slot

Place = tuple[int, int, NDArray[Any], NDArray[Any]]  # start, end, whole view, valid view


class WorkLease:
    """A tile that the program placed itself: its bytes are its own unless a ring lies there."""

    __slots__ = ("core", "tile")

    def __init__(self, core: Any, tile: Any) -> None:
        self.core, self.tile = core, tile

    def check(self) -> None:
        """Report a hazard if the bytes hold a pushed tile; what has landed there is gone."""
        data = self.tile._data
        for ring in self.core.joined:
            if ring.path.medium not in ("UB", "MAT") or (ring.half == "C2V") == (
                self.core.lane < 0
            ):
                continue
            memory = ring.memory(max(self.core.lane, 0))
            if not np.may_share_memory(data, memory.bytes):
                continue
            for index, slot in enumerate(ring.slots):
                start = ring.base + index * ring.stride
                if slot.holders and np.may_share_memory(
                    data, memory.bytes[start : start + ring.stride]
                ):
                    self.core.hazard(
                        LostHazard, "H16", ring, slot.tile,
                        f"the tile assigned to {self.tile.address:#x} is used while it lies on "
                        f"slot {index}, which holds tile {slot.tile}",
                    )  # fmt: skip
                    return
        for consumer in self.core.consumers:
            for landed in list(consumer._landed.values()):
                if np.may_share_memory(data, landed.place[2]):
                    landed.overwritten_by = landed.tile
                    landed.by = f"the tile assigned to {self.tile.address:#x}"


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

    __slots__ = ("by", "consumer", "overwritten_by", "place", "tile")
    by: str

    def __init__(self, consumer: Consumer, place: Place, tile: int) -> None:
        self.consumer = consumer
        self.place = place
        self.tile = tile
        self.overwritten_by = -1

    def check(self) -> None:
        """Report a hazard if another tile has landed here."""
        if self.overwritten_by >= 0:
            ring = self.consumer.ring
            by = getattr(self, "by", "")  # set where it is not the ring's own next tile
            self.consumer.core.hazard(
                LocalAliasHazard,
                "H10",
                ring,
                self.tile,
                f"tile {self.tile} is read after {by} was written over it"
                if by
                else f"tile {self.tile} is read after tile {self.overwritten_by} landed on its "
                f"local slot (local ring of {ring.pipe.local_slot_num})",
            )
