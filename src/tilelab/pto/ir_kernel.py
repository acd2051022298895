"""One IR function on one core: its values, its operations, and the pipes it opens."""

import re
from typing import Any

import numpy as np

from tilelab.pto import ir_ops
from tilelab.pto.config import Direction, TileSplitAxis, TPipe
from tilelab.pto.core import Core
from tilelab.pto.end import Steps
from tilelab.pto.errors import IRError
from tilelab.pto.ir_frame import Event, Frame
from tilelab.pto.ir_tree import Function, Op, walk
from tilelab.pto.ir_types import element_of, sizes_of, tile_spec, tmpipe, tpipe, valid_shape
from tilelab.pto.ir_words import (
    INITIALIZERS,
    RESERVES,
    SECTIONS,
    SIGNALS,
    TRANSFERS,
    WAITS,
    WORDS,
    Transfer,
)
from tilelab.pto.ir_world import Pointer, View, World
from tilelab.pto.pipe import OpenPipe
from tilelab.pto.tile import Tile
from tilelab.sim.errors import BadInputError

CONTROL = {"scf.for": "_for", "scf.while": "_while", "scf.if": "_if"} | dict.fromkeys(
    SECTIONS, "_section"
)
YIELDS = ("scf.yield", "scf.condition")
SLOTS = {1: 8, 2: 8, 3: 4}  # the assembler's slot_num by dir_mask


