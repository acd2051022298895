"""What a wrong output looks like: which tiles, faces and rows are wrong, and a likely cause.

A cause is named only where every wrong element agrees with it; a guess stays a guess ("looks
…"). Arrays are compared tile by tile, as kernels make them; one that is not made of tiles of
32×32 has no tiles to name.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.formats import to_l1_bytes
from tilelab.formats.layout import FACE, TILE, tilize

Values = npt.NDArray[np.float64]
Same = Callable[[Values, Values], npt.NDArray[np.bool_]]
"""Which elements of two arrays are the same, within the output's tolerance."""
ULP_FORMATS = {"bf16": 16, "fp16": 16, "fp32": 32}
"""Floats and their bits, which count units in the last place, as sign and magnitude."""
FEW_ULPS = 4
MOSTLY = 0.9
SHOWN = 4
"""Tiles named before the rest is a number."""


@dataclass(frozen=True)
class Wrong:
    """An output's values, what they should be, and which are wrong; all of one shape."""

    got: Values
    want: Values
    wrong: npt.NDArray[np.bool_]
    same: Same
    format: str

    @cached_property
    def tiled(self) -> bool:
        """Whether the array is made of tiles."""
        shape = self.got.shape
        return len(shape) >= 2 and not (shape[-1] % TILE or shape[-2] % TILE)

    @cached_property
    def tiles(self) -> tuple[Values, Values]:
        """Got and wanted as (tiles, 32, 32)."""
        return _tiles(self.got), _tiles(self.want)

    @cached_property
    def wrong_tiles(self) -> list[int]:
        """The numbers of the tiles that have a wrong element."""
        flags = tilize(self.wrong).any(axis=1)
        return [int(number) for number in np.flatnonzero(flags)]

    def agrees(self, got: Values, want: Values) -> bool:
        """Whether two arrays are the same everywhere; of no elements, they are not."""
        return got.size > 0 and bool(self.same(got, want).all())


