"""One IR function as it runs on a core: its values by name, and what is written of their types."""

from dataclasses import dataclass
from typing import Any

from tilelab.pto.config import TileType
from tilelab.pto.core import Core
from tilelab.pto.errors import IRError
from tilelab.pto.ir_tree import Function, Op
from tilelab.pto.ir_types import tile_spec, tpipe
from tilelab.pto.ir_world import World
from tilelab.pto.pipe import OpenPipe
from tilelab.pto.tile import Tile


@dataclass(frozen=True)
class Event:
    """``!pto.record_event``: the end of one tpush, tpop or tfree, for which ``tsync`` waits."""

    op: str
    ring: str
    tile: int

    def __str__(self) -> str:
        return f"{self.op} tile {self.tile} of {self.ring}"


class Frame:
    """One function on one core."""

    def __init__(self, world: World, core: Core, function: Function) -> None:
        self.world = world
        self.core: Core = core
        self.function = function
        self.values: dict[str, Any] = {}
        self.buffers: dict[int, str] = {}  # that a pipe has locked (A5)

    @staticmethod
    def at(op: Op) -> str:
        """Where an operation stands, as findings say it."""
        return f"line {op.line}: "

    def place(self, popped: bool) -> TileType:
        """Where a tile without a place lies."""
        if self.core.lane >= 0:
            return TileType.Vec
        return TileType.Mat if popped else TileType.Acc

    def get(self, name: str, kind: type, op: Op) -> Any:
        """What a name stands for, which must be of a kind."""
        if name not in self.values:
            raise IRError(f"{name} is not defined", op.line)
        value = self.values[name]
        if not isinstance(value, kind):
            raise IRError(f"{op.name}: {name} is not a {kind.__name__}", op.line)
        return value

    def value(self, name: str, op: Op) -> Any:
        """What a name stands for."""
        return self.get(name, object, op)

    def number(self, name: str, op: Op) -> int:
        """A value that is a number."""
        return int(self.get(name, int, op))

    def check_types(self, op: Op) -> None:
        """What is written behind an operation must be what its operands are."""
        written = [(o.value, o.type) for o in op.operands if o.type]
        if len(op.types) == len(op.operands):
            written += [(o.value, kind) for o, kind in zip(op.operands, op.types, strict=True)]
        for name, kind in written:
            self.check_type(op, name, self.values.get(name), kind)

    def check_type(self, op: Op, name: str, value: Any, kind: str) -> None:
        """One operand against the type that is written for it."""
        if isinstance(value, Tile) and kind.startswith(("!pto.tile", "memref")):
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
            ("!pto.tile", "memref", "!pto.tpipe", "!pto.tmpipe", "!pto.pipe")
        ):
            raise IRError(f"{op.name}: {name} is not a {kind}", op.line)
