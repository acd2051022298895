"""IR operations that make a tile, or change what one shows: its place, its shape, its padding.

Source: PTOAS docs/PTO_IR_manual.md. Layouts other than the order of elements are not modelled.
"""

import re
from typing import Any

import numpy as np

from tilelab.pto.errors import IRError
from tilelab.pto.ir_frame import Frame
from tilelab.pto.ir_operands import named
from tilelab.pto.ir_tree import Op
from tilelab.pto.ir_types import tile_spec, valid_shape
from tilelab.pto.tile import Tile


def _types(op: Op) -> list[str]:
    return [word for word in op.words if word.startswith(("!pto.tile", "memref<", "<"))]


def alloc(k: Frame, op: Op) -> Tile:
    """``alloc_tile``, with its valid shape and address, and ``memref.alloc``."""
    kind = next(iter(_types(op)), "")
    if "strided" in kind:
        raise IRError(f"{op.name}: rows that do not follow one another are not modelled", op.line)
    given = {
        word: k.number(op.words[at + 2], op)
        for at, word in enumerate(op.words)
        if word in ("valid_row", "valid_col", "addr") and op.words[at + 1 : at + 2] == ("=",)
    }
    sizes = [given[name] for name in ("valid_row", "valid_col") if name in given]
    if len(sizes) == 1:  # one is static
        kind = re.sub(r"(v_\w+\s*=\s*)\?", rf"\g<1>{sizes.pop()}", kind)
    spec = tile_spec(kind, k.place(False), op.line)
    tile = Tile(spec.loc, spec.dtype, spec.rows, spec.cols, valid_shape(kind, sizes, op.line))
    if "addr" in given:
        k.core.tassign(tile, given["addr"])
    return tile


def assign(k: Frame, op: Op) -> Tile:
    """``tassign``: the tile lies elsewhere from here on."""
    values = named(op)
    tile: Tile = k.get(values[0], Tile, op)
    k.core.tassign(tile, k.number(values[1], op))
    return tile


def set_valid(k: Frame, op: Op) -> None:
    """``set_validshape``: so many rows and columns of a tile carry data from here on."""
    tile, *shape = named(op)
    sizes = [k.number(size, op) for size in shape]
    found = valid_shape(_types(op)[0] if _types(op) else "", sizes, op.line)
    k.get(tile, Tile, op).revalidate(*(found or sizes))


def _part(source: Tile, array: Any, valid: tuple[int, int] | None = None) -> Tile:
    """A tile that shows some of another's bytes."""
    rows, cols = array.shape
    tile = Tile(source.loc, source.dtype, rows, cols, valid)
    tile.bind(array, source.address, source.lease)
    return tile


def subset(k: Frame, op: Op) -> Tile:
    """``subset %tile[%row, %column] sizes [rows, columns]``: a window on a tile."""
    source, *at = named(op)
    tile: Tile = k.get(source, Tile, op)
    row, col = (k.number(name, op) for name in at)
    sizes = op.words[op.words.index("sizes") :] if "sizes" in op.words else ()
    rows, cols = (int(word) for word in sizes if word.isdecimal())
    whole = tile.whole
    if min(row, col) < 0 or row + rows > whole.shape[0] or col + cols > whole.shape[1]:
        raise IRError(f"{op.name}: {rows}x{cols} at ({row}, {col}) is not in {tile!r}", op.line)
    return _part(tile, whole[row : row + rows, col : col + cols])


def reshape(k: Frame, op: Op) -> Tile:
    """``treshape``: the same elements in other rows and columns."""
    tile: Tile = k.get(named(op)[0], Tile, op)
    before, after = _types(op)[0], _types(op)[-1]
    spec = tile_spec(after, tile.loc, op.line)
    layouts = [re.search(r"blayout=(\w+)", kind) for kind in (before, after)]
    same = len({found[1] if found else "" for found in layouts}) == 1
    if spec.dtype != tile.dtype or not (same or 1 in (*tile.shape, spec.rows, spec.cols)):
        raise IRError(f"{op.name}: another element type or layout is not modelled", op.line)
    array = tile.whole.reshape(spec.rows, spec.cols)
    return _part(tile, array, valid_shape(after, [], op.line))


def fill_padding(k: Frame, op: Op) -> None:
    """``tfillpad``: the valid part, and the destination's padding value around it."""
    types = _types(op)
    pads = [found[1] for kind in types if (found := re.search(r"\bpad=(\d)", kind))]
    source, target = (k.get(name, Tile, op) for name in named(op))
    limits: Any = np.finfo if target.dtype.kind == "f" else np.iinfo
    if not pads or pads[-1] not in "123" or target.dtype.kind not in "fiu":
        raise IRError(f"{op.name}: the destination has no padding value", op.line)
    if source.shape != target.shape:
        raise IRError(f"{op.name}: {source!r} into {target!r}", op.line)
    ends = limits(target.dtype)
    value = {"1": 0, "2": ends.max, "3": ends.min}[pads[-1]]
    if target.dtype.kind == "f" and value:
        value = np.copysign(np.inf, value)
    kept = source.values.copy()
    whole = target.whole
    k.core.compute(op.name.removeprefix("pto.").upper(), whole, [source.values], k.at(op))
    whole[...] = value
    whole[: kept.shape[0], : kept.shape[1]] = kept
