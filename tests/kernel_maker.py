"""Makes a kernel's folder from a source and arrays, builds it, runs it, and gives the outputs."""

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.formats.l1 import l1_size
from tilelab.kernels.arrays import read_array
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.result import KernelResult
from tilelab.kernels.run import run_kernel
from tilelab.tensix import Tile

EXAMPLES = Path(__file__).parents[1] / "examples"
DATA = 0x21000
MAILBOXES = "{trisc0 = 0x1FFB8, trisc1 = 0x1FFBC, trisc2 = 0x1FFC0}"
ELFS = '{trisc0 = "unpack.elf", trisc1 = "math.elf", trisc2 = "pack.elf"}'

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Buffer:
    """A circular buffer: an input's array, or an output's shape or expected array.

    ``tiles`` is the order of its tiles, all in row-major order if empty.
    """

    number: int
    array: Array
    format: str = "bf16"
    tiles: Sequence[int] = ()
    tolerance: float = 0.0
    relative: float = 0.0

    @property
    def size(self) -> int:
        """Bytes in L1."""
        count = len(self.tiles) or self.array.size // 1024
        return count * l1_size((32, 32), self.format)

    def text(self, address: int, name: str, kind: str) -> str:
        """Its table in kernel.toml."""
        lines = [f"[[{kind}]]", f"address = {address}", f'format = "{self.format}"']
        lines += ['layout = "tile"', f'buffer = "c_{self.number}"']
        if self.tiles:
            lines.append(f"tiles = {list(self.tiles)}")
        if kind == "inputs":
            lines.append(f'file = "{name}"')
        else:
            lines += [f"shape = {list(self.array.shape)}", f'expect = "{name}"']
            allowed = f"absolute = {self.tolerance}, relative = {self.relative}"
            lines.append(f"tolerance = {{{allowed}}}")
        return "\n".join(lines)


def write_kernel(
    folder: Path,
    source: str,
    inputs: Sequence[Buffer],
    outputs: Sequence[Buffer],
    arch: str = "blackhole",
    constants: Mapping[str, int] | None = None,
    build: str = "",
) -> None:
    """Write source, arrays and kernel.toml; ``build`` are further lines of its [build]."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernel.cpp").write_text(source, encoding="utf-8")
    parts = [f'arch = "{arch}"', f"elfs = {ELFS}"]
    address = DATA
    for kind, buffers in (("inputs", inputs), ("outputs", outputs)):
        for buffer in buffers:
            name = f"c_{buffer.number}.npy"
            np.save(folder / name, buffer.array)
            parts.append(buffer.text(address, name, kind))
            address += buffer.size
    parts += ["[done]", f"mailboxes = {MAILBOXES}", "[build]", 'source = "kernel.cpp"', build]
    given = ", ".join(f"{name} = {value}" for name, value in (constants or {}).items())
    parts.append(f"constants = {{{given}}}")
    (folder / "kernel.toml").write_text("\n".join(parts) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Ran:
    """A run and what it left: ``arrays`` are the outputs, read from L1."""

    result: KernelResult
    arrays: list[Array]

    @property
    def passed(self) -> bool:
        """Whether every output is right."""
        return self.result.passed


def build_and_run(folder: Path, compiler: str = "", clock: str = "functional") -> Ran:
    """Build what :func:`write_kernel` wrote and run it on a new tile."""
    kernel = read_kernel_file(folder, elfs_exist=False)
    build_kernel(kernel, find_compiler(compiler))
    tile = Tile(kernel.arch, clock=clock)
    result = run_kernel(read_kernel_file(folder), tile)
    arrays = [read_array(tile, output) for output in kernel.outputs]
    return Ran(result, arrays)


def first_vector_kernel(parent: Path) -> Path:
    """The folder of the documentation's first kernel of the vector unit, to be built.

    Its source is docs/kernels.md's; what must come out is exact.
    """
    page = (EXAMPLES.parent / "docs" / "kernels.md").read_text(encoding="utf-8")
    folder = parent / "leaky_relu"
    shutil.copytree(EXAMPLES / "datacopy", folder, ignore=shutil.ignore_patterns("*.elf"))
    sources: list[str] = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)
    source = next(text for text in sources if "#include <tilelab/vector.h>" in text)
    (folder / "kernel.cpp").write_text(source, encoding="utf-8")
    toml = (folder / "kernel.toml").read_text(encoding="utf-8")
    toml = toml.replace('expect = "a"', 'expect = "c.npy"').replace('exact = "exact.npy"', "")
    (folder / "kernel.toml").write_text(toml, encoding="utf-8")
    rng = np.random.default_rng(3)
    a = rng.normal(size=(64, 64)).astype(ml_dtypes.bfloat16).astype(np.float32)
    np.save(folder / "a.npy", a)
    np.save(folder / "c.npy", np.where(a < 0, a / 8, a))
    return folder
