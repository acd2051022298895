"""The IR's types: tiles in their spellings, pipes, pointers."""

import math
import re
from typing import Any

import ml_dtypes
import numpy as np

from tilelab.pto.config import (
    Direction,
    FifoType,
    TileSpec,
    TileType,
    TMPipe,
    TPipe,
    VecCubeRatio,
)
from tilelab.pto.errors import IRError

DTYPES = {
    "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
    "i8": np.int8, "i16": np.int16, "i32": np.int32,
    "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32,
}  # fmt: skip
_PLACES = {place.name.lower(): place for place in TileType}


def _parameters(type_: str, line: int) -> list[str]:
    """The comma-separated parameters of ``!pto.x<...>``, nested types whole."""
    match = re.fullmatch(r"(?:[!#][\w.]+|memref)<(.*)>", type_)
    if match is None:
        raise IRError(f"{type_} has no parameters", line)
    parts, depth, start, inner = [], 0, 0, match.group(1)
    for index, char in enumerate(inner):
        depth += {"<": 1, ">": -1, "[": 1, "]": -1}.get(char, 0)
        if char == "," and not depth:
            parts.append(inner[start:index].strip())
            start = index + 1
    return [*parts, inner[start:].strip()]


def _member(kind: Any, name: str, prefix: str, line: int) -> Any:
    for text in (name, prefix + name):
        if text in kind.__members__:
            return kind[text]
    raise IRError(f"{name!r} is none of {', '.join(kind.__members__)}", line)


def tile_spec(type_: str, default: TileType, line: int) -> TileSpec:
    """The tile of ``!pto.tile<[place,] dtype, rows, cols>``, ``!pto.tile_buf<...>`` or a memref."""
    parts = _parameters(type_, line)
    if "=" in parts[0]:
        return _keyed(type_, line)
    shaped = [part for part in parts if re.fullmatch(r"(\d+x)+[a-z]+\d+", part)]
    if shaped:
        return _shaped(type_, parts, shaped[0], default, line)
    place = _PLACES.get(parts[0])
    if place is not None:
        parts = parts[1:]
    if len(parts) != 3 or parts[0] not in DTYPES or not all(p.isdigit() for p in parts[1:]):
        raise IRError(f"{type_} is not <[place,] dtype, rows, cols>", line)
    return TileSpec(place or default, DTYPES[parts[0]], int(parts[1]), int(parts[2]))


def _shaped(type_: str, parts: list[str], shape: str, default: TileType, line: int) -> TileSpec:
    """``<16x32xf16, #pto.address_space<vec>>``; all dimensions but the last are rows."""
    named = [re.sub(r"#pto\.address_space<(\w+)>", r"\1", part) for part in parts]
    place = next((_PLACES[name] for name in named if name in _PLACES), default)
    *sizes, dtype = shape.split("x")
    if dtype not in DTYPES:
        raise IRError(f"{type_} is no tile", line)
    rows = math.prod(map(int, sizes[:-1]))
    return TileSpec(place, DTYPES[dtype], rows, int(sizes[-1]))


def sizes_of(type_: str, line: int) -> list[int]:
    """The sizes that a memref's type states; none if one is open."""
    found = re.match(r"memref<((?:\d+x)+)", type_)
    if found is None:
        return []
    strides = re.search(r"strided<\[([^]]*)\]", type_)
    sizes = [int(size) for size in found[1].split("x")[:-1]]
    rows = [math.prod(sizes[at + 1 :]) for at in range(len(sizes))]
    written = [part.strip() for part in strides[1].split(",")] if strides else []
    if any(part not in ("?", str(row)) for part, row in zip(written, rows, strict=False)):
        raise IRError(f"{type_}: rows that do not follow one another", line)
    return sizes


def _keys(type_: str, line: int) -> dict[str, str]:
    """``loc=acc, dtype=f32, ...`` as a table."""
    found: dict[str, str] = {}
    for part in _parameters(type_, line):
        name, equals, value = part.partition("=")
        if not equals or not value.strip():
            raise IRError(f"{type_}: {part!r} is not NAME=VALUE", line)
        found[name.strip()] = value.strip()
    return found


