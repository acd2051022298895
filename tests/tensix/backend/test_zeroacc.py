"""ZEROACC: which rows of Dst it marks, and which blocks are none."""

import numpy as np
import pytest

from matrix_harness import Bench
from tilelab.sim.checks import CHECKS_BY_NAME, Policy

CHIPS = ("blackhole", "wormhole")


@pytest.mark.parametrize(
    ("fields", "base", "rows"),
    [
        ({"clear_mode": 0, "where": 9}, 0, [9]),
        ({"clear_mode": 1, "where": 2}, 0, list(range(32, 48))),
        ({"clear_mode": 1, "where": 2}, 512, list(range(544, 560))),  # the half in use
        ({"clear_mode": 1, "where": 1, "use_32_bit_mode": 1}, 0, [*range(32, 40), *range(48, 56)]),
        ({"clear_mode": 2, "where": 1}, 0, list(range(512, 1024))),
        ({"clear_mode": 3, "where": 7}, 0, list(range(1024))),
    ],
)
def test_zeroacc_marks_rows(fields: dict[str, int], base: int, rows: list[int]) -> None:
    bench = Bench(fp32=0)
    bench.config("DEST_TARGET_REG_CFG_MATH_Offset", base)
    bench.run("ZEROACC", **fields)
    assert np.flatnonzero(bench.record["dst_valid"] == 0).tolist() == rows


@pytest.mark.parametrize("chip", CHIPS)
def test_zeroacc_of_a_block_that_dst_lacks_is_refused_or_does_nothing(chip: str) -> None:
    bench = Bench(chip)
    fields = {"clear_mode": 1, "where" if chip == "blackhole" else "dst": 0xFE}
    assert bench.refusal("ZEROACC", **fields) == "zeroacc-block"
    bench.record["fault"]["policy"][CHECKS_BY_NAME["zeroacc-block"].code] = Policy.OFF
    before = bench.state.snapshot()
    bench.run("ZEROACC", **fields)
    assert not bench.state.diff(before)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("base", [0, 512])
@pytest.mark.parametrize("wide", [0, 1])
def test_zeroacc_of_no_block_only_moves_counters(chip: str, base: int, wide: int) -> None:
    bench = Bench(chip)
    bench.config("DEST_TARGET_REG_CFG_MATH_Offset", base)
    before = bench.state.snapshot()
    if chip == "blackhole":
        bench.run("ZEROACC", clear_mode=1, use_32_bit_mode=wide, where=0xFF)
    else:
        bench.run("ZEROACC", clear_mode=1 | wide << 2, dst=0xFF)
    assert not bench.state.diff(before)


def test_zeroacc_on_wormhole_counts_blocks_from_row_0() -> None:
    bench = Bench("wormhole")
    bench.config("DEST_TARGET_REG_CFG_MATH_Offset", 512)
    bench.run("ZEROACC", clear_mode=5, dst=1)
    rows = np.flatnonzero(bench.record["dst_valid"] == 0).tolist()
    assert rows == [*range(32, 40), *range(48, 56)]


def test_zeroacc_reverts_only_16_rows_of_32_bits() -> None:
    bench = Bench()
    bench.record["dst_valid"] = 0
    assert bench.refusal("ZEROACC", clear_mode=3, clear_zero_flags=1) == "zeroacc-revert"
    bench.run("ZEROACC", clear_mode=1, use_32_bit_mode=1, clear_zero_flags=1)
    assert np.flatnonzero(bench.record["dst_valid"]).tolist() == [*range(8), *range(16, 24)]
