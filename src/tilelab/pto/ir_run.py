"""Running an IR module on a cluster.

A parameter of a tile type takes its contents from the arguments, else 0, 1, 2, ...; a parameter of
a pipe type is
opened at the addresses of its attributes (`gm`, `c2v`, `v2c`; for a TMPipe `base`, `local`). A
tile without a place
is Vec on a Vector core, Mat where the Cube pops it, and Acc elsewhere. What every tpop received is
the outcome.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilelab.pto import ir_ops
from tilelab.pto.cluster import Cluster, Schedule
from tilelab.pto.config import (
    TileSplitAxis,
)
from tilelab.pto.core import Core
from tilelab.pto.end import Steps
from tilelab.pto.errors import BadInput, IRError, StepLimitError
from tilelab.pto.ir import Function, Module, Op, parse
from tilelab.pto.ir_kernel import Kernel, split_of, walk
from tilelab.pto.ir_types import valid_shape
from tilelab.pto.tile import Tile
from tilelab.pto.trace import Result

GM_ELEMENTS = 1 << 16  # of a buffer that no argument fills
FRONTEND = frozenset(
    f"pto.{verb}_{way}"
    for verb, ways in (("tpush_to", ("aiv", "aic")), ("tpop_from", ("aic", "aiv")))
    for way in ways
)
TRANSFERS = FRONTEND | {"pto.tpush", "pto.tpop"}
MOST_ITERATIONS = 2_000_000  # of all loops of all cores together


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
    printed: list[tuple[str, NDArray[Any]]] = field(default_factory=list)  # by pto.tprint
    buffers: dict[str, NDArray[Any]] = field(default_factory=dict)  # global memory, by parameter


def _entry_names(module: Module) -> dict[tuple[str, str], str]:
    """(kernel, parameter) to the name that the entry function passes for it."""
    found: dict[tuple[str, str], str] = {}
    by_name = {function.name: function for function in module.functions}
    for entry in module.functions:
        for op in walk(entry.body):
            if op.name in ("func.call", "call") and op.words and op.words[0] in by_name:
                end = op.words.index(")") if ")" in op.words else len(op.words)
                values = [word for word in op.words[:end] if word.startswith("%")]
                for param, value in zip(by_name[op.words[0]].params, values, strict=False):
                    found[op.words[0], param.name] = value
    return found


class Runner:
    """A module on a cluster."""

    def __init__(self, module: Module, arguments: dict[str, ArrayLike], options: Any) -> None:
        arch = options.pop("arch", None) or module.attributes.get("pto.arch", "a2a3")
        protocol = options.pop("protocol", None) or module.attributes.get("pto.protocol", "seed")
        self.module = module
        self.arguments = arguments
        self.cluster = Cluster(arch, protocol=protocol, **options)
        self.popped: dict[str, list[Popped]] = {}
        self.printed: list[tuple[str, NDArray[Any]]] = []
        self.buffers: dict[str, ir_ops.Pointer] = {}
        self.renamed = _entry_names(module)
        self.iterations = 0
        for function in module.functions:  # what the assembler refuses, before anything runs
            for op in walk(function.body):
                if op.result_type.startswith("!pto.tile_buf") and op.operands:
                    valid_shape(op.result_type, [1] * len(op.operands), op.line)
        names = {p.name[1:] for f in module.functions for p in f.params}
        if unknown := sorted(set(arguments) - names):
            raise BadInput(f"no parameter {unknown[0]!r}; there are {', '.join(sorted(names))}")

    def argument(self, function: Function, name: str) -> ArrayLike | None:
        """What was given for a parameter, by its own name or the entry's."""
        outer = self.renamed.get((function.name, name), name)
        return self.arguments.get(outer[1:], self.arguments.get(name[1:]))

    def pointer(self, function: Function, name: str, dtype: Any) -> ir_ops.Pointer:
        """A buffer of global memory for a pointer: the argument's values, else 0, 1, 2, ...; one
        for both cores.
        """
        outer = self.renamed.get((function.name, name), name)
        if outer not in self.buffers:
            given = self.argument(function, name)
            values = np.arange(GM_ELEMENTS) if given is None else np.asarray(given).reshape(-1)
            size = max(values.size, 1)
            address = 0x100000 + sum(
                -(-one.array.nbytes // 4096) * 4096 for one in self.buffers.values()
            )
            view = self.cluster.gm.view(address, np.dtype(dtype), 1, size, size)
            flat = view.reshape(-1)
            flat[: values.size] = values.astype(dtype)
            self.buffers[outer] = ir_ops.Pointer(flat, 0, address)
        return self.buffers[outer]

    def users(self, pipe: Op) -> list[Op]:
        """The operations, in all functions, that go through frontend pipes or name this one."""
        return [
            op
            for function in self.module.functions
            for op in walk(function.body)
            if op.name in TRANSFERS and (op.name in FRONTEND or not pipe.name.startswith("pto.ai"))
        ]

    def count(self, op: Op) -> None:
        """Count an iteration: loops that wait for nothing end, too."""
        self.iterations += 1
        if self.iterations > MOST_ITERATIONS:
            raise StepLimitError(
                f"line {op.line}: the program did not end within {MOST_ITERATIONS} iterations"
            )

    def note(self, core: Core, number: int, tile: Tile) -> None:
        """Remember what a core popped."""
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
        for other in walk(function.body):
            if other.name != "pto.reserve_buffer":
                continue
            base = other.attributes.get("base", used)
            if other.attributes.get("name") == at.get("name"):
                return int(base)
            used = -(-(base + other.attributes.get("size", 0)) // 32) * 32
        raise IRError(f"{function.name} reserves no buffer {at.get('name')!r}", op.line)

    def program(self, function: Function | None) -> Any:
        """A function as a core program."""
        if function is None:
            return None

        def run(core: Core) -> Steps:
            kernel = Kernel(self, core, function)
            yield from kernel.run(function.body)

        return run

    def function(self, kind: str) -> Function | None:
        """The kernel of a kind, or IRError for two."""
        wanted = f"#pto.kernel_kind<{kind}>"
        found = [f for f in self.module.functions if f.attributes.get("pto.kernel_kind") == wanted]
        if len(found) > 1:
            raise IRError(f"two {kind} kernels: {found[0].name} and {found[1].name}", found[1].line)
        return found[0] if found else None

    def run(self, schedule: Schedule) -> Outcome:
        """Run the module."""
        cube, vector = self.function("cube"), self.function("vector")
        if cube is None and vector is None:
            raise IRError("no function has pto.kernel_kind = #pto.kernel_kind<cube> or <vector>")
        alone = vector is not None and vector.attributes.get("pto.subblocks") == 1
        if vector is not None and not self.cluster.arch.reduces:
            splits = {split_of(op) for op in walk(vector.body) if op.name in FRONTEND}
            alone = alone or splits == {TileSplitAxis.TILE_NO_SPLIT}  # A5: sub-block 0 alone
        lanes = [
            None if alone and lane else self.program(vector) for lane in range(self.cluster.vec)
        ]
        result = self.cluster.run(self.program(cube), lanes, schedule)
        buffers = {name[1:]: pointer.array for name, pointer in self.buffers.items()}
        return Outcome(result, self.popped, self.printed, buffers)


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
    runner = Runner(module, arguments or {}, options)
    if on_cluster is not None:
        on_cluster(runner.cluster)
    return runner.run(schedule)


def run_text(text: str, arguments: dict[str, ArrayLike] | None = None, **options: Any) -> Outcome:
    """Parse and run."""
    return run_module(parse(text), arguments, **options)
