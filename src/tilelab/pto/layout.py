"""Where a tile's bytes lie in a slot: split modes, strips, and the constraints on both.

Source: seed 002 (``get_subblockid()``), pto-isa ``TPush.hpp``/``TPop.hpp``. Tiles are row-major
here; the NZ fractal layout of Mat and Acc tiles is not modelled.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilelab.pto.config import NO_SPLIT, TileSplitAxis, TMPipe
from tilelab.pto.errors import SlotOverflowError, SplitConstraintError
from tilelab.pto.paths import Path
from tilelab.pto.ring import Piece, Ring
from tilelab.pto.tile import Tile

UP_DOWN = TileSplitAxis.TILE_UP_DOWN
LEFT_RIGHT = TileSplitAxis.TILE_LEFT_RIGHT
UP_DOWN_ODD = TileSplitAxis.TILE_UP_DOWN_ODD
LEFT_RIGHT_ODD = TileSplitAxis.TILE_LEFT_RIGHT_ODD


def slot_part(split: TileSplitAxis, lane: int, rows: int, cols: int) -> tuple[int, int]:
    """(offset, row stride) in elements of sub-block ``lane``'s rows x cols part of a whole tile."""
    if split == UP_DOWN:
        return lane * rows * cols, cols
    if split == LEFT_RIGHT:
        return lane * cols, 2 * cols
    if split == UP_DOWN_ODD:
        return lane * (rows + lane) * cols, cols
    if split == LEFT_RIGHT_ODD:
        return lane * (cols + lane), 2 * cols + 2 * lane - 1
    return 0, cols


def lane_shape(split: TileSplitAxis, lane: int, rows: int, cols: int) -> tuple[int, int]:
    """The part of a whole rows x cols tile that sub-block ``lane`` has under a split."""
    if split in (UP_DOWN, UP_DOWN_ODD):
        return (rows + (split == UP_DOWN_ODD and lane == 0)) // 2, cols
    if split in (LEFT_RIGHT, LEFT_RIGHT_ODD):
        return rows, (cols + (split == LEFT_RIGHT_ODD and lane == 0)) // 2
    return rows, cols


def check_split(path: Path, split: TileSplitAxis, tile: Tile, pushing: bool) -> None:
    """Raise SplitConstraintError for a split that the path cannot do on this tile (E7)."""
    if split == NO_SPLIT:
        return
    odd = split in (UP_DOWN_ODD, LEFT_RIGHT_ODD)
    if odd and path.name not in ("C2V", "C2V_GM"):
        raise SplitConstraintError(
            f"{split.name} exists only where Vector pops from GM, not on {path.name}"
        )
    if not pushing:
        return
    rows, cols = tile.geometry[:2]
    size = tile.dtype.itemsize
    if path.medium == "UB":
        if size != 4:
            raise SplitConstraintError(
                f"a dual-destination move needs 4-byte elements, not {tile.dtype}"
            )
        if split == UP_DOWN and rows % 2:
            raise SplitConstraintError(f"TILE_UP_DOWN needs an even number of rows, got {rows}")
        if split == LEFT_RIGHT and cols % 32:
            raise SplitConstraintError(
                f"TILE_LEFT_RIGHT needs columns in multiples of 32, got {cols}"
            )
    if path.medium == "MAT" and split == LEFT_RIGHT and cols * size % 32:
        raise SplitConstraintError(
            f"TILE_LEFT_RIGHT needs rows of 32-byte multiples, got {cols * size}"
        )


def _window(
    ring: Ring,
    slot: int,
    offset: int,
    like: np.dtype[Any],
    shape: tuple[int, int],
    stride: int,
    lane: int = 0,
) -> NDArray[Any]:
    """A shape window of the slot at a byte offset, checked against the slot (E6)."""
    rows, cols = shape
    end = offset + ((rows - 1) * stride + cols) * like.itemsize
    if end > ring.stride or offset < 0:
        raise SlotOverflowError(
            f"{ring.name}: a {rows}x{cols} {like} tile at offset {offset} needs {end} bytes of a "
            f"{ring.stride}-byte slot"
        )
    return ring.memory(lane).window(
        ring.base + slot * ring.stride + offset, like, rows, cols, stride
    )


def push_pieces(
    ring: Ring, slot: int, tile: Tile, split: TileSplitAxis, lane: int, offset: int
) -> tuple[Piece, ...]:
    """Where a pushed tile goes; ``lane``: the pushing sub-block (the Cube: 0)."""
    check_split(ring.path, split, tile, pushing=True)
    if ring.path.medium == "CTRL":
        return ((_window(ring, slot, offset, tile.dtype, (1, 1), 1), None),)
    if isinstance(ring.pipe, TMPipe):
        return _multi_push(ring, ring.pipe, slot, tile, lane, offset)
    rows, cols, _, full_cols, _ = tile.geometry
    size = tile.dtype.itemsize
    if ring.path.medium == "UB":
        halves = (0,) if split == NO_SPLIT else (0, 1)
        return _to_vectors(ring, slot, tile, (rows, cols), full_cols, split, halves, offset)
    if ring.path.medium == "MAT":
        across = full_cols * (2 if split == LEFT_RIGHT else 1)
        start = {UP_DOWN: lane * rows * across, LEFT_RIGHT: lane * cols}.get(split, 0)
        window = _window(ring, slot, offset + start * size, tile.dtype, (rows, cols), across)
        return ((window, None),)
    if ring.path.half == "C2V":
        return ((_window(ring, slot, offset, tile.dtype, (rows, cols), cols), None),)
    start, stride = slot_part(split, lane, rows, cols)
    return ((_window(ring, slot, offset + start * size, tile.dtype, (rows, cols), stride), None),)


