"""Columns of numbers as text: what a page carries instead of millions of objects."""

import base64
import gzip
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]


def packed(columns: dict[str, Numbers]) -> dict[str, Any]:
    """Columns as one compressed text, and where each begins: (type, first byte, length)."""
    data = bytearray()
    places: dict[str, list[Any]] = {}
    for name, column in columns.items():
        data += b"\0" * (-len(data) % 4)
        places[name] = [column.dtype.str[1:], len(data), len(column)]
        data += column.tobytes()
    return {"places": places, "data": base64.b64encode(gzip.compress(data, 6, mtime=0)).decode()}


def stepwise(rows: Numbers) -> Numbers:
    """Rows of unsigned numbers, each as its difference to the row before, in one column.

    The page adds them up again, modulo the type's size.
    """
    changed = rows.copy()
    changed[1:] -= rows[:-1]
    return changed.reshape(-1)


def rising(clocks: Numbers) -> Numbers:
    """Clocks in order, each as its difference to the one before; the page adds them up again."""
    return np.diff(clocks.astype(np.int64), prepend=0).astype(np.uint32)
