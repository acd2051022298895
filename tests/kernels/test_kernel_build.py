"""Building kernels from C++: what goes into the build, and how it fails."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from tilelab.build.compilers import GCC, GCC_PACKAGE, find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.kernels.build import (
    CODE,
    COMPUTE,
    DATA_FORMATS,
    DATA_IMAGE,
    build_header,
)
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.sim.errors import BadInputError

needs_compiler = pytest.mark.skipif(
    not shutil.which(GCC), reason=f"needs {GCC}: apt install {GCC_PACKAGE}"
)

TOML = """
elfs = { trisc0 = "u.elf", trisc1 = "m.elf", trisc2 = "p.elf" }
[[inputs]]
file = "a.npy"
address = 0x21000
format = "bf16"
layout = "tile"
tiles = [1, 0, 1]
buffer = "c_0"
[[outputs]]
address = 0x25000
shape = [32, 64]
format = "bf16"
layout = "tile"
buffer = "c_2"
[done]
mailboxes = { trisc0 = 0x1FFB8, trisc1 = 0x1FFBC, trisc2 = 0x1FFC0 }
[build]
source = "k.cpp"
constants = { num_tiles = 3 }
"""

KERNEL = """
#include <tilelab/compute_kernel.h>
namespace { volatile uint32_t count = num_tiles, zeroed; }
namespace NAMESPACE {
void MAIN {
    copy_tile_init(tt::CBIndex::c_0, tt::CBIndex::c_2);
    for (uint32_t i = zeroed; i < count; ++i) copy_tile(tt::CBIndex::c_0, i, 0);
}
}
"""


def kernel(folder: Path, toml: str = TOML, source: str = KERNEL) -> KernelFile:
    np.save(folder / "a.npy", np.zeros((32, 96), np.float32))
    for name in ("k.cpp", "kernel.cpp"):
        (folder / name).write_text(source)
    (folder / "kernel.toml").write_text(toml, encoding="utf-8")
    return read_kernel_file(folder, elfs_exist=False)


def build(kernel: KernelFile) -> list[Path]:
    return [built.path for built in build_kernel(kernel, find_compiler("gcc"))]


def test_the_build_header_says_what_the_kernel_toml_says(tmp_path: Path) -> None:
    lines = build_header(kernel(tmp_path)).splitlines()
    assert "constexpr uint32_t num_tiles = 0x3;" in lines
    assert "constexpr uint32_t done_mailboxes[] = {0x1ffb8, 0x1ffbc, 0x1ffc0, 0x0, 0x0};" in lines
    assert "constexpr uint32_t done_value = 0xff;" in lines
    buffers = lines[lines.index("constexpr PlacedBuffer circular_buffers[32] = {") + 1 :][:32]
    assert buffers[0] == "    {0x21000, 3, 3, 2048, DataFormat::Float16_b, 0, false},"
    assert buffers[1] == "    {},"
    assert buffers[2] == "    {0x25000, 2, 0, 2048, DataFormat::Float16_b, 1, false},"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (TOML[TOML.index("[build]") :], "", "has no [build] table, so there is nothing to build"),
        (", trisc2 = 0x1FFC0", "", "trisc2 needs an ELF and a mailbox"),
        (
            '"bf16"',
            '"fp8_e5m2"',
            f"c_0 holds fp8_e5m2; the headers offer {', '.join(DATA_FORMATS)} only",
        ),
    ],
)
def test_what_cannot_be_built(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(BadInputError) as error:
        build_header(kernel(tmp_path, TOML.replace(old, new, 1)))
    assert str(error.value) == f"{tmp_path / 'kernel.toml'}: {message}"


@needs_compiler
def test_the_elfs_have_the_sections_that_loaders_take(tmp_path: Path) -> None:
    elfs = build(kernel(tmp_path))
    assert [elf.name for elf in elfs] == ["u.elf", "m.elf", "p.elf"]
    for core, path in zip(COMPUTE, elfs, strict=True):
        with path.open("rb") as file:
            elf = ELFFile(file)
            sections = {s.name: s for s in elf.iter_sections()}
            assert elf.header.e_entry == CODE[core].start == sections[".init"]["sh_addr"]
            assert sections[".loader_init"]["sh_addr"] == DATA_IMAGE[core]
            data = sections[".ldm_data"]
            assert (data["sh_addr"], data.data()) == (0xFFB00000, (3).to_bytes(4, "little"))
            assert sections[".bss"]["sh_type"] == "SHT_NOBITS"


@needs_compiler
def test_the_documentation_builds(tmp_path: Path) -> None:
    docs = Path(__file__).parents[2] / "docs"
    reference = (docs / "kernel-toml.md").read_text(encoding="utf-8")
    toml = re.findall(r"```toml\n(.*?)```", reference, re.DOTALL)[0]
    page = (docs / "kernels.md").read_text(encoding="utf-8")
    source = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)[0]
    second = toml[toml.index("[[inputs]]") : toml.index("[[outputs]]")]
    second = second.replace("0x21000", "0x27000").replace("c_0", "c_1")
    np.save(tmp_path / "c.npy", np.zeros((64, 64)))
    np.save(tmp_path / "exact.npy", np.zeros(8192, np.uint8))
    documented = kernel(tmp_path, toml.replace("[[outputs]]", second + "[[outputs]]"), source)
    assert [elf.exists() for elf in build(documented)] == [True] * 3
