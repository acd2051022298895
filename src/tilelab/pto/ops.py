"""TLOAD, TSTORE, TASSIGN, TINSERT, TMOV, TMATMUL as NumPy operations on tiles.

They are methods of a core, so that they show in its trace. A breach of an operation's constraint on
tile places is a finding, policy ``constraints`` (default: warn), because the seed's own patterns
breach them.

Not modelled: layout changes, biases.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilelab.pto.config import TileType
from tilelab.pto.errors import ShapeMismatchError
from tilelab.pto.lease import SlotLease, WorkLease
from tilelab.pto.seat import Seat
from tilelab.pto.tile import GlobalTensor, Tile
from tilelab.pto.trace import Reach, Work

Arrays = Sequence[NDArray[Any]]
_HERE = str(Path(__file__).parent)

_MOVES = {
    (TileType.Mat, TileType.Left),
    (TileType.Mat, TileType.Right),
    (TileType.Mat, TileType.Bias),
    (TileType.Mat, TileType.Scaling),
    (TileType.Acc, TileType.Mat),
    (TileType.Acc, TileType.Vec),
    (TileType.Vec, TileType.Vec),
    (TileType.Vec, TileType.Mat),
}


class TileOps(Seat):
    """The tile operations of a core program."""

    def note(
        self, op: str, text: str = "", reads: Arrays = (), writes: Arrays = (), where: str = ""
    ) -> None:
        """Note a tile operation in the trace, and which bytes of the memories it reaches."""
        reach = None
        if self.traced and (reads or writes):
            spans = self.cluster.spans(reads), self.cluster.spans(writes)
            reach = Reach(*spans, where or _line()) if any(spans) else None
        self.journal.op(self.name, op, text, reach)

    def _charge(
        self, op: str, route: tuple[str, str], reads: Arrays, target: NDArray[Any], depth: int = 0
    ) -> None:
        if self.timed:
            self.charge(op, route, reads, [target], depth)

    def compute(self, op: str, dst: NDArray[Any], reads: Arrays, where: str = "") -> None:
        """Note an instruction of PIPE_V that writes an array out of others."""
        self.note(op, "", reads, [dst], where)
        self._charge(op, ("UB", "UB"), reads or [dst], dst)

    def pipe_barrier(self, pipe: str = "ALL") -> None:
        """``pipe_barrier``: it takes time, and orders what is in order here already."""
        self.note("SYNC", f"pipe_barrier(PIPE_{pipe})")
        if self.timed:
            self.journal.charge(Work("BARRIER", pipe))

    def spend(self, op: str, dst: Tile, *sources: Tile) -> None:
        """Note that ``dst`` is made by an instruction such as "TEXP", for a program that computes
        it with NumPy itself: it takes that instruction's time, and no bytes are touched.
        """
        reads = [tile.values for tile in sources] or [dst.values]
        self.journal.op(self.name, op, "")
        self._charge(op, ("UB", "UB"), reads, dst.values)

    def _constrain(self, ok: bool, message: str) -> None:
        if not ok:
            self.journal.constraint(self.name, message)

    def tload(self, tile: Tile, tensor: GlobalTensor | NDArray[Any], where: str = "") -> None:
        """TLOAD: global memory to the tile's valid part."""
        self._constrain(
            tile.loc in (TileType.Vec, TileType.Mat), f"TLOAD into a {tile.loc.name} tile"
        )
        target, source = tile.values, _array(tensor)
        self.note("TLOAD", "", [source], _own(tile), where)
        self._charge("TLOAD", ("GM", tile.loc.value), [source], target)
        _copy("TLOAD", target, source)

    def tstore(self, tensor: GlobalTensor | NDArray[Any], tile: Tile, where: str = "") -> None:
        """TSTORE: the tile's valid part to global memory."""
        self._constrain(tile.loc is not TileType.Left, f"TSTORE from a {tile.loc.name} tile")
        target, source = _array(tensor), tile.values
        self.note("TSTORE", "", _own(tile), [target], where)
        self._charge("TSTORE", (tile.loc.value, "GM"), [source], target)
        _copy("TSTORE", target, source)

    def tassign(self, target: Tile | GlobalTensor, address: int) -> None:
        """TASSIGN: bind a tile to an address of this core's memory, or a tensor to one of GM."""
        self.note("TASSIGN", f"{address:#x}")
        if isinstance(target, GlobalTensor):
            view = self.cluster.gm.window(
                address, target.dtype, target.rows, target.cols, target.row_stride
            )
        else:
            rows, cols = target.shape
            memory = self.local_memory(target.loc)
            self.cluster.check_capacity(
                self.name, memory, address, rows * cols * target.dtype.itemsize, repr(target)
            )
            view = memory.window(address, target.dtype, rows, cols, cols)
        target.bind(view, address)
        if isinstance(target, Tile):
            target.lease = WorkLease(self, target)

    def tinsert(self, dst: Tile, src: Tile, row: int = 0, col: int = 0) -> None:
        """TINSERT: put a tile into a larger one at (row, col)."""
        self._constrain(dst.loc is TileType.Mat, f"TINSERT into a {dst.loc.name} tile")
        rows, cols = src.values.shape
        target, source = dst.whole[row : row + rows, col : col + cols], src.values
        self.note("TINSERT", f"({row}, {col})", [source], [target])
        self._charge("TINSERT", (src.loc.value, dst.loc.value), [source], target)
        _copy("TINSERT", target, source)

    def textract(self, dst: Tile, part: NDArray[Any], place: TileType, where: str = "") -> None:
        """TEXTRACT: ``part`` of a tile that lies in ``place``, into a tile of its size."""
        target = dst.values
        self.note("TEXTRACT", "", [part], _own(dst), where)
        self._charge("TEXTRACT", (place.value, dst.loc.value), [part], target)
        _copy("TEXTRACT", target, part)

    def tmov(self, dst: Tile, src: Tile, where: str = "") -> None:
        """TMOV: copy between tiles, converting the element type."""
        pair = (src.loc, dst.loc)
        self._constrain(pair in _MOVES, f"TMOV from {src.loc.name} to {dst.loc.name}")
        target, source = dst.values, src.values
        self.note("TMOV", "", _own(src), _own(dst), where)
        self._charge("TMOV", (src.loc.value, dst.loc.value), [source], target)
        _copy("TMOV", target, source)

    def tmatmul(
        self, dst: Tile, a: Tile, b: Tile, accumulate: bool = False, where: str = ""
    ) -> None:
        """TMATMUL: dst = a @ b (plus dst), in the accumulator's type: int32 or float32."""
        self._constrain(dst.loc is TileType.Acc, f"TMATMUL into a {dst.loc.name} tile, not Acc")
        self._constrain(
            a.loc is TileType.Left, f"TMATMUL with a {a.loc.name} tile as left, not Left"
        )
        self._constrain(
            b.loc is TileType.Right, f"TMATMUL with a {b.loc.name} tile as right, not Right"
        )
        target, left, right = dst.values, a.values, b.values
        reads = [*_own(a), *_own(b), *(_own(dst) if accumulate else ())]
        self.note("TMATMUL", "", reads, _own(dst), where)
        operands = [left, right, *([target] if accumulate else [])]
        self._charge("TMATMUL", ("L0A", "L0C"), operands, target, left.shape[1])
        wide = np.int32 if a.dtype.kind in "iu" else np.float32
        if left.shape[1] != right.shape[0]:
            raise ShapeMismatchError(f"TMATMUL: {left.shape} @ {right.shape}")
        product = left.astype(wide) @ right.astype(wide)
        _copy("TMATMUL", target, product + target if accumulate else product)


def _own(tile: Tile) -> Arrays:
    """A tile's valid part; nothing where the tile is a slot, whose lease tells of late use."""
    return () if isinstance(tile.lease, SlotLease) else [tile.values]


def _line() -> str:
    """The line of the program that asks for an operation."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}: "


def _array(tensor: GlobalTensor | NDArray[Any]) -> NDArray[Any]:
    return tensor.values if isinstance(tensor, GlobalTensor) else tensor


def _copy(op: str, dst: NDArray[Any], src: NDArray[Any]) -> None:
    if dst.shape != src.shape:
        raise ShapeMismatchError(f"{op}: a {src.shape} source for a {dst.shape} destination")
    np.copyto(dst, src, casting="unsafe")
