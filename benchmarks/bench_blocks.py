"""Blocks of products in the cycle clock: tilelab's headers beside the vendor's, the same kernel.

usage: TT_METAL_HOME=… python benchmarks/bench_blocks.py [blackhole|wormhole] [FORMAT] [FIDELITY]

A row is a block: rows × columns × depth in tiles, the cycles from the first UNPACR to the last PACR
with each kind of headers, and their ratio. Exits 1 if ours takes more than 5 % longer anywhere.
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.tensix import Tile
from tilelab.trace.recording import Recording
from tilelab.trace.writers import text_bytes

SHAPES = (
    *((1, 1, 1), (1, 1, 4), (2, 1, 2), (1, 2, 2), (2, 2, 4), (3, 2, 1), (2, 3, 2), (4, 1, 1)),
    *((1, 8, 2), (8, 1, 2), (3, 1, 3), (1, 3, 3), (4, 2, 3), (2, 4, 2), (1, 5, 4), (7, 1, 4)),
)
BOUND = 1.05
KERNEL = """
#include "api/compute/matmul.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
void kernel_main() {
    constexpr auto a = tt::CBIndex::c_0, b = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
    compute_kernel_hw_startup<SrcOrder::Reverse>(a, b, out);
    matmul_block_init(a, b, 0, columns, rows, 1);
    tile_regs_acquire();
    cb_wait_front(a, rows * depth);
    cb_wait_front(b, columns * depth);
    for (uint32_t k = 0; k < depth; ++k)
        matmul_block(a, b, k * rows, k * columns, 0, 0, columns, rows, 1);
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(out, rows * columns);
    for (uint32_t tile = 0; tile < rows * columns; ++tile) pack_tile(tile, out);
    cb_push_back(out, rows * columns);
    tile_regs_release();
}
"""
BUFFER = 'layout = "tile"\nbuffer = "c_{}"\nformat = "{}"\naddress = {:#x}\n'


def write(folder: Path, shape: tuple[int, int, int], how: tuple[str, str, str], more: str) -> None:
    """The kernel's folder, for a chip, a format and a fidelity."""
    rows, columns, depth = shape
    arch, form, fidelity = how
    rng = np.random.default_rng(1)
    a = rng.integers(-4, 5, (rows * 32, depth * 32)).astype(np.float32)
    b = rng.integers(-4, 5, (depth * 32, columns * 32)).astype(np.float32)
    for name, array in (("a", a), ("b", b), ("c", a @ b)):
        np.save(folder / f"{name}.npy", array)
    order = [row * depth + k for k in range(depth) for row in range(rows)]
    (folder / "kernel.cpp").write_text(KERNEL)
    (folder / "kernel.toml").write_text(
        f'arch = "{arch}"\nelfs = {{ trisc0 = "0.elf", trisc1 = "1.elf", trisc2 = "2.elf" }}\n'
        f'[[inputs]]\nfile = "a.npy"\ntiles = {order}\n{BUFFER.format(0, form, 0x21000)}'
        f'[[inputs]]\nfile = "b.npy"\n{BUFFER.format(1, form, 0x61000)}'
        f'[[outputs]]\nexpect = "c.npy"\ntolerance = {{ relative = 0.01, absolute = 1 }}\n'
        f"shape = {[rows * 32, columns * 32]}\n{BUFFER.format(16, 'bf16', 0xAD000)}"
        "[done]\nmailboxes = { trisc0 = 0x1FFB8, trisc1 = 0x1FFBC, trisc2 = 0x1FFC0 }\n"
        f'[build]\nsource = "kernel.cpp"\nmath_fidelity = "{fidelity}"\n{more}'
        f"constants = {{ rows = {rows}, columns = {columns}, depth = {depth} }}\n"
    )


def cycles(folder: Path, arch: str) -> int:
    """From the first UNPACR to the last PACR; the result is checked."""
    build_kernel(read_kernel_file(folder, elfs_exist=False), find_compiler("zig"))
    tile = Tile(arch, clock="cycle")
    recording = Recording(tile)
    assert run_kernel(read_kernel_file(folder), tile).passed, folder
    lines = text_bytes(recording).decode().splitlines()

    def at(name: str) -> list[int]:
        return [int(re.findall(r"\d+", line)[0]) for line in lines if f"tt{name} " in line]

    return at("pacr")[-1] - at("unpacr")[0]


def main() -> int:
    """Measure all blocks; whether one is too slow."""
    given = sys.argv[1:]
    how = (*given, *("blackhole", "bf16", "LoFi")[len(given) :])
    worst = 0.0
    for shape in SHAPES:
        counts = []
        for more in ("", 'headers = "tt-metal"\n'):
            with TemporaryDirectory() as name:
                write(Path(name), shape, (how[0], how[1], how[2]), more)
                counts.append(cycles(Path(name), how[0]))
        ours, theirs = counts
        worst = max(worst, ours / theirs)
        print("×".join(map(str, shape)), *how, ours, theirs, f"{ours / theirs:.3f}", flush=True)
    print(f"worst {worst:.3f}")
    return int(worst > BOUND)


if __name__ == "__main__":
    sys.exit(main())
