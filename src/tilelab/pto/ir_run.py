"""Running an IR module on a cluster.

A parameter of a tile type takes its contents from the arguments, else 0, 1, 2, ...; a parameter of
a pipe type is
opened at the addresses of its attributes (`gm`, `c2v`, `v2c`; for a TMPipe `base`, `local`). A
tile without a place
is Vec on a Vector core, Mat where the Cube pops it, and Acc elsewhere. What every tpop received is
the outcome.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilelab.pto.cluster import Cluster, Schedule
from tilelab.pto.config import (
    Direction,
    FifoType,
    TileSpec,
    TileSplitAxis,
    TileType,
    TMPipe,
    TPipe,
    VecCubeRatio,
)
from tilelab.pto.core import Core
from tilelab.pto.end import Steps
from tilelab.pto.errors import BadInput, IRError
from tilelab.pto.ir import Function, Module, Op, parse
from tilelab.pto.pipe import OpenPipe
from tilelab.pto.tile import Tile
from tilelab.pto.trace import Result

_DTYPES = {
    "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
    "i8": np.int8, "i16": np.int16, "i32": np.int32,
    "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32,
}  # fmt: skip
_PLACES = {place.name.lower(): place for place in TileType}
_SLOTS = {1: 8, 2: 8, 3: 4}  # the assembler's slot_num by dir_mask


@dataclass
class Popped:
    """One tile as tpop delivered it."""

    tile: int
    data: NDArray[Any]


@dataclass
class Outcome:
    """What a module's run gave: the trace, and what each core popped, in order."""

    result: Result
    popped: dict[str, list[Popped]] = field(default_factory=dict)


def _parameters(type_: str, line: int) -> list[str]:
    """The comma-separated parameters of `!pto.x<...>`, nested types whole."""
    match = re.fullmatch(r"[!#][\w.]+<(.*)>", type_)
    if match is None:
        raise IRError(f"{type_} has no parameters", line)
    parts, depth, start, inner = [], 0, 0, match.group(1)
    for index, char in enumerate(inner):
        depth += {"<": 1, ">": -1}.get(char, 0)
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
    """The tile of `!pto.tile<[place,] dtype, rows, cols>` or `!pto.tile_buf<...>`."""
    parts = _parameters(type_, line)
    place = _PLACES.get(parts[0])
    if place is not None:
        parts = parts[1:]
    if len(parts) != 3 or parts[0] not in _DTYPES or not all(p.isdigit() for p in parts[1:]):
        raise IRError(f"{type_} is not <[place,] dtype, rows, cols>", line)
    return TileSpec(place or default, _DTYPES[parts[0]], int(parts[1]), int(parts[2]))


def _integers(parts: list[str], type_: str, line: int) -> list[int]:
    try:
        return [int(part, 0) for part in parts]
    except ValueError:
        raise IRError(f"{type_}: its numbers must be integers", line) from None


def tpipe(type_: str, line: int) -> TPipe:
    """`!pto.tpipe<flag, direction, slot size, slots[, local slots[, nosplit]]>`."""
    parts = _parameters(type_, line)
    if not 4 <= len(parts) <= 6:
        raise IRError(f"{type_} is not <flag, direction, slot size, slots[, local slots]>", line)
    nosplit = parts[5:] == ["nosplit"]
    direction = _member(Direction, parts[1], "DIR_", line)
    numbers = _integers([parts[0], *parts[2:5]], type_, line)
    flag, slot_size, slots, *local = numbers
    return TPipe(flag, direction, slot_size, slots, local[0] if local else 2, nosplit)


def tmpipe(type_: str, line: int) -> TMPipe:
    """`!pto.tmpipe<flag, fifo, depth, sync, producer tile, consumer tile[, local depth[,
    ratio]]>`."""
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