def _to_vectors(
    ring: Ring,
    slot: int,
    tile: Tile,
    shape: tuple[int, int],
    full_cols: int,
    split: TileSplitAxis,
    lanes: tuple[int, ...],
    offset: int,
) -> tuple[Piece, ...]:
    """A Cube tile moved into the UB of each Vector core in ``lanes``."""
    pieces: list[Piece] = []
    across = full_cols // 2 if split == LEFT_RIGHT else full_cols
    for lane in lanes:
        rows, cols = lane_shape(split, lane, *shape)
        top = lane * rows if split == UP_DOWN else 0
        left = lane * cols if split == LEFT_RIGHT else 0
        part = None if len(lanes) == 1 else (slice(top, top + rows), slice(left, left + cols))
        pieces.append((_window(ring, slot, offset, tile.dtype, (rows, cols), across, lane), part))
    return tuple(pieces)


def multi_split(pipe: TMPipe) -> TileSplitAxis:
    """The split that a TMPipe's tile types imply on the UB and MAT paths."""
    if pipe.nosplit:
        return NO_SPLIT
    return UP_DOWN if pipe.prod.rows != pipe.cons.rows else LEFT_RIGHT


def _multi_push(
    ring: Ring, pipe: TMPipe, slot: int, tile: Tile, lane: int, offset: int
) -> tuple[Piece, ...]:
    prod, cons, size = pipe.prod, pipe.cons, pipe.prod.dtype.itemsize
    if ring.path.medium == "UB":
        split = multi_split(pipe)
        return _to_vectors(
            ring, slot, tile, (prod.rows, prod.cols), prod.cols, split, ring.lanes(split), offset
        )
    if ring.path.medium == "MAT":  # the code ignores the entry offset here
        split = multi_split(pipe)
        start = {UP_DOWN: lane * prod.rows * cons.cols, LEFT_RIGHT: lane * prod.cols}.get(split, 0)
        shape = (prod.rows, prod.cols)
        return ((_window(ring, slot, start * size, tile.dtype, shape, cons.cols), None),)
    if ring.path.half == "C2V":
        shape = (prod.rows, prod.cols)
        return ((_window(ring, slot, offset, tile.dtype, shape, prod.cols), None),)
    shape = (prod.rows, cons.cols)
    block = cons.rows * cons.cols * size
    return tuple(
        (
            _window(ring, slot, offset + strip * block, tile.dtype, shape, cons.cols),
            (slice(None), slice(strip * cons.cols, (strip + 1) * cons.cols)),
        )
        for strip in range(prod.cols // cons.cols)
    )


def pop_pieces(
    ring: Ring, slot: int, tile: Tile, split: TileSplitAxis, lane: int, offset: int
) -> tuple[Piece, ...]:
    """Where a popped tile comes from; on zero-copy paths the one piece is the whole tile itself."""
    check_split(ring.path, split, tile, pushing=False)
    rows, cols, full_rows, full_cols, _ = tile.geometry
    if ring.path.zero_copy:
        shape = (full_rows, full_cols)
        return ((_window(ring, slot, offset, tile.dtype, shape, full_cols, lane), None),)
    if isinstance(ring.pipe, TMPipe) and ring.path.half == "C2V":
        prod, cons = ring.pipe.prod, ring.pipe.cons
        block = prod.rows * prod.cols * prod.dtype.itemsize
        shape = (cons.rows, prod.cols)
        return tuple(
            (
                _window(ring, slot, offset + strip * block, tile.dtype, shape, prod.cols),
                (slice(None), slice(strip * prod.cols, (strip + 1) * prod.cols)),
            )
            for strip in range(cons.cols // prod.cols)
        )
    if ring.path.half == "V2C":
        return ((_window(ring, slot, offset, tile.dtype, (rows, cols), cols), None),)
    start, stride = slot_part(split, lane, rows, cols)
    at = offset + start * tile.dtype.itemsize
    return ((_window(ring, slot, at, tile.dtype, (rows, cols), stride), None),)


def mismatch(
    half: str, split: TileSplitAxis, lane: int, pushed: tuple[int, int], popped: tuple[int, int]
) -> str:
    """Why a popped shape does not belong to the pushed one under a split; empty when it does."""
    if half == "C2V":
        even_rows = split == UP_DOWN and pushed[0] % 2
        even_cols = split == LEFT_RIGHT and pushed[1] % 2
        if even_rows or even_cols:
            return f"{split.name} cannot halve {pushed[0]}x{pushed[1]}: use {split.name}_ODD"
        expected = lane_shape(split, lane, *pushed)
    else:
        rows, cols = pushed
        expected = (
            rows * 2 if split == UP_DOWN else rows,
            cols * 2 if split == LEFT_RIGHT else cols,
        )
    if popped == expected:
        return ""
    return (
        f"{pushed[0]}x{pushed[1]} was pushed; {split.name} on sub-block {lane} pops "
        f"{expected[0]}x{expected[1]}, not {popped[0]}x{popped[1]}"
    )
