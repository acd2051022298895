"""``pto.tcvt``: elements of one type as those of another.

Numbers become integers by the rounding mode that is written (to the nearest, ties to even, where
none is); floats become narrower floats by the same modes. What would need another rule (saturation)
is refused where it would make a difference.

Source: PTOAS docs/PTO_IR_manual.md, ``pto.tcvt``.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilelab.pto.errors import IRError

Numbers = NDArray[Any]
_ROUND: dict[str, Callable[[Numbers], Numbers]] = {
    "CAST_RINT": np.rint, "RINT": np.rint, "FLOOR": np.floor, "CEIL": np.ceil, "TRUNC": np.trunc,
    "ROUND": lambda a: np.copysign(np.floor(np.abs(a) + 0.5), a),
}  # fmt: skip
_NEAREST = ("CAST_RINT", "RINT", "NONE")


def convert(source: Numbers, dtype: np.dtype[Any], words: tuple[str, ...], line: int) -> Numbers:
    """``source`` as ``dtype``; the rounding mode stands among the operation's words."""
    found = re.search(r"round_mode\s+(\w+)", " ".join(words))
    mode = found[1] if found else "CAST_RINT"
    if dtype.kind in "iu":
        return _to_integers(source, dtype, mode, line)
    with np.errstate(all="ignore"):
        nearest = source.astype(dtype)
        if mode in _NEAREST:
            return nearest
        wide, kept = source.astype(np.float64), nearest.astype(np.float64)
        if mode == "ROUND":  # of two as near, the one further from zero
            away = np.nextafter(nearest, np.copysign(np.inf, wide).astype(dtype))
            tie = (kept != wide) & (np.abs(away.astype(np.float64) - wide) == np.abs(kept - wide))
            return np.where(tie & (np.abs(kept) < np.abs(wide)), away, nearest)
        low = np.nextafter(nearest, np.array(-np.inf, dtype))
        high = np.nextafter(nearest, np.array(np.inf, dtype))
        down, up = np.where(kept > wide, low, nearest), np.where(kept < wide, high, nearest)
        modes = {"FLOOR": down, "CEIL": up, "TRUNC": np.where(wide < 0, up, down)}
        if mode not in modes:
            raise IRError(f"pto.tcvt: {mode} into {dtype} is not modelled", line)
        return modes[mode]


def _to_integers(source: Numbers, dtype: np.dtype[Any], mode: str, line: int) -> Numbers:
    whole = source.astype(np.float64)
    if source.dtype.kind not in "iu":
        if mode == "NONE" and not (whole == np.trunc(whole)).all():
            raise IRError("pto.tcvt: round_mode NONE of values that are not whole", line)
        rounded = np.rint if mode == "NONE" else _ROUND.get(mode)
        if rounded is None:
            raise IRError(f"pto.tcvt: {mode} into {dtype} is not modelled", line)
        whole = rounded(whole)
    limits = np.iinfo(dtype)
    outside = ~((whole >= limits.min) & (whole <= limits.max))
    if outside.any():
        first = source[outside].flat[0]
        raise IRError(f"pto.tcvt: {first} does not fit {dtype}; saturation is not modelled", line)
    return whole.astype(dtype)