def _keyed(type_: str, line: int) -> TileSpec:
    keys = _keys(type_, line)
    missing = [name for name in ("loc", "dtype", "rows", "cols") if name not in keys]
    if missing:
        raise IRError(f"{type_} lacks {', '.join(missing)}", line)
    if keys["loc"] not in _PLACES or keys["dtype"] not in DTYPES:
        raise IRError(
            f"{type_}: no place {keys['loc']!r} or no element type {keys['dtype']!r}", line
        )
    if not (keys["rows"].isdigit() and keys["cols"].isdigit()):
        raise IRError(f"{type_}: rows and cols are numbers", line)
    return TileSpec(
        _PLACES[keys["loc"]], DTYPES[keys["dtype"]], int(keys["rows"]), int(keys["cols"])
    )


def valid_shape(type_: str, given: list[int], line: int) -> tuple[int, int] | None:
    """The valid rows and columns of a tile type: its numbers, or what is given for ``?``."""
    if "rows=" not in type_.replace(" ", ""):
        return None
    keys = _keys(type_, line)
    written = [keys.get("v_row", keys["rows"]), keys.get("v_col", keys["cols"])]
    dynamic = [word == "?" for word in written]
    if given and not all(dynamic):
        raise IRError(
            "the tile's type must have a dynamic valid shape (?, ?) where valid rows and columns "
            f"are operands, not ({written[0]}, {written[1]})",
            line,
        )
    whole = [int(keys["rows"]), int(keys["cols"])]
    if not all(word == "?" or word.isdecimal() for word in written):
        raise IRError(f"{type_}: v_row and v_col are numbers or ?", line)
    if all(dynamic) and len(given) == 2:
        shape = given
    else:
        shape = [
            full if word == "?" else int(word) for word, full in zip(written, whole, strict=True)
        ]
    if not all(1 <= part <= full for part, full in zip(shape, whole, strict=True)):
        raise IRError(f"{type_}: a valid shape of {shape[0]}x{shape[1]}", line)
    return shape[0], shape[1]


def element_of(type_: str, line: int) -> Any:
    """The element type of ``!pto.ptr<T>`` or of a memref."""
    inner = (
        type_[type_.index("<") + 1 :]
        .split(",", maxsplit=1)[0]
        .rsplit("x", maxsplit=1)[-1]
        .rstrip(">")
        .strip()
    )
    if inner not in DTYPES:
        if inner in ("i64", "ui64"):
            return np.dtype(np.int64)
        raise IRError(f"{type_}: no element type {inner!r}", line)
    return np.dtype(DTYPES[inner])


def _integers(parts: list[str], type_: str, line: int) -> list[int]:
    try:
        return [int(part, 0) for part in parts]
    except ValueError:
        raise IRError(f"{type_}: its numbers must be integers", line) from None


def tpipe(type_: str, line: int) -> TPipe:
    """``!pto.tpipe<flag, direction, slot size, slots[, local slots[, nosplit]]>``."""
    parts = _parameters(type_, line)
    if not 4 <= len(parts) <= 6:
        raise IRError(f"{type_} is not <flag, direction, slot size, slots[, local slots]>", line)
    nosplit = parts[5:] == ["nosplit"]
    if parts[5:] and not nosplit:
        raise IRError(f"{type_}: its sixth parameter is nosplit or nothing, not {parts[5]!r}", line)
    direction = _member(Direction, parts[1], "DIR_", line)
    numbers = _integers([parts[0], *parts[2:5]], type_, line)
    flag, slot_size, slots, *local = numbers
    return TPipe(flag, direction, slot_size, slots, local[0] if local else 2, nosplit)


def tmpipe(type_: str, line: int) -> TMPipe:
    """``!pto.tmpipe<flag, fifo, depth, sync, producer, consumer[, local depth[, ratio]]>``."""
    parts = _parameters(type_, line)
    if not 6 <= len(parts) <= 8:
        raise IRError(f"{type_} is not <flag, fifo, depth, sync, tile, tile[, local, ratio]>", line)
    flag, depth, sync, *local = _integers([parts[0], *parts[2:4], *parts[6:7]], type_, line)
    return TMPipe(
        flag, _member(FifoType, parts[1], "", line), depth, sync,
        tile_spec(parts[4], TileType.Vec, line), tile_spec(parts[5], TileType.Mat, line), False,
        local[0] if local else 2,
        _member(VecCubeRatio, parts[7], "", line) if parts[7:] else VecCubeRatio.V2C1_VECS,
    )  # fmt: skip
