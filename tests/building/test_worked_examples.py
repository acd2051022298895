"""Softmax and layer norm, the kernels of docs/activations.md, against NumPy's float64."""

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from kernel_maker import Array, Buffer, build_and_run, write_kernel

KERNELS = Path(__file__).parents[2] / "docs" / "activations"
CHIPS = ("blackhole", "wormhole")
ROWS, COLUMNS = 2, 4


def run(
    kernel: str, scale: float, form: str, arch: str, build: str, folder: Path
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
    source = (KERNELS / kernel).read_text(encoding="utf-8")
    write_kernel(folder, source, inputs, outputs, arch, constants, build)
    toml = folder / "kernel.toml"
    text = re.sub(r"\nexpect = .*", "", toml.read_text(encoding="utf-8"))
    toml.write_text(re.sub(r"\ntolerance = .*", "", text), encoding="utf-8")
    return x.astype(np.float64), build_and_run(folder).arrays[0].astype(np.float64)


@pytest.mark.parametrize("arch", CHIPS)
def test_softmax(arch: str, tmp_path: Path) -> None:
    x, got = run("softmax.cpp", 1.0, "bf16", arch, "", tmp_path)
    powers = np.exp(x - x.max(1, keepdims=True))
    wanted = powers / powers.sum(1, keepdims=True)
    assert np.abs(got - wanted).max() < 0.01
    assert np.abs(got.sum(1) - 1).max() < 0.02


@pytest.mark.parametrize("arch", CHIPS)
def test_layer_norm(arch: str, tmp_path: Path) -> None:
    build = "fp32_dest_acc_en = true"
    x, got = run("layer_norm.cpp", 1 / (32 * COLUMNS), "fp32", arch, build, tmp_path)
    wanted = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
    assert np.abs(got - wanted).max() < 0.01
