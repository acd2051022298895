"""The headers' compute functions: both chips, all formats, both widths of Dst, throttling."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from kernel_maker import Array, Buffer, build_and_run, write_kernel
from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel, source_kernel
from tilelab.build.names import forwarding
from tilelab.kernels.ckernel import mop
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.result import KernelResult
from tilelab.kernels.run import run_kernel
from tilelab.kernels.throttle import program, set_flag
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile
from tilelab.tensix.frontend.expand_words import expand

CHIPS = ("blackhole", "wormhole")

EACH_TILE = """
#include "compute_kernel_api.h"
namespace NAMESPACE {
void MAIN {
    constexpr auto a = tt::CBIndex::c_0, b = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
    %(init)s
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(a, 1);
        cb_wait_front(b, 1);
        %(op)s
        cb_pop_front(a, 1);
        cb_pop_front(b, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(out, 1);
        pack_tile(0, out);
        cb_push_back(out, 1);
        tile_regs_release();
    }
}
}
"""

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

INTEGERS = np.random.default_rng(5).integers(-3, 4, (2, 64, 64)).astype(np.float32)


def kernel(init: str, op: str) -> str:
    return EACH_TILE % {"init": init, "op": op}


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


FORMATS = {
    "bf16": 2**-8,
    "fp16": 2**-11,
    "fp32": 2**-10,
    "bfp8": 2**-6,
    "bfp4": 2**-2,
    "bfp8a": 2**-6,
    "bfp4a": 2**-2,
}
NARROW = ("bfp8a", "bfp4a")
"""What the packer makes of a Dst of 16 bits only."""
"""How much of a block's largest value a format may lose."""


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("name", FORMATS)
def test_formats(name: str, wide: bool, arch: str, tmp_path: Path) -> None:
    a = np.random.default_rng(2).normal(size=(32, 64)).astype(np.float32)
    lost = FORMATS[name]
    source = kernel("copy_tile_init(a, out);", "copy_tile(a, 0, 0);")
    source = source.replace("cb_wait_front(b, 1);", "").replace("cb_pop_front(b, 1);", "")
    if name == "fp32" and not wide:
        lost = 2**-7
    inputs = [Buffer(0, a, name)]
    outputs = [Buffer(16, a, name, tolerance=float(np.abs(a).max() * lost))]
    build = f"fp32_dest_acc_en = {str(wide).lower()}"
    write_kernel(tmp_path, source, inputs, outputs, arch, {"num_tiles": 2}, build)
    if wide and name in NARROW:
        with pytest.raises(BadInputError, match="does not make this format of a Dst of 32 bits"):
            build_and_run(tmp_path)
        return
    result = build_and_run(tmp_path)
    assert result.passed, result.result.outputs


@pytest.mark.parametrize("arch", CHIPS)
def test_outputs_of_several_formats(arch: str, tmp_path: Path) -> None:
    a = np.random.default_rng(2).integers(-64, 64, (32, 64)).astype(np.float32)
    pack = "{} cb_reserve_back({out}, 1); pack_tile(0, {out}); cb_push_back({out}, 1);"
    outputs = [Buffer(16, a), Buffer(17, a, "fp32"), Buffer(18, a, "bfp8")]
    packs = [
        pack.format(f"pack_reconfig_data_format({out.number});", out=out.number) for out in outputs
    ]
    source = kernel("copy_tile_init(a, out);", "copy_tile(a, 0, 0);")
    source = source.replace("cb_wait_front(b, 1);", "").replace("cb_pop_front(b, 1);", "")
    source = source.replace("cb_reserve_back(out, 1);", "").replace("cb_push_back(out, 1);", "")
    source = source.replace("pack_tile(0, out);", "".join(packs))
    write_kernel(tmp_path, source, [Buffer(0, a)], outputs, arch, {"num_tiles": 2})
    result = build_and_run(tmp_path)
    assert result.passed, result.result.outputs


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