class _Kernel:
    """One function on one core."""

    def __init__(self, runner: _Runner, core: Core, function: Function) -> None:
        self.runner = runner
        self.core = core
        self.function = function
        self.values: dict[str, Any] = {}
        self.frontend: OpenPipe | None = None
        popped = {o.value for op in _walk(function.body) if "tpop" in op.name for o in op.operands}
        for param in function.params:
            self.values[param.name] = self._parameter(param, param.name in popped)

    def _place(self, popped: bool) -> TileType:
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
            tile = Tile.of(tile_spec(param.type, self._place(popped), line))
            given = self.runner.arguments.get(param.name[1:])
            count = tile.shape[0] * tile.shape[1]
            array = np.arange(count).reshape(tile.shape) if given is None else np.asarray(given)
            if array.shape != tile.shape:
                raise BadInput(f"argument {param.name[1:]} is {array.shape}, not {tile.shape}")
            tile.data[...] = array.astype(tile.dtype)
            return tile
        given = self.runner.arguments.get(param.name[1:])
        if given is None:
            raise BadInput(f"parameter {param.name} of {self.function.name} needs a value")
        return int(np.asarray(given))

    def run(self, ops: list[Op]) -> Steps:
        for op in ops:
            if op.name == "return":
                return
            if op.name == "scf.for":
                bounds = [self._integer(operand.value, op) for operand in op.operands]
                if bounds[2] < 1:
                    raise IRError("scf.for needs a positive step", op.line)
                for number in range(*bounds):
                    self.values[op.attributes["variable"]] = number
                    yield from self.run(op.body)
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
        if op.name == "pto.declare_tile":
            return Tile.of(tile_spec(op.result_type, self._place(True), op.line))
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

    def _pipe_name(self, op: Op) -> str:
        """The pipe of a synchronisation, written as a string; S where none is."""
        first = op.operands[0].value
        return first.strip('"').removeprefix("PIPE_") if first.startswith('"') else "S"

    def _transfer(self, op: Op) -> Steps:
        split = TileSplitAxis(op.attributes.get("split", 0))
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
                tile = Tile.of(tile_spec(op.result_type, self._place(True), op.line))
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

    def _initialize(self, op: Op) -> OpenPipe:
        mask = op.attributes.get("dir_mask")
        if mask not in (1, 2, 3) or "slot_size" not in op.attributes:
            raise IRError(f"{op.name} needs dir_mask = 1, 2 or 3 and slot_size", op.line)
        through_gm = op.name == "pto.initialize_l2g2l_pipe"
        a5_gm = through_gm and self.runner.cluster.arch.name == "a5"
        slots = op.attributes.get("slot_num", _SLOTS[mask])
        pipe = TPipe(
            op.attributes.get("flag_base", 0),
            Direction(mask + 4 if a5_gm else mask),
            op.attributes["slot_size"],
            slots,
            op.attributes.get("local_slot_num", slots),
            nosplit=op.attributes.get("nosplit", False),
        )
        opened = self.core.open(pipe, *self._addresses(op, mask))
        self.frontend = self.frontend or opened
        return opened

    def _addresses(self, op: Op, mask: int) -> tuple[int, int, int]:
        """(gm, c2v, v2c): by keyword, or in the order of the operation."""
        if any(operand.keyword for operand in op.operands):
            named = {o.keyword: self._integer(o.value, op) for o in op.operands}
            gm = named.get("gm_slot_buffer", named.get("gm_slot_tensor", 0))
            return gm, named.get("c2v_consumer_buf", 0), named.get("v2c_consumer_buf", 0)
        values = [self._integer(operand.value, op) for operand in op.operands]
        if "ai" in op.name.split("_")[0]:  # aic_/aiv_initialize_pipe name all three
            padded = [*values, 0, 0, 0]
            return padded[0], padded[1], padded[2]
        gm = values.pop(0) if op.name == "pto.initialize_l2g2l_pipe" and values else 0
        first = values[0] if values else 0
        if mask == 3:
            return gm, first, values[1] if values[1:] else 0
        return (gm, first, 0) if mask == 1 else (gm, 0, first)


def _walk(ops: list[Op]) -> list[Op]:
    return [inner for op in ops for inner in (op, *_walk(op.body))]


class _Runner:
    """A module on a cluster."""

    def __init__(self, module: Module, arguments: dict[str, ArrayLike], options: Any) -> None:
        arch = options.pop("arch", None) or module.attributes.get("pto.arch", "a2a3")
        protocol = options.pop("protocol", None) or module.attributes.get("pto.protocol", "seed")
        self.module = module
        self.arguments = arguments
        self.cluster = Cluster(arch, protocol=protocol, **options)
        self.popped: dict[str, list[Popped]] = {}
        names = {p.name[1:] for f in module.functions for p in f.params}
        if unknown := sorted(set(arguments) - names):
            raise BadInput(f"no parameter {unknown[0]!r}; there are {', '.join(sorted(names))}")

    def note(self, core: Core, number: int, tile: Tile) -> None:
        self.popped.setdefault(core.name, []).append(Popped(number, tile.data.copy()))

    def reserve(self, function: Function, op: Op) -> int:
        """The base of a reserved buffer: its own `base`, or the next free bytes of its place."""
        at = op.attributes
        if op.name == "pto.import_reserved_buffer":
            peers = [f for f in self.module.functions if f.name == at.get("peer_func")]
            if not peers:
                raise IRError(f"no function {at.get('peer_func')}", op.line)
            function = peers[0]
        used = 0
        for other in _walk(function.body):
            if other.name != "pto.reserve_buffer":
                continue
            base = other.attributes.get("base", used)
            if other.attributes.get("name") == at.get("name"):
                return int(base)
            used = -(-(base + other.attributes.get("size", 0)) // 32) * 32
        raise IRError(f"{function.name} reserves no buffer {at.get('name')!r}", op.line)

    def program(self, function: Function | None) -> Any:
        if function is None:
            return None

        def run(core: Core) -> Steps:
            kernel = _Kernel(self, core, function)
            yield from kernel.run(function.body)

        return run

    def function(self, kind: str) -> Function | None:
        wanted = f"#pto.kernel_kind<{kind}>"
        found = [f for f in self.module.functions if f.attributes.get("pto.kernel_kind") == wanted]
        if len(found) > 1:
            raise IRError(f"two {kind} kernels: {found[0].name} and {found[1].name}", found[1].line)
        return found[0] if found else None

    def run(self, schedule: Schedule) -> Outcome:
        cube, vector = self.function("cube"), self.function("vector")
        if cube is None and vector is None:
            raise IRError("no function has pto.kernel_kind = #pto.kernel_kind<cube> or <vector>")
        alone = vector is not None and vector.attributes.get("pto.subblocks") == 1
        lanes = [
            None if alone and lane else self.program(vector) for lane in range(self.cluster.vec)
        ]
        result = self.cluster.run(self.program(cube), lanes, schedule)
        return Outcome(result, self.popped)


def run_module(
    module: Module,
    arguments: dict[str, ArrayLike] | None = None,
    schedule: Schedule = "rr",
    on_cluster: Any = None,
    **options: Any,
) -> Outcome:
    """Run a module; `arguments` by parameter name, `options` as for Cluster. `on_cluster` is told
    the cluster
    before it runs, so that a failed run can still be shown.
    """
    runner = _Runner(module, arguments or {}, options)
    if on_cluster is not None:
        on_cluster(runner.cluster)
    return runner.run(schedule)


def run_text(text: str, arguments: dict[str, ArrayLike] | None = None, **options: Any) -> Outcome:
    """Parse and run."""
    return run_module(parse(text), arguments, **options)
