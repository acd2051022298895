"""IR operations on the elements of tiles: one by one, by rows, by columns.

Source: PTOAS docs/PTO_IR_manual.md.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tilelab.pto.errors import IRError
from tilelab.pto.ir_convert import convert
from tilelab.pto.ir_frame import Frame
from tilelab.pto.ir_operands import operands, tile_of
from tilelab.pto.ir_tree import Op
from tilelab.pto.ir_words import BINARY, EXPAND, REDUCE, SCALAR, SCRATCH, UNARY
from tilelab.pto.tile import Tile


def elementwise(k: Frame, op: Op) -> None:
    """An element out of the elements at its place, and of numbers; what is left over is scratch."""
    inputs, (out,) = operands(k, op)
    name = op.name.removeprefix("pto.")
    out = tile_of(out, op)
    wanted = 1 if name in UNARY else 3 if name == "taddc" else 2
    scratch = inputs[wanted:] if name in SCRATCH else []
    if len(inputs) - len(scratch) != wanted or len(scratch) > 1:
        raise IRError(f"{op.name} takes {wanted} operand(s), not {len(inputs)}", op.line)
    if name == "tmov":
        k.core.tmov(out, tile_of(inputs[0], op), k.at(op))
        return
    arrays = [one.values if isinstance(one, Tile) else one for one in inputs[:wanted]]
    target = out.values
    if name == "taxpy":
        arrays = [target, *arrays]
    with np.errstate(all="ignore"):
        result = _result(name, arrays, target.dtype, op)
    reads = [array for array in arrays if isinstance(array, np.ndarray)]
    write(k, op, target, reads, result)


def _result(name: str, arrays: list[Any], dtype: Any, op: Op) -> Any:
    shapes = {array.shape for array in arrays if isinstance(array, np.ndarray)}
    if len(shapes) > 1:
        text = " and ".join(f"{rows}x{cols}" for rows, cols in sorted(shapes))
        raise IRError(f"{op.name}: tiles of {text}", op.line)
    if name == "tcvt":
        return convert(arrays[0], dtype, op.words, op.line)
    if name in OWN:
        return OWN[name](*arrays)
    return getattr(np, (UNARY | BINARY | SCALAR)[name])(*arrays)


OWN: dict[str, Callable[..., Any]] = {
    "trelu": lambda a: np.maximum(a, 0),
    "trsqrt": lambda a: 1 / np.sqrt(a),
    "taddc": lambda a, b, c: a + b + c,
    "taxpy": lambda d, a, x: d + a * np.asarray(x, a.dtype),
}


def reduce(k: Frame, op: Op) -> None:
    """Rows to a column, or columns to a row; a further operand is scratch."""
    inputs, (out, *_) = operands(k, op)
    name = op.name.removeprefix("pto.")
    how, axis = REDUCE[name]
    source, target = tile_of(inputs[0], op).values, tile_of(out, op).values
    result = getattr(np, how)(source, axis=axis, keepdims=True)
    write(k, op, target, [source], result.T if result.shape != target.shape else result)


def expand(k: Frame, op: Op) -> None:
    """A column for every column, or a row for every row; then the operation."""
    inputs, (out, *_) = operands(k, op)
    name = op.name.removeprefix("pto.")
    target, arrays = tile_of(out, op).values, [tile_of(one, op).values for one in inputs[:2]]
    line = arrays[-1]
    if name.startswith("trow"):
        line = line.reshape(-1)[: target.shape[0]].reshape(-1, 1)
    else:
        line = line.reshape(1, -1)[:, : target.shape[1]]
    whole = np.broadcast_to(line, target.shape)
    with np.errstate(all="ignore"):
        result = getattr(np, EXPAND[name])(arrays[0], whole) if EXPAND[name] else whole
    write(k, op, target, arrays, result)


def fill(k: Frame, op: Op) -> None:
    """texpands: one number everywhere."""
    (number, *_), (out, *_) = operands(k, op)
    target = tile_of(out, op).values
    write(k, op, target, [], np.full(target.shape, number))


def concat(k: Frame, op: Op) -> None:
    """``tconcat``: one tile's columns behind another's."""
    inputs, (out,) = operands(k, op)
    arrays = [tile_of(one, op).values for one in inputs]
    write(k, op, tile_of(out, op).values, arrays, np.concatenate(arrays, axis=1))


def write(k: Frame, op: Op, target: Any, reads: list[Any], result: Any) -> None:
    """Let an instruction of PIPE_V write a result."""
    k.core.compute(op.name.removeprefix("pto.").upper(), target, reads, k.at(op))
    if result.shape != target.shape:
        raise IRError(f"{op.name}: {result.shape} into {target.shape}", op.line)
    np.copyto(target, result, casting="unsafe")
