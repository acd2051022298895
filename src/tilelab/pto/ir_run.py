"""Running an IR module on a cluster.

A parameter of a tile type takes its contents from the arguments, else 0, 1, 2, ...; a parameter of
a pipe type is opened at the addresses of its attributes (``gm``, ``c2v``, ``v2c``; for a TMPipe
``base``, ``local``). A tile without a place is Vec on a Vector core, Mat where the Cube pops it,
and Acc elsewhere. What every tpop received is the outcome.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike, NDArray

from tilelab.pto.cluster import Schedule
from tilelab.pto.config import TileSplitAxis
from tilelab.pto.core import Core
from tilelab.pto.end import Steps
from tilelab.pto.errors import IRError
from tilelab.pto.ir import parse
from tilelab.pto.ir_kernel import Kernel, split_of
from tilelab.pto.ir_tree import Function, Module, walk
from tilelab.pto.ir_words import FRONTEND_MOVES, SECTIONS, SIGNALS, TRANSFERS, WAITS
from tilelab.pto.ir_world import Popped, World
from tilelab.pto.trace import Result

_KIND = "pto.kernel_kind"


@dataclass
class Outcome:
    """What a module's run gave: the trace, and what each core popped, in order."""

    result: Result
    popped: dict[str, list[Popped]] = field(default_factory=dict)
    printed: list[tuple[str, NDArray[Any]]] = field(default_factory=list)  # by pto.tprint
    buffers: dict[str, NDArray[Any]] = field(default_factory=dict)  # global memory, by parameter


class Runner:
    """Runs a module's kernels."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.module = world.module
        self.cluster = world.cluster

    def program(self, function: Function | None) -> Any:
        """A function as a core program."""
        if function is None:
            return None

        def run(core: Core) -> Steps:
            kernel = Kernel(self.world, core, function)
            yield from kernel.run(function.body)

        return run

    def function(self, kind: str) -> Function | None:
        """The kernel of a kind, or IRError for two."""
        wanted = f"#pto.kernel_kind<{kind}>"
        found = [f for f in self.module.functions if f.attributes.get(_KIND) == wanted]
        if len(found) > 1:
            raise IRError(f"two {kind} kernels: {found[0].name} and {found[1].name}", found[1].line)
        return found[0] if found else None

    def plain(self, schedule: Schedule) -> Outcome:
        """Run kernels that meet in no pipe one after another, each on the core that it is for."""
        called = {
            word for one in self.module.functions for op in walk(one.body)
            if op.name in ("func.call", "call") for word in op.words if word.startswith("@")
        }  # fmt: skip
        functions = [one for one in self.module.functions if one.body and one.name not in called]
        if not functions:
            raise IRError("no function has a body")
        programs: list[list[Function]] = [[], []]
        for one in functions:
            for number, runs in enumerate(_cores(one)):
                programs[number] += [one] * runs
        cube, vector = (self.programs(some) if some else None for some in programs)
        lanes = [vector, *[None] * (self.cluster.vec - 1)]
        return self.outcome(self.cluster.run(cube, lanes, schedule))

    def programs(self, functions: list[Function]) -> Any:
        """Functions as one core program."""

        def run(core: Core) -> Steps:
            for function in functions:
                yield None
                yield from Kernel(self.world, core, function).run(function.body)

        return run

    def outcome(self, result: Result) -> Outcome:
        """What a run left."""
        buffers = {name[1:]: pointer.array for name, pointer in self.world.buffers.items()}
        return Outcome(result, self.world.popped, self.world.printed, buffers)

    def run(self, schedule: Schedule) -> Outcome:
        """Run the module."""
        kinds = [f.attributes.get(_KIND) for f in self.module.functions if f.attributes.get(_KIND)]
        names = {op.name for one in self.module.functions for op in walk(one.body)}
        meet = names & {*TRANSFERS, *SIGNALS, *WAITS, "pto.get_subblock_idx"}
        alike = len(set(kinds)) < max(len(kinds), 2) and any(f.body for f in self.module.functions)
        if not kinds or (alike and not meet):
            return self.plain(schedule)
        cube, vector = self.function("cube"), self.function("vector")
        alone = vector is not None and vector.attributes.get("pto.subblocks") == 1
        if vector is not None and not self.cluster.arch.reduces:
            splits = {split_of(op) for op in walk(vector.body) if op.name in FRONTEND_MOVES}
            alone = alone or splits == {TileSplitAxis.TILE_NO_SPLIT}  # A5: sub-block 0 alone
        lanes = [
            None if alone and lane else self.program(vector) for lane in range(self.cluster.vec)
        ]
        return self.outcome(self.cluster.run(self.program(cube), lanes, schedule))


def _cores(function: Function) -> tuple[bool, bool]:
    """Whether a kernel runs on the Cube, and on a Vector core: as it says, or its tiles do."""
    if kind := function.attributes.get(_KIND):
        return "<cube>" in kind, "<vector>" in kind
    ops = walk(function.body)
    sections = {SECTIONS[op.name] for op in ops if op.name in SECTIONS}
    if sections:
        return "cube" in sections, "vector" in sections
    text = " ".join(word for op in ops for word in op.words)
    of_cube = re.search(r"(?:loc=|tile_buf<)\s*(?:left|right|acc|mat)\b", text) is not None
    return of_cube, not of_cube


def run_module(
    module: Module,
    arguments: dict[str, ArrayLike] | None = None,
    schedule: Schedule = "rr",
    on_cluster: Any = None,
    **options: Any,
) -> Outcome:
    """Run a module; ``arguments`` by parameter name, ``options`` as for Cluster. ``on_cluster`` is
    told the cluster before it runs, so that a failed run can still be shown.
    """
    world = World(module, arguments or {}, options)
    if on_cluster is not None:
        on_cluster(world.cluster)
    return Runner(world).run(schedule)


def run_text(text: str, arguments: dict[str, ArrayLike] | None = None, **options: Any) -> Outcome:
    """Parse and run."""
    return run_module(parse(text), arguments, **options)
