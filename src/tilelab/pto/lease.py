"""The right to read a slot or an assigned tile where it lies, and the hazard of reading too late.

A tile that landed in a local ring has a lease of its own, see ``landing``.
"""

import numpy as np

from tilelab.pto.errors import LostHazard, UseAfterFreeHazard
from tilelab.pto.ring import Ring, Slot
from tilelab.pto.seat import Seat
from tilelab.pto.tile import Tile


class WorkLease:
    """A tile that the program placed itself: its bytes are its own unless a ring lies there."""

    __slots__ = ("core", "tile")

    def __init__(self, core: Seat, tile: Tile) -> None:
        self.core, self.tile = core, tile

    def check(self) -> None:
        """Report a hazard if the bytes hold a pushed tile; what has landed there is gone."""
        data = self.tile.raw
        for ring in self.core.joined:
            if ring.path.medium not in ("UB", "MAT") or (ring.half == "C2V") == (
                self.core.lane < 0
            ):
                continue
            memory = ring.memory(max(self.core.lane, 0))
            if not np.may_share_memory(data, memory.raw):
                continue
            for index, slot in enumerate(ring.slots):
                start = ring.base + index * ring.stride
                if slot.holders and np.may_share_memory(
                    data, memory.raw[start : start + ring.stride]
                ):
                    self.core.hazard(
                        LostHazard, ring, slot.tile,
                        f"the tile assigned to {self.tile.address:#x} is used while it lies on "
                        f"slot {index}, which holds tile {slot.tile}",
                    )  # fmt: skip
                    return
        for local in self.core.local_rings:
            for landed in list(local.landed.values()):
                if np.may_share_memory(data, landed.place[2]):
                    landed.overwritten_by = landed.tile
                    landed.by = f"the tile assigned to {self.tile.address:#x}"

    def show(self) -> None:
        """The same; the program's own Python may write the bytes."""
        self.check()
        data = self.tile.raw
        self.core.local_memory(self.tile.loc).fill(self.tile.address or 0, data.nbytes)


class SlotLease:
    """The right to read a slot in place: it ends with TFREE, or when the slot is rewritten."""

    __slots__ = ("core", "freed", "ring", "slot", "tile")

    def __init__(self, core: Seat, ring: Ring, slot: Slot, tile: int) -> None:
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
            UseAfterFreeHazard, self.ring, self.tile, f"tile {self.tile} is read after {what}"
        )

    show = check
