"""More of ttnn's operations, and what several tiles do together, beside the vendor's simulator.

``TILELAB_TTNN_CASES=all``, or names with commas between: which of ``ttnn_wide.py``.
"""

import os
import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from ttnn_runs import HOW, PROGRAMS, PYTHON, VENDORS, Results, Run, on_the_vendors, on_tilelab

PROGRAM = "ttnn_wide.py"
TOGETHER = ("layer_norm on four", "conv2d", "multicast", "trace", "two queues")
"""Tiles that send to each other; a captured trace; two queues and events."""
ALONE = ("power", "sum of fp32")
RUNS = {
    "blackhole, fast dispatch": (Run("blackhole", fast=True), TOGETHER),
    "wormhole, fast dispatch": (Run("wormhole", fast=True), TOGETHER),
    "blackhole, one tile": (Run("blackhole", one=True), ALONE),
    "wormhole, one tile": (Run("wormhole", one=True), ALONE[:-1]),
}
"""How it runs, and what. The vendor's simulator refuses fp32 in the matrix unit on Wormhole."""
CHOSEN = os.environ.get("TILELAB_TTNN_CASES", "")


def numbers(*shape: int, seed: int = 1) -> np.ndarray:
    """What the program draws."""
    made = np.random.default_rng(seed).standard_normal(shape)
    return made.astype(ml_dtypes.bfloat16).astype(np.float32)


def convolved() -> np.ndarray:
    image, weights = numbers(8, 8, 16), numbers(32, 16, 3, 3, seed=2)
    wide = np.pad(image, ((1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(wide, (3, 3), (0, 1))
    return np.einsum("yxcij,ocij->yxo", windows, weights).reshape(1, 1, 64, 32)


def normalised() -> np.ndarray:
    x = numbers(1, 1, 128, 128).astype(np.float64)
    return np.asarray((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True)))


def doubled_product(seed: int) -> np.ndarray:
    x = numbers(64, 64, seed=seed)
    return 2 * x @ x


EXPECTED = {
    "layer_norm on four": lambda: (normalised(), 0.05),
    "conv2d": lambda: (convolved(), 0.5),
    "multicast": lambda: (np.tile(numbers(32, 32), (6, 1)), 0),
    "trace": lambda: (doubled_product(5), 0.5),
    "two queues": lambda: (2 * numbers(64, 64, seed=4), 0),
    "power": lambda: (np.sqrt(np.abs(numbers(32, 64)) + np.float32(0.125)), 0.02),
    "sum of fp32": lambda: (numbers(2, 3, 40, 70).sum(-1), 0.05),
}
"""What NumPy gives for the first result, and how far from it bf16 and its sums may be."""


def check(ours: Results, case: str) -> None:
    """Both turns of a case are alike, and right where NumPy has the same."""
    count = sum(name.rpartition(" ")[0] == case for name in ours)
    assert count
    results = [ours[f"{case} {i}"] for i in range(count)]
    for first, second in zip(results[: count // 2], results[count // 2 :], strict=True):
        assert first.tobytes() == second.tobytes()
    if case in EXPECTED:
        expected, apart = EXPECTED[case]()
        assert np.abs(results[0].reshape(expected.shape) - expected).max() <= apart


def chosen(cases: tuple[str, ...]) -> list[str]:
    if CHOSEN != "all":
        return CHOSEN.split(",") if CHOSEN else list(cases)
    assert PYTHON
    words = [PYTHON, str(PROGRAMS / PROGRAM), "--list"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize("name", RUNS)
def test_more_operations_run(name: str, tmp_path: Path) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    run, cases = RUNS[name]
    wanted = chosen(cases)
    ours = on_tilelab(run, PROGRAM, tmp_path / "ours.npz", wanted)
    for case in wanted:
        check(ours, case)
    if VENDORS is not None:
        theirs = on_the_vendors(run, PROGRAM, tmp_path, wanted)
        assert theirs.keys() == ours.keys()
        assert not [key for key in ours if ours[key].tobytes() != theirs[key].tobytes()]
