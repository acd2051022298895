"""Tiles and global tensors: arrays that know their place and whether they may still be read."""

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tilelab.pto.config import TileSpec, TileType
from tilelab.pto.errors import PipeConfigError, ProtocolOrderError
from tilelab.pto.memory import LOCAL_BYTES


class Lease(Protocol):
    """The right to read memory that a ring may take back."""

    def check(self) -> None:
        """Report a hazard if the right has ended."""

    def show(self) -> None:
        """The same for an array that the program gets: it may write it."""


class Tile:
    """A rows x cols tile, of which ``valid`` rows and columns (default: all) carry data.

    ``data`` and ``valid`` are live arrays: read and write them in place. A popped tile shows the
    local memory it landed in (or, on A5's zero-copy paths, the slot itself), and reading it too
    late is a hazard.
    """

    __slots__ = (
        "address",
        "dtype",
        "geometry",
        "lease",
        "loc",
        "move",
        "raw",
        "raw_valid",
        "shape",
    )

    def __init__(
        self,
        loc: TileType,
        dtype: DTypeLike,
        rows: int,
        cols: int,
        valid: tuple[int, int] | None = None,
        data: ArrayLike | None = None,
    ) -> None:
        self.loc = loc
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.shape = (rows, cols)
        valid_rows, valid_cols = valid or (rows, cols)
        if not (1 <= valid_rows <= rows and 1 <= valid_cols <= cols):
            raise PipeConfigError(
                f"valid {valid_rows}x{valid_cols} is outside the {rows}x{cols} tile"
            )
        if rows * cols * self.dtype.itemsize > LOCAL_BYTES:
            raise PipeConfigError(
                f"a {rows}x{cols} {self.dtype} tile is larger than any memory of a core"
            )
        self.geometry = (valid_rows, valid_cols, rows, cols, self.dtype.num)
        self.address: int | None = None
        self.lease: Lease | None = None
        # Moves the payload of a tile whose bytes are not NumPy's; returns how many it moved.
        self.move: Callable[[], int] | None = None
        self.bind(np.zeros(self.shape, self.dtype))
        if data is not None:
            self.valid[...] = data

    @classmethod
    def of(cls, spec: TileSpec, data: ArrayLike | None = None) -> Self:
        """A tile of a TMPipe's tile type."""
        return cls(spec.loc, spec.dtype, spec.rows, spec.cols, data=data)

    def bind(
        self, data: NDArray[Any], address: int | None = None, lease: Lease | None = None
    ) -> None:
        """Make the tile show ``data``, an array of its shape."""
        self.raw = data
        self.raw_valid = data[: self.geometry[0], : self.geometry[1]]
        self.address = address
        self.lease = lease

    def revalidate(self, rows: int, cols: int) -> None:
        """Let so many rows and columns carry data from here on."""
        self.geometry = (rows, cols, *self.geometry[2:])
        self.raw_valid = self.raw[:rows, :cols]

    def show(self, data: NDArray[Any], valid: NDArray[Any], address: int, lease: Lease) -> None:
        """``bind``, with the valid part already cut."""
        self.raw = data
        self.raw_valid = valid
        self.address = address
        self.lease = lease

    @property
    def data(self) -> NDArray[Any]:
        """The whole tile."""
        if self.lease is not None:
            self.lease.show()
        return self.raw

    @property
    def valid(self) -> NDArray[Any]:
        """Its valid rows and columns."""
        if self.lease is not None:
            self.lease.show()
        return self.raw_valid

    @property
    def values(self) -> NDArray[Any]:
        """Its valid rows and columns, for an operation that reads or writes them."""
        if self.lease is not None:
            self.lease.check()
        return self.raw_valid

    @property
    def whole(self) -> NDArray[Any]:
        """All of it, for an operation."""
        if self.lease is not None:
            self.lease.check()
        return self.raw

    def __repr__(self) -> str:
        rows, cols = self.geometry[:2]
        return f"Tile({self.loc.name}, {self.dtype}, {rows}x{cols})"


class GlobalTensor:
    """A rows x cols window on global memory; TALLOC and TPOP bind it to a slot, ``core.tassign`` to
    an address.

    ``row_stride`` in elements (default: ``cols``).
    """

    __slots__ = ("_data", "address", "cols", "dtype", "lease", "row_stride", "rows")

    def __init__(
        self, dtype: DTypeLike, rows: int, cols: int, row_stride: int | None = None
    ) -> None:
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.rows = rows
        self.cols = cols
        self.row_stride = cols if row_stride is None else row_stride
        self.address: int | None = None
        self.lease: Lease | None = None
        self._data: NDArray[Any] | None = None

    @classmethod
    def over(cls, array: NDArray[Any]) -> Self:
        """A window on a two-dimensional array of the user's."""
        tensor = cls(array.dtype, *array.shape)
        tensor.bind(array)
        return tensor

    def bind(
        self, data: NDArray[Any], address: int | None = None, lease: Lease | None = None
    ) -> None:
        """Make the tensor show ``data``."""
        self._data = data
        self.address = address
        self.lease = lease

    @property
    def data(self) -> NDArray[Any]:
        """The window, once bound."""
        if self._data is None:
            raise ProtocolOrderError(
                "a GlobalTensor was used before TALLOC, TPOP or TASSIGN bound it"
            )
        if self.lease is not None:
            self.lease.check()
        return self._data

    @property
    def values(self) -> NDArray[Any]:
        """The window, for an operation."""
        return self.data

    @property
    def nbytes(self) -> int:
        """Bytes of the window."""
        return self.rows * self.cols * self.dtype.itemsize

    def __repr__(self) -> str:
        where = "unbound" if self.address is None else f"at {self.address:#x}"
        return f"GlobalTensor({self.dtype}, {self.rows}x{self.cols}, {where})"
