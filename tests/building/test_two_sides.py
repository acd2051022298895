"""Circular buffers with a reader and a writer, smaller than what passes through them."""

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from kernel_maker import EXAMPLES
from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.result import KernelResult
from tilelab.kernels.run import run_kernel
from tilelab.sim.errors import DeadlockError, MachineError
from tilelab.tensix import Tile

CHIPS = ("blackhole", "wormhole")
TILES = 12

READER = """\
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t bytes = get_tile_size(tt::CBIndex::c_0);
    for (uint32_t tile = 0; tile < num_tiles; ++tile) {
        cb_reserve_back(tt::CBIndex::c_0, 1);
        cb_reserve_back(tt::CBIndex::c_1, 1);
        noc_async_read(get_noc_addr(in0 + tile * bytes), get_write_ptr(tt::CBIndex::c_0), bytes);
        noc_async_read(get_noc_addr(in1 + tile * bytes), get_write_ptr(tt::CBIndex::c_1), bytes);
        noc_async_read_barrier();
        cb_push_back(tt::CBIndex::c_0, 1);
        cb_push_back(tt::CBIndex::c_1, 1);
    }
}
"""

WRITER = """\
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t bytes = get_tile_size(tt::CBIndex::c_2);
    for (uint32_t tile = 0; tile < num_tiles; ++tile) {
        cb_wait_front(tt::CBIndex::c_2, 1);
        noc_async_write(get_read_ptr(tt::CBIndex::c_2), get_noc_addr(out + tile * bytes), bytes);
        noc_async_write_barrier();
        cb_pop_front(tt::CBIndex::c_2, 1);
    }
}
"""

COMPUTE = """\
#include "compute_kernel_api/eltwise_binary.h"

namespace NAMESPACE {
void MAIN {
    add_tiles_init(tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_2);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(tt::CBIndex::c_0, 1);
        cb_wait_front(tt::CBIndex::c_1, 1);
        add_tiles(tt::CBIndex::c_0, tt::CBIndex::c_1, 0, 0, 0);
        cb_pop_front(tt::CBIndex::c_0, 1);
        cb_pop_front(tt::CBIndex::c_1, 1);
        tile_regs_commit();

        tile_regs_wait();
        cb_reserve_back(tt::CBIndex::c_2, 1);
        pack_tile(0, tt::CBIndex::c_2);
        cb_push_back(tt::CBIndex::c_2, 1);
        tile_regs_release();
    }
}
}
"""

TOML = """\
arch = "{arch}"

[elfs]
brisc = "writer.elf"
ncrisc = "reader.elf"
trisc0 = "unpack.elf"
trisc1 = "math.elf"
trisc2 = "pack.elf"

[[inputs]]
file = "a.npy"
address = 0x40000
format = "bf16"
layout = "tile"

[[inputs]]
file = "b.npy"
address = 0x50000
format = "bf16"
layout = "tile"

[[outputs]]
address = 0x60000
shape = [64, 192]
format = "bf16"
layout = "tile"
expect = "c.npy"

[[buffers]]
buffer = "c_0"
address = 0x21000
tiles = 2
format = "bf16"

[[buffers]]
buffer = "c_1"
address = 0x23000
tiles = 3
format = "bf16"

[[buffers]]
buffer = "c_2"
address = 0x26000
tiles = 2
format = "bf16"

[done.mailboxes]
brisc = 0x1FFB0
ncrisc = 0x1FFB4
trisc0 = 0x1FFB8
trisc1 = 0x1FFBC
trisc2 = 0x1FFC0

[build]
source = "kernel.cpp"
reader = "reader.cpp"
writer = "writer.cpp"
constants = {{ num_tiles = {tiles}, in0 = 0x40000, in1 = 0x50000, out = 0x60000 }}
"""


def run(
    folder: Path,
    arch: str = "blackhole",
    reader: str = READER,
    writer: str = WRITER,
    compute: str = COMPUTE,
    clock: str = "functional",
    copies: bool = False,
) -> KernelResult:
    rng = np.random.default_rng(5)
    a, b = rng.integers(-64, 64, (2, 64, 192)).astype(ml_dtypes.bfloat16).astype(np.float32)
    for name, array in (("a", a), ("b", b), ("c", a if copies else a + b)):
        np.save(folder / f"{name}.npy", array)
    for name, text in (("reader", reader), ("writer", writer), ("kernel", compute)):
        (folder / f"{name}.cpp").write_text(text, encoding="utf-8")
    (folder / "kernel.toml").write_text(TOML.format(arch=arch, tiles=TILES), encoding="utf-8")
    build_kernel(read_kernel_file(folder, elfs_exist=False), find_compiler())
    return run_kernel(read_kernel_file(folder), Tile(arch, clock=clock))


