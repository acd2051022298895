"""What a clock must know of an instruction that a compiled kernel noted."""

import re
from math import prod
from typing import NamedTuple

from tilelab.pto.pipes import PLACES
from tilelab.pto.trace import Work

_READ, _WRITE = 1, 2
_TYPES = {
    "float": ("f", 4), "half": ("f", 2), "_Float16": ("f", 2), "bfloat16_t": ("f", 2),
    "int": ("i", 4), "int32_t": ("i", 4), "int16_t": ("i", 2), "short": ("i", 2),
    "int8_t": ("i", 1), "signed char": ("i", 1), "unsigned char": ("u", 1),
    "unsigned int": ("u", 4), "short unsigned int": ("u", 2), "unsigned short": ("u", 2),
}  # fmt: skip
_TILE = re.compile(r"Tile<(?:pto::)?TileType::(\w+), *([^,<>]+), *(\d+), *(\d+)")
_SHAPE = re.compile(r"Shape<(\d+), *(\d+), *(\d+),")


class Moved(NamedTuple):
    """The tile that a TPUSH or TPOP moves, as the kernel declares it."""

    rows: int
    cols: int
    size: int
    kind: str


def work_of(
    op: str, pipe: str, operands: list[tuple[int, ...]], function: str, moved: Moved | None
) -> Work:
    """An instruction as work. An operand is role, place, address, rows, bytes of a row, stride.

    ``function`` is its C++ declaration with the types of its tiles; ``moved`` is the tile of a
    TPUSH or TPOP.
    """
    reads = [one for one in operands if one[0] & _READ]
    writes = [one for one in operands if one[0] & _WRITE]
    first = reads[0] if reads else writes[0]
    target = writes[0] if writes else first
    route = (PLACES[first[1]], PLACES[target[1]])
    if moved is not None and "GM" in route and not function:
        return Work(op, pipe, route, (moved.rows, moved.cols), moved.size, moved.kind)
    tiles = [(place, *_TYPES.get(kind, ("f", 4)), int(rows), int(cols))
             for place, kind, rows, cols in _TILE.findall(function)]  # fmt: skip
    kind, size = tiles[0][1:3] if tiles else ("f", 4)
    by_place = {tile[0]: tile for tile in tiles}
    if pipe == "M" and "Left" in by_place and "Right" in by_place:
        _, kind, size, rows, depth = by_place["Left"]
        return Work(op, pipe, route, (rows, by_place["Right"][4]), size, kind, depth)
    if pipe in ("M", "FIX") and "Acc" in by_place:
        _, kind, size, rows, cols = by_place["Acc"]
        return Work(op, pipe, route, (rows, cols), size, kind)
    largest = max((first, target), key=lambda one: one[3] * one[4])
    of = target if route[0] == "GM" else first if route[1] == "GM" else largest
    outer = _SHAPE.search(function) if op == "TLOAD" else None
    copies = max(prod(map(int, outer.groups())), 1) if outer else 1
    rows = max(of[3] // copies, 1)
    return Work(op, pipe, route, (rows, max(of[4] // size, 1)), size, kind, copies=copies)
