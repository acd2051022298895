"""TLOAD, TSTORE, TASSIGN, TINSERT, TMOV, TMATMUL as NumPy operations on tiles.

They are methods of a core, so that they show in its trace. A breach of an operation's constraint
on tile places
is a finding, policy `constraints` (default: warn), because the seed's own patterns breach them.

Not modelled: layout changes, biases.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilelab.pto.config import TileType
from tilelab.pto.errors import ShapeMismatchError
from tilelab.pto.lease import WorkLease
from tilelab.pto.seat import Seat
from tilelab.pto.tile import GlobalTensor, Tile

_MOVES = {
    (TileType.Mat, TileType.Left),
    (TileType.Mat, TileType.Right),
    (TileType.Acc, TileType.Mat),
    (TileType.Acc, TileType.Vec),
    (TileType.Vec, TileType.Vec),
    (TileType.Vec, TileType.Mat),
}


class TileOps(Seat):
    """The tile operations of a core program."""

    def note(self, op: str, text: str = "") -> None:
        """Note a tile operation in the trace."""
        self.journal.op(self.name, op, text)

    def _constrain(self, ok: bool, message: str) -> None:
        if not ok:
            self.journal.constraint(self.name, message)

    def tload(self, tile: Tile, tensor: GlobalTensor | NDArray[Any]) -> None:
        """TLOAD: global memory to the tile's valid part."""
        self._constrain(
            tile.loc in (TileType.Vec, TileType.Mat), f"TLOAD into a {tile.loc.name} tile"
        )
        self.note("TLOAD")
        _copy("TLOAD", tile.valid, _array(tensor))

    def tstore(self, tensor: GlobalTensor | NDArray[Any], tile: Tile) -> None:
        """TSTORE: the tile's valid part to global memory."""
        self._constrain(tile.loc is not TileType.Left, f"TSTORE from a {tile.loc.name} tile")
        self.note("TSTORE")
        if isinstance(tensor, GlobalTensor) and tensor.lease is None and tensor.address is not None:
            self.cluster.guard_store(self.name, tensor)
        _copy("TSTORE", _array(tensor), tile.valid)

    def tassign(self, target: Tile | GlobalTensor, address: int) -> None:
        """TASSIGN: bind a tile to an address of this core's memory, or a tensor to one of GM."""
        self.note("TASSIGN", f"{address:#x}")
        if isinstance(target, GlobalTensor):
            view = self.cluster.gm.view(
                address, target.dtype, target.rows, target.cols, target.row_stride
            )
        else:
            rows, cols = target.shape
            memory = self.local_memory(target.loc)
            self.cluster.check_capacity(
                self.name, memory, address, rows * cols * target.dtype.itemsize, repr(target)
            )
            view = memory.view(address, target.dtype, rows, cols, cols)
        target.bind(view, address)
        if isinstance(target, Tile):
            target.lease = WorkLease(self, target)

    def tinsert(self, dst: Tile, src: Tile, row: int = 0, col: int = 0) -> None:
        """TINSERT: put a tile into a larger one at (row, col)."""
        self._constrain(dst.loc is TileType.Mat, f"TINSERT into a {dst.loc.name} tile")
        self.note("TINSERT", f"({row}, {col})")
        rows, cols = src.valid.shape
        _copy("TINSERT", dst.data[row : row + rows, col : col + cols], src.valid)

    def tmov(self, dst: Tile, src: Tile) -> None:
        """TMOV: copy between tiles, converting the element type."""
        pair = (src.loc, dst.loc)
        self._constrain(pair in _MOVES, f"TMOV from {src.loc.name} to {dst.loc.name}")
        self.note("TMOV")
        _copy("TMOV", dst.valid, src.valid)

    def tmatmul(self, dst: Tile, a: Tile, b: Tile, accumulate: bool = False) -> None:
        """TMATMUL: dst = a @ b (plus dst), in the accumulator's type: int32 for integers, else
        float32."""
        self._constrain(dst.loc is TileType.Acc, f"TMATMUL into a {dst.loc.name} tile, not Acc")
        self._constrain(
            a.loc is TileType.Left, f"TMATMUL with a {a.loc.name} tile as left, not Left"
        )
        self._constrain(
            b.loc is TileType.Right, f"TMATMUL with a {b.loc.name} tile as right, not Right"
        )
        self.note("TMATMUL")
        wide = np.int32 if a.dtype.kind in "iu" else np.float32
        if a.valid.shape[1] != b.valid.shape[0]:
            raise ShapeMismatchError(f"TMATMUL: {a.valid.shape} @ {b.valid.shape}")
        product = a.valid.astype(wide) @ b.valid.astype(wide)
        _copy("TMATMUL", dst.valid, product + dst.valid if accumulate else product)


def _array(tensor: GlobalTensor | NDArray[Any]) -> NDArray[Any]:
    return tensor.data if isinstance(tensor, GlobalTensor) else tensor


def _copy(op: str, dst: NDArray[Any], src: NDArray[Any]) -> None:
    if dst.shape != src.shape:
        raise ShapeMismatchError(f"{op}: a {src.shape} source for a {dst.shape} destination")
    np.copyto(dst, src, casting="unsafe")
