"""One IR function on one core: its values, its operations, and the pipes it opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tilelab.pto import ir_ops
from tilelab.pto.config import Direction, TileSplitAxis, TileType, TPipe
from tilelab.pto.core import Core
from tilelab.pto.end import Steps
from tilelab.pto.errors import BadInput, IRError
from tilelab.pto.ir import Function, Op
from tilelab.pto.ir_types import element_of, tile_spec, tmpipe, tpipe, valid_shape
from tilelab.pto.ir_words import WORDS
from tilelab.pto.pipe import OpenPipe
from tilelab.pto.tile import Tile

if TYPE_CHECKING:
    from tilelab.pto.ir_run import Runner

SLOTS = {1: 8, 2: 8, 3: 4}  # the assembler's slot_num by dir_mask


class Kernel:
    """One function on one core."""

    def __init__(self, runner: Runner, core: Core, function: Function) -> None:
        self.runner = runner
        self.core: Core = core
        self.function = function
        self.values: dict[str, Any] = {}
        self.frontend: OpenPipe | None = None
        popped = {
            o.value for op in walk(function.body) if op.name == "pto.tpop" for o in op.operands
        }
        for param in function.params:
            self.values[param.name] = self._parameter(param, param.name in popped)

    def place(self, popped: bool) -> TileType:
        """Where a tile without a place lies."""
        if self.core.lane >= 0:
            return TileType.Vec
        return TileType.Mat if popped else TileType.Acc

    def _parameter(self, param: Any, popped: bool) -> Any:
        line, at = self.function.line, param.attributes
        if param.type.startswith("!pto.tpipe"):
            return self.core.open(
                tpipe(param.type, line), at.get("gm", 0), at.get("c2v", 0), at.get("v2c", 0)
            )
        if param.type.startswith("!pto.tmpipe"):
            return self.core.open_multi(
                tmpipe(param.type, line), at.get("base", 0), at.get("local", 0)
            )
        if param.type.startswith("!pto.tile"):
            tile = Tile.of(tile_spec(param.type, self.place(popped), line))
            given = self.runner.arguments.get(param.name[1:])
            count = tile.shape[0] * tile.shape[1]
            array = np.arange(count).reshape(tile.shape) if given is None else np.asarray(given)
            if array.shape != tile.shape:
                raise BadInput(f"argument {param.name[1:]} is {array.shape}, not {tile.shape}")
            tile.data[...] = array.astype(tile.dtype)
            return tile
        if param.type.startswith(("!pto.ptr", "memref")):
            return self.runner.pointer(self.function, param.name, element_of(param.type, line))
        given = self.runner.argument(self.function, param.name)
        if given is None:
            raise BadInput(f"parameter {param.name} of {self.function.name} needs a value")
        return int(np.asarray(given))

    def run(self, ops: list[Op]) -> Steps:
        """Run operations in order."""
        """Run operations in order."""
        for op in ops:
            if op.name == "return":
                return
            if op.name == "scf.for":
                bounds = [self._integer(operand.value, op) for operand in op.operands]
                if bounds[2] < 1:
                    raise IRError("scf.for needs a positive step", op.line)
                for number in range(*bounds):
                    self.values[op.attributes["variable"]] = number
                    self.runner.count(op)
                    yield from self.run(op.body)
            elif op.name == "scf.if":
                taken = op.body if self._integer(op.operands[0].value, op) else op.orelse
                yield from self.run(taken)
            else:
                value = yield from self._execute(op)
                if op.result:
                    self.values[op.result] = value

    def _get(self, name: str, kind: type, op: Op) -> Any:
        if name not in self.values:
            raise IRError(f"{name} is not defined", op.line)
        value = self.values[name]
        if not isinstance(value, kind):
            raise IRError(f"{op.name}: {name} is not a {kind.__name__}", op.line)
        return value

    def value(self, name: str, op: Op) -> Any:
        """What a name stands for."""
        return self._get(name, object, op)

    def number(self, name: str, op: Op) -> int:
        """A value that is a number."""
        return self._integer(name, op)

    def _integer(self, name: str, op: Op) -> int:
        return int(self._get(name, int, op))

    def _both(self, op: Op) -> tuple[OpenPipe, Tile]:
        """The pipe and the tile of an operation, in either order."""
        values = [self._get(operand.value, object, op) for operand in op.operands]
        pipes = [value for value in values if isinstance(value, OpenPipe)]
        tiles = [value for value in values if isinstance(value, Tile)]
        if len(values) != 2 or len(pipes) != 1 or len(tiles) != 1:
            raise IRError(f"{op.name} takes one pipe and one tile", op.line)
        return pipes[0], tiles[0]

    def _only(self, op: Op) -> OpenPipe:
        if self.frontend is None:
            raise IRError(f"{op.name} before this function's initialize_pipe", op.line)
        return self.frontend

    def _execute(self, op: Op) -> Steps:
        if op.name == "arith.constant":
            return op.attributes["value"]
        if op.name in WORDS:
            return ir_ops.run(self, op)
        if op.name == "pto.declare_tile":
            return self._tile(op)
        if op.name.endswith("_pipe"):
            return self._initialize(op)
        if op.name.endswith("reserve_buffer") or op.name.endswith("reserved_buffer"):
            return self.runner.reserve(self.function, op)
        if op.name in ("pto.set_cross_core", "pto.set_intra_block"):
            self.core.signal_flag(self._pipe_name(op), self._integer(op.operands[-1].value, op))
            return None
        if op.name in ("pto.wait_flag_dev", "pto.wait_intra_core"):
            flag = self._integer(op.operands[-1].value, op)
            yield from self.core.wait_flag(self._pipe_name(op), flag)
            return None
        return (yield from self._transfer(op))

    def _tile(self, op: Op) -> Tile:
        """A tile of an operation's result type; operands give its valid shape."""
        spec = tile_spec(op.result_type, self.place(True), op.line)
        given = [self._integer(o.value, op) for o in op.operands]
        valid = valid_shape(op.result_type, given, op.line)
        return Tile(spec.loc, spec.dtype, spec.rows, spec.cols, valid)

    def _pipe_name(self, op: Op) -> str:
        """The pipe of a synchronisation, written as a string; S where none is."""
        first = op.operands[0].value
        return first.strip('"').removeprefix("PIPE_") if first.startswith('"') else "S"

    def _transfer(self, op: Op) -> Steps:
        split = split_of(op)
        self._check_types(op)
        if op.name in ("pto.tpush", "pto.tpop"):
            pipe, tile = self._both(op)
        elif op.name == "pto.tfree":
            pipe = next(
                (v for o in op.operands if isinstance(v := self.values.get(o.value), OpenPipe)),
                None,
            ) or self._only(op)
        elif op.name == "pto.tdrain":
            yield from self._get(op.operands[0].value, OpenPipe, op).close()
            return None
        else:
            pipe = self._only(op)
            if op.name.startswith("pto.tpush"):
                tile = self._get(op.operands[0].value, Tile, op)
            elif op.name.startswith("pto.tpop"):
                tile = self._tile(op)
        if "tpush" in op.name:
            yield from pipe.tpush(tile, split)
        elif "tfree" in op.name:
            yield from pipe.tfree(split=split)
        else:
            number = pipe.cons.tile_index
            yield from pipe.tpop(tile, split)
            self.runner.note(self.core, number, tile)
            return tile if op.name != "pto.tpop" else None
        return None

    def _check_types(self, op: Op) -> None:
        """What is written behind an operation must be what its operands are."""
        written = [(o.value, o.type) for o in op.operands if o.type]
        if len(op.types) == len(op.operands):
            written += [(o.value, kind) for o, kind in zip(op.operands, op.types, strict=True)]
        for name, kind in written:
            self.check_type(op, name, self.values.get(name), kind)

    def check_type(self, op: Op, name: str, value: Any, kind: str) -> None:
        """One operand against the type that is written for it."""
        if isinstance(value, Tile) and kind.startswith("!pto.tile"):
            spec = tile_spec(kind, value.loc, op.line)
            if (spec.loc, spec.dtype, spec.rows, spec.cols) != (
                value.loc,
                value.dtype,
                *value.shape,
            ):
                raise IRError(f"{op.name}: {name} is {value!r}, not {kind}", op.line)
        elif isinstance(value, OpenPipe) and kind.startswith("!pto.tpipe<") and "..." not in kind:
            if tpipe(kind, op.line) != value.config:
                raise IRError(f"{op.name}: {name} is not a {kind}", op.line)
        elif isinstance(value, Tile | OpenPipe) and not kind.startswith(
            ("!pto.tile", "!pto.tpipe", "!pto.tmpipe", "!pto.pipe")
        ):
            raise IRError(f"{op.name}: {name} is not a {kind}", op.line)

    def _initialize(self, op: Op) -> OpenPipe:
        mask = op.attributes.get("dir_mask")
        if mask not in (1, 2, 3) or "slot_size" not in op.attributes:
            raise IRError(f"{op.name} needs dir_mask = 1, 2 or 3 and slot_size", op.line)
        through_gm = op.name == "pto.initialize_l2g2l_pipe"
        a5_gm = through_gm and self.runner.cluster.arch.name == "a5"
        slots = op.attributes.get("slot_num", SLOTS[mask])
        splits = {split_of(user) for user in self.runner.users(op)}
        alone = bool(splits) and splits == {TileSplitAxis.TILE_NO_SPLIT}
        if op.attributes.get("nosplit") is False and alone:
            raise IRError(
                f"{op.name}: nosplit = false, but its operations have split = 0 (no split)", op.line
            )
        pipe = TPipe(
            op.attributes.get("flag_base", 0),
            Direction(mask + 4 if a5_gm else mask),
            op.attributes["slot_size"],
            slots,
            op.attributes.get("local_slot_num", slots),
            nosplit=bool(op.attributes.get("nosplit", alone)),
        )
        opened = self.core.open(pipe, *self._addresses(op, mask))
        self.frontend = self.frontend or opened
        return opened

    def _address(self, name: str, op: Op) -> int:
        value = self._get(name, object, op)
        return value.address if isinstance(value, ir_ops.Pointer) else self._integer(name, op)

    def _addresses(self, op: Op, mask: int) -> tuple[int, int, int]:
        """(gm, c2v, v2c): by keyword, or in the order of the operation."""
        if any(operand.keyword for operand in op.operands):
            named = {o.keyword: self._address(o.value, op) for o in op.operands}
            gm = named.get("gm_slot_buffer", named.get("gm_slot_tensor", 0))
            return gm, named.get("c2v_consumer_buf", 0), named.get("v2c_consumer_buf", 0)
        values = [self._address(operand.value, op) for operand in op.operands]
        if op.name in (
            "pto.aic_initialize_pipe",
            "pto.aiv_initialize_pipe",
        ):  # these name all three
            padded = [*values, 0, 0, 0]
            return padded[0], padded[1], padded[2]
        gm = values.pop(0) if op.name == "pto.initialize_l2g2l_pipe" and values else 0
        first = values[0] if values else 0
        if mask == 3:
            return gm, first, values[1] if values[1:] else 0
        return (gm, first, 0) if mask == 1 else (gm, 0, first)


def split_of(op: Op) -> TileSplitAxis:
    """The split that an operation names, or IRError."""
    value = op.attributes.get("split", 0)
    if isinstance(value, bool) or value not in tuple(TileSplitAxis):
        raise IRError(f"{op.name}: split is 0 to {len(TileSplitAxis) - 1}, not {value!r}", op.line)
    return TileSplitAxis(value)


def walk(ops: list[Op]) -> list[Op]:
    """All operations, those inside loops and branches too."""
    return [inner for op in ops for inner in (op, *walk(op.body), *walk(op.orelse))]