class Kernel(Frame):
    """One function on one core."""

    def __init__(self, world: World, core: Core, function: Function) -> None:
        super().__init__(world, core, function)
        self.frontend: OpenPipe | None = None
        popped = {
            o.value for op in walk(function.body) if op.name == "pto.tpop" for o in op.operands
        }
        for param in function.params:
            self.values[param.name] = self._parameter(param, param.name in popped)

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
            given = self.world.arguments.get(param.name[1:])
            count = tile.shape[0] * tile.shape[1]
            array = np.arange(count).reshape(tile.shape) if given is None else np.asarray(given)
            if array.shape != tile.shape:
                raise BadInputError(f"argument {param.name[1:]} is {array.shape}, not {tile.shape}")
            tile.data[...] = array.astype(tile.dtype)
            return tile
        if param.type.startswith(("!pto.ptr", "memref")):
            base = self.world.pointer(self.function, param.name, element_of(param.type, line))
            sizes = sizes_of(param.type, line)
            return View.whole(base, sizes) if sizes else base
        given = self.world.argument(self.function, param.name)
        if given is None:
            given = self.world.arguments.get("*")
        if given is None:
            name = param.name[1:]
            raise BadInputError(
                f"parameter {param.name} of {self.function.name} needs a value: --arg {name}=1, "
                "or --arg '*=1' for all that have none"
            )
        number = np.asarray(given).item()
        return float(number) if re.fullmatch(r"b?f\d+", param.type) else int(number)

    def run(self, ops: list[Op]) -> Steps:
        """Run operations in order; what their yield gives, by position."""
        for op in ops:
            if op.name == "return":
                return ()
            if op.name in CONTROL:
                given = yield from getattr(self, CONTROL[op.name])(op)
                self.bind(op, given)
            elif op.name in YIELDS:
                end = op.words.index(":") if ":" in op.words else len(op.words)
                return tuple(self.value(w, op) for w in op.words[:end] if w.startswith("%"))
            else:
                value = yield from self._execute(op)
                if op.result:
                    self.values[op.result] = value
        return ()

    def bind(self, op: Op, given: tuple[Any, ...]) -> None:
        """Give results their names: ``%a, %b``, or ``%a:2`` for ``%a#0``, ``%a#1``."""
        name, _, count = op.result.partition(":")
        names = [f"{name}#{n}" for n in range(int(count))] if count else name.split(", ")
        if name and len(given) != len(names):
            raise IRError(f"{op.name} yields {len(given)} values for {op.result}", op.line)
        if name:
            self.values.update(zip(names, given, strict=True))

    def _section(self, op: Op) -> Steps:
        if SECTIONS[op.name] == ("cube" if self.core.lane < 0 else "vector"):
            yield from self.run(op.body)
        return ()

    def _if(self, op: Op) -> Steps:
        taken = op.body if self.number(op.operands[0].value, op) else op.orelse
        return (yield from self.run(taken))

    def _for(self, op: Op) -> Steps:
        bounds = [self.number(operand.value, op) for operand in op.operands]
        if bounds[2] < 1:
            raise IRError("scf.for needs a positive step", op.line)
        carried = self._carried(op)
        for number in range(*bounds):
            self.values[op.attributes["variable"]] = number
            self.world.count(op)
            carried = yield from self._pass(op, op.body, [name for name, _ in op.carried], carried)
        return carried

    def _while(self, op: Op) -> Steps:
        carried = self._carried(op)
        while True:
            self.world.count(op)
            given = yield from self._pass(op, op.body, [name for name, _ in op.carried], carried)
            if not given or not given[0]:
                return given[1:]
            carried = yield from self._pass(op, op.orelse, op.arguments, given[1:])

    def _carried(self, op: Op) -> tuple[Any, ...]:
        return tuple(self.value(before, op) for _, before in op.carried)

    def _pass(self, op: Op, ops: list[Op], names: list[str], given: tuple[Any, ...]) -> Steps:
        """Run a loop's block with what the pass before hands on; what it hands on itself."""
        if len(names) != len(given):
            raise IRError(f"{op.name} carries {len(names)} values, not {len(given)}", op.line)
        self.values.update(zip(names, given, strict=True))
        return (yield from self.run(ops))

    def _both(self, op: Op) -> tuple[OpenPipe, Tile]:
        """The pipe and the tile of an operation, in either order."""
        values = [self.get(operand.value, object, op) for operand in op.operands]
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
        if op.name in INITIALIZERS:
            return self._initialize(op)
        if op.name in RESERVES:
            return self.world.reserve(self.function, op)
        if op.name in SIGNALS:
            self.core.signal_flag(self._pipe_name(op), self.number(op.operands[-1].value, op))
            return None
        if op.name in WAITS:
            flag = self.number(op.operands[-1].value, op)
            yield from self.core.wait_flag(self._pipe_name(op), flag)
            return None
        return (yield from self._transfer(op))

    def _tile(self, op: Op) -> Tile:
        """A tile of an operation's result type; operands give its valid shape."""
        spec = tile_spec(op.result_type, self.place(True), op.line)
        given = [self.number(o.value, op) for o in op.operands]
        valid = valid_shape(op.result_type, given, op.line)
        return Tile(spec.loc, spec.dtype, spec.rows, spec.cols, valid)

    def _pipe_name(self, op: Op) -> str:
        """The pipe of a synchronisation, written as a string; S where none is."""
        first = op.operands[0].value
        return first.strip('"').removeprefix("PIPE_") if first.startswith('"') else "S"

    def _transfer(self, op: Op) -> Steps:
        row, split = TRANSFERS[op.name], split_of(op)
        self.check_types(op)
        if row.verb == "drain":
            yield from self.get(op.operands[0].value, OpenPipe, op).close()
            return None
        if row.verb == "free":
            pipe = self._freed(op)
            tile_index = pipe.cons.oldest
            yield from pipe.tfree(split=split)
            return Event("TFREE", pipe.cons.ring.name, tile_index)
        if row.verb == "push":
            pipe, tile = self._pipe_and_tile(op, row)
            event = Event("TPUSH", pipe.prod.ring.name, pipe.prod.tile_index)
            yield from pipe.tpush(tile, split)
            return event
        pipe, tile = self._pipe_and_tile(op, row)
        event = Event("TPOP", pipe.cons.ring.name, pipe.cons.tile_index)
        yield from pipe.tpop(tile, split)
        self.world.note(self.core, event.tile, tile)
        return tile if row.frontend else event

    def _freed(self, op: Op) -> OpenPipe:
        """The pipe that a tfree names, else the function's own."""
        named = (self.values.get(operand.value) for operand in op.operands)
        return next((pipe for pipe in named if isinstance(pipe, OpenPipe)), None) or self._only(op)

    def _pipe_and_tile(self, op: Op, row: Transfer) -> tuple[OpenPipe, Tile]:
        """What a push or pop works on; a frontend pop makes its tile."""
        if not row.frontend:
            return self._both(op)
        if row.verb == "pop":
            return self._only(op), self._tile(op)
        return self._only(op), self.get(op.operands[0].value, Tile, op)

    def _initialize(self, op: Op) -> OpenPipe:
        mask = op.attributes.get("dir_mask")
        if mask not in (1, 2, 3) or "slot_size" not in op.attributes:
            raise IRError(f"{op.name} needs dir_mask = 1, 2 or 3 and slot_size", op.line)
        direction = Direction(mask)
        through_gm = direction.through_gm
        if INITIALIZERS[op.name].through_gm and through_gm in self.world.cluster.arch.paths:
            direction = through_gm
        slots = op.attributes.get("slot_num", SLOTS[mask])
        splits = {split_of(user) for user in self.world.users(op)}
        alone = bool(splits) and splits == {TileSplitAxis.TILE_NO_SPLIT}
        if INITIALIZERS[op.name].frontend and TileSplitAxis.TILE_NO_SPLIT in splits and not alone:
            others = min(split for split in splits if split)
            raise IRError(
                f"{op.name}: the operations of one pipe have split = 0 (no split) and"
                f" split = {int(others)}",
                op.line,
            )
        if op.attributes.get("nosplit") is False and alone:
            raise IRError(
                f"{op.name}: nosplit = false, but its operations have split = 0 (no split)", op.line
            )
        pipe = TPipe(
            op.attributes.get("flag_base", 0),
            direction,
            op.attributes["slot_size"],
            slots,
            op.attributes.get("local_slot_num", slots),
            nosplit=bool(op.attributes.get("nosplit", alone)),
        )
        opened = self.core.open(pipe, *self._addresses(op, mask))
        self.frontend = self.frontend or opened
        return opened

    def _address(self, name: str, op: Op) -> int:
        value = self.get(name, object, op)
        return value.address if isinstance(value, Pointer | View) else self.number(name, op)

    def _addresses(self, op: Op, mask: int) -> tuple[int, int, int]:
        """(gm, c2v, v2c): by keyword, or in the order of the operation."""
        if any(operand.keyword for operand in op.operands):
            named = {o.keyword: self._address(o.value, op) for o in op.operands}
            gm = named.get("gm_slot_buffer", named.get("gm_slot_tensor", 0))
            return gm, named.get("c2v_consumer_buf", 0), named.get("v2c_consumer_buf", 0)
        values = [self._address(operand.value, op) for operand in op.operands]
        row = INITIALIZERS[op.name]
        if row.frontend:
            padded = [*values, 0, 0, 0]
            return padded[0], padded[1], padded[2]
        gm = values.pop(0) if row.through_gm and values else 0
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
