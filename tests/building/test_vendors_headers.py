"""Kernels with the vendor's own headers: built, run, checked and refused as any other."""

import os
from pathlib import Path

import numpy as np
import pytest

from kernel_maker import Array, Buffer, build_and_run, write_kernel
from tilelab.build.compilers import find_compiler
from tilelab.build.fresh import stale
from tilelab.build.kernel import build_kernel
from tilelab.build.vendors import tree
from tilelab.build.vendors.wheel import find_wheel
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.sim.errors import BadInputError
from ttnn_runs import HOW, PYTHON

needs_ttnn = pytest.mark.skipif(not PYTHON, reason=HOW)

ADD = """
#include "api/compute/eltwise_binary.h"
#include "api/compute/tile_move_copy.h"
#include "api/dataflow/dataflow_buffer.h"

void kernel_main() {
    DataflowBuffer a(dfb::a), b(dfb::b), out(tt::CBIndex::c_16);
    compute_kernel_hw_startup(a.get_id(), b.get_id(), out.get_id());
    add_init(a.get_id(), b.get_id());
    for (uint32_t i = 0; i < get_arg(args::tiles) * get_compile_time_arg_val(0); ++i) {
        a.wait_front(1);
        b.wait_front(1);
        out.reserve_back(1);
        tile_regs_acquire();
        BINARY_OP(a.get_id(), b.get_id(), 0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, out.get_id());
        tile_regs_release();
        out.push_back(1);
        a.pop_front(1);
        b.pop_front(1);
    }
}
"""
BUILD = """
headers = "{headers}"
named_args = {{ source = {{ tiles = 2 }} }}
buffer_names = {{ a = "c_0", b = "c_1" }}
compile_time_args = {{ source = [2] }}
defines = {{ source = {{ BINARY_OP = "add_tiles" }} }}
"""
A, B = np.random.default_rng(5).integers(-3, 4, (2, 64, 64)).astype(np.float32)


def write(folder: Path, source: str = ADD, arch: str = "blackhole", wanted: Array = A + B) -> None:
    assert PYTHON
    wheel = find_wheel(PYTHON)[1]
    inputs = [Buffer(0, A), Buffer(1, B)]
    write_kernel(
        folder, source, inputs, [Buffer(16, wanted)], arch, build=BUILD.format(headers=wheel)
    )


@needs_ttnn
@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_a_kernel_of_the_vendors_headers_runs_as_any_other(chip: str, tmp_path: Path) -> None:
    write(tmp_path, arch=chip)
    ran = build_and_run(tmp_path)
    assert ran.passed, ran.result.outputs
    kernel = read_kernel_file(tmp_path)
    assert stale(kernel) == ""
    again = build_kernel(kernel, find_compiler())
    assert all(each.cached for each in again)
    (tmp_path / "kernel.cpp").write_text(ADD.replace("0, 0, 0)", "0, 0, 1)"))
    assert "kernel.cpp or kernel.toml has changed" in stale(kernel)


@needs_ttnn
def test_an_error_is_at_the_authors_line(tmp_path: Path) -> None:
    write(tmp_path, ADD.replace("add_init(", "ad_init("))
    with pytest.raises(
        BadInputError, match=r"kernel\.cpp:9: use of undeclared identifier 'ad_init'"
    ):
        build_kernel(read_kernel_file(tmp_path, elfs_exist=False), find_compiler())


@needs_ttnn
def test_tiles_that_nobody_pushes_are_missed(tmp_path: Path) -> None:
    write(tmp_path, ADD.replace("out.push_back(1);", ""))
    (output,) = build_and_run(tmp_path).result.outputs
    assert "c_16: no tile of 4 pushed" in output.not_pushed


