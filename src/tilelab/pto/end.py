"""What both ends of a ring share: waiting, signalling, naming themselves in the trace."""

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import numpy as np

from tilelab.pto.config import NO_SPLIT, TileSpec, TileSplitAxis, TMPipe
from tilelab.pto.errors import (
    ProtocolOrderError,
    ShapeMismatchError,
    SlotOverflowError,
    SplitConstraintError,
)
from tilelab.pto.flags import SUBBLOCK_ALIAS, Counter
from tilelab.pto.ring import Piece, Ring
from tilelab.pto.seat import Seat, Signal, Wait
from tilelab.pto.tile import Tile
from tilelab.pto.trace import Step

Steps = Generator[Counter | None, None, Any]


def _whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _signals(slots: int) -> list[list[Signal | None]]:
    return [[None] * slots for _ in TileSplitAxis]


class End:
    """One core's end of one ring. ``tile_index`` counts its tiles; ``entry_offset`` is in bytes."""

    _waits_for: tuple[str, str, Callable[[int], int], str]
    """Operation and phase in which it waits for a slot, the flag of a tile, the pipe that waits."""

    def __init__(self, core: Seat, ring: Ring) -> None:
        self.core = core
        self.ring = ring
        self.protocol = ring.protocol
        self.bank = core.cluster.flags
        self.lane = max(core.lane, 0)
        self.every = ring.protocol.every
        self._bit = 1 << self.lane
        self.tile_index = 0
        self.sub_tile_index = 0
        self.entry_offset = 0
        # By split and slot: what an operation of this end waits for, and then signals.
        self._waits: list[list[tuple[Wait, ...]]] = [[()] * ring.slot_num for _ in TileSplitAxis]
        self._signals = {op: _signals(ring.slot_num) for op in ("TPUSH", "TPOP", "TFREE")}
        self._splits = [False for _ in TileSplitAxis]
        # Where in a slot a tile's parts are, and how the operation is noted, by what decides it.
        self._pieces: list[dict[tuple[Any, ...], tuple[tuple[Piece, ...], Step]]] = [
            {} for _ in TileSplitAxis
        ]
        # The newest of each slot: the next is mostly its like, and no hash is so cheap.
        self._last: list[tuple[Any, ...]] = [(None,) * 7] * ring.slot_num

    def set_tile_id(self, tile: int, sub_tile: int = 0) -> None:
        """Choose the tile, and so the slot, of the next operation."""
        for what, value in (("tile", tile), ("sub-tile", sub_tile)):
            if not _whole(value) or value < 0:
                raise ProtocolOrderError(
                    f"{self.core.name} {self.ring.name}: a {what}'s number is 0 or more, "
                    f"not {value!r}"
                )
        self.tile_index = tile
        self.sub_tile_index = sub_tile

    def set_entry_offset(self, offset: int) -> None:
        """Offset in bytes inside the slot, for sub-tiles."""
        if not _whole(offset) or offset < 0:
            raise SlotOverflowError(
                f"{self.core.name} {self.ring.name}: the entry offset is 0 or more bytes, "
                f"not {offset!r}"
            )
        self.entry_offset = offset

    setTileId = set_tile_id  # noqa: N815
    setEntryOffset = set_entry_offset  # noqa: N815

    def credited(self) -> bool:
        """Whether credits go through this core: the vendor's give sub-block 1 some, always."""
        if self.core.lane < 0 or self.protocol.name == "sparse":
            return True
        return self.ring.arch.reduces or self.core.lane in self.ring.credit_lanes()

    def check_spec(self, op: str, tile: Tile, wanted: TileSpec) -> None:
        """Raise ShapeMismatchError if a TMPipe's tile is not of its type."""
        if tile.dtype != wanted.dtype or tile.shape != wanted.shape:
            spec = (*wanted.shape, wanted.dtype)
            raise ShapeMismatchError(f"{self.ring.name}: {op} takes {spec}, not {tile!r}")

    def check_split(self, split: TileSplitAxis) -> None:
        """Raise SplitConstraintError if this pipe or cluster cannot split so."""
        if not isinstance(split, TileSplitAxis):
            names = ", ".join(axis.name for axis in TileSplitAxis)
            raise SplitConstraintError(f"{self.ring.name}: split is one of {names}, not {split!r}")
        if self._splits[split]:
            return
        ring, vec = self.ring, self.ring.vec
        if isinstance(ring.pipe, TMPipe):
            if split != NO_SPLIT:
                raise SplitConstraintError(
                    f"{ring.name}: a TMPipe splits by its tile types, not per call"
                )
        elif split != NO_SPLIT and vec < 2:
            raise SplitConstraintError(f"{ring.name}: {split.name} needs two Vector cores")
        elif not ring.arch.reduces and vec > 1 and split != NO_SPLIT and ring.pipe.nosplit:
            raise SplitConstraintError(
                f"{ring.name}: {split.name} on a pipe with nosplit=True",
                "Its credits go to sub-block 0 alone, for its whole life: leave nosplit out.",
            )
        self._splits[split] = True

    def waits(
        self, op: str, phase: str, flag: int, lanes: tuple[int, ...], pipe: str
    ) -> tuple[Wait, ...]:
        """How this core waits for ``flag`` from ``lanes`` (or, on a Vector core, from the Cube)."""
        if self.core.lane >= 0:
            found = [(counter, flag) for counter in self.bank.vec_waits(flag, self.lane)]
        else:
            found = [(counter, counter[1]) for counter in self.bank.cube_waits(flag, lanes)]
        step = partial(self.core.step, self.ring, op)
        name = self.ring.arch.wait
        return tuple(
            Wait(
                counter, flag, pipe, step("BLOCK", name, pipe, flag), step(phase, name, pipe, flag)
            )
            for counter, flag in found
        )

    def first_waits(self, split: TileSplitAxis, tile: int) -> tuple[Wait, ...]:
        """What this end waits for before it reaches a tile's slot."""
        known, slot = self._waits[split], tile % self.ring.slot_num
        if not known[slot]:
            op, phase, flag, pipe = self._waits_for
            known[slot] = self.waits(op, phase, flag(tile), self.ring.lanes_of[split], pipe)
        return known[slot]

    def first_signal(
        self, op: str, phase: str, flag: int, pipe: str, tile: int, split: TileSplitAxis
    ) -> Signal:
        """How this end tells the other that it has done its part of a tile; kept for the next."""
        lanes = self.ring.lanes_of[split]
        signal = self.signals(op, phase, flag, lanes, pipe)
        self._signals[op][split][tile % self.ring.slot_num] = signal
        return signal

    # TPUSH and TPOP, which run once a tile, do in place what the next two and ``signal`` do.

    def await_(self, op: str, phase: str, tile: int, wait: Wait) -> Counter:
        """Announce a wait; the operation yields what this returns, and then takes one from it."""
        core, counter = self.core, wait.counter
        core.waiting = (op, phase, self.ring, tile, wait)
        if core.traced and not counter[0][counter[1]]:
            primitive = self.ring.arch.wait
            core.emit(self.ring, op, "BLOCK", primitive, wait.pipe, wait.flag, tile, 0)
        return counter

    def take(self, op: str, phase: str, tile: int, wait: Wait) -> None:
        """The wait is over: take one from the counter."""
        counters, flag = wait.counter
        counters[flag] -= 1
        if self.core.traced:
            self.core.emit(self.ring, op, phase, self.ring.arch.wait, wait.pipe, wait.flag, tile, 0)

    def signals(self, op: str, phase: str, flag: int, lanes: tuple[int, ...], pipe: str) -> Signal:
        """How this core signals ``flag`` to ``lanes`` (or, on a Vector core, to the Cube)."""
        core, arch = self.core, self.ring.arch
        once = core.lane >= 0 or arch.reduces
        steps = tuple(
            core.step(self.ring, op, phase, arch.signal, pipe, flag + SUBBLOCK_ALIAS * lane)
            for lane in ((0,) if once else lanes)
        )
        if core.lane >= 0:
            return Signal(steps, partial(self.bank.signal_cube, flag, self.lane, pipe))
        return Signal(steps, partial(self.bank.signal_vec, flag, lanes, pipe))

    def signal(self, tile: int, signal: Signal) -> None:
        """Send a signal on behalf of a tile."""
        if self.core.traced:
            for step in signal.steps:
                self.core.log((step, tile, 0))
        signal.send()
