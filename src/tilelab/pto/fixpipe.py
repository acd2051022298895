"""The fixpipe: what TPUSH's TConfig does to an accumulator on its way out.

Not modelled: its own control register (saturation is on).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tilelab.pto.config import TileType
from tilelab.pto.errors import TileTypeError
from tilelab.pto.tile import Tile


@dataclass(frozen=True)
class Fixpipe:
    """TPUSH's TConfig: the element type behind it, a scale (one, or one per column), ReLU."""

    dtype: DTypeLike
    scale: ArrayLike = 1.0
    relu: bool = False

    def apply(self, tile: Tile) -> Tile:
        """The converted tile; only accumulators can be converted."""
        if tile.loc is not TileType.Acc:
            raise TileTypeError(f"the fixpipe converts Acc tiles, not {tile.loc.name}")
        scale = np.asarray(self.scale)
        values: NDArray[Any] = tile.values
        scaled = bool(scale.ndim or scale != 1.0)
        if scaled:
            values = values.astype(np.float32) * _quantiser(scale)
        if self.relu:
            values = np.maximum(values, 0)
        out = Tile(tile.loc, self.dtype, *tile.shape, valid=tile.geometry[:2])
        out.valid[...] = _saturated(values, out.dtype, scaled or tile.dtype.kind in "iu")
        return out


def _saturated(values: NDArray[Any], dtype: np.dtype[Any], clamp: bool) -> NDArray[Any]:
    """Values rounded to even; integers and quantised halves stop at their ends."""
    if dtype.kind in "iu":
        if values.dtype.kind == "f":
            values = np.rint(np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf))
        ends = np.iinfo(dtype)
        whole: NDArray[Any] = np.clip(values, ends.min, ends.max).astype(dtype)
        return whole
    if dtype == np.float16 and clamp:
        top = float(np.finfo(np.float16).max)
        values = np.clip(values, -top, top)
    with np.errstate(over="ignore"):
        cast: NDArray[Any] = values.astype(dtype)
    return cast


def _quantiser(scale: NDArray[Any]) -> NDArray[Any]:
    """A scale as the fixpipe reads it: the upper 19 bits of a float (10 of mantissa)."""
    bits = scale.astype(np.float32).reshape(-1).view(np.uint32) & np.uint32(0xFFFFE000)
    return bits.view(np.float32).reshape(scale.shape)
