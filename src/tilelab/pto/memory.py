"""Byte memories: GM and each core's UB, L1, L0A, L0B, L0C, as NumPy arrays made at first use."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tilelab.pto.errors import CapacityError

LOCAL_BYTES = 1 << 26  # a local address space is this wide, whatever the memory's capacity


class Rows(NamedTuple):
    """``rows`` runs of ``nbytes``, ``stride`` bytes apart, from ``start``."""

    start: int
    rows: int
    nbytes: int
    stride: int

    @property
    def end(self) -> int:
        """Behind the last byte."""
        return self.start + (self.rows - 1) * self.stride + self.nbytes


class Memory:
    """``nbytes`` of addressable bytes, of which the hardware has ``capacity``."""

    def __init__(self, name: str, nbytes: int, capacity: int) -> None:
        self.name = name
        self.nbytes = nbytes
        self.capacity = capacity
        self._bytes: NDArray[np.uint8] | None = None
        self.where = id(self)  # equal where two memories are the same bytes
        self.filled: list[Rows] = []  # what the host, or a program's own Python, may have written

    @classmethod
    def over(cls, array: NDArray[Any]) -> Self:
        """The bytes of a user's array; it must be contiguous and writable."""
        if not (array.flags.c_contiguous and array.flags.writeable):
            raise CapacityError("a GM buffer must be a contiguous, writable array")
        memory = cls("GM", array.nbytes, array.nbytes)
        memory._bytes = array.reshape(-1).view(np.uint8)
        memory.fill(0, array.nbytes)
        memory.where = memory._bytes.__array_interface__["data"][0]
        return memory

    @property
    def bytes(self) -> NDArray[np.uint8]:
        """All bytes, zero until written. Whoever takes them may write them."""
        self.fill(0, self.nbytes)
        return self.raw

    @property
    def raw(self) -> NDArray[np.uint8]:
        """All bytes, for the model's own operations."""
        if self._bytes is None:
            self._bytes = np.zeros(self.nbytes, np.uint8)
        return self._bytes

    def fill(self, start: int, nbytes: int) -> None:
        """These bytes hold something, from the start."""
        rows = Rows(start, 1, nbytes, nbytes)
        if rows not in self.filled:
            self.filled.append(rows)

    def span(self, array: NDArray[Any]) -> Rows | None:
        """Which of these bytes an array of rows and columns is; None if it lies elsewhere."""
        if self._bytes is None or array.ndim != 2 or not array.size:
            return None
        start = array.ctypes.data - self._bytes.ctypes.data
        if not 0 <= start < self.nbytes:
            return None
        (rows, cols), (row, col) = array.shape, array.strides
        if col != array.itemsize:  # columns beside each other
            rows, cols, row, col = cols, rows, col, row
        return Rows(start, rows, (cols - 1) * col + array.itemsize, row)

    def view(
        self, address: int, dtype: np.dtype[Any], rows: int, cols: int, row_stride: int
    ) -> NDArray[Any]:
        """A window at a byte address; ``row_stride`` in elements. Whoever takes it may write it."""
        found = self.window(address, dtype, rows, cols, row_stride)
        self.fill(address, ((rows - 1) * row_stride + cols) * dtype.itemsize)
        return found

    def window(
        self, address: int, dtype: np.dtype[Any], rows: int, cols: int, row_stride: int
    ) -> NDArray[Any]:
        """The same for the model's own operations."""
        size = dtype.itemsize
        end = address + ((rows - 1) * row_stride + cols) * size
        if address < 0 or end > self.nbytes:
            raise CapacityError(
                f"{self.name} {address:#x}..{end:#x} is outside its {self.nbytes:#x} bytes"
            )
        if address % size:
            raise CapacityError(f"{self.name} {address:#x} is not aligned to {size} bytes")
        return np.ndarray((rows, cols), dtype, self.raw, address, (row_stride * size, size))
