"""Kernels with tt-metal's arguments, from kernel.toml, for each source its own."""

from pathlib import Path

import numpy as np
import pytest

from kernel_maker import Buffer, build_and_run, write_kernel
from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.l1_places import outdated
from tilelab.sim.errors import BadInputError

CHIPS = ("blackhole", "wormhole")
KERNEL = """
#include <stdint.h>
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/tile_move_copy.h"

namespace NAMESPACE {
void MAIN {
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    constexpr auto in = static_cast<tt::CBIndex>(get_compile_time_arg_val(1));
    uint32_t next = 0;
    const uint32_t out = get_arg_val<uint32_t>(next++);
    const int32_t ahead = get_arg_val<int32_t>(next++);
    init_sfpu(in, tt::CBIndex::c_16);
    for (uint32_t i = 0; i < tiles; ++i) {
        acquire_dst();
        cb_wait_front(in, 1);
        cb_reserve_back(out, 1);
        copy_tile(in, 0, ahead + 2);
        pack_tile(ahead + 2, out);
        cb_push_back(out, 1);
        cb_pop_front(in, 1);
        release_dst();
    }
}
}  // namespace NAMESPACE
"""
READER = """
#include <dataflow_api.h>
void kernel_main() {
    cb_reserve_back(0, 1);
    const auto from = get_noc_addr(get_arg_val<uint32_t>(0));
    noc_async_read(from, get_write_ptr(0), get_compile_time_arg_val(0));
    noc_async_read_barrier();
    cb_push_back(0, 1);
}
"""
WRITER = """
#include <dataflow_api.h>
void kernel_main() {
    cb_wait_front(16, 1);
    const auto to = get_noc_addr(get_arg_val<uint32_t>(0));
    noc_async_write(get_read_ptr(16), to, get_compile_time_arg_val(0));
    noc_async_write_barrier();
    cb_pop_front(16, 1);
}
"""
FLOAT = """
#include "ckernel_sfpu_converter.h"
namespace ckernel::sfpu {
inline void scale(uint32_t by) {
    vector_tile(1, [by] {
        const sfpi::vFloat x = sfpi::dst_reg[0];
        sfpi::dst_reg[0] = x * Converter::as_float(by);
    });
}
}
"""
ARGUMENTS = "compile_time_args = { source = [3, 2] }\nruntime_args = { source = [16, -1] }"


def written(folder: Path, source: str, build: str, arch: str = "blackhole") -> None:
    x = np.random.default_rng(3).integers(-99, 99, (32, 96)).astype(np.float32)
    write_kernel(folder, source, [Buffer(2, x)], [Buffer(16, x)], arch, build=build)


@pytest.mark.parametrize("arch", CHIPS)
def test_a_float_that_is_given_by_its_bits(arch: str, tmp_path: Path) -> None:
    x = np.random.default_rng(3).integers(-99, 99, (32, 96)).astype(np.float32)
    scale = "MATH((ckernel::sfpu::scale(get_arg_val<uint32_t>(2)))); pack_tile("
    build = ARGUMENTS.replace("-1]", "-1, 0xC0000000]")
    source = FLOAT + KERNEL.replace("pack_tile(", scale)
    write_kernel(tmp_path, source, [Buffer(2, x)], [Buffer(16, -2 * x)], arch, build=build)
    assert build_and_run(tmp_path).passed


@pytest.mark.parametrize("compiler", ["zig", "gcc"])
@pytest.mark.parametrize("arch", CHIPS)
def test_a_kernel_with_arguments(arch: str, compiler: str, tmp_path: Path) -> None:
    written(tmp_path, KERNEL, ARGUMENTS, arch)
    assert build_and_run(tmp_path, compiler).passed


def test_other_arguments_are_another_build(tmp_path: Path) -> None:
    written(tmp_path, KERNEL, ARGUMENTS)
    assert build_and_run(tmp_path).passed
    toml = tmp_path / "kernel.toml"
    toml.write_text(toml.read_text().replace("[3, 2]", "[2, 2]"))
    assert outdated(read_kernel_file(tmp_path))


