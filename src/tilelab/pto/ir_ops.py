"""What the operations kept as words do: views of global memory, tile operations, arithmetic.

Each is found by its name in ``RUN``; it is given the kernel that runs it and the operation. Layouts
other than the order of elements are not modelled, nor is more than one block.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tilelab.pto.errors import IRError, ProtocolOrderError
from tilelab.pto.ir_arith import compute
from tilelab.pto.ir_elements import concat, elementwise, expand, fill, reduce
from tilelab.pto.ir_frame import Event, Frame
from tilelab.pto.ir_operands import named, operands, tile_of, value_at
from tilelab.pto.ir_tiles import (
    alloc,
    assign,
    fill_padding,
    reshape,
    set_valid,
    subset,
)
from tilelab.pto.ir_tree import Op
from tilelab.pto.ir_words import BINARY, EXPAND, ORDERING, REDUCE, SCALAR, UNARY
from tilelab.pto.ir_world import Pointer, View


def _list(k: Frame, op: Op, name: str) -> list[int]:
    """The numbers of ``name = [%a, %b]``."""
    words = op.words
    for at, word in enumerate(words):
        if word == name and words[at + 1 : at + 3] == ("=", "["):
            end = words.index("]", at)
            return [
                int(w) if w.isdecimal() else k.number(w, op)
                for w in words[at + 3 : end]
                if w != ","
            ]
    raise IRError(f"{op.name} needs {name} = [...]", op.line)


def _view(k: Frame, op: Op) -> View:
    return View(_pointer(k, op), _list(k, op, "shape"), _list(k, op, "strides"))


def _pointer(k: Frame, op: Op) -> Pointer:
    base = k.value(value_at(op.words, 0, op), op)
    base = base.base if isinstance(base, View) else base
    if not isinstance(base, Pointer):
        raise IRError(f"{op.name}: {op.words[0]} is no pointer", op.line)
    return base


def _partition(k: Frame, op: Op) -> View:
    whole = k.value(value_at(op.words, 0, op), op)
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
    (view,), (tile,) = operands(k, op)
    k.core.tload(tile_of(tile, op), _window(view, op), k.at(op))


def _store(k: Frame, op: Op) -> None:
    (tile,), (view,) = operands(k, op)
    k.core.tstore(_window(view, op), tile_of(tile, op), k.at(op))


def _window(view: Any, op: Op) -> Any:
    if not isinstance(view, View):
        raise IRError(f"{op.name}: expected a view of global memory", op.line)
    return view.tensor(op)


def _matmul(k: Frame, op: Op) -> None:
    inputs, (out,) = operands(k, op)
    accumulate = op.name.endswith("acc")
    bias = tile_of(inputs.pop(), op) if op.name.endswith("bias") else None
    if accumulate and len(inputs) == 3:
        inputs = inputs[1:]
    if len(inputs) != 2:
        raise IRError(f"{op.name} takes two tiles", op.line)
    k.core.tmatmul(
        tile_of(out, op), tile_of(inputs[0], op), tile_of(inputs[1], op), accumulate, k.at(op)
    )
    if bias is not None:
        target = tile_of(out, op).values
        np.copyto(target, target + bias.values, casting="unsafe")


def _extract(k: Frame, op: Op) -> None:
    """textract takes a part out of a tile at (row, column); tinsert puts one there."""
    (source, row, col), (out, *_) = operands(k, op)
    source, out = tile_of(source, op), tile_of(out, op)
    if op.name == "pto.tinsert":
        k.core.tinsert(out, source, row, col)
        return
    rows, cols = out.values.shape
    part = source.whole[row : row + rows, col : col + cols]
    if part.shape != out.values.shape:
        raise IRError(f"{op.name}: {rows}x{cols} at ({row}, {col}) is not in {source!r}", op.line)
    k.core.textract(out, part, source.loc, k.at(op))


def _print(k: Frame, op: Op) -> None:
    for tile in operands(k, op)[0]:
        values = tile_of(tile, op).values
        k.core.note("TPRINT", "", [values], [], k.at(op))
        k.world.printed.append((k.core.name, values.copy()))


def _addptr(k: Frame, op: Op) -> Pointer:
    return _pointer(k, op).at(k.number(value_at(op.words, 2, op), op))


def _arith(k: Frame, op: Op) -> Any:
    if op.name == "arith.select":
        chosen, yes, no = named(op)
        return k.value(yes if k.number(chosen, op) else no, op)
    values = [k.number(word, op) for word in op.words if word.startswith("%")]
    return compute(op.name.removeprefix("arith."), op.words, values, op.line)


def _events(k: Frame, op: Op) -> Any:
    """An array of event numbers: made, written at ``%array[%at]``, or read there."""
    names = named(op)
    if op.name == "pto.declare_eventid_array":
        return {}
    array, at = k.get(names[0], dict, op), k.number(names[1], op)
    if op.name == "pto.eventid_array_set":
        array[at] = k.number(names[2], op)
        return None
    if at not in array:
        raise IRError(f"{op.name}: {names[0]}[{at}] was never set", op.line)
    return array[at]


def _barrier(k: Frame, op: Op) -> None:
    """``barrier <PIPE_ALL>``: it takes time, and orders what is in order here already."""
    found = re.search(r"PIPE_(\w+)", " ".join(op.words))
    k.core.pipe_barrier(found[1] if found else "ALL")


def _buffer(k: Frame, op: Op) -> None:
    """``get_buf`` and ``rls_buf`` of A5: here a core does one operation after another, so the lock
    is free, unless the program itself keeps it.
    """
    found = re.search(r"<(\w+)> , (\d+)", " ".join(op.words))
    if found is None or k.core.cluster.arch.reduces:
        why = (
            "A5 alone has it (--arch a5)" if found else "write [#pto.pipe_event_type<...>, number]"
        )
        raise IRError(f"{op.name}: {why}", op.line)
    who, buffer = found[1], int(found[2])
    if op.name == "pto.get_buf":
        if buffer in k.buffers:
            text = f"{op.name}: {k.buffers[buffer]} holds buffer {buffer}: the pipe hangs"
            raise ProtocolOrderError(f"{k.at(op)}{text}")
        k.buffers[buffer] = who
    elif k.buffers.pop(buffer, "") != who:
        raise ProtocolOrderError(f"{k.at(op)}{op.name}: {who} does not hold buffer {buffer}")


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
    "pto.tconcat": concat,
    "pto.tprefetch": _load,
    "pto.texpands": fill,
    "pto.textract": _extract,
    "pto.tinsert": _extract,
    "pto.subview": _partition,
    "pto.barrier": _barrier,
    "pto.get_buf": _buffer,
    "pto.rls_buf": _buffer,
    "pto.alloc_tile": alloc,
    "memref.alloc": alloc,
    "memref.dealloc": lambda k, op: None,
    "pto.set_validshape": set_valid,
    "pto.tassign": assign,
    "pto.subset": subset,
    "pto.treshape": reshape,
    "pto.tfillpad": fill_padding,
    "pto.tfillpad_inplace": fill_padding,
    "pto.declare_eventid_array": _events,
    "pto.eventid_array_set": _events,
    "pto.eventid_array_get": _events,
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
} | {f"pto.{name}": elementwise for name in (*BINARY, *UNARY, *SCALAR)}
RUN |= {f"pto.{name}": reduce for name in REDUCE}
RUN |= {f"pto.{name}": expand for name in EXPAND}
RUN |= {f"pto.{name}": _nothing for name in ORDERING}


def run(k: Frame, op: Op) -> Any:
    """Do an operation; its value."""
    if op.name.startswith("arith."):
        return _arith(k, op)
    try:
        return RUN[op.name](k, op)
    except ValueError as error:
        said = "its operands are of no form that is modelled"
        said = said if "unpack" in str(error) else str(error)
        raise IRError(f"{op.name}: {said}", op.line) from None
