"""What a run's outputs are compared with, and what a run refuses."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.outputs import differences
from tilelab.kernels.run import run_kernel
from tilelab.tensix.tile.tile import Tile

EXAMPLES = Path(__file__).parents[2] / "examples"
NAN, INF = np.nan, np.inf


@pytest.mark.filterwarnings("error")
def test_a_nan_is_right_where_a_nan_is_expected_and_nowhere_else() -> None:
    got = np.array([1.0, NAN, INF, -INF, NAN, 1.0, INF, 2.0, INF, 1.0])
    want = np.array([1.0, NAN, INF, -INF, 1.0, NAN, -INF, 2.5, 1.0, INF])
    wrong, worst = differences(got, want, 0.5, 0.0)
    assert wrong.tolist() == [False] * 4 + [True] * 3 + [False] + [True] * 2
    assert worst == INF
    few = [0, 1, 2, 7]
    wrong, worst = differences(got[few], want[few], 0.0, 0.1)
    assert (wrong.tolist(), worst) == ([False, False, False, True], 0.5)


@pytest.mark.filterwarnings("error")
def test_a_relative_tolerance_gives_an_infinity_no_room() -> None:
    wrong, _ = differences(np.array([1.0, NAN]), np.array([INF, INF]), 0.0, 0.5)
    assert wrong.all()


UNTOUCHED = """
[[inputs]]
file = "n.npy"
address = 0x40000
format = "fp32"
layout = "row_major"

[[outputs]]
address = 0x40000
shape = [4]
format = "fp32"
layout = "row_major"
expect = "n.npy"
"""


@pytest.mark.filterwarnings("error")
def test_a_kernel_whose_right_result_has_nans_passes(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "datacopy", tmp_path / "k")
    toml = tmp_path / "k" / "kernel.toml"
    text = toml.read_text() + UNTOUCHED
    toml.write_text(text)
    values = np.array([1, NAN, INF, -INF], np.float32)
    np.save(tmp_path / "k" / "n.npy", values)
    result = run_kernel(read_kernel_file(toml), Tile(engine="reference"))
    assert result.passed
    assert result.outputs[1].worst == 0
    np.save(tmp_path / "k" / "other.npy", np.array([1, NAN, NAN, -INF], np.float32))
    toml.write_text(text.replace('expect = "n.npy"', 'expect = "other.npy"'))
    output = run_kernel(read_kernel_file(toml), Tile(engine="reference")).outputs[1]
    assert (output.wrong, output.worst) == (1, INF)
    assert output.first is not None
    assert output.first.index == (2,)
    signalling = values.copy()
    signalling.view(np.uint32)[1] = 0x7F800001
    np.save(tmp_path / "k" / "other.npy", signalling)  # as damage makes one: NumPy would warn
    assert run_kernel(read_kernel_file(toml), Tile(engine="reference")).passed
