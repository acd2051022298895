"""State is data: nested NumPy records, and the views that kernels read and write them through.

A record's memory belongs to one NumPy array. :func:`view` wraps it for kernel Python: nested
records become objects, arrays of records become tuples of objects, arrays of numbers become
memoryviews (which read as Python integers and refuse values out of range), single numbers become
properties. NumPy's own view of the same memory stays valid; both see every change.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Record = npt.NDArray[np.void]


MANY: Final = 16
"""Records in an array from which on few of them are ever looked at."""
LINE: Final = 64
"""Bytes of a cache line, and of the largest vector register."""
PAIR: Final = "_pair"
"""An array of signed 16-bit numbers is seen two by two as words, too: ``NAME_pair``."""


def record_type(fields: list[Any], last: Sequence[str] = ()) -> np.dtype[Any]:
    """A record of the given ``(name, type[, shape])`` fields, aligned as a C compiler would.

    ``last``: fields that lie behind all others, wherever they are named.

    Alignment is what lets memoryviews (and compiled code) read the numbers natively. Arrays of
    whole cache lines begin on one, because vector instructions are slower across two.
    """
    plain = np.dtype(fields, align=True)
    assert plain.fields is not None
    offsets = {}
    end = 0
    for name in (*(name for name in plain.fields if name not in last), *last):
        kind = plain.fields[name][0]
        offsets[name] = -(-end // _alignment(kind)) * _alignment(kind)
        end = offsets[name] + kind.itemsize
    largest = max((_alignment(kind) for kind, *_ in plain.fields.values()), default=1)
    return np.dtype(
        {
            "names": list(offsets),  # in the order of memory, or NumPy writes no file of them
            "formats": [plain.fields[name][0] for name in offsets],
            "offsets": list(offsets.values()),
            "itemsize": -(-end // largest) * largest,
        }
    )


def has_pairs(kind: np.dtype[Any]) -> bool:
    """Whether a part of a record is seen two by two as well."""
    return kind.base == np.int16 and bool(kind.shape)


def _alignment(kind: np.dtype[Any]) -> int:
    base, shape = kind.subdtype or (kind, ())
    if base.fields is not None:
        return max(_alignment(inner) for inner, *_ in base.fields.values())
    return LINE if shape and kind.itemsize % LINE == 0 else base.alignment


def aligned_bytes(count: int, before: int = 0) -> npt.NDArray[np.uint8]:
    """Zeroed memory, of which the byte at ``before`` begins a cache line."""
    memory = np.zeros(count + LINE, np.uint8)
    start = -(memory.ctypes.data + before) % LINE
    return memory[start : start + count]


def _scalar(name: str) -> property:
    slot = f"_{name}"

    def read(self: Any) -> int:
        value: int = getattr(self, slot)[0]
        return value

    def write(self: Any, value: int) -> None:
        getattr(self, slot)[0] = value

    return property(read, write)


_CLASSES: dict[np.dtype[Any], type] = {}


def _class_for(dtype: np.dtype[Any]) -> type:
    if dtype in _CLASSES:
        return _CLASSES[dtype]
    assert dtype.fields is not None
    slots: list[str] = []
    members: dict[str, Any] = {}
    for name, (kind, *_) in dtype.fields.items():
        if kind.fields is None and kind.shape == ():
            slots.append(f"_{name}")
            members[name] = _scalar(name)
        else:
            slots.append(name)
            slots += [name + PAIR] * has_pairs(kind)
    cls = type("StateView", (), {"__slots__": tuple(slots), **members})
    _CLASSES[dtype] = cls
    return cls


class _Rows(Sequence[Any]):
    """Many records; each is wrapped when it is first asked for."""

    __slots__ = ("_array", "_made")

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self._array = array
        self._made: list[Any] = [None] * len(array)

    def __len__(self) -> int:
        return len(self._made)

    def __getitem__(self, index: Any) -> Any:
        made = self._made[index]
        if made is None:
            made = self._made[index] = view(self._array[index, ...])
        return made


def _nested(array: npt.NDArray[Any], depth: int) -> Any:
    if depth == 0:
        return view(array)
    if depth == 1 and len(array) >= MANY:
        return _Rows(array)
    return tuple(_nested(array[i, ...], depth - 1) for i in range(array.shape[0]))


def view(record: npt.NDArray[Any]) -> Any:
    """Wrap a 0-dimensional structured array for kernels; shares its memory."""
    dtype = record.dtype
    assert dtype.fields is not None
    result = _class_for(dtype)()
    for name, (kind, *_) in dtype.fields.items():
        part = record[name]
        base = kind.subdtype[0] if kind.subdtype else kind
        if base.fields is not None:
            setattr(result, name, _nested(part, part.ndim))
        elif part.ndim == 0:
            setattr(result, f"_{name}", part.reshape(1).data)
        else:
            setattr(result, name, part.data)
            if has_pairs(kind):
                setattr(result, name + PAIR, part.view("<i4").data)
    return result


def differences(before: Record, after: Record, prefix: str = "") -> list[tuple[str, int, int]]:
    """Compare two records of one type: ``(path, old, new)`` of every number that differs."""
    found: list[tuple[str, int, int]] = []
    for name in before.dtype.names or ():
        old, new = before[name], after[name]
        path = f"{prefix}{name}"
        if old.dtype.fields is not None:
            for index in np.ndindex(old.shape):
                at = "".join(f"[{i}]" for i in index)
                found += differences(old[(*index, ...)], new[(*index, ...)], f"{path}{at}.")
        else:
            for index in map(tuple, np.argwhere(np.asarray(old != new))):
                at = f"[{', '.join(map(str, index))}]" if index else ""
                found.append((path + at, int(old[index]), int(new[index])))
    return found
