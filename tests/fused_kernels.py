"""One kernel that executes lists of compute functions, and what NumPy makes of such a list.

The list lies in L1; each of the three cores reads it and calls what it names, so that one build
serves every order in which a program may call the headers' functions.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.tensix.tile.tile import Tile

COMPUTE = ("matmul", "add", "copy")
"""The headers' compute functions; each has an init of its own."""
STEPS = (
    *("end", "matmul init", "add init", "copy init", *COMPUTE),
    *("acquire", "commit", "pack", "release", "pop"),
)

SOURCE = """
#define MATH_FIDELITY MathFidelity::%(fidelity)s
#include <tilelab/compute_kernel.h>
namespace NAMESPACE {
void MAIN {
    constexpr auto a = tt::CBIndex::c_0, b = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
    uint32_t ahead_a = 0, ahead_b = 0;  // tiles taken since the last pop
    uint32_t rest = 24;                 // tiles of the output that are not pushed yet
    for (uint32_t at = 0x20000;; at += 4) {
        const uint32_t step = *word_at(at), tile = step >> 8;
        switch (step & 0xFF) {
            case 0: cb_push_back(out, rest); return;
            case 1: mm_init(a, b, out); break;
            case 2: add_tiles_init(a, b, out); break;
            case 3: copy_tile_init(a, out); break;
            case 4: matmul_tiles(a, b, ahead_a++, ahead_b++, tile); break;
            case 5: add_tiles(a, b, ahead_a++, ahead_b++, tile); break;
            case 6: copy_tile(a, ahead_a++, tile); break;
            case 7: tile_regs_acquire(); break;
            case 8: tile_regs_commit(); tile_regs_wait(); break;
            case 9:
                cb_reserve_back(out, 1);
                pack_tile(tile, out);
                cb_push_back(out, 1);
                --rest;
                break;
            case 10: tile_regs_release(); break;
            case 11:
                cb_pop_front(a, ahead_a);
                cb_pop_front(b, ahead_b);
                ahead_a = ahead_b = 0;
                break;
        }
    }
}
}
"""
TILES = 24
TOML = """
arch = "%(arch)s"
elfs = {trisc0 = "u.elf", trisc1 = "m.elf", trisc2 = "p.elf"}
inputs = [
    {file = "steps.npy", address = 0x20000, format = "uint32", layout = "row_major"},
    {file = "a.npy", address = 0x30000, format = "bf16", layout = "tile", buffer = "c_0"},
    {file = "b.npy", address = 0x40000, format = "bf16", layout = "tile", buffer = "c_1"},
]
done = {mailboxes = {trisc0 = 0x1FFB8, trisc1 = 0x1FFBC, trisc2 = 0x1FFC0}}
build = {source = "k.cpp"}
[[outputs]]
address = %(out)#x
shape = [%(tiles)d, 32, 32]
format = "bf16"
layout = "tile"
buffer = "c_16"
expect = "c.npy"
"""

Step = tuple[str, int]
"""A step and the tile of Dst that it is about, 0 if it is about none."""


def lay_out(
    folder: Path, arch: str = "blackhole", fidelity: str = "LoFi", out: int = 0x50000
) -> Path:
    """Build the kernel in a folder, for lists that are still to come."""
    (folder / "k.cpp").write_text(SOURCE % {"fidelity": fidelity})
    (folder / "kernel.toml").write_text(TOML % {"arch": arch, "tiles": TILES, "out": out})
    write_inputs(folder, [], 0)
    build_kernel(read_kernel_file(folder, elfs_exist=False), find_compiler("gcc"))
    return folder


def write_inputs(folder: Path, steps: Sequence[Step], seed: int) -> None:
    """Write a list, random tiles for it to take, and what it must give."""
    words = [STEPS.index(name) | tile << 8 for name, tile in (*steps, ("end", 0))]
    rng = np.random.default_rng(seed)
    a, b = rng.integers(-2, 3, (2, TILES, 32, 32)).astype(np.float32)
    np.save(folder / "steps.npy", np.array(words, np.uint32))
    np.save(folder / "a.npy", a)
    np.save(folder / "b.npy", b)
    np.save(folder / "c.npy", results(steps, a, b))


def results(
    steps: Sequence[Step], a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """The tiles that a list packs, by NumPy; the rest of the output stays zero."""
    dst = np.zeros((8, 32, 32), np.float32)
    out = np.zeros((TILES, 32, 32), np.float32)
    taken_a = taken_b = packed = 0
    for name, tile in steps:
        if name == "matmul":
            dst[tile] += a[taken_a] @ b[taken_b]
        elif name == "add":
            dst[tile] = a[taken_a] + b[taken_b]
        elif name == "copy":
            dst[tile] = a[taken_a]
        elif name == "pack":
            out[packed] = dst[tile]
            packed += 1
        elif name == "release":
            dst[...] = 0
        taken_a += name in COMPUTE
        taken_b += name in ("matmul", "add")
    assert np.abs(out).max(initial=0) <= 256, "not exact in bfloat16"
    return out


def check(folder: Path, steps: Sequence[Step], tile: Tile, seed: int = 1) -> None:
    """Run a list on a tile; every packed tile must be what NumPy gives, to the last bit."""
    write_inputs(folder, steps, seed)
    kernel = read_kernel_file(folder)
    result = run_kernel(kernel, tile)
    # lists pop where they please, so buffers may well be left uneven
    assert [each for each in result.warnings if not each.startswith("cb-pages-left: ")] == []
    assert result.passed, result.outputs