@pytest.mark.parametrize("clock", ["functional", "cycle"])
@pytest.mark.parametrize("arch", CHIPS)
def test_tiles_pass_through_buffers_smaller_than_the_arrays(
    arch: str, clock: str, tmp_path: Path
) -> None:
    assert run(tmp_path, arch, clock=clock).passed


def stuck(folder: Path, **changed: str) -> DeadlockError:
    """The report of a kernel whose reader, writer or compute source differs."""
    with pytest.raises(DeadlockError) as raised:
        run(folder, **changed)  # type: ignore[arg-type]
    return raised.value


def test_a_wait_for_tiles_names_who_pushes_them(tmp_path: Path) -> None:
    report = stuck(tmp_path, compute=COMPUTE.replace("i < num_tiles", "i + 1 < num_tiles"))
    assert "BRISC waits for c_2" in report.summary
    wait = (
        "waits for circular buffer 2: 0 of 1 tiles; TRISC2 pushes it (11 received, 11 acknowledged)"
    )
    assert wait in report.detail
    assert "writer.cpp:6 → cb_wait_front → " in report.detail


def test_a_wait_for_the_reader(tmp_path: Path) -> None:
    report = stuck(tmp_path, reader=READER.replace("tile < num_tiles", "tile < 7"))
    wait = (
        "waits for circular buffer 0: 0 of 1 tiles; NCRISC pushes it (7 received, 7 acknowledged)"
    )
    assert wait in report.detail


def test_a_full_buffer_holds_each_side_before_it(tmp_path: Path) -> None:
    """A writer that stops holds the packer, which holds math, unpackers and the reader."""
    report = stuck(tmp_path, writer=WRITER.replace("tile < num_tiles", "tile < 1"))
    waits = [line for line in report.detail.splitlines() if "waits for room in" in line]
    assert [line.split()[0] for line in waits] == ["TRISC2", "NCRISC"]
    assert (
        "room in circular buffer 2: it goes on when 1 are left; BRISC pops it (3 received"
        in waits[0]
    )
    assert "room in circular buffer 0: it goes on when 1 are left; TRISC0 pops it" in waits[1]


def test_a_buffer_that_no_core_fills(tmp_path: Path) -> None:
    lines = READER.splitlines(keepends=True)
    reader = "".join(line for line in lines if "c_1" not in line)
    report = stuck(tmp_path, reader=reader)
    assert "circular buffer 1: 0 of 1 tiles; no core pushes it (0 received, 0" in report.detail


def test_requests_that_need_a_chip_are_refused(tmp_path: Path) -> None:
    for number, (there, code) in enumerate(
        (
            ("get_noc_addr(1, 2, in1)", "noc-other-place"),
            ("get_noc_addr(0x400000)", "noc-outside-l1"),
            ("get_noc_addr(in1 + 4)", "noc-alignment"),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(MachineError) as raised:
            run(folder, reader=READER.replace("get_noc_addr(in1 + tile * bytes)", there))
        assert code in str(raised.value)
        assert "reader.cpp:9" in str(raised.value.detail)


def test_the_documentations_reader_and_writer(tmp_path: Path) -> None:
    page = (EXAMPLES.parent / "docs" / "kernels.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)
    reader, writer = (
        next(text for text in blocks if f"// the {name}" in text).replace("c_16", "c_2")
        for name in ("reader", "writer")
    )
    lines = COMPUTE.replace("eltwise_binary.h", "tile_move_copy.h").splitlines(keepends=True)
    compute = "".join(line for line in lines if "c_1, 1" not in line)
    compute = compute.replace(
        "add_tiles_init(tt::CBIndex::c_0, tt::CBIndex::c_1,", "copy_tile_init(tt::CBIndex::c_0,"
    )
    compute = compute.replace(
        "add_tiles(tt::CBIndex::c_0, tt::CBIndex::c_1, 0, 0, 0)",
        "copy_tile(tt::CBIndex::c_0, 0, 0)",
    )
    assert run(tmp_path, reader=reader, writer=writer, compute=compute, copies=True).passed
