"""Blocks of products with tilelab's headers: shapes, formats of Dst, fidelities, throttles."""

from pathlib import Path

import numpy as np
import pytest

from kernel_maker import Buffer, build_and_run, write_kernel
from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.kernels.ckernel import mop
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.result import KernelResult
from tilelab.kernels.run import run_kernel
from tilelab.kernels.throttle import program, set_flag
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile
from tilelab.tensix.frontend.expand_words import expand

CHIPS = ("blackhole", "wormhole")
INTEGERS = np.random.default_rng(5).integers(-3, 4, (2, 64, 64)).astype(np.float32)

BLOCKS = """
#include "compute_kernel_api/matmul.h"
namespace NAMESPACE {
void MAIN {
    constexpr auto a = tt::CBIndex::c_0, b = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
    mm_block_init(a, b, out, transpose, columns, rows, Kt);
    for (uint32_t block = 0; block < blocks; ++block) {
        tile_regs_acquire();
        for (uint32_t k = 0; k < Kt; ++k) {
            cb_wait_front(a, rows);
            cb_wait_front(b, columns);
            matmul_block(a, b, 0, 0, 0, transpose, columns, rows, 1);
            cb_pop_front(a, rows);
            cb_pop_front(b, columns);
        }
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(out, rows * columns);
        for (uint32_t tile = 0; tile < rows * columns; ++tile) pack_tile(tile, out);
        cb_push_back(out, rows * columns);
        tile_regs_release();
    }
}
}
"""


def write_blocks(
    folder: Path,
    rows: int,
    columns: int,
    blocks: int = 2,
    depth: int = 2,
    formats: tuple[str, str] = ("bf16", "bf16"),
    arch: str = "blackhole",
    build: str = 'math_fidelity = "LoFi"',
    **more: int,
) -> None:
    """A product of blocks × 1 blocks of rows × columns tiles: exact at any fidelity."""
    rng = np.random.default_rng(rows * 8 + columns)
    a = rng.integers(-1, 2, (blocks * rows * 32, depth * 32)).astype(np.float32)
    b = rng.integers(-1, 2, (depth * 32, columns * 32)).astype(np.float32)
    tiles_a, tiles_b = [], []
    for block in range(blocks):
        for k in range(depth):
            tiles_a += [(block * rows + row) * depth + k for row in range(rows)]
            tiles_b += [k * columns + column for column in range(columns)]
    inputs = [
        Buffer(0, a, formats[0], tiles_a),
        Buffer(1, b, formats[1], tiles_b),
    ]
    constants = {"blocks": blocks, "Kt": depth, "rows": rows, "columns": columns, **more}
    constants.setdefault("transpose", 0)
    if constants["transpose"]:
        b = b.reshape(depth, 32, columns, 32).swapaxes(1, 3).reshape(b.shape)
    write_kernel(folder, BLOCKS, inputs, [Buffer(16, a @ b)], arch, constants, build)


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 3), (2, 4), (3, 2), (4, 2), (8, 1)])
def test_blocks_of_products(rows: int, columns: int, arch: str, tmp_path: Path) -> None:
    write_blocks(tmp_path, rows, columns, arch=arch)
    assert build_and_run(tmp_path).passed


