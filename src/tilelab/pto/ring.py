"""One ring: its slots' bytes, flags and credit rules, and who has done what with each.

A ``Ring`` is shared by both cores. The hardware has only bytes and flags; the slot records here
exist to say when a program overwrites or reads what it must not.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilelab.pto.config import NO_SPLIT, Half, Pipe, TileSplitAxis, TMPipe, VecCubeRatio
from tilelab.pto.errors import FlagRangeError, PipeConfigError, ProfileError, SlotOverflowError
from tilelab.pto.memory import Memory
from tilelab.pto.paths import Arch, Path
from tilelab.pto.protocol import Protocol
from tilelab.pto.tile import GlobalTensor, Lease
from tilelab.pto.trace import Span

Window = tuple[slice, slice]
Piece = tuple[NDArray[Any], Window | None]  # bytes of the slot, and which part of the tile they are


class Slot:
    """What the model knows of one slot."""

    __slots__ = ("geometry", "holders", "laid", "laid_by", "split", "tile", "writers")

    def __init__(self) -> None:
        self.tile = -1  # index of the tile whose bytes it holds
        self.writers = 0  # mask of sub-blocks (or 1 for the Cube) that stored their part
        self.holders = 0  # mask of consumers that have not released it
        self.split = NO_SPLIT
        self.laid: tuple[Piece, ...] | None = None  # what the pushes of this tile stored
        self.laid_by = 0  # mask of the sub-blocks that did
        self.geometry: tuple[int, ...] | None = None  # of the one whole tile pushed, if it was that


class Ring:
    """One direction of an open pipe."""

    def __init__(
        self,
        arch: Arch,
        vec: int,
        path: Path,
        pipe: Pipe,
        protocol: Protocol,
        half: int,
        base: int,
        memories: list[Memory],
    ) -> None:
        self.arch = arch
        self.vec = vec
        self.path = path
        self.pipe = pipe
        self.protocol = protocol
        self.base = base
        self.memories = memories
        self.half: Half = path.half
        self.slot_num = pipe.slot_num
        self.control = path.medium == "CTRL"
        self.stride = 4 if self.control else pipe.slot_size
        kind = "TMPipe" if isinstance(pipe, TMPipe) else "TPipe"
        self.name = f"{kind}{pipe.flag_id}.{path.half}"
        try:
            self.flags = protocol.flags_of(pipe.flag_id, half)
        except FlagRangeError as error:
            raise FlagRangeError(f"{self.name}: {error.summary}") from None
        self.slots = [Slot() for _ in range(self.slot_num)]
        self.consumers = [0] if path.half == "V2C" else list(range(vec))
        self.pushed = [0] * max(vec, 1)  # tiles, by producing sub-block
        self.recorded = [-1] * max(vec, 1)  # newest tile covered by a ready signal
        self.popped = [0] * max(vec, 1)
        self.freed = [0] * max(vec, 1)  # tiles released, by consuming sub-block
        self.skipped_records = 0
        self.skipped_frees = 0
        self.overlaps: list[Ring] = []
        self.manual = (
            False  # the program signals by itself: which tile a slot holds is its own affair
        )
        # By split (an index, because hashing an enum member is slow): what every operation needs.
        self.matched: list[set[tuple[Any, ...]]] = [set() for _ in TileSplitAxis]  # known to fit
        vendor = path.free_vendor
        self.free_pipe = vendor if vendor and protocol.name != "seed" else path.free
        self.lanes_of = [self.lanes(split) for split in TileSplitAxis]
        self.holders_of = [self.holder_mask(split) for split in TileSplitAxis]
        self.writers_of = [sum(1 << n for n in self.writing_lanes(s)) for s in TileSplitAxis]
        self.writing_of = [self.writing_lanes(split) for split in TileSplitAxis]
        if max(self.credit_lanes()) >= vec:
            raise PipeConfigError(f"{self.name} needs Vector core 1; the cluster has {vec}")

    @property
    def place(self) -> str:
        """The memory of the slots, as an instruction names it."""
        return "L1" if self.path.medium == "MAT" else self.path.medium

    @property
    def nbytes(self) -> int:
        """Bytes of the whole ring."""
        return self.slot_num * self.stride

    def memory(self, lane: int) -> Memory:
        """The memory of the slots; on the UB path each Vector core has its own."""
        return self.memories[lane] if len(self.memories) > 1 else self.memories[0]

    def spans(self, pieces: tuple[Piece, ...]) -> tuple[Span, ...]:
        """Where pieces lie."""
        found = ((memory, memory.span(view)) for view, _ in pieces for memory in self.memories)
        return tuple((memory, rows) for memory, rows in found if rows is not None)

    def ready_flag(self, tile: int) -> int:
        """The flag that says this tile is ready."""
        return self.flags.start + (tile % self.slot_num if self.protocol.tagged else 0)

    def free_flag(self, tile: int) -> int:
        """The flag that says this tile's slot is free."""
        return self.flags.start + (tile % self.slot_num if self.protocol.tagged else 1)

    def lanes(self, split: TileSplitAxis) -> tuple[int, ...]:
        """The Vector cores that take part in an operation."""
        if self.arch.reduces:
            return tuple(range(self.vec))
        if isinstance(self.pipe, TMPipe) and self.pipe.ratio is VecCubeRatio.V1C1_VEC1:
            return (1,)
        alone = self.pipe.nosplit if isinstance(self.pipe, TMPipe) else split == NO_SPLIT
        return (0,) if alone else tuple(range(self.vec))

    def credit_lanes(self) -> tuple[int, ...]:
        """The Vector cores that initial and drained credits go through."""
        return self.lanes(NO_SPLIT if self.pipe.nosplit else TileSplitAxis.TILE_UP_DOWN)

    def holder_mask(self, split: TileSplitAxis) -> int:
        """The consumers that must release a tile, as a mask."""
        return 1 if self.half == "V2C" else sum(1 << lane for lane in self.lanes(split))

    def writing_lanes(self, split: TileSplitAxis) -> tuple[int, ...]:
        """The producing sub-blocks (the Cube counts as 0) that must store a tile."""
        return (0,) if self.half == "C2V" else self.lanes(split)

    def producers(self) -> tuple[int, ...]:
        """The producing sub-blocks of the pipe as a whole."""
        return (0,) if self.half == "C2V" else self.credit_lanes()

    def waiting_consumers(self, slot: Slot) -> str:
        """Who still holds a slot, in words."""
        if self.half == "V2C":
            return "cube has"
        lanes = [f"vec{lane}" for lane in range(self.vec) if slot.holders >> lane & 1]
        return (
            f"{' and '.join(lanes)} {'has' if len(lanes) == 1 else 'have'}"
            if lanes
            else "nobody has"
        )

    def live_overlap(self, other: "Ring", slot: int, pieces: tuple[Piece, ...]) -> int | None:
        """The tile of this ring, still held, that shares bytes with pieces of a slot of `other`.

        Where either side's bytes are not known, they are the whole slot's.
        """
        low = other.base + slot * other.stride
        high = low + other.stride
        for index, mine in enumerate(self.slots):
            start = self.base + index * self.stride
            if not (mine.holders and start < high and low < start + self.stride):
                continue
            if not (pieces and mine.laid) or _share(pieces, mine.laid):
                return mine.tile
        return None

    def bind(
        self, tensor: GlobalTensor, tile: int, part: int, offset: int, lease: Lease | None = None
    ) -> None:
        """Bind a tensor to the slot of ``tile``, ``part`` elements and ``offset`` bytes in."""
        inside = part * tensor.dtype.itemsize + offset
        end = inside + ((tensor.rows - 1) * tensor.row_stride + tensor.cols) * tensor.dtype.itemsize
        if end > self.stride:
            raise SlotOverflowError(
                f"{self.name}: {tensor!r} needs {end} bytes of a {self.stride}-byte slot"
            )
        address = self.base + tile % self.slot_num * self.stride + inside
        view = self.memory(0).window(
            address, tensor.dtype, tensor.rows, tensor.cols, tensor.row_stride
        )
        tensor.bind(view, address, lease)

    def needs_gm(self, op: str) -> None:
        """Refuse an operation that exists only for a TPipe through GM."""
        if self.path.medium != "GM" or isinstance(self.pipe, TMPipe):
            raise ProfileError(f"{self.name}: {op} exists only for a TPipe through GM")


def _share(some: tuple[Piece, ...], others: tuple[Piece, ...]) -> bool:
    """Whether pieces have bytes in common."""
    return any(np.shares_memory(one, two) for one, _ in some for two, _ in others)
