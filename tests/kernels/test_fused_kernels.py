"""Kernels that call several of the headers' compute functions, each with its init."""

import re
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from fused_kernels import COMPUTE, Step, check, lay_out
from tilelab.build.compilers import GCC, GCC_PACKAGE, find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.tensix.tile.tile import CLOCKS, ENGINES, Tile

pytestmark = pytest.mark.skipif(
    not shutil.which(GCC), reason=f"needs {GCC}: apt install {GCC_PACKAGE}"
)
EXAMPLES = Path(__file__).parents[2] / "examples"
PAIRS = list(product(COMPUTE, COMPUTE))
Program = Callable[[str, str, int], list[Step]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("fused"))


def one_tile(*compute: Step) -> list[Step]:
    """What fills one half of Dst: its first two tiles are packed."""
    return [
        *(("acquire", 0), *compute, ("pop", 0), ("commit", 0)),
        *(("pack", 0), ("pack", 1), ("release", 0)),
    ]


def inside(first: str, second: str, rounds: int) -> list[Step]:
    """Both inits in the loop: the second function's result goes on top of the first one's."""
    body: list[Step] = [(f"{first} init", 0), (first, 0), (first, 1)]
    return one_tile(*body, (f"{second} init", 0), (second, 0)) * rounds


def outside(first: str, second: str, rounds: int) -> list[Step]:
    """A loop for each function, its init before it; an odd number of tiles in each."""
    return [
        *((f"{first} init", 0), *one_tile((first, 0)) * rounds),
        *((f"{second} init", 0), *one_tile((second, 1)) * rounds),
    ]


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("where", [inside, outside])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_functions_in_one_kernel(
    folder: Path, first: str, second: str, where: Program, engine: str, clock: str
) -> None:
    rounds = 3 if engine == "fast" else 1
    check(folder, where(first, second, rounds), Tile(engine=engine, clock=clock))


def random_list(seed: int) -> list[Step]:
    """Functions in any order, each after its init or after itself; pops where it pleases."""
    rng = np.random.default_rng(seed)
    steps: list[Step] = []
    ready = ""
    for _ in range(rng.integers(1, 7)):
        compute: list[Step] = []
        for _ in range(rng.integers(1, 4)):
            name = COMPUTE[rng.integers(3)]
            if name != ready or rng.random() < 0.5:
                compute.append((f"{name} init", 0))
            compute.append((name, int(rng.integers(2))))
            compute += [("pop", 0)] * (rng.random() < 0.5)
            ready = name
        steps += one_tile(*compute)
    return steps


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("seed", range(12))
def test_any_order_of_functions_and_inits(folder: Path, seed: int, clock: str) -> None:
    check(folder, random_list(seed), Tile(clock=clock), seed)


@pytest.mark.parametrize("fidelity", ["HiFi2", "HiFi3", "HiFi4"])
def test_two_functions_at_each_fidelity(tmp_path: Path, fidelity: str) -> None:
    lay_out(tmp_path, fidelity=fidelity)
    for clock, (first, second) in product(CLOCKS, [("copy", "matmul"), ("matmul", "add")]):
        check(tmp_path, inside(first, second, 3), Tile(clock=clock))


@pytest.mark.parametrize("address", [0x4C000, 0x100000, 0x174000])
def test_tiles_are_packed_to_any_address_in_l1(tmp_path: Path, address: int) -> None:
    lay_out(tmp_path, out=address)
    check(tmp_path, inside("copy", "add", 2), Tile())


@pytest.mark.parametrize("name", ["matmul", "eltwise_add", "datacopy"])
def test_an_example_with_its_init_in_the_loop(tmp_path: Path, name: str) -> None:
    """As kernels that come from a framework often have it."""
    folder = tmp_path / name
    shutil.copytree(EXAMPLES / name, folder)
    source = (folder / "kernel.cpp").read_text(encoding="utf-8")
    (init,) = re.findall(r"^ *\w+_init\(.*\);\n", source, re.MULTILINE)
    source = re.sub(r"(^ *tile_regs_acquire.*\n)", rf"\1{init}", source, flags=re.MULTILINE)
    (folder / "kernel.cpp").write_text(source, encoding="utf-8")
    build_kernel(read_kernel_file(folder, elfs_exist=False), find_compiler("gcc"))
    assert run_kernel(read_kernel_file(folder), Tile()).passed
