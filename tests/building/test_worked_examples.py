"""Softmax and layer norm, as docs/activations.md has them, against NumPy's float64."""

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from kernel_maker import Array, Buffer, build_and_run, write_kernel

PAGE = Path(__file__).parents[2] / "docs" / "activations.md"
CHIPS = ("blackhole", "wormhole")
ROWS, COLUMNS = 2, 4


def listing(heading: str) -> str:
    """The C++ under a heading of the page."""
    text = PAGE.read_text(encoding="utf-8")
    text = text[text.index(f"## {heading}\n") :]
    found = re.search(r"```cpp\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1]


def run(
    heading: str, scale: float, form: str, arch: str, build: str, folder: Path
) -> tuple[Array, Array]:
    """What the kernel gets, and what it gives."""
    x = np.random.default_rng(8).normal(size=(32 * ROWS, 32 * COLUMNS))
    x = x.astype(ml_dtypes.bfloat16).astype(np.float32)
    scaler = np.zeros((32, 32), np.float32)
    scaler[0] = scale
    one, many = np.zeros((32, 32), np.float32), np.zeros((32, 32 * COLUMNS), np.float32)
    between = [Buffer(24, one, form), Buffer(25, many, form), Buffer(26, many, form)]
    outputs = [Buffer(16, np.zeros_like(x), form), *between, Buffer(27, one, form)]
    inputs = [Buffer(0, x, form), Buffer(1, scaler, form)]
    constants = {"rows": ROWS, "columns": COLUMNS}
    write_kernel(folder, listing(heading), inputs, outputs, arch, constants, build)
    toml = folder / "kernel.toml"
    text = re.sub(r"\nexpect = .*", "", toml.read_text(encoding="utf-8"))
    toml.write_text(re.sub(r"\ntolerance = .*", "", text), encoding="utf-8")
    return x.astype(np.float64), build_and_run(folder).arrays[0].astype(np.float64)


@pytest.mark.parametrize("arch", CHIPS)
def test_softmax(arch: str, tmp_path: Path) -> None:
    x, got = run("Softmax", 1.0, "bf16", arch, "", tmp_path)
    powers = np.exp(x - x.max(1, keepdims=True))
    wanted = powers / powers.sum(1, keepdims=True)
    assert np.abs(got - wanted).max() < 0.01
    assert np.abs(got.sum(1) - 1).max() < 0.02


@pytest.mark.parametrize("arch", CHIPS)
def test_layer_norm(arch: str, tmp_path: Path) -> None:
    build = "fp32_dest_acc_en = true"
    x, got = run("Layer norm", 1 / (32 * COLUMNS), "fp32", arch, build, tmp_path)
    wanted = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
    assert np.abs(got - wanted).max() < 0.01
