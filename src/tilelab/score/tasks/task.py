"""A task, and the folder that is made of it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Final

import ml_dtypes
import numpy as np

from tilelab.kernels.formula import names
from tilelab.sim.errors import BadInputError
from tilelab.sim.texts import text_of

SHAPE: Final = (64, 64)
TILES: Final = 4
START: Final = "r = x;"
COPY: Final = """cb_wait_front(tt::CBIndex::c_{0}, 1);
copy_tile(tt::CBIndex::c_{0}, 0, {0});
cb_pop_front(tt::CBIndex::c_{0}, 1);"""
SECOND: Final = "const sfpi::vFloat y = sfpi::dst_reg[tilelab::VECTORS_OF_TILE];"
INPUT: Final = """
[[inputs]]
file = "{name}.npy"
address = {address:#x}
format = "bf16"
layout = "tile"
buffer = "c_{number}"
"""
EXACT: Final = "{ relative = 0.02, absolute = 0.01 }"
"""Of outputs whose every number is asked, too: their errors count there."""


@dataclass(frozen=True)
class Task:
    """A row of the tables; ``cycles``: the solution's, by chip."""

    name: str
    grade: int
    expect: str
    solution: str
    vector: bool
    ulp: float | None
    domain: tuple[float, float] | None
    draw: tuple[float, float] | None
    tolerance: str
    cycles: Mapping[str, int]

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs: a, or a and b."""
        return sorted(set(names(self.expect)))

    def kernel_toml(self, arch: str) -> str:
        """What the folder's kernel.toml says."""
        said = f"`{self.expect}` of bf16 matrices of 64x64, grade {self.grade}"
        inputs = "".join(
            INPUT.format(name=name, address=0x21000 + 0x4000 * number, number=number)
            for number, name in enumerate(self.inputs)
        )
        return text_of(
            __package__,
            "task.toml",
            said=said,
            arch=arch,
            inputs=inputs,
            expect=self.expect,
            tolerance=self.tolerance,
            score=self._score(arch),
        )

    def _score(self, arch: str) -> str:
        lines = ["", "[score]", f"baseline = {self.cycles[arch]}"] if arch in self.cycles else []
        if self.vector and len(self.inputs) == 1:
            low, high = self.domain or (-1e38, 1e38)
            lines = lines or ["", "[score]"]
            lines += ['sweep = "a"', f"ulp = {self.ulp or 0:g}", f"domain = [{low:g}, {high:g}]"]
        return "\n".join([*lines, ""]) if lines else ""

    def source(self, *, solved: bool) -> str:
        """C++ to begin with, or the solution."""
        if not self.vector:
            name = f"{self.name}.cpp" if solved else "start.cpp"
            return text_of(__package__, name)
        parts = {
            "@COPY@": "\n".join(COPY.format(n) for n in range(len(self.inputs))),
            "@SECOND@": SECOND if len(self.inputs) > 1 else "",
            "@BODY@": self.solution.strip() if solved else START,
        }
        made = []
        for line in text_of(__package__, "vector.cpp").splitlines():
            said = parts.get(line.strip())
            indent = line[: len(line) - len(line.lstrip())]
            made += [line] if said is None else [indent + each for each in said.splitlines()]
        return "\n".join([*made, ""])

    def arrays(self) -> dict[str, Any]:
        """Inputs, drawn: always the same."""
        rng = np.random.default_rng(1)
        made = {}
        for name in self.inputs:
            drawn = rng.uniform(*self.draw, SHAPE) if self.draw else rng.standard_normal(SHAPE)
            made[name] = drawn.astype(ml_dtypes.bfloat16).astype(np.float32)
        return made


@cache
def tasks() -> dict[str, Task]:
    """All tasks by name, the easiest first."""
    made = [*_read("vector.toml", vector=True), *_read("tiles.toml", vector=False)]
    return {task.name: task for task in sorted(made, key=lambda task: task.grade)}


def _read(file: str, *, vector: bool) -> list[Task]:
    cycles, rows = (tomllib.loads(text_of(__package__, name)) for name in ("cycles.toml", file))
    made = []
    for name, row in rows.items():
        tolerance = row.get("tolerance")
        said = EXACT if tolerance is None else _inline(tolerance)
        made.append(
            Task(
                name,
                row["grade"],
                row["expect"],
                row.get("solution", ""),
                vector,
                row.get("ulp"),
                tuple(row["domain"]) if "domain" in row else None,
                tuple(row["draw"]) if "draw" in row else None,
                said,
                cycles.get(name, {}),
            )
        )
    return made


def _inline(table: Mapping[str, float]) -> str:
    return f"{{ {', '.join(f'{key} = {value:g}' for key, value in table.items())} }}"


def task(name: str) -> Task:
    """A task by name; BadInputError, with what may be meant, if there is none."""
    if name in tasks():
        return tasks()[name]
    near = get_close_matches(name, tasks(), 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise BadInputError(f"no task is called {name!r}{hint} tilelab tasks lists them")


def write(wanted: Task, folder: Path, arch: str, *, solved: bool = False) -> None:
    """Write a task's kernel.toml, inputs and source into a folder that is there."""
    (folder / "kernel.toml").write_text(wanted.kernel_toml(arch), encoding="utf-8")
    (folder / "kernel.cpp").write_text(wanted.source(solved=solved), encoding="utf-8")
    for name, array in wanted.arrays().items():
        np.save(folder / f"{name}.npy", array)