def _tiles(array: npt.NDArray[Any]) -> Values:
    rows, columns = array.shape[-2:]
    split = array.reshape(-1, rows // TILE, TILE, columns // TILE, TILE)
    return split.transpose(0, 1, 3, 2, 4).reshape(-1, TILE, TILE)


def diagnose(found: Wrong) -> list[str]:
    """Lines on where an output is wrong and why it may be; the most telling cause alone."""
    if not found.wrong.any():
        return []
    lines = [f"wrong: {place}"] if (place := where(found)) else []
    cause = next(causes(found), "")
    return [*lines, f"looks {cause}"] if cause else lines


# ------------------------------------------------------------------ where


def where(found: Wrong) -> str:
    """The tiles, faces and rows that are wrong: ``tile 1 of 4, face 2, rows 16 to 31``."""
    if not found.tiled:
        if found.wrong.ndim < 2:
            return ""
        rows = found.wrong.reshape(-1, found.wrong.shape[-1]).any(axis=1)
        return "" if rows.all() else f"{_spans('row', np.flatnonzero(rows))} of {rows.size}"
    total, numbers = len(found.tiles[0]), found.wrong_tiles
    if total == 1:
        text = "" if found.wrong.all() else _in_tile(found.wrong.reshape(TILE, TILE))
        return f"in the tile, {text}" if text else ""
    text = "every tile" if len(numbers) == total else f"{_some('tile', numbers)} of {total}"
    flags = _tiles(found.wrong)[numbers].astype(bool)
    if all((flags == flags[0]).all(axis=(1, 2))) and (inside := _in_tile(flags[0])):
        return f"{text}, {inside}"
    return text


def _in_tile(flags: npt.NDArray[np.bool_]) -> str:
    """Where in a tile: faces if some are right, then rows or columns if they say more."""
    parts = []
    faces = flags.reshape(2, FACE, 2, FACE).any(axis=(1, 3)).reshape(-1)
    if not faces.all():
        parts.append(_some("face", [int(f) for f in np.flatnonzero(faces)]))
    for name, axis in (("row", 1), ("column", 0)):
        lines = np.flatnonzero(np.asarray(flags.any(axis=axis)))
        if len(lines) < TILE and len(lines) != FACE:
            parts.append(_spans(name, lines))
    return ", ".join(parts)


def _some(name: str, numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"{name} {numbers[0]}"
    shown = ", ".join(map(str, numbers[:SHOWN]))
    more = f" and {len(numbers) - SHOWN} more" if len(numbers) > SHOWN else ""
    return f"{name}s {shown}{more}"


def _spans(name: str, numbers: npt.NDArray[Any]) -> str:
    """``row 3``, ``rows 0 to 15``, or how many."""
    first, last = int(numbers[0]), int(numbers[-1])
    if first == last:
        return f"{name} {first}"
    if last - first + 1 == len(numbers):
        return f"{name}s {first} to {last}"
    return f"{len(numbers)} {name}s from {first} to {last}"


# ------------------------------------------------------------------ why


def causes(found: Wrong) -> Iterator[str]:
    """Likely causes, the most telling first."""
    yield from _nothing(found)
    if found.tiled:
        yield from _moved(found)
        yield from _turned(found)
        yield from _kept(found)
    yield from _related(found)
    yield from _rounded(found)
    yield from _shifted(found)


def _nothing(found: Wrong) -> Iterator[str]:
    values = found.got[found.wrong]
    if np.isnan(values).all():
        yield "like NaN in every wrong element: an operand was NaN, or infinity less infinity"
    if not (values == 0).all():
        return
    if (found.want[found.wrong] < 0).all() and (found.got[~found.wrong] > 0).any():
        yield "clamped: what should be negative is 0"
    else:
        yield f"never written: every wrong element is 0{_half(found)}"


def _half(found: Wrong) -> str:
    """Whether it is a half of the output, so that the kernel stopped or skipped there."""
    rows = tilize(found.wrong) if found.tiled else found.wrong.reshape(-1, 1)
    if not rows.size:
        return ""
    flat = rows.mean(axis=1) > MOSTLY  # what is expected may be 0 here and there
    middle = len(flat) // 2
    if middle and flat[middle:].all() and not rows[:middle].any():
        return ", the second half of the output"
    if middle and flat[:middle].all() and not rows[middle:].any():
        return ", the first half of the output"
    return ""


def _moved(found: Wrong) -> Iterator[str]:
    """Tiles that are where another one belongs."""
    got, want = found.tiles
    sources: dict[int, int] = {}
    for number in found.wrong_tiles:
        source = next(
            (u for u in range(len(want)) if u != number and found.agrees(got[number], want[u])),
            None,
        )
        if source is None:
            return
        sources[number] = source
    numbers = list(sources)
    if len(numbers) == 2 and set(numbers) == set(sources.values()):
        yield f"like tiles {numbers[0]} and {numbers[1]} swapped"
    elif all(source == number - 1 for number, source in sources.items()):
        repeat = "repeats" if len(numbers) == 1 else "repeat"
        yield (
            f"stale: {_some('tile', numbers)} {repeat} what the tile before it holds{_half(found)}"
        )
    elif len(set(sources.values())) == 1 and len(sources) > 1:
        yield f"stale: {_some('tile', numbers)} all hold what tile {sources[numbers[0]]} should"
    else:
        shown = ", ".join(f"{n} holds {s}" for n, s in list(sources.items())[:SHOWN])
        yield f"like tiles in another order: {shown}"


def _turned(found: Wrong) -> Iterator[str]:
    """Transposed tiles, faces, or the whole; faces in another order."""
    got, want = (tiles[found.wrong_tiles] for tiles in found.tiles)

    def faces(tiles: Values) -> Values:
        return tiles.reshape(-1, 2, FACE, 2, FACE).transpose(0, 1, 3, 2, 4)

    made, needed = faces(got), faces(want)
    if found.agrees(got, want.transpose(0, 2, 1)):
        yield "transposed: each wrong tile is the transpose of what it should be"
    if found.agrees(made, needed.transpose(0, 1, 2, 4, 3)):
        yield "transposed within each face: the faces themselves are in place"
    if found.agrees(made, needed.transpose(0, 2, 1, 3, 4)):
        yield "like faces 1 and 2 swapped"
    if found.agrees(made[:, 0], needed[:, 1]) and found.agrees(made[:, 1], needed[:, 0]):
        yield "like the upper and the lower faces swapped"
    if found.agrees(made[:, 1], made[:, 0]) and found.agrees(made[:, 0], needed[:, 0]):
        yield "stale: the lower faces repeat the upper ones, the second half of each tile"
    shape = found.want.shape
    if shape[-1] == shape[-2] and found.agrees(found.got, np.swapaxes(found.want, -1, -2)):
        yield "transposed: the whole output"
    rows = found.got.reshape(-1, TILE * TILE)
    if found.agrees(rows, tilize(found.want)):
        yield "tilized: the data lie in the order of tiles, where rows are expected"
    if found.agrees(tilize(found.got), found.want.reshape(-1, TILE * TILE)):
        yield "untilized: the data lie in rows, where tiles are expected"


def _kept(found: Wrong) -> Iterator[str]:
    """Dst that was not cleared: a tile holds the one before it, too."""
    got, want = found.tiles
    numbers = found.wrong_tiles
    if all(n and found.agrees(got[n], want[n] + want[n - 1]) for n in numbers):
        yield "accumulated: each wrong tile is the sum of itself and the one before it"
    if all(n and found.agrees(got[n], want[: n + 1].sum(axis=0)) for n in numbers):
        yield "accumulated: each wrong tile is the sum of all tiles up to it"


def _related(found: Wrong) -> Iterator[str]:
    """Wrong elements that follow from the right ones by one sum."""
    got, want = found.got[found.wrong], found.want[found.wrong]
    if found.agrees(got, -want):
        yield "negated: every wrong element has the other sign"
    with np.errstate(all="ignore"):
        factors = (got / want)[np.abs(want) > 0]
        factor = float(np.median(factors)) if factors.size else float("nan")
    for scale in _plain(factor):
        if found.agrees(got, scale * want):
            yield f"scaled: every wrong element is {scale:g} times what it should be"
    offset = float(np.median(got - want)) if np.isfinite(got - want).all() else 0.0
    if got.size > 1 and offset and found.agrees(got, want + offset):
        yield f"shifted in value: every wrong element is {offset:g} too large"


def _plain(factor: float) -> Iterable[float]:
    """A factor that somebody could have made by mistake: a power of two, or a small integer."""
    if not np.isfinite(factor) or factor == 0:
        return []
    size = abs(factor)
    power = float(2.0 ** np.round(np.log2(size)))
    whole = float(np.round(size))
    return [np.copysign(c, factor) for c in dict.fromkeys((power, whole)) if c and c != 1]


def _rounded(found: Wrong) -> Iterator[str]:
    """Off by a few units in the last place of the output's format."""
    if found.format not in ULP_FORMATS or not np.isfinite(found.got).all():
        return
    if not np.isfinite(found.want).all():
        return
    apart = np.abs(_steps(found.got[found.wrong], found.format) - _steps(
        found.want[found.wrong], found.format
    ))  # fmt: skip
    most = int(apart.max())
    if most == 1:
        yield f"off by one unit in the last place of {found.format}: rounding, or its order"
    elif most <= FEW_ULPS:
        yield f"off by at most {most} units in the last place of {found.format}: rounding"


def _steps(values: Values, name: str) -> npt.NDArray[np.int64]:
    """Numbers of a format by their place in its order."""
    width = ULP_FORMATS[name]
    raw = to_l1_bytes(values, name, "row_major")
    bits = np.frombuffer(raw, f"<i{width // 8}").astype(np.int64)
    magnitude = bits & ((1 << (width - 1)) - 1)
    steps: npt.NDArray[np.int64] = np.where(bits < 0, -magnitude, magnitude)
    return steps


def _shifted(found: Wrong) -> Iterator[str]:
    """Rows or columns that are one or more places off."""
    for axis, name in ((-2, "row"), (-1, "column")):
        if found.got.ndim < -axis:
            continue
        length = found.got.shape[axis]
        for by in (1, -1, 2, -2, 4, -4, 8, -8, FACE, -FACE):
            if abs(by) >= length or length - abs(by) < 2:
                continue
            got = np.roll(found.got, -by, axis)
            kept = slice(0, length - by) if by > 0 else slice(-by, length)
            cut = (..., kept, slice(None)) if axis == -2 else (..., kept)
            if found.agrees(got[cut], found.want[cut]):
                way = "late" if by > 0 else "early"
                yield f"shifted: every {name} comes {abs(by)} {name}{'s'[: abs(by) > 1]} too {way}"
                return