BROADCAST = {
    "": lambda b: b,
    "_bcast_rows": lambda b: np.repeat(b[:1], 32, 0),
    "_bcast_cols": lambda b: np.repeat(b[:, :1], 32, 1),
    "_bcast_scalar": lambda b: np.full_like(b, b[0, 0]),
}
OPERATIONS = {"add": np.add, "sub": np.subtract, "mul": np.multiply}


@pytest.mark.parametrize("arch", CHIPS)
def test_element_wise_functions(arch: str, tmp_path: Path) -> None:
    """All twelve, each prepared and used once, on top of a tile that something else has filled."""
    steps, wanted = [], []
    a, b = INTEGERS[0, :32, :32], INTEGERS[1, :32, :32]
    for i, (name, operation) in enumerate(OPERATIONS.items()):
        for j, (suffix, spread) in enumerate(BROADCAST.items()):
            prepare = f"{name}{suffix}_init_short(a, b);" if suffix else f"{name}_tiles_init(a, b);"
            steps.append(
                f"if (i == {4 * i + j}) {{ copy_tile_init(a, out); copy_tile(a, 0, 0);"
                f"{prepare} {name}_tiles{suffix}(a, b, 0, 0, 0); }}"
            )
            wanted.append(operation(a, spread(b)))
    source = kernel("binary_op_init_common(a, b, out);", "\n".join(steps))
    many = [Buffer(0, a, tiles=[0] * 12), Buffer(1, b, tiles=[0] * 12)]
    outputs = [Buffer(16, np.concatenate(wanted))]
    for build in ("", "fp32_dest_acc_en = true"):
        folder = tmp_path / f"k{len(build)}"
        write_kernel(folder, source, many, outputs, arch, {"num_tiles": 12}, build)
        result = build_and_run(folder)
        assert result.passed, result.result.outputs


def product_error(fidelity: str, folder: Path) -> float:
    a, b = np.random.default_rng(4).normal(size=(2, 32, 32)).astype(ml_dtypes.bfloat16)
    exact: Array = a.astype(np.float32) * b.astype(np.float32)
    source = kernel("mul_tiles_init(a, b, out);", "mul_tiles(a, b, 0, 0, 0);")
    inputs = [Buffer(0, a.astype(np.float32)), Buffer(1, b.astype(np.float32))]
    outputs = [Buffer(16, exact, "fp32")]
    build = f'math_fidelity = "{fidelity}"\nfp32_dest_acc_en = true'
    write_kernel(folder, source, inputs, outputs, constants={"num_tiles": 1}, build=build)
    (output,) = build_and_run(folder).result.outputs
    return float(output.worst or 0)


def test_a_products_error_falls_with_fidelity(tmp_path: Path) -> None:
    names = ("LoFi", "HiFi2", "HiFi3", "HiFi4")
    errors = [product_error(name, tmp_path / name) for name in names]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 0.01
    assert errors[-1] == 0


