"""Arrays in L1: inputs as the bytes that a kernel finds, outputs as the numbers that it left."""

from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.formats import from_l1_bytes, to_l1_bytes
from tilelab.formats.placement import Placement
from tilelab.kernels.kernel_toml.file import Input
from tilelab.sim.npy import map_npy
from tilelab.tensix.tile.tile import Tile


def placed_bytes(item: Input) -> bytes:
    """An input as the bytes that L1 holds, its tiles in the order that the file gives."""
    array = map_npy(item.file)
    if item.as_bytes:
        return bytes(array)
    if item.layout == "row_major":
        return to_l1_bytes(array, item.format, "row_major")
    return b"".join(
        to_l1_bytes(tile_of(array, number), item.format, "tile") for number in item.tiles
    )


def held(item: Input) -> npt.NDArray[np.float64]:
    """An input's numbers as L1 holds them: those of its file, rounded to its format."""
    array = map_npy(item.file)
    data = bytes(array) if item.as_bytes else to_l1_bytes(array, item.format, item.layout)
    return doubles(from_l1_bytes(data, item.shape, item.format, item.layout))


def doubles(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Numbers as float64; a signalling NaN is one like any other."""
    with np.errstate(invalid="ignore"):
        return values.astype(np.float64)


def tile_of(array: npt.NDArray[Any], number: int) -> npt.NDArray[Any]:
    """One 32x32 tile of an array, by its row-major number."""
    rows, columns = array.shape[-2:]
    planes = array.reshape(-1, rows, columns)
    per_plane = (rows // 32) * (columns // 32)
    plane, rest = divmod(number, per_plane)
    row, column = divmod(rest, columns // 32)
    return planes[plane, 32 * row : 32 * row + 32, 32 * column : 32 * column + 32]


def read_array(tile: Tile, item: Placement) -> npt.NDArray[Any]:
    """Read an array out of L1, its tiles put back where they belong."""
    data = tile.read(item.address, item.size)
    if item.layout == "row_major":
        return from_l1_bytes(data, item.shape, item.format, "row_major")
    size = len(data) // len(item.tiles)
    tiles = {
        number: from_l1_bytes(data[i * size : (i + 1) * size], (32, 32), item.format, "tile")
        for i, number in enumerate(item.tiles)
    }
    out = np.zeros(item.shape, next(iter(tiles.values())).dtype)
    for number, values in tiles.items():
        tile_of(out, number)[...] = values
    return out
