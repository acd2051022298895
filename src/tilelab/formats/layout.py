"""The order of data in L1: tiles of 32×32, each of four 16×16 faces, left to right, top to bottom.

Source: tt-llk (tile and face shapes), tt-isa-documentation.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.formats.errors import FormatError

TILE = 32
FACE = 16


def _grid(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Leading size and tile grid of a shape ``(…, height, width)``."""
    if len(shape) < 2 or shape[-2] % TILE or shape[-1] % TILE or 0 in shape:
        raise FormatError(f"shape {shape} is not made of {TILE}x{TILE} tiles")
    leading = int(np.prod(shape[:-2], dtype=np.int64))
    return leading, shape[-2] // TILE, shape[-1] // TILE


def tilize(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """``(…, height, width)`` as ``(tiles, 1024)``, tiles in row-major order, data as in L1."""
    leading, rows, columns = _grid(array.shape)
    split = array.reshape(leading, rows, 2, FACE, columns, 2, FACE)
    return split.transpose(0, 1, 4, 2, 5, 3, 6).reshape(-1, TILE * TILE)


def untilize(tiles: npt.NDArray[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Undo :func:`tilize`."""
    leading, rows, columns = _grid(shape)
    split = tiles.reshape(leading, rows, columns, 2, 2, FACE, FACE)
    return split.transpose(0, 1, 3, 5, 2, 4, 6).reshape(shape)