AROUND_THE_END = """
#include "compute_kernel_api/matmul.h"
void kernel_main() {
    constexpr auto a = tt::CBIndex::c_0, b = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
    mm_block_init(a, b, out, 0, columns, rows, 1);
    tile_regs_acquire();
    cb_pop_front(columns > rows ? b : a, 1);
    matmul_block(a, b, 0, 0, 0, 0, columns, rows, 1);
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t tile = 0; tile < 3; ++tile) pack_tile(tile, out);
    cb_push_back(out, 3);
    tile_regs_release();
}
"""


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize(("rows", "columns"), [(1, 3), (3, 1)])
def test_a_block_goes_on_where_its_circular_buffer_begins(
    rows: int, columns: int, arch: str, tmp_path: Path
) -> None:
    a, b = INTEGERS[0, :32], INTEGERS[1, :, :32]
    a = np.resize(a[:, :32], (rows * 32, 32)) + np.arange(rows).repeat(32)[:, None]
    b = np.resize(b[:32], (32, columns * 32)) - np.arange(columns).repeat(32)
    turned = [2, 0, 1]
    inputs = [
        Buffer(0, a, tiles=turned if rows == 3 else [0]),
        Buffer(1, b, tiles=turned if columns == 3 else [0]),
    ]
    constants = {"rows": rows, "columns": columns}
    outputs = [Buffer(16, a @ b, "fp32")]
    write_kernel(
        tmp_path, AROUND_THE_END, inputs, outputs, arch, constants, "fp32_dest_acc_en = true"
    )
    assert build_and_run(tmp_path).passed


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 4)])
@pytest.mark.parametrize("build", ['math_fidelity = "LoFi"', 'math_fidelity = "HiFi3"'])
@pytest.mark.parametrize("level", [0, 5])
def test_products_with_transposed_tiles(
    level: int, build: str, rows: int, columns: int, arch: str, tmp_path: Path
) -> None:
    """Each tile of in1 is transposed, the block as a whole is not."""
    more = {"transpose": 1, "MM_THROTTLE": level}
    write_blocks(tmp_path, rows, columns, arch=arch, build=build, **more)
    assert build_and_run(tmp_path).passed


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize("fidelity", ["HiFi2", "HiFi3", "HiFi4"])
def test_blocks_at_higher_fidelity(fidelity: str, arch: str, tmp_path: Path) -> None:
    write_blocks(tmp_path, 2, 2, arch=arch, build=f'math_fidelity = "{fidelity}"')
    assert build_and_run(tmp_path).passed


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize("build", ["fp32_dest_acc_en = true", "dst_full_sync_en = true"])
def test_blocks_in_other_kinds_of_dst(build: str, arch: str, tmp_path: Path) -> None:
    rows = 2 if "fp32" in build else 4
    write_blocks(tmp_path, rows, 2, arch=arch, build=build)
    assert build_and_run(tmp_path).passed


def recorded(folder: Path, level: int, phases: int) -> list[int]:
    """The words that the math core's stream records for a level."""
    fidelity = {1: "LoFi", 2: "HiFi2", 4: "HiFi4"}[phases]
    build = f'math_fidelity = "{fidelity}"'
    write_blocks(folder, 1, 1, blocks=1, build=build, MM_THROTTLE=level)
    ran = build_and_run(folder)
    assert ran.passed
    site = max(ran.result.expansions.sites.values(), key=lambda tally: tally.opcodes[0x26])
    return [word for word, _ in site.first]


def expected(level: int, phases: int) -> list[int]:
    """The words that :mod:`tilelab.kernels.throttle` plays for one tile."""
    made = program(level, phases)
    record = lltt_word(len(made.recording))
    words = [record, *made.recording, *[mop(1, 0, 0)] * made.runs]
    return [int(word) for word in expand(words, made.template.registers())]


def lltt_word(length: int) -> int:
    """A REPLAY that records, without executing."""
    return 0x04 << 24 | 16 << 14 | length << 4 | 1


@pytest.mark.parametrize("phases", [1, 2, 4])
@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_throttled_matmul_issues_what_the_tables_say(
    level: int, phases: int, tmp_path: Path
) -> None:
    words = recorded(tmp_path, level, phases)
    wanted = expected(level, phases)
    assert words == wanted[: len(words)]
    assert len(words) in (len(wanted), len(wanted) // phases)  # of level 4 on, a MOP for each phase


@pytest.mark.parametrize("level", [1, 3, 4, 5])
def test_throttled_blocks_on_wormhole(level: int, tmp_path: Path) -> None:
    for phases, fidelity in ((1, "LoFi"), (4, "HiFi4")):
        folder = tmp_path / str(phases)
        build = f'math_fidelity = "{fidelity}"'
        for rows, columns in ((2, 2), (3, 1), (1, 1)):
            write_blocks(folder, rows, columns, arch="wormhole", build=build, MM_THROTTLE=level)
            assert build_and_run(folder).passed


def run_flagged(folder: Path, flag: int) -> KernelResult:
    kernel = read_kernel_file(folder, elfs_exist=False)
    build_kernel(kernel, find_compiler())
    tile = Tile(kernel.arch)
    set_flag(tile, flag)
    return run_kernel(read_kernel_file(folder), tile)


def test_wormhole_has_no_flag() -> None:
    with pytest.raises(BadInputError, match="there is none on wormhole"):
        set_flag(Tile("wormhole"))


def test_firmwares_flag_throttles_blocks(tmp_path: Path) -> None:
    write_blocks(tmp_path, 2, 4)
    nops = []
    for flag in (0, 1, 2):
        result = run_flagged(tmp_path, flag)
        assert result.passed
        math = [tally for site, tally in result.expansions.sites.items() if site.thread == 1]
        opcodes = [tally.opcodes for tally in math]
        nops.append(sum(counts[0x02] for counts in opcodes))
    products = 2 * 2 * 2 * 4
    assert nops == [0, 32 * products, 0]
