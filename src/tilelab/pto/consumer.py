"""The consumer's half: TPOP (WAIT, POP, FREE), TPOP of a GlobalTensor, TFREE."""

from collections import deque
from functools import partial

import numpy as np

from tilelab.pto.config import NO_SPLIT, TileSplitAxis, TileType, TMPipe
from tilelab.pto.end import End, Steps
from tilelab.pto.errors import (
    DoubleFreeError,
    ProtocolOrderError,
    ShapeMismatchError,
    SplitConstraintError,
    SplitMismatchError,
    StaleReadHazard,
    TileTypeError,
)
from tilelab.pto.landing import LocalRing
from tilelab.pto.layout import mismatch, pop_pieces, slot_part
from tilelab.pto.lease import SlotLease
from tilelab.pto.ring import Piece, Ring, Slot
from tilelab.pto.seat import Seat
from tilelab.pto.tile import GlobalTensor, Tile
from tilelab.pto.trace import Reach, Step
from tilelab.sim.errors import TilelabError


class Consumer(End):
    """``pipe.cons``: pops tiles. Toggles: WAIT and FREE may be switched off."""

    def __init__(self, core: Seat, ring: Ring, local_base: int) -> None:
        super().__init__(core, ring)
        self.is_wait = True
        self.is_free = True
        self.ctrl_signal: int | bool = 0
        self._unfreed: list[int] = []  # popped with isFree = false since the last free
        self._held: deque[tuple[int, SlotLease]] = deque()
        self._popped = core.step(ring, "TPOP", "POP", ring.path.pop)
        self._wanted = ring.pipe.cons if isinstance(ring.pipe, TMPipe) else None
        self._waits_for = "TPOP", "WAIT", ring.ready_flag, ring.path.wait
        self._zero_copy = ring.path.zero_copy
        self._pop_frees = self.protocol.pop_frees(ring.path.late_free)
        vec = ring.half == "C2V"
        self._accepts = TileType.Vec if vec else TileType.Mat
        if ring.control:
            self._accepts, self._wanted = TileType.Ctrl, None
        memory = core.local_memory(TileType.Vec if vec else TileType.Mat)
        fits = partial(core.cluster.check_capacity, core.name)
        local = LocalRing(ring, local_base, memory, core.hazard, fits, core.local_rings)
        self._local = local if ring.pipe.local_slot_num else None
        self._local_num = ring.pipe.local_slot_num or 1

    def set_wait_status(self, wait: bool) -> None:
        """False: TPOP does not wait for ready; the caller guarantees it."""
        self.is_wait = wait

    def set_free_status(self, free: bool) -> None:
        """False: neither TPOP nor TFREE frees the slot."""
        self.is_free = free

    setWaitStatus = set_wait_status  # noqa: N815
    setFreeStatus = set_free_status  # noqa: N815

    def open(self) -> None:
        """The constructor: send the protocol's initial free credits."""
        ring = self.ring
        if not self.credited():
            return
        for credit in range(ring.protocol.initial_credits):
            flag = ring.free_flag(credit)
            lanes = ring.credit_lanes()
            self.signal(credit, self.signals("OPEN", "INIT", flag, lanes, ring.free_pipe))

    def pop(self, tile: Tile, split: TileSplitAxis, subblock: int | None) -> Steps:
        """TPOP of a tile; checked now, run when awaited."""
        ring = self.ring
        if tile.loc is not self._accepts:
            raise TileTypeError(
                f"{ring.name}: TPOP here takes {self._accepts.name} tiles, not {tile.loc.name}"
            )
        if self._wanted is not None:
            self.check_spec("TPOP", tile, self._wanted)
        try:
            known = self._splits[split]
        except (IndexError, TypeError):
            known = False
        if not known:
            self.check_split(split)
        self.core.unstarted += 1
        return self._pop(tile, split, self.lane if subblock is None else subblock)

    def _pop(self, tile: Tile, split: TileSplitAxis, lane: int) -> Steps:
        core, ring, index = self.core, self.ring, self.tile_index
        slot_index, traced = index % ring.slot_num, core.traced
        core.unstarted -= 1
        if self._held and self.protocol.tagged:
            raise ProtocolOrderError(
                f"{ring.name}: TPOP while tile {self._held[0][0]} awaits its TFREE"
            )
        if self.is_wait and self.protocol.waits_ready(index):
            for wait in self._waits[split][slot_index] or self.first_waits(split, index):
                core.waiting = ("TPOP", "WAIT", ring, index, wait)
                counters, flag = wait.counter
                if traced and not counters[flag]:
                    core.log((wait.blocked, index, 0))
                yield wait.counter
                counters[flag] -= 1
                if traced:
                    core.log((wait.taken, index, 0))
        else:
            yield None
        slot = ring.slots[slot_index]
        ready = slot.tile == index and slot.writers == ring.writers_of[slot.split]
        if not (ready and slot.holders & self._bit and self._recorded(slot, index)):
            self._expect(slot, index)
        whole = split == slot.split == NO_SPLIT and slot.geometry == tile.geometry
        if not whole:
            self._match(slot, tile, split, lane, index)
        self._load(tile, slot, index, split, lane)
        if index >= ring.popped[self.lane]:
            ring.popped[self.lane] = index + 1
        if self._pop_frees:
            self._free("TPOP", index, index, split)
        elif not self._zero_copy:  # zero-copy tiles hold through their own lease
            self._held.append((index, SlotLease(core, ring, slot, index)))
        if not self.protocol.tagged:
            self.tile_index = index + 1

    def _expect(self, slot: Slot, tile: int) -> None:
        """A slot that is not READY with this tile is a stale read (H6)."""
        ring = self.ring
        why = ""
        if ring.manual:
            return
        if slot.tile != tile:
            why = "nothing was ever written" if slot.tile < 0 else f"it holds tile {slot.tile}"
        elif slot.writers != ring.writers_of[slot.split]:
            why = "not every Vector core has stored its part"
        elif not self._recorded(slot, tile):
            why = "the producer has not recorded it"
        elif not slot.holders & (1 << self.lane):
            why = "it was already freed"
        if why:
            what = f"tile {tile} is read from slot {tile % ring.slot_num}, but {why}"
            self.core.hazard(StaleReadHazard, ring, tile, what)

    def _recorded(self, slot: Slot, tile: int) -> bool:
        """Whether every producer of the slot has signalled since it stored this tile."""
        recorded = self.ring.recorded
        for lane in self.ring.writing_of[slot.split]:
            if recorded[lane] < tile:
                return False
        return True

    def _match(self, slot: Slot, tile: Tile, split: TileSplitAxis, lane: int, index: int) -> None:
        """Producer and consumer of one slot must agree on split, shape and type (E7, E8)."""
        ring = self.ring
        if isinstance(ring.pipe, TMPipe) or slot.geometry is None:
            return
        if ring.path.medium == "CTRL":
            return
        shapes = (slot.geometry, tile.geometry, lane)
        if split == slot.split and shapes in ring.matched[split]:
            return
        where = f"{ring.name} tile {index}"
        if split != slot.split:
            error: type[TilelabError] = SplitMismatchError
            why = f"pushed with {slot.split.name}, popped with {split.name}"
        elif slot.geometry[4] != tile.dtype.num:
            error, why = (
                ShapeMismatchError,
                f"pushed and popped element types differ ({tile.dtype})",
            )
        else:
            pushed = (slot.geometry[0], slot.geometry[1])
            popped = (tile.geometry[0], tile.geometry[1])
            why = mismatch(ring.half, split, lane, pushed, popped)
            odd = why.startswith(split.name)
            error = SplitConstraintError if odd else ShapeMismatchError
        if why:
            self.core.breach(error, ring, index, f"{where}: {why}")
        else:
            ring.matched[split].add(shapes)

    def _load(self, tile: Tile, slot: Slot, index: int, split: TileSplitAxis, lane: int) -> None:
        """Bring the slot's bytes into the tile; note how many moved (0: the tile is the slot)."""
        core, ring = self.core, self.ring
        if tile.move is not None:
            nbytes = tile.move()
            if self._zero_copy and not self._pop_frees:
                self._held.append((index, SlotLease(core, ring, slot, index)))
            if core.traced:
                core.log((self._popped, index, nbytes))
            return
        slot_index = index % ring.slot_num
        if ring.control:
            word = int(
                ring.memory(0).window(
                    ring.base + slot_index * 4 + self.entry_offset, np.dtype(np.uint32), 1, 1, 1
                )[0, 0]
            )
            tile.data[0, 0] = word
            self.ctrl_signal = word == 1 if self.protocol.vendor else word
            if core.traced:
                core.log((self._popped, index, 4))
            return
        shape, local, by, offset, axis, pieces, popped = self._last[slot_index]
        if (
            shape is not tile.geometry or local != index % self._local_num or by != lane
            or offset != self.entry_offset or axis is not split
        ):  # fmt: skip
            pieces, popped = self._places(tile, slot_index, index, split, lane)
        if self._zero_copy:
            lease = SlotLease(core, ring, slot, index)
            address = ring.base + slot_index * ring.stride + self.entry_offset
            tile.bind(pieces[0][0], address, lease)
            if not self._pop_frees:
                self._held.append((index, lease))
            if core.traced:
                core.log((popped, index, 0))
            return
        if self._local is not None:
            self._local.land(tile, index)
        data = tile.raw_valid
        for view, part in pieces:
            if part is None:
                data[...] = view
            else:
                data[part] = view
        if core.traced:
            core.log((popped, index, data.nbytes))
            if core.timed:
                views = [view for view, _ in pieces]
                core.charge("TLOAD", (ring.place, tile.loc.value), views, [data])

    def _places(
        self, tile: Tile, slot: int, index: int, split: TileSplitAxis, lane: int
    ) -> tuple[tuple[Piece, ...], Step]:
        """``_reach``, kept for the next pop."""
        local, offset = index % self._local_num, self.entry_offset
        key = (slot, local, tile.geometry, lane, offset)
        known = self._pieces[split].get(key)
        if known is None:
            known = self._pieces[split][key] = self._reach(tile, slot, index, split, lane)
        self._last[slot] = (tile.geometry, local, lane, offset, split, *known)
        return known

    def _reach(
        self, tile: Tile, slot: int, index: int, split: TileSplitAxis, lane: int
    ) -> tuple[tuple[Piece, ...], Step]:
        """The pieces of a slot that a pop takes, and how the pop is noted."""
        ring = self.ring
        pieces = pop_pieces(ring, slot, tile, split, lane, self.entry_offset)
        landed = () if self._zero_copy or self._local is None else self._local.span(tile, index)
        reach = Reach(() if self._zero_copy else ring.spans(pieces), landed)
        return pieces, self.core.step(ring, "TPOP", "POP", ring.path.pop, reach=reach)

    def _free(self, op: str, tile: int, decide: int, split: TileSplitAxis) -> None:
        """FREE: release the slot; signal if the protocol says so for tile ``decide``."""
        ring = self.ring
        if not self.is_free:
            ring.skipped_frees += 1
            self._unfreed.append(tile)
            return
        if self._unfreed:
            self._cover(op, tile)
        self._let_go(tile)
        if self.every or self.protocol.signals_free(decide):
            signal = self._signals[op][split][tile % ring.slot_num]
            if signal is None:
                flag = ring.free_flag(tile)
                signal = self.first_signal(op, "FREE", flag, ring.free_pipe, tile, split)
            if self.core.traced:
                for step in signal.steps:
                    self.core.log((step, tile, 0))
            signal.send()
        else:
            self.core.emit(ring, op, "RELEASE", "", "", -1, tile, 0)

    def _let_go(self, tile: int) -> None:
        slot = self.ring.slots[tile % self.ring.slot_num]
        if slot.tile == tile:
            slot.holders &= ~self._bit
        self.ring.freed[self.lane] += 1

    def _cover(self, op: str, newest: int) -> None:
        """A free covers the older tiles that were popped with isFree = false (sparse toggles)."""
        for tile in sorted({tile for tile in self._unfreed if tile < newest}):
            self._let_go(tile)
            self.core.emit(self.ring, op, "RELEASE", "", "", -1, tile, 0)
        self.ring.skipped_frees -= len(self._unfreed)
        self._unfreed = []

    def pop_global(self, tensor: GlobalTensor, split: TileSplitAxis) -> Steps:
        """TPOP of a GlobalTensor: wait and bind the tensor to the slot, which TFREE releases."""
        self.ring.needs_gm("TPOP(GlobalTensor)")
        self.check_split(split)
        self.core.unstarted += 1
        return self._pop_global(tensor, split)

    def _pop_global(self, tensor: GlobalTensor, split: TileSplitAxis) -> Steps:
        core, ring, index = self.core, self.ring, self.tile_index
        core.unstarted -= 1
        if self.protocol.tagged and self._held:
            raise ProtocolOrderError(
                f"{ring.name}: TPOP while tile {self._held[0][0]} awaits its TFREE"
            )
        for wait in self.first_waits(split, index):
            yield self.await_("TPOP", "WAIT", index, wait)
            self.take("TPOP", "WAIT", index, wait)
        slot = ring.slots[index % ring.slot_num]
        self._expect(slot, index)
        part = slot_part(split, self.lane, tensor.rows, tensor.cols)[0] if ring.half == "C2V" else 0
        lease = SlotLease(core, ring, slot, index)
        ring.bind(tensor, index, part, self.entry_offset, lease)
        core.emit(ring, "TPOP", "POP", "TASSIGN", "", -1, index, tensor.nbytes)
        ring.popped[self.lane] = max(ring.popped[self.lane], index + 1)
        self._held.append((index, lease))
        if not self.protocol.tagged:
            self.tile_index = index + 1

    def release(self, split: TileSplitAxis, tensor: GlobalTensor | None) -> Steps:
        """TFREE: release the oldest held slot, where the protocol says that TFREE does."""
        if tensor is not None:
            self.ring.needs_gm("TFREE(GlobalTensor)")
        self.check_split(split)
        self.core.unstarted += 1
        return self._release(split, tensor)

    def _release(self, split: TileSplitAxis, tensor: GlobalTensor | None) -> Steps:
        core, ring = self.core, self.ring
        core.unstarted -= 1
        yield None
        if tensor is None and not self.protocol.tfree_frees():
            core.emit(ring, "TFREE", "NOTHING", "", "", -1, max(self.tile_index - 1, 0), 0)
            return
        if not self._held:
            if ring.popped[self.lane]:
                raise DoubleFreeError(
                    f"{ring.name}: TFREE, but no slot is held: every popped tile was freed"
                )
            raise ProtocolOrderError(f"{ring.name}: TFREE without a TPOP before it")
        if not self.is_free:
            ring.skipped_frees += 1
            return
        tile, lease = self._held.popleft()
        lease.freed = True
        # The code decides by the newest popped tile, even when an older one is released.
        decide = self.tile_index - 1 if self.protocol.name == "sparse" else tile
        self._free("TFREE", tile, decide, split)
        if self.protocol.tagged:
            self.tile_index += 1

    @property
    def held(self) -> int:
        """Popped slots that wait for a TFREE."""
        return len(self._held)

    @property
    def oldest(self) -> int:
        """The tile that a TFREE would release; the newest popped one where none is held."""
        return self._held[0][0] if self._held else max(self.tile_index - 1, 0)
