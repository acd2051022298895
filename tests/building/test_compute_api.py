"""The headers' compute functions: both chips, all formats, both widths of Dst, throttling."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from kernel_maker import Array, Buffer, build_and_run, write_kernel
from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel, source_kernel
from tilelab.build.names import forwarding
from tilelab.sim.errors import BadInputError

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

INTEGERS = np.random.default_rng(5).integers(-3, 4, (2, 64, 64)).astype(np.float32)


def kernel(init: str, op: str) -> str:
    return EACH_TILE % {"init": init, "op": op}


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
