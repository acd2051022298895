"""Blocks of rows into tiles, and back."""

from pathlib import Path

import numpy as np
import pytest

from kernel_maker import Buffer, build_and_run, write_kernel
from tilelab.sim.errors import BadInputError

CHIPS = ("blackhole", "wormhole")
SOURCE = """
#include "compute_kernel_api/tilize.h"
namespace NAMESPACE {
void MAIN {
    constexpr auto in = tt::CBIndex::c_0, out = tt::CBIndex::c_16;
    tilize_init(in, columns, out);
    for (uint32_t row = 0; row < rows; ++row) {
        cb_wait_front(in, columns);
        cb_reserve_back(out, columns);
        tilize_block(in, columns, out);
        cb_push_back(out, columns);
        cb_pop_front(in, columns);
    }
}
}
"""


def by_rows(folder: Path, kind: str) -> None:
    """Make the arrays of one kind lie in L1 row by row."""
    toml = folder / "kernel.toml"
    tables = toml.read_text(encoding="utf-8").split("[[")
    tables = [
        text.replace('layout = "tile"', 'layout = "row_major"') if text.startswith(kind) else text
        for text in tables
    ]
    toml.write_text("[[".join(tables), encoding="utf-8")


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize(
    ("name", "wide"),
    [("bf16", False), ("bf16", True), ("fp16", False), ("fp32", True), ("int8", True)],
)
def test_tilize(name: str, wide: bool, arch: str, tmp_path: Path) -> None:
    """Of fp32 what SrcA holds is exact here."""
    a = np.random.default_rng(3).integers(-100, 100, (64, 96)).astype(np.float32)
    if name == "int8":
        a = a.astype(np.int64)
    build = f"fp32_dest_acc_en = {str(wide).lower()}"
    constants = {"rows": 2, "columns": 3}
    write_kernel(
        tmp_path, SOURCE, [Buffer(0, a, name)], [Buffer(16, a, name)], arch, constants, build
    )
    by_rows(tmp_path, "inputs")
    result = build_and_run(tmp_path)
    assert result.passed, result.result.outputs


PARTS = (
    "fast_tilize_block(in, columns - 1, out); "
    "fast_tilize_block(in, 1, out, columns - 1, columns - 1);"
)
FAST_TILIZE = SOURCE.replace("tilize_block(in, columns, out);", PARTS).replace(
    " tilize_init(", " fast_tilize_init_with_dt("
)


@pytest.mark.parametrize("arch", CHIPS)
def test_the_quick_tilize_takes_parts_of_a_block(arch: str, tmp_path: Path) -> None:
    a = np.random.default_rng(3).integers(-100, 100, (64, 96)).astype(np.float32)
    constants = {"rows": 2, "columns": 3}
    write_kernel(tmp_path, FAST_TILIZE, [Buffer(0, a)], [Buffer(16, a)], arch, constants)
    by_rows(tmp_path, "inputs")
    assert build_and_run(tmp_path).passed


FAST_UNTILIZE = (
    SOURCE.replace("compute_kernel_api/tilize.h", "api/compute/experimental/fast_untilize.h")
    .replace(" tilize_init(in, columns, out)", " fast_untilize_init<columns>(in, out)")
    .replace("tilize_block(in, columns, out)", "fast_untilize_block<columns>(in, out)")
)


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize("columns", [1, 3, 10])
def test_the_quick_untilize_takes_blocks_wider_than_dst(
    columns: int, arch: str, tmp_path: Path
) -> None:
    a = np.random.default_rng(3).integers(-100, 100, (64, 32 * columns)).astype(np.float32)
    constants = {"rows": 2, "columns": columns}
    write_kernel(tmp_path, FAST_UNTILIZE, [Buffer(0, a)], [Buffer(16, a)], arch, constants)
    by_rows(tmp_path, "outputs")
    assert build_and_run(tmp_path).passed


UNTILIZE = SOURCE.replace("tilize", "untilize").replace("_init(in, columns, out)", "_init(in, out)")


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize(
    ("name", "out", "wide"),
    [
        *[("bf16", "bf16", False), ("bf16", "bf16", True), ("fp16", "fp16", False)],
        *[("fp32", "fp32", True), ("int32", "int32", True), ("uint16", "uint16", False)],
        *[("int8", "int8", True), ("bfp8", "bf16", False), ("bf16", "fp32", True)],
    ],
)
def test_untilize(name: str, out: str, wide: bool, arch: str, tmp_path: Path) -> None:
    a = np.random.default_rng(3).integers(-100, 100, (64, 96)).astype(np.float32)
    if "int" in name:
        a = np.abs(a).astype(np.int64) if name == "uint16" else a.astype(np.int64)
    build = f"fp32_dest_acc_en = {str(wide).lower()}"
    constants = {"rows": 2, "columns": 3}
    inputs, outputs = [Buffer(0, a, name)], [Buffer(16, a, out)]
    write_kernel(tmp_path, UNTILIZE, inputs, outputs, arch, constants, build)
    by_rows(tmp_path, "outputs")
    result = build_and_run(tmp_path)
    assert result.passed, result.result.outputs


@pytest.mark.parametrize("arch", CHIPS)
def test_shared_exponents_lie_in_no_rows(arch: str, tmp_path: Path) -> None:
    a = np.zeros((32, 32), np.float32)
    inputs, outputs = [Buffer(0, a)], [Buffer(16, a, "bfp8")]
    write_kernel(tmp_path, UNTILIZE, inputs, outputs, arch, {"rows": 1, "columns": 1})
    with pytest.raises(BadInputError, match="do not lie in L1 one by one"):
        build_and_run(tmp_path)