@pytest.mark.parametrize(
    ("build", "said"),
    [
        ("runtime_args = { source = [16, -1] }", "fewer compile_time_args for this source"),
        ("compile_time_args = { source = [3] }", "fewer compile_time_args for this source"),
        ("compile_time_args = { source = [3, 2] }", "fewer runtime_args for this source"),
        ("runtime_args = { reader = [1] }", "build.runtime_args.reader: there is no reader"),
        ("runtime_args = { compute = [1] }", "build.runtime_args.compute: unknown key"),
        ("runtime_args = { source = [1.5] }", "runtime_args.source: 1.5 is not an integer"),
        ("runtime_args = { source = [4294967296] }", "4294967296 has more than 32 bits"),
        ("runtime_args = [1]", "build.runtime_args: [1] is not a table"),
    ],
)
def test_what_is_missing_or_wrong_is_said(build: str, said: str, tmp_path: Path) -> None:
    written(tmp_path, KERNEL, build)
    with pytest.raises(BadInputError) as error:
        build_kernel(read_kernel_file(tmp_path, elfs_exist=False), find_compiler())
    assert said in str(error.value)


def test_each_source_has_its_own(tmp_path: Path) -> None:
    """The reader fetches from its argument's address, and the writer stores at its own's."""
    x = np.random.default_rng(4).integers(-99, 99, (32, 32)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    (tmp_path / "reader.cpp").write_text(READER)
    (tmp_path / "writer.cpp").write_text(WRITER)
    (tmp_path / "kernel.cpp").write_text(KERNEL)
    cores = ("brisc", "ncrisc", "trisc0", "trisc1", "trisc2")
    elfs = ", ".join(f'{core} = "{core}.elf"' for core in cores)
    boxes = ", ".join(f"{core} = {0x1FFA0 + 4 * i}" for i, core in enumerate(cores))
    (tmp_path / "kernel.toml").write_text(f"""
elfs = {{{elfs}}}
[[inputs]]
address = 0x40000
format = "bf16"
layout = "tile"
file = "x.npy"
[[outputs]]
address = 0x60000
format = "bf16"
layout = "tile"
shape = [32, 32]
expect = "x.npy"
[[buffers]]
buffer = "c_0"
address = 0x21000
tiles = 1
format = "bf16"
[[buffers]]
buffer = "c_16"
address = 0x22000
tiles = 1
format = "bf16"
[done]
mailboxes = {{{boxes}}}
[build]
source = "kernel.cpp"
reader = "reader.cpp"
writer = "writer.cpp"
compile_time_args = {{ source = [1, 0], reader = [2048], writer = [2048] }}
runtime_args = {{ source = [16, -2], reader = [0x40000], writer = [0x60000] }}
""")
    assert build_and_run(tmp_path).passed


NEWER = """
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr auto in0 = tt::CBIndex::c_0, in1 = tt::CBIndex::c_1;
    compute_kernel_hw_startup<SrcOrder::Reverse>(in0, in1, tt::CBIndex::c_16);
    for (uint32_t i = 0; i < tiles; ++i) {
        tile_regs_acquire();
        copy_init(tt::CBIndex::c_2);
        cb_wait_front(tt::CBIndex::c_2, 1);
        copy_tile(tt::CBIndex::c_2, 0, 0);
        cb_pop_front(tt::CBIndex::c_2, 1);
        matmul_init(tt::CBIndex::c_0, tt::CBIndex::c_1);
        cb_wait_front(tt::CBIndex::c_0, 1);
        cb_wait_front(tt::CBIndex::c_1, 1);
        matmul_tiles(tt::CBIndex::c_0, tt::CBIndex::c_1, 0, 0, 0);
        cb_pop_front(tt::CBIndex::c_0, 1);
        cb_pop_front(tt::CBIndex::c_1, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(tt::CBIndex::c_16, 1);
        pack_tile(0, tt::CBIndex::c_16);
        cb_push_back(tt::CBIndex::c_16, 1);
        tile_regs_release();
    }
}
"""


@pytest.mark.parametrize("compiler", ["zig", "gcc"])
@pytest.mark.parametrize("arch", CHIPS)
def test_a_kernel_with_the_newer_names(arch: str, compiler: str, tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    a, b, c = (random.integers(-3, 4, (32, 64)).astype(np.float32) for _ in range(3))
    product = np.hstack([a[:, at] @ b[:, at] for at in (slice(0, 32), slice(32, 64))])
    inputs = [Buffer(0, a), Buffer(1, b), Buffer(2, c)]
    outputs = [Buffer(16, product + c)]
    write_kernel(tmp_path, NEWER, inputs, outputs, arch, build="runtime_args = { source = [2] }")
    assert build_and_run(tmp_path, compiler).passed
