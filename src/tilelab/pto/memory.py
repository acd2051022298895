"""Byte memories: global memory and each core's UB, L1, L0A, L0B, L0C, as NumPy arrays made at
first use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilelab.pto.errors import CapacityError

LOCAL_BYTES = 1 << 26  # a local address space is this wide, whatever the memory's capacity


class Memory:
    """`nbytes` of addressable bytes, of which the hardware has `capacity`."""

    def __init__(self, name: str, nbytes: int, capacity: int) -> None:
        self.name = name
        self.nbytes = nbytes
        self.capacity = capacity
        self._bytes: NDArray[np.uint8] | None = None
        self.where = id(self)  # equal where two memories are the same bytes

    @classmethod
    def over(cls, array: NDArray[Any]) -> Memory:
        """The bytes of a user's array; it must be contiguous and writable."""
        if not (array.flags.c_contiguous and array.flags.writeable):
            raise CapacityError("a GM buffer must be a contiguous, writable array")
        memory = cls("GM", array.nbytes, array.nbytes)
        memory._bytes = array.reshape(-1).view(np.uint8)
        memory.where = memory._bytes.__array_interface__["data"][0]
        return memory

    @property
    def bytes(self) -> NDArray[np.uint8]:
        """All bytes, zero until written."""
        if self._bytes is None:
            self._bytes = np.zeros(self.nbytes, np.uint8)
        return self._bytes

    def view(
        self, address: int, dtype: np.dtype[Any], rows: int, cols: int, row_stride: int
    ) -> NDArray[Any]:
        """A rows x cols window at a byte address; `row_stride` in elements."""
        size = dtype.itemsize
        end = address + ((rows - 1) * row_stride + cols) * size
        if address < 0 or end > self.nbytes:
            raise CapacityError(
                f"{self.name} {address:#x}..{end:#x} is outside its {self.nbytes:#x} bytes"
            )
        if address % size:
            raise CapacityError(f"{self.name} {address:#x} is not aligned to {size} bytes")
        return np.ndarray((rows, cols), dtype, self.bytes, address, (row_stride * size, size))