@needs_ttnn
def test_readers_and_writers_of_ttnn_find_tensors_in_the_tiles_own_l1(tmp_path: Path) -> None:
    assert PYTHON
    wheel = find_wheel(PYTHON)[1]
    place = wheel / "ttnn/cpp/ttnn/operations/eltwise/binary_ng/device"
    write(tmp_path)
    sources = {
        "kernel": place / "kernels/compute/eltwise_binary_no_bcast.cpp",
        "reader": place / "kernels_ng/dataflow/reader_interleaved_no_bcast.cpp",
        "writer": place / "kernels_ng/dataflow/writer_interleaved_no_bcast.cpp",
    }
    for name, path in sources.items():
        (tmp_path / f"{name}.cpp").write_text(path.read_text())
    (tmp_path / "kernel.toml").write_text(
        WHOLE.replace("WHEEL", str(wheel)).replace("PLACE", str(place))
    )
    ran = build_and_run(tmp_path)
    assert ran.passed, ran.result.outputs


WHOLE = """
elfs = { ncrisc = "r.elf", brisc = "w.elf", trisc0 = "u.elf", trisc1 = "m.elf", trisc2 = "p.elf" }
inputs = [
  { file = "c_0.npy", address = 0x40000, format = "bf16", layout = "tile" },
  { file = "c_1.npy", address = 0x50000, format = "bf16", layout = "tile" },
]
outputs = [
  { address = 0x60000, shape = [64, 64], format = "bf16", layout = "tile", expect = "c_16.npy" },
]
buffers = [
  { buffer = "c_0", address = 0x21000, tiles = 2, format = "bf16" },
  { buffer = "c_1", address = 0x22000, tiles = 2, format = "bf16" },
  { buffer = "c_2", address = 0x23000, tiles = 2, format = "bf16" },
]
[done.mailboxes]
trisc0 = 0x1FFB8
trisc1 = 0x1FFBC
trisc2 = 0x1FFC0
brisc = 0x1FFC4
ncrisc = 0x1FFC8
[build]
source = "kernel.cpp"
reader = "reader.cpp"
writer = "writer.cpp"
headers = "WHEEL"
include = ["PLACE/kernels/compute", "PLACE/kernels/dataflow", "PLACE/kernels_ng/dataflow"]
[build.compile_time_args]
source = [1, 0]
reader = [2, 2048, 2, 2048, 0]
writer = [2, 2048, 0]
[build.runtime_args]
source = [4]
reader = [0x40000, 0, 4, 4, 0, 0, 0, 0, 4, 1, 1, 1, 2, 2, 1, 0x50000, 0, 0, 0, 4, 4, 2, 2]
writer = [0x60000, 0, 4, 0, 1, 1, 1, 2, 2, 1]
[build.defines]
reader = { SRC_SHARDED = 0, SRC_SHARDED_B = 0, BCAST_LLK = 0 }
writer = { DST_SHARDED = 0 }
[build.defines.source]
BCAST_INPUT = ""
BINARY_OP = "add_tiles"
BINARY_OP_TYPE = "EltwiseBinaryType::ELWADD"
BINARY_FPU_SRCA_FORMAT_CB = "tt::CBIndex::c_0"
"PROCESS_LHS_ACTIVATIONS(i)" = ""
"PROCESS_POST_ACTIVATIONS(i)" = ""
"PROCESS_RHS_ACTIVATIONS(i)" = ""
"""


def test_headers_that_are_not_there_are_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInputError, match=r"no headers of tt-metal: it has no tt_metal/hw/inc"):
        tree.find_tree(str(tmp_path))
    monkeypatch.setenv(tree.CHECKOUT, str(tmp_path))
    with pytest.raises(BadInputError, match=f"{tree.CHECKOUT}=.*: has no tt_metal/hw/inc"):
        tree.find_tree("tt-metal")
    place = tmp_path / tree.PLACE
    place.parent.mkdir(parents=True)
    place.write_text("")
    tree._installed.cache_clear()
    assert tree.find_tree("tt-metal") == tmp_path
    monkeypatch.delenv(tree.CHECKOUT)
    monkeypatch.setenv("PATH", os.devnull)
    tree._installed.cache_clear()
    with pytest.raises(BadInputError, match=r"no headers .*names a folder, or TT_METAL"):
        tree.find_tree("tt-metal")