REDUCTIONS = {
    ("SUM", "ROW"): lambda tiles: sum(tiles).sum(1),
    ("SUM", "COL"): lambda tiles: sum(tiles).sum(0),
    ("MAX", "ROW"): lambda tiles: np.max(tiles, 0).max(1),
    ("MAX", "COL"): lambda tiles: np.max(tiles, 0).max(0),
    ("SUM", "SCALAR"): lambda tiles: sum(tiles).sum(),
    ("AVG", "SCALAR"): lambda tiles: sum(tiles).sum() / 4,
    ("MAX", "SCALAR"): np.max,
}


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize(("pool", "axis"), list(REDUCTIONS))
def test_reductions(pool: str, axis: str, arch: str, tmp_path: Path) -> None:
    """Two tiles into one; the other tiles of the half are left alone."""
    template = f"PoolType::{pool}, ReduceDim::REDUCE_{axis}"
    op = "for (uint32_t t = 0; t < 2; ++t) " + f"reduce_tile<{template}>(a, b, t, 0, 0);"
    source = kernel(f"reduce_init<{template}>(a, b, out);", op)
    source = source.replace("cb_wait_front(a, 1)", "cb_wait_front(a, 2)")
    tiles = INTEGERS[0, :32, :] - (4 if pool == "MAX" else 0)  # the largest is below zero
    ones = np.zeros((32, 32), np.float32)
    ones[0, :16] = 0.5 if pool == "AVG" else 1
    for build in ("", "fp32_dest_acc_en = true"):
        folder = tmp_path / f"k{len(build)}"
        output = Buffer(16, np.zeros((32, 32), np.float32), tolerance=1e9)
        inputs = [Buffer(0, tiles), Buffer(1, ones)]
        write_kernel(folder, source, inputs, [output], arch, {"num_tiles": 1}, build)
        (got,) = build_and_run(folder).arrays
        found = {"ROW": got[:, 0], "COL": got[0], "SCALAR": got[0, 0]}[axis]
        wanted = REDUCTIONS[pool, axis]([tiles[:, :32], tiles[:, 32:]])
        np.testing.assert_array_equal(found.astype(np.float32), wanted)


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize("form", ["fp32", "bf16", "bfp8"])
def test_the_largest_of_a_row_keeps_what_the_source_holds(
    form: str, arch: str, tmp_path: Path
) -> None:
    """In a Dst of 32 bits, which has room for it: as many bits as SrcA has."""
    x = np.random.default_rng(3).integers(-255, 256, (32, 32)) / np.float32(16)
    x[0] = 768
    template = "PoolType::MAX, ReduceDim::REDUCE_ROW"
    source = kernel(
        f"reduce_init<{template}>(a, b, out);", f"reduce_tile<{template}>(a, b, 0, 0, 0);"
    )
    inputs = [Buffer(0, x, form), Buffer(1, np.ones((32, 32), np.float32))]
    out = Buffer(16, np.zeros((32, 32), np.float32), "fp32", tolerance=1e9)
    build = "fp32_dest_acc_en = true"
    write_kernel(tmp_path, source, inputs, [out], arch, {"num_tiles": 1}, build)
    found = build_and_run(tmp_path).arrays[0][:, 0]
    np.testing.assert_allclose(found, x.max(1), rtol=0, atol=0.125 if form == "bfp8" else 0)


@pytest.mark.parametrize("arch", CHIPS)
def test_transposition(arch: str, tmp_path: Path) -> None:
    source = kernel("transpose_wh_init(a, out);", "transpose_wh_tile(a, 0, 0);")
    a, b = INTEGERS[:, :32, :32]
    inputs = [Buffer(0, a), Buffer(1, b)]
    write_kernel(tmp_path, source, inputs, [Buffer(16, a.T.copy())], arch, {"num_tiles": 1})
    assert build_and_run(tmp_path).passed


@pytest.mark.parametrize("arch", CHIPS)
def test_every_header_under_a_vendors_name_is_one_of_ours(arch: str, tmp_path: Path) -> None:
    names = [name for name in sorted(forwarding()) if "dataflow" not in name]  # for other cores
    assert {"ckernel_ops.h", "lltt.h", "compute_kernel_api/matmul.h"} <= set(names)
    core = {"cunpack_common.h": "UNPACK", "cmath_common.h": "MATH", "cpack_common.h": "PACK"}
    lines = []
    for name in names:
        include = f'#include "{name}"'
        guard = f"#ifdef TRISC_{core[name]}\n{include}\n#endif" if name in core else include
        lines.append(guard)
    library = ("cstdint", "cstddef", "type_traits", "utility", "algorithm")
    source = "\n".join([*(f"#include <{name}>" for name in library), *lines])
    path = tmp_path / "k.cpp"
    path.write_text(source + "\nnamespace NAMESPACE { void MAIN {} }\n", encoding="utf-8")
    assert len(build_kernel(source_kernel(path, arch), find_compiler())) == 3
