"""The producer's half: TPUSH (ALLOCATE, PUSH, RECORD), TALLOC and TPUSH of a GlobalTensor."""

from collections import deque
from typing import Any

import numpy as np

from tilelab.pto.config import NO_SPLIT, TileSplitAxis, TileType, TMPipe
from tilelab.pto.end import End, Steps
from tilelab.pto.errors import (
    LostHazard,
    OverrunHazard,
    PayloadConflictHazard,
    ProtocolOrderError,
    RingAliasHazard,
    TileTypeError,
)
from tilelab.pto.fixpipe import Fixpipe
from tilelab.pto.layout import push_pieces, slot_part
from tilelab.pto.ring import Piece, Ring, Slot
from tilelab.pto.seat import Seat
from tilelab.pto.tile import GlobalTensor, Tile
from tilelab.pto.trace import Reach, Step


class Producer(End):
    """``pipe.prod``: pushes tiles. Toggles: ALLOCATE and RECORD may be switched off."""

    def __init__(self, core: Seat, ring: Ring) -> None:
        super().__init__(core, ring)
        self.is_allocate = True
        self.is_record = True
        self._allocated: deque[int] = deque()
        # Tuples, because hashing an enum member is slow.
        source = TileType.Acc if ring.half == "C2V" else TileType.Vec
        self._accepts = (source, TileType.Ctrl) if ring.control else (source,)
        self._pushed = core.step(ring, "TPUSH", "PUSH")
        self._split = NO_SPLIT
        self._source: Tile  # what is being pushed, before the fixpipe changes it
        self._wanted = ring.pipe.prod if isinstance(ring.pipe, TMPipe) else None
        self._waits_for = "TPUSH", "ALLOCATE", ring.free_flag, ring.path.claim

    def set_allocate_status(self, allocate: bool) -> None:
        """False: TPUSH does not wait for a free slot; the caller guarantees one."""
        self.is_allocate = allocate

    def set_record_status(self, record: bool) -> None:
        """False: TPUSH does not signal ready."""
        self.is_record = record

    setAllocateStatus = set_allocate_status  # noqa: N815
    setRecordStatus = set_record_status  # noqa: N815

    def push(
        self, tile: Tile, split: TileSplitAxis, subblock: int | None, fixpipe: Fixpipe | None
    ) -> Steps:
        """TPUSH of a tile; checked now, run when awaited."""
        if tile.loc not in self._accepts:
            names = " or ".join(sorted(loc.name for loc in self._accepts))
            raise TileTypeError(f"{self.ring.name}: TPUSH takes {names} tiles, not {tile.loc.name}")
        wanted = self._wanted
        if wanted is not None and wanted.loc is tile.loc:
            self.check_spec("TPUSH", tile, wanted)
        try:
            known = self._splits[split]
        except (IndexError, TypeError):
            known = False
        if not known:
            self.check_split(split)
        self.core.unstarted += 1
        return self._push(tile, split, self.lane if subblock is None else subblock, fixpipe)

    def _push(self, tile: Tile, split: TileSplitAxis, lane: int, fixpipe: Fixpipe | None) -> Steps:
        core, ring, index = self.core, self.ring, self.tile_index
        slot_index, traced = index % ring.slot_num, core.traced
        core.unstarted -= 1
        if self.is_allocate and (self.every or self.protocol.waits_free(index)):
            for wait in self._waits[split][slot_index] or self.first_waits(split, index):
                core.waiting = ("TPUSH", "ALLOCATE", ring, index, wait)
                counters, flag = wait.counter
                if traced and not counters[flag]:
                    core.log((wait.blocked, index, 0))
                yield wait.counter
                counters[flag] -= 1
                if traced:
                    core.log((wait.taken, index, 0))
        else:
            yield None
        self._source, self._split = tile, split
        source = tile if fixpipe is None else fixpipe.apply(tile)
        self._occupy(ring.slots[slot_index], index, split, source.geometry)
        self._store(source, slot_index, index, split, lane)
        if index >= ring.pushed[self.lane]:
            ring.pushed[self.lane] = index + 1
        self.tile_index = index + 1
        if self.is_record:
            if self.protocol.signals_ready(index):
                self._record(index, split)
        else:
            ring.skipped_records += 1

    def _record(self, tile: int, split: TileSplitAxis) -> None:
        ring, lane = self.ring, self.lane
        if tile > ring.recorded[lane]:  # noqa: PLR1730 (a call costs, once a tile)
            ring.recorded[lane] = tile
        signal = self._signals["TPUSH"][split][tile % ring.slot_num]
        if signal is None:
            flag = ring.ready_flag(tile)
            signal = self.first_signal("TPUSH", "RECORD", flag, ring.path.ready, tile, split)
        if self.core.traced:
            for step in signal.steps:
                self.core.log((step, tile, 0))
        signal.send()

    def _occupy(
        self, slot: Slot, tile: int, split: TileSplitAxis, geometry: tuple[int, ...] | None
    ) -> None:
        """``tile`` goes into ``slot``: an unreleased older tile there is an overrun (H7)."""
        ring, bit = self.ring, self._bit
        if slot.tile != tile:
            if (slot.holders or slot.tile > tile) and not ring.manual:
                holders = ring.waiting_consumers(slot)
                what = f"tile {tile} overwrites tile {slot.tile}, which {holders} not yet released"
                self.core.hazard(OverrunHazard, ring, tile, what)
            slot.tile, slot.split, slot.writers = tile, split, bit
            slot.laid = None
            slot.holders = ring.holders_of[split]
            slot.geometry = None if self.entry_offset else geometry
        elif slot.writers & bit or self.entry_offset or slot.geometry != geometry:
            slot.geometry = None  # a slot made of sub-tiles
        slot.writers |= bit

    def _check_alias(self, tile: int, pieces: tuple[Piece, ...]) -> None:
        """Another ring's unreleased tile on the bytes that this tile takes is overwritten (H9).

        `pieces`: what is stored; none where that is not known, and it may be the whole slot.
        """
        ring = self.ring
        for other in ring.overlaps:
            victim = other.live_overlap(ring, tile % ring.slot_num, pieces)
            if victim is not None:
                what = f"tile {tile} overwrites bytes of {other.name} tile {victim}"
                self.core.hazard(RingAliasHazard, ring, tile, f"{what}: the rings overlap")

    def _store(self, tile: Tile, slot: int, index: int, split: TileSplitAxis, lane: int) -> None:
        """Copy the tile into the slot, and note that."""
        if tile.move is not None:
            if self.ring.overlaps:
                self._check_alias(index, ())
            nbytes = tile.move()
            if self.core.traced:
                self.core.log((self._pushed, index, nbytes))
            return
        ring = self.ring
        if ring.control:
            tile = _control_word(tile)
        shape, address, by, offset, axis, pieces, pushed = self._last[slot]
        if (
            shape is not tile.geometry or address != tile.address or by != lane
            or offset != self.entry_offset or axis is not split
        ):  # fmt: skip
            pieces, pushed = self._places(tile, slot, split, lane)
        if ring.overlaps:
            self._check_alias(index, pieces)
        data = tile.values
        place = ring.slots[slot]
        if place.laid is None:
            place.laid, place.laid_by = pieces, self._bit
        else:
            self._again(place, pieces, data, index, split)
        if place.writers != self._bit and self.shares_bytes(split):
            self._compare(pieces[0][0], data, index)
        for view, part in pieces:
            view[...] = data if part is None else data[part]
        if self.core.traced:
            self.core.log((pushed, index, data.nbytes))
            if self.core.timed:
                views = [view for view, _ in pieces]
                self.core.charge(
                    "TSTORE", (self._source.loc.value, ring.place), [self._source.raw_valid], views
                )

    def _places(
        self, tile: Tile, slot: int, split: TileSplitAxis, lane: int
    ) -> tuple[tuple[Piece, ...], Step]:
        """Where in a slot a tile's parts go, and how its push is noted; kept for the next push."""
        ring, offset = self.ring, self.entry_offset
        key = (slot, tile.geometry, lane, offset, tile.address)
        known = self._pieces[split].get(key)
        if known is None:
            pieces = push_pieces(ring, slot, tile, split, lane, offset)
            source = () if tile.address is None else self.core.cluster.spans([tile.values])
            reach = Reach(source, ring.spans(pieces))
            known = pieces, self.core.step(ring, "TPUSH", "PUSH", reach=reach)
            self._pieces[split][key] = known
        self._last[slot] = (tile.geometry, tile.address, lane, offset, split, *known)
        return known

    def _again(
        self, slot: Slot, pieces: tuple[Piece, ...], data: Any, tile: int, split: TileSplitAxis
    ) -> None:
        """A further push into a slot: a sub-tile, or another sub-block's part."""
        assert slot.laid is not None
        if split == NO_SPLIT or slot.laid_by & self._bit:
            self._overlay(slot, pieces, data, tile, split)
        slot.laid += pieces
        slot.laid_by |= self._bit

    def _overlay(
        self, slot: Slot, pieces: tuple[Piece, ...], data: Any, tile: int, split: TileSplitAxis
    ) -> None:
        """Bytes that an earlier push of this tile stored must not be stored again (H16)."""
        if self.shares_bytes(split) and not slot.laid_by & self._bit:
            return  # both Vector cores store the whole tile; whether they agree is H13's question
        for view, part in pieces:
            new = data if part is None else data[part]
            for old, _ in slot.laid or ():
                if np.shares_memory(view, old) and not np.array_equal(view, new):
                    what = f"a push of tile {tile} overwrites bytes that an earlier push of the "
                    what += "same tile stored: set the entry offset of each sub-tile"
                    self.core.hazard(LostHazard, self.ring, tile, what)
                    return

    def shares_bytes(self, split: TileSplitAxis) -> bool:
        """Whether both Vector cores store to the same bytes."""
        if self.ring.control:
            return True
        return split == NO_SPLIT and not isinstance(self.ring.pipe, TMPipe)

    def _compare(self, stored: Any, data: Any, tile: int) -> None:
        if not np.array_equal(stored, data):
            self.conflict(tile)

    def conflict(self, tile: int) -> None:
        """Both Vector cores have stored a tile, and not the same (H13)."""
        what = f"both Vector cores write tile {tile} to the same bytes, with different values"
        self.core.hazard(PayloadConflictHazard, self.ring, tile, what)

    def allocate(self, tensor: GlobalTensor, split: TileSplitAxis) -> Steps:
        """TALLOC: wait for a free slot and bind the tensor to it."""
        self.ring.needs_gm("TALLOC")
        self.check_split(split)
        self.core.unstarted += 1
        return self._allocate(tensor, split)

    def _allocate(self, tensor: GlobalTensor, split: TileSplitAxis) -> Steps:
        core, ring, index = self.core, self.ring, self.tile_index
        core.unstarted -= 1
        if self.is_allocate and (self.every or self.protocol.waits_free(index)):
            for wait in self.first_waits(split, index):
                yield self.await_("TALLOC", "ALLOCATE", index, wait)
                self.take("TALLOC", "ALLOCATE", index, wait)
        else:
            yield None
        self._occupy(ring.slots[index % ring.slot_num], index, split, None)
        self._check_alias(index, ())
        part = 0 if ring.half == "C2V" else slot_part(split, self.lane, tensor.rows, tensor.cols)[0]
        ring.bind(tensor, index, part, self.entry_offset)
        core.emit(ring, "TALLOC", "ASSIGN", "TASSIGN", "", -1, index, tensor.nbytes)
        self._allocated.append(index)
        self.tile_index = index + 1

    def push_global(self, split: TileSplitAxis) -> Steps:
        """TPUSH of a GlobalTensor: signal that the slot TALLOC gave is ready."""
        self.ring.needs_gm("TPUSH(GlobalTensor)")
        self.check_split(split)
        self.core.unstarted += 1
        return self._push_global(split)

    def _push_global(self, split: TileSplitAxis) -> Steps:
        self.core.unstarted -= 1
        yield None
        if not self._allocated:
            raise ProtocolOrderError(
                f"{self.ring.name}: TPUSH(GlobalTensor) without a TALLOC before it"
            )
        tile = self._allocated.popleft()
        self.ring.pushed[self.lane] = max(self.ring.pushed[self.lane], tile + 1)
        self._record(tile, split)

    def drain(self, count: int | None) -> Steps:
        """The destructor: take back the free credits that no push used (or exactly ``count``)."""
        ring = self.ring
        if self.tile_index and not self.protocol.signals_ready(self.tile_index - 1):
            self._record(self.tile_index - 1, self._split)  # the last chunk is not full
        if not self.credited():
            return
        if ring.protocol.tagged:
            flags = [ring.free_flag(tag) for tag in range(ring.slot_num)]
        else:
            total = ring.protocol.drain_count(self.tile_index) if count is None else count
            flags = [ring.free_flag(0)] * total
        for flag in flags:
            waits = self.waits("CLOSE", "DRAIN", flag, ring.credit_lanes(), ring.path.claim)
            for wait in waits:
                yield self.await_("CLOSE", "DRAIN", self.tile_index, wait)
                self.take("CLOSE", "DRAIN", self.tile_index, wait)


def _control_word(tile: Tile) -> Tile:
    """The 32-bit control word that a Vector tile's first element gives."""
    word = int(tile.valid[0, 0]) & 0xFFFFFFFF
    return Tile(TileType.Ctrl, np.uint32, 1, 1, data=[[word]])
