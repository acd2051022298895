"""The repository's own kernels: their files agree with each other, and their ELFs with the source.

What they compute is checked where they run; here are the things that need no machine.
"""

import hashlib
import shutil
import struct
import subprocess
from itertools import pairwise
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from tilelab.build.compilers import GCC, GCC_PACKAGE, find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.kernels.build import CODE
from tilelab.kernels.kernel_toml.file import KernelFile, Output, read_kernel_file
from tilelab.kernels.outputs import expected_values
from tilelab.kernels.run import run_kernel
from tilelab.report.breakdown import breakdown
from tilelab.tensix import Tile
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ["matmul", "eltwise_add", "datacopy", "matmul_block"]
RECORDED = NAMES[:3]
"""Those with the bytes that another simulator gave."""
COMPILER_VERSION = "12.2.0"

LISTING = "56a10a6f0f8d7435"
"""SHA-256, first digits, of the published listing that matmul runs, from its namespace on."""


def example(name: str) -> KernelFile:
    return read_kernel_file(EXAMPLES / name)


def compiler_version() -> str | None:
    if not shutil.which(GCC):
        return None
    command = [GCC, "-dumpfullversion"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def code_words(elf: Path) -> list[int]:
    """The words of .text."""
    with elf.open("rb") as file:
        data = ELFFile(file).get_section_by_name(".text").data()
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def tensix_words(elf: Path) -> list[int]:
    """The Tensix words in the instruction stream, in order (constants would count too)."""
    return [word >> 2 | word << 30 & 0xFFFFFFFF for word in code_words(elf) if word & 3 != 3]


def from_tiles(raw: bytes, output: Output) -> np.ndarray:
    """bfloat16 tiles as they lie in L1 → the array."""
    faces = np.frombuffer(raw, ml_dtypes.bfloat16).reshape(-1, 2, 2, 16, 16)
    tiles = faces.transpose(0, 1, 3, 2, 4).reshape(-1, 32, 32)[np.argsort(output.tiles)]
    rows, columns = output.shape
    grid = tiles.reshape(rows // 32, columns // 32, 32, 32).transpose(0, 2, 1, 3)
    return grid.reshape(rows, columns).astype(np.float32)


def test_every_example_is_tested() -> None:
    assert sorted(path.parent.name for path in EXAMPLES.glob("*/kernel.toml")) == sorted(NAMES)


@pytest.mark.parametrize("name", RECORDED)
def test_the_bytes_to_expect_are_within_the_tolerance(name: str) -> None:
    kernel = example(name)
    (output,) = kernel.outputs
    assert output.exact
    got = from_tiles(np.load(output.exact).tobytes(), output)
    expected = expected_values(kernel, output)
    assert (np.abs(got - expected) <= output.absolute + output.relative * np.abs(expected)).all()


@pytest.mark.parametrize(
    ("name", "compute"),
    [("matmul", np.matmul), ("eltwise_add", np.add), ("datacopy", lambda a: a)],
)
def test_what_is_expected_is_what_numpy_gives(name: str, compute: np.ufunc) -> None:
    kernel = example(name)
    arrays = [np.load(item.file) for item in kernel.inputs]
    for array in arrays:
        assert (array.astype(ml_dtypes.bfloat16) == array).all(), "bfloat16 does not hold the input"
    (output,) = kernel.outputs
    np.testing.assert_allclose(
        expected_values(kernel, output), compute(*arrays), rtol=1e-5, atol=1e-5
    )


def test_the_blocks_expect_what_numpy_gives_exactly() -> None:
    kernel = example("matmul_block")
    a, b = (np.load(item.file).astype(np.int32) for item in kernel.inputs)
    (output,) = kernel.outputs
    assert (output.absolute, output.relative) == (0, 0)
    assert (expected_values(kernel, output) == a @ b).all()


@pytest.mark.parametrize("fidelity", [1, 2, 3, 4])
def test_blocks_feed_the_matrix_unit(fidelity: int, tmp_path: Path) -> None:
    """At least nine tenths of its peak at LoFi, and each fidelity phase takes as long again."""
    if fidelity == 1:
        kernel = example("matmul_block")
    else:
        if compiler_version() is None:
            pytest.skip(f"needs {GCC}: apt install {GCC_PACKAGE}")
        folder = tmp_path / "matmul_block"
        shutil.copytree(EXAMPLES / "matmul_block", folder)
        toml = folder / "kernel.toml"
        text = toml.read_text(encoding="utf-8")
        toml.write_text(text.replace("LoFi", f"HiFi{fidelity}"), encoding="utf-8")
        kernel = read_kernel_file(folder)
        build_kernel(kernel, find_compiler("gcc"))
    tile = Tile(clock="cycle")
    assert run_kernel(kernel, tile).passed
    made = breakdown(tile.state)
    multiplies = 8 * 16 * 8 * 16 * fidelity
    assert made.flop == multiplies * 4096
    assert multiplies / made.cycles >= 0.9
    assert made.cycles - multiplies < 1700  # whatever the fidelity


def test_matmul_takes_the_tiles_in_the_order_of_use() -> None:
    a, b = example("matmul").inputs
    m, n, k = np.mgrid[:2, :2, :3]  # C is 2 × 2 tiles, K is 3
    assert a.tiles == tuple((m * 3 + k).ravel())
    assert b.tiles == tuple((k * 2 + n).ravel())


@pytest.mark.parametrize("name", NAMES)
def test_programs_and_data_lie_apart(name: str) -> None:
    kernel = example(name)
    extents = [item.extent for item in (*kernel.inputs, *kernel.outputs)] + [CIRCULAR_BUFFERS]
    for core, path in kernel.elfs.items():
        with path.open("rb") as file:
            elf = ELFFile(file)
            assert elf.header.e_entry == CODE[core].start
            for section in (".init", ".text", ".loader_init"):
                header = elf.get_section_by_name(section).header
                extents.append(range(header.sh_addr, header.sh_addr + header.sh_size))
    ordered = sorted(extents, key=lambda extent: extent.start)
    for first, second in pairwise(ordered):
        assert first.stop <= second.start


def test_matmul_runs_the_published_listing_but_for_its_includes() -> None:
    first, rest = (EXAMPLES / "matmul" / "kernel.cpp").read_text().split("\n", 1)
    assert first == "#include <tilelab/compute_kernel.h>"
    assert hashlib.sha256(rest.strip().encode()).hexdigest()[:16] == LISTING


def test_matmul_records_sixteen_mvmuls() -> None:
    words = tensix_words(EXAMPLES / "matmul" / "math.elf")
    record = words.index(0x04040101)  # REPLAY start 16, 16 words, load, do not execute
    addr_mods = [0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5]
    assert words[record + 1 : record + 17] == [0x26 << 24 | mod << 14 for mod in addr_mods]
    assert 0x01800000 in words[record:], "MOP 1, 0, 0"


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_elfs_are_a_rebuild_byte_for_byte(name: str, tmp_path: Path) -> None:
    if (version := compiler_version()) is None:
        pytest.skip(f"needs {GCC}: apt install {GCC_PACKAGE}")
    if version != COMPILER_VERSION:
        pytest.skip(f"the ELFs come from {GCC} {COMPILER_VERSION}, here is {version}")
    folder = tmp_path / "elsewhere"
    shutil.copytree(EXAMPLES / name, folder)
    for built in build_kernel(read_kernel_file(folder), find_compiler("gcc"), tmp_path):
        elf = built.path
        committed = (EXAMPLES / name / elf.name).read_bytes()
        assert elf.read_bytes() == committed, f"{name}/{elf.name}: run python examples/build.py"
