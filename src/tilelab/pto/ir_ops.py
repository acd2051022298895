"""What the operations kept as words do: views of global memory, tile operations, arithmetic.

Each is found by its name in ``RUN``; it is given the kernel that runs it and the operation. Layouts
other than the order of elements are not modelled, nor is more than one block.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tilelab.pto.errors import IRError
from tilelab.pto.ir import Op
from tilelab.pto.ir_arith import compute
from tilelab.pto.ir_convert import convert
from tilelab.pto.ir_frame import Event, Frame
from tilelab.pto.ir_types import tile_spec, valid_shape
from tilelab.pto.ir_words import BINARY, EXPAND, ORDERING, REDUCE, SCALAR, UNARY
from tilelab.pto.ir_world import Pointer, View
from tilelab.pto.tile import Tile


def _value(words: tuple[str, ...], at: int, op: Op) -> str:
    if at >= len(words) or not words[at].startswith("%"):
        raise IRError(f"{op.name}: expected a value", op.line)
    return words[at]


def _list(k: Frame, op: Op, name: str) -> list[int]:
    """The numbers of ``name = [%a, %b]``."""
    words = op.words
    for at, word in enumerate(words):
        if word == name and words[at + 1 : at + 3] == ("=", "["):
            end = words.index("]", at)
            return [k.number(w, op) for w in words[at + 3 : end] if w != ","]
    raise IRError(f"{op.name} needs {name} = [...]", op.line)


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
                elif inner.startswith(("!", "#")) or inner in ("i32", "i64", "f32", "f16", "index"):
                    types.append(inner)
            found[word] = (values, types)
    return found


def _operands(k: Frame, op: Op) -> tuple[list[Any], list[Any]]:
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


def _tile(value: Any, op: Op) -> Tile:
    if not isinstance(value, Tile):
        raise IRError(f"{op.name}: expected a tile", op.line)
    return value


def _view(k: Frame, op: Op) -> View:
    base = k.value(_value(op.words, 0, op), op)
    if not isinstance(base, Pointer):
        raise IRError(f"{op.name}: {op.words[0]} is no pointer", op.line)
    return View(base, _list(k, op, "shape"), _list(k, op, "strides"))


def _partition(k: Frame, op: Op) -> View:
    whole = k.value(_value(op.words, 0, op), op)
    if not isinstance(whole, View):
        raise IRError(f"{op.name}: {op.words[0]} is no view", op.line)
    offsets, sizes = _list(k, op, "offsets"), _list(k, op, "sizes")
    if not len(offsets) == len(sizes) == len(whole.sizes):
        raise IRError(
            f"{op.name}: {len(sizes)} sizes of a view of {len(whole.sizes)} dimensions", op.line
        )
    for start, size, full in zip(offsets, sizes, whole.sizes, strict=True):
        if start < 0 or start + size > full:
            raise IRError(f"{op.name}: {start}+{size} is outside the view's {full}", op.line)
    skip = sum(o * s for o, s in zip(offsets, whole.strides, strict=True))
    return View(whole.base.at(skip), sizes, whole.strides)


def _load(k: Frame, op: Op) -> None:
    (view,), (tile,) = _operands(k, op)
    k.core.tload(_tile(tile, op), _window(view, op), k.at(op))


def _store(k: Frame, op: Op) -> None:
    (tile,), (view,) = _operands(k, op)
    k.core.tstore(_window(view, op), _tile(tile, op), k.at(op))


def _window(view: Any, op: Op) -> Any:
    if not isinstance(view, View):
        raise IRError(f"{op.name}: expected a view of global memory", op.line)
    return view.tensor(op)


def _matmul(k: Frame, op: Op) -> None:
    inputs, (out,) = _operands(k, op)
    accumulate = op.name.endswith("acc")
    bias = _tile(inputs.pop(), op) if op.name.endswith("bias") else None
    if accumulate and len(inputs) == 3:
        inputs = inputs[1:]
    if len(inputs) != 2:
        raise IRError(f"{op.name} takes two tiles", op.line)
    k.core.tmatmul(_tile(out, op), _tile(inputs[0], op), _tile(inputs[1], op), accumulate, k.at(op))
    if bias is not None:
        target = _tile(out, op).values
        np.copyto(target, target + bias.values, casting="unsafe")


def _elementwise(k: Frame, op: Op) -> None:
    """Binary and unary operations, with a tile or with a number."""
    inputs, (out,) = _operands(k, op)
    name = op.name.removeprefix("pto.")
    out = _tile(out, op)
    wanted = 1 if name in UNARY else 2
    if len(inputs) != wanted:
        raise IRError(f"{op.name} takes {wanted} operand(s), not {len(inputs)}", op.line)
    arrays = [value.values if isinstance(value, Tile) else value for value in inputs]
    if name == "tmov":
        k.core.tmov(out, _tile(inputs[0], op), k.at(op))
        return
    target = out.values
    k.core.compute(name.upper(), target, [a for a in arrays if isinstance(a, np.ndarray)], k.at(op))
    with np.errstate(all="ignore"):
        if name in UNARY:
            source = np.asarray(arrays[0])
            result = np.maximum(source, 0) if name == "trelu" else source
            if name == "tcvt":
                result = convert(source, target.dtype, op.words, op.line)
            if name == "trsqrt":
                result = 1 / np.sqrt(source)
            if UNARY[name]:
                result = getattr(np, UNARY[name])(source)
        else:
            table = BINARY if name in BINARY else SCALAR
            result = getattr(np, table[name])(arrays[0], arrays[1])
    if result.shape != target.shape:
        raise IRError(f"{op.name}: {result.shape} into {target.shape}", op.line)
    np.copyto(target, result, casting="unsafe")


def _reduce(k: Frame, op: Op) -> None:
    """Rows to a column, or columns to a row; a further operand is scratch."""
    inputs, (out, *_) = _operands(k, op)
    name = op.name.removeprefix("pto.")
    how, axis = REDUCE[name]
    source, target = _tile(inputs[0], op).values, _tile(out, op).values
    result = getattr(np, how)(source, axis=axis, keepdims=True)
    _write(k, op, target, [source], result.T if result.shape != target.shape else result)


def _expand(k: Frame, op: Op) -> None:
    """A column for every column, or a row for every row; then the operation."""
    inputs, (out, *_) = _operands(k, op)
    name = op.name.removeprefix("pto.")
    target, arrays = _tile(out, op).values, [_tile(one, op).values for one in inputs[:2]]
    line = arrays[-1]
    if name.startswith("trow"):
        line = line.reshape(-1)[: target.shape[0]].reshape(-1, 1)
    else:
        line = line.reshape(1, -1)[:, : target.shape[1]]
    whole = np.broadcast_to(line, target.shape)
    with np.errstate(all="ignore"):
        result = getattr(np, EXPAND[name])(arrays[0], whole) if EXPAND[name] else whole
    _write(k, op, target, arrays, result)


def _extract(k: Frame, op: Op) -> None:
    """textract takes a part out of a tile at (row, column); tinsert puts one there."""
    (source, row, col), (out, *_) = _operands(k, op)
    source, out = _tile(source, op), _tile(out, op)
    if op.name == "pto.tinsert":
        k.core.tinsert(out, source, row, col)
        return
    rows, cols = out.values.shape
    part = source.whole[row : row + rows, col : col + cols]
    if part.shape != out.values.shape:
        raise IRError(f"{op.name}: {rows}x{cols} at ({row}, {col}) is not in {source!r}", op.line)
    k.core.textract(out, part, source.loc, k.at(op))


def _fill(k: Frame, op: Op) -> None:
    """texpands: one number everywhere."""
    (number, *_), (out, *_) = _operands(k, op)
    target = _tile(out, op).values
    _write(k, op, target, [], np.full(target.shape, number))


def _write(k: Frame, op: Op, target: Any, reads: list[Any], result: Any) -> None:
    k.core.compute(op.name.removeprefix("pto.").upper(), target, reads, k.at(op))
    if result.shape != target.shape:
        raise IRError(f"{op.name}: {result.shape} into {target.shape}", op.line)
    np.copyto(target, result, casting="unsafe")


def _alloc(k: Frame, op: Op) -> Tile:
    kind = next((word for word in op.words if word.startswith("!pto.tile_buf")), "")
    named = {
        word: k.number(op.words[at + 2], op)
        for at, word in enumerate(op.words)
        if word in ("valid_row", "valid_col", "addr") and op.words[at + 1 : at + 2] == ("=",)
    }
    sizes = [named[name] for name in ("valid_row", "valid_col") if name in named]
    spec = tile_spec(kind, k.place(False), op.line)
    tile = Tile(spec.loc, spec.dtype, spec.rows, spec.cols, valid_shape(kind, sizes, op.line))
    if "addr" in named:
        k.core.tassign(tile, named["addr"])
    return tile


def _print(k: Frame, op: Op) -> None:
    for tile in _operands(k, op)[0]:
        values = _tile(tile, op).values
        k.core.note("TPRINT", "", [values], [], k.at(op))
        k.world.printed.append((k.core.name, values.copy()))


def _addptr(k: Frame, op: Op) -> Pointer:
    base = k.value(_value(op.words, 0, op), op)
    if not isinstance(base, Pointer):
        raise IRError(f"{op.name}: {op.words[0]} is no pointer", op.line)
    return base.at(k.number(_value(op.words, 2, op), op))


def _arith(k: Frame, op: Op) -> int:
    values = [k.number(word, op) for word in op.words if word.startswith("%")]
    return compute(op.name.removeprefix("arith."), op.words, values, op.line)


def _nothing(k: Frame, op: Op) -> None:
    """set_ffts, and calls of the entry: the cores run side by side whatever calls them."""


def _sync(k: Frame, op: Op) -> None:
    """tsync: a core does one operation after another, so what an event stands for is over."""
    names = [word for word in op.words if word.startswith("%")]
    if not names:
        raise IRError("pto.tsync waits for events: pto.tsync %event", op.line)
    for name in names:
        event = k.value(name, op)
        if not isinstance(event, Event):
            raise IRError(f"{op.name}: {name} is not an event", op.line)
        k.core.note("SYNC", f"TSYNC({event})")


def _constant(number: Callable[[Frame], int]) -> Callable[[Frame, Op], int]:
    return lambda k, op: number(k)


RUN: dict[str, Callable[[Any, Op], Any]] = {
    "pto.make_tensor_view": _view,
    "pto.partition_view": _partition,
    "pto.tload": _load,
    "pto.tstore": _store,
    "pto.tmatmul": _matmul,
    "pto.tmatmul_acc": _matmul,
    "pto.tmatmul.acc": _matmul,
    "pto.tmatmul.bias": _matmul,
    "pto.texpands": _fill,
    "pto.textract": _extract,
    "pto.tinsert": _extract,
    "pto.alloc_tile": _alloc,
    "pto.tprint": _print,
    "pto.addptr": _addptr,
    "pto.get_subblock_idx": _constant(lambda k: k.core.subblock),
    "pto.get_subblock_num": _constant(lambda k: k.world.cluster.vec),
    "pto.get_block_idx": _constant(lambda k: 0),
    "pto.get_block_num": _constant(lambda k: 1),
    "pto.set_ffts": _nothing,
    "pto.tsync": _sync,
    "func.call": _nothing,
    "call": _nothing,
} | {f"pto.{name}": _elementwise for name in (*BINARY, *UNARY, *SCALAR)}
RUN |= {f"pto.{name}": _reduce for name in REDUCE}
RUN |= {f"pto.{name}": _expand for name in EXPAND}
RUN |= {f"pto.{name}": _nothing for name in ORDERING}


def run(k: Frame, op: Op) -> Any:
    """Do an operation; its value."""
    if op.name.startswith("arith."):
        return _arith(k, op)
    try:
        return RUN[op.name](k, op)
    except ValueError as error:
        raise IRError(f"{op.name}: {error}", op.line) from None
