"""Rows of matrix products on a whole chip: how each is configured, and what it needs."""

import pytest

from tilelab.calibrate import gemm
from tilelab.calibrate.checkouts import Kernels
from tilelab.calibrate.families import answer
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.programs import Builder, probe_compiler
from tilelab.calibrate.rows import Row
from ttnn_runs import HOW, PYTHON


def bench(python: str = "no-such-python") -> Perfbench:
    return Perfbench(Kernels(), lambda: Builder(probe_compiler()), python=python)


def row(what: str, chip: str = "BH p150") -> Row:
    return Row("x", chip, f"matmul {what}, trace: device utilisation", "50", group="E2 GEMM")


@pytest.mark.parametrize(
    ("what", "shape"),
    [
        # a block of 2 x 2 tiles in L1 has subblocks of one row
        ("640x704x704 BFLOAT16 HiFi2 tuned, grid 11x10", (1, 1, 1, 1, 1, 2)),
        ("2560x2816x2816 BFLOAT8_B LoFi tuned, grid 11x10", (1, 1, 1, 1, 1, 8)),
        ("3072x3072x3072 BFLOAT16 HiFi4 tuned, grid 8x8", (1, 4, 1, 1, 1, 6)),
        ("4096x4096x4096 BFLOAT8_B LoFi tuned, grid 8x8", (0, 1, 2, 2, 4, 2)),
    ],
)
def test_a_product_is_divided_as_the_vendors_test_has_it(
    monkeypatch: pytest.MonkeyPatch, what: str, shape: tuple[int, ...]
) -> None:
    seen = []

    def ran(python: str, arch: str, shape: tuple[object, ...]) -> int:
        seen.append((arch, shape))
        return 10**6

    monkeypatch.setattr(gemm, "_run", ran)
    assert answer(bench(), row(what)).predicted is not None
    ((arch, asked),) = seen
    assert arch == "blackhole"
    assert asked[7:] == shape


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("20480x22528x22528 BFLOAT16 HiFi4 tuned, grid 11x10", "20,300 million cycles"),
        ("100x704x704 BFLOAT16 HiFi4 tuned, grid 11x10", "not whole tiles on each of 11x10"),
        ("640x704x704 BFLOAT99 HiFi4 tuned, grid 11x10", "no product of BFLOAT99"),
        ("640x704x704 BFLOAT16 HiFi4 tuned, grid 11x10", "ttnn does not run it: "),
    ],
)
def test_what_cannot_be_asked_says_why(what: str, reason: str) -> None:
    answered = answer(bench(), row(what))
    assert answered.predicted is None
    assert reason in answered.reason


@pytest.mark.skipif(PYTHON is None, reason=HOW)
@pytest.mark.parametrize("chip", ["BH p150", "WH n150"])
def test_a_product_runs_on_part_of_a_chip(chip: str) -> None:
    """16 products of two tiles on each of four tiles: at least 1,024 cycles at HiFi4."""
    answered = answer(bench(PYTHON or ""), row("256x256x256 BFLOAT16 HiFi4 tuned, grid 2x2", chip))
    assert answered.predicted is not None, answered.reason
    assert 30 < answered.predicted < 100
