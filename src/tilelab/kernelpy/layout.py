"""Where each part of a state record lies in memory, as the compiler of kernels sees it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tilelab.sim.record import PAIR, has_pairs


@dataclass(frozen=True)
class Array:
    """Numbers in memory: ``shape`` () for a single one. Strides are in bytes."""

    offset: int
    itemsize: int
    signed: bool
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    path: str

    @property
    def described(self) -> str:
        """What it is, for a message."""
        return f"{self.path}, an array" if self.shape else f"{self.path}, a number"


@dataclass(frozen=True)
class Buffer:
    """Memory outside the record, e.g. L1: its address stands in the context at an index."""

    index: int
    itemsize: int
    length: int
    whole: bool = False
    """Whether it is the record itself, seen as plain numbers."""

    @property
    def path(self) -> str:
        """Its name in messages and for alias analysis: views of one memory share it.

        Empty for the whole record, which any other name may mean a part of.
        """
        return "" if self.whole else f"buffer {self.index}"

    @property
    def described(self) -> str:
        """What it is, for a message."""
        return self.path or "the whole record"


@dataclass(frozen=True)
class Struct:
    """A record, or an array of records if ``shape`` is not ()."""

    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    path: str

    @property
    def described(self) -> str:
        """What it is, for a message."""
        kind = "an array of records" if self.shape else "a record"
        return f"{self.path}, {kind}" if self.path else "the state"

    def field(self, name: str) -> "Array | Struct":
        """A part of the record, at its offset within it; ``NAME_pair``: of ``NAME``, as words."""
        if self.shape or self.dtype.fields is None:
            raise KeyError(name)
        first = name if name in self.dtype.fields else name.removesuffix(PAIR)
        kind, offset, *_ = self.dtype.fields[first]
        if first != name:
            if not has_pairs(kind):
                raise KeyError(name)
            *rows, columns = kind.shape
            kind = np.dtype(("<i4", (*rows, columns // 2)))
        return part(kind, int(offset), f"{self.path}.{first}" if self.path else first)


@dataclass(frozen=True)
class Elsewhere:
    """Records of another machine, by number; ``addresses`` says where each one lies."""

    addresses: Array
    record: Struct

    @property
    def path(self) -> str:
        """Its name in messages."""
        return self.addresses.path

    @property
    def described(self) -> str:
        """What it is, for a message."""
        return f"{self.path}, records elsewhere"


def part(kind: np.dtype[Any], offset: int, path: str) -> "Array | Struct":
    """Describe a part of the given type at an offset."""
    base, shape = kind.subdtype or (kind, ())
    strides: list[int] = []
    step = base.itemsize
    for length in reversed(shape):
        strides.insert(0, step)
        step *= length
    if base.fields is not None:
        return Struct(offset, base, shape, tuple(strides), path)
    if base.kind not in "iu":
        raise TypeError(f"{path}: kernels hold integers only, not {base}")
    return Array(offset, base.itemsize, base.kind == "i", shape, tuple(strides), path)


def record(dtype: np.dtype[Any]) -> Struct:
    """Describe a whole state record."""
    return Struct(0, dtype, (), (), "")
