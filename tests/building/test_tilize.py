"""Blocks of rows into tiles."""

from pathlib import Path

import numpy as np
import pytest

from kernel_maker import Buffer, build_and_run, write_kernel

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
    toml = tmp_path / "kernel.toml"
    inputs, outputs = toml.read_text(encoding="utf-8").split("[[outputs]]")
    inputs = inputs.replace('layout = "tile"', 'layout = "row_major"')
    toml.write_text(f"{inputs}[[outputs]]{outputs}", encoding="utf-8")
    result = build_and_run(tmp_path)
    assert result.passed, result.result.outputs
