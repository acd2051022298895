"""Arrays of a state's numbers, as kernels see them and mypy checks them."""

from collections.abc import Iterator
from typing import Protocol


class Array1(Protocol):
    """Numbers with one index."""

    def __len__(self) -> int:
        """How many."""

    def __iter__(self) -> Iterator[int]:
        """Each of them."""

    def __getitem__(self, index: int, /) -> int:
        """One number."""

    def __setitem__(self, index: int, value: int, /) -> None:
        """Write one number; ValueError if it is out of the range of the array's type."""


class Array2(Protocol):
    """Numbers with two indices: ``s.vector.lreg[i, lane]``."""

    def __getitem__(self, index: tuple[int, int], /) -> int:
        """One number."""

    def __setitem__(self, index: tuple[int, int], value: int, /) -> None:
        """Write one number; ValueError if it is out of the range of the array's type."""


class Array3(Protocol):
    """Numbers with three indices."""

    def __getitem__(self, index: tuple[int, int, int], /) -> int:
        """One number."""

    def __setitem__(self, index: tuple[int, int, int], value: int, /) -> None:
        """Write one number; ValueError if it is out of the range of the array's type."""
