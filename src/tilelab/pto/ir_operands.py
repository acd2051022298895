"""The operands of an IR operation that is kept as words: ``ins(...)`` and ``outs(...)``."""

from typing import Any

from tilelab.pto.errors import IRError
from tilelab.pto.ir_frame import Frame
from tilelab.pto.ir_tree import Op
from tilelab.pto.tile import Tile

SCALARS = ("i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "f16", "bf16", "f32", "index")


def named(op: Op) -> list[str]:
    """The values among an operation's words, in order."""
    return [word for word in op.words if word.startswith("%")]


def value_at(words: tuple[str, ...], at: int, op: Op) -> str:
    """The word at a place, which must be a value."""
    if at >= len(words) or not words[at].startswith("%"):
        raise IRError(f"{op.name}: expected a value", op.line)
    return words[at]


def groups(op: Op) -> dict[str, tuple[list[str], list[str]]]:
    """Values and types of ``ins(...)`` and ``outs(...)``."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    words = op.words
    for at, word in enumerate(words):
        if word in ("ins", "outs") and words[at + 1 : at + 2] == ("(",):
            values, types = [], []
            for inner in words[at + 2 :]:
                if inner == ")":
                    break
                if inner.startswith("%"):
                    values.append(inner)
                elif inner.startswith(("!", "#", "memref<")) or inner in SCALARS:
                    types.append(inner)
            found[word] = (values, types)
    return found


def operands(k: Frame, op: Op) -> tuple[list[Any], list[Any]]:
    """The values of ins and outs; what is written about tiles is checked."""
    parts = groups(op)
    out: list[list[Any]] = []
    for name in ("ins", "outs"):
        values, types = parts.get(name, ([], []))
        got = [k.value(value, op) for value in values]
        if len(types) == len(values):
            for value, shown, kind in zip(got, values, types, strict=True):
                k.check_type(op, shown, value, kind)
        out.append(got)
    return out[0], out[1]


def tile_of(value: Any, op: Op) -> Tile:
    """A value that must be a tile."""
    if not isinstance(value, Tile):
        raise IRError(f"{op.name}: expected a tile", op.line)
    return value
