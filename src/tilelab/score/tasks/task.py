"""A task, and the folder that is made of it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import ml_dtypes
import numpy as np

from tilelab.kernels.formula import names
from tilelab.sim.errors import BadInputError

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
REST: Final = """
[[outputs]]
address = 0x31000
shape = [64, 64]
format = "bf16"
layout = "tile"
buffer = "c_16"
expect = "{expect}"
tolerance = {tolerance}
{score}
[done]
mailboxes = {{ trisc0 = 0x1FFB8, trisc1 = 0x1FFBC, trisc2 = 0x1FFC0 }}

[build]
source = "kernel.cpp"
constants = {{ num_tiles = 4 }}
fp32_dest_acc_en = true
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
        parts = [f'description = "{said}"\narch = "{arch}"\n', ELFS]
        for number, name in enumerate(self.inputs):
            address = 0x21000 + 0x4000 * number
            parts.append(INPUT.format(name=name, address=address, number=number))
        score = self._score(arch)
        parts.append(REST.format(expect=self.expect, tolerance=self.tolerance, score=score))
        return "".join(parts)

    def _score(self, arch: str) -> str:
        lines = ["", "[score]", f"baseline = {self.cycles[arch]}"] if arch in self.cycles else []
        if self.vector and len(self.inputs) == 1:
            low, high = self.domain or (-1e38, 1e38)
            lines = lines or ["", "[score]"]
            lines += ['sweep = "a"', f"ulp = {self.ulp or 0:g}", f"domain = [{low:g}, {high:g}]"]
        return "\n".join([*lines, ""]) if lines else ""

    def source(self, *, solved: bool) -> str:
        """C++ to begin with, or the solution."""
        folder = files(__package__)
        if not self.vector:
            name = f"{self.name}.cpp" if solved else "start.cpp"
            return (folder / name).read_text(encoding="utf-8")
        parts = {
            "@COPY@": "\n".join(COPY.format(n) for n in range(len(self.inputs))),
            "@SECOND@": SECOND if len(self.inputs) > 1 else "",
            "@BODY@": self.solution.strip() if solved else START,
        }
        made = []
        for line in (folder / "vector.cpp").read_text(encoding="utf-8").splitlines():
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


ELFS: Final = 'elfs = { trisc0 = "unpack.elf", trisc1 = "math.elf", trisc2 = "pack.elf" }\n'


@cache
def tasks() -> dict[str, Task]:
    """All tasks by name, the easiest first."""
    made = [*_read("vector.toml", vector=True), *_read("tiles.toml", vector=False)]
    return {task.name: task for task in sorted(made, key=lambda task: task.grade)}


def _read(file: str, *, vector: bool) -> list[Task]:
    folder = files(__package__)
    cycles = tomllib.loads((folder / "cycles.toml").read_text(encoding="utf-8"))
    rows = tomllib.loads((folder / file).read_text(encoding="utf-8"))
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
