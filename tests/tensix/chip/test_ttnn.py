"""Unmodified ttnn programs, where the wheel is installed, beside the vendor's simulator."""

import sys
from pathlib import Path

import numpy as np
import pytest

from tilelab.cli.main import main
from tilelab.tensix.arch import arch
from ttnn_runs import (
    HOW,
    MODELS,
    PYTHON,
    VENDORS,
    Results,
    Run,
    compiler,
    errors,
    on_the_vendors,
    on_tilelab,
    recorded,
)

PROGRAM = "ttnn_program.py"
CASES = (
    "copy:bf16:64", "copy:bfp8:64", "generic:bf16:64", "add:bf16:32", "add:bfp8:64", "sub:bf16:64",
    "matmul:bf16:64", "matmul:bfp8:128", "concat:bf16:64", "transpose:bf16:64", "untilize:bf16:64",
    "tilize:bf16:64",
)  # fmt: skip
RUNS = {
    "blackhole, one tile": (
        Run("blackhole", one=True),
        (*CASES, "matmul:fp32:64", "add:fp32:64", "sub:fp32:64"),
    ),
    "wormhole, one tile": (Run("wormhole", one=True), (*CASES, "matmul:fp32:64")),
    "blackhole": (Run("blackhole"), (*CASES, "matmul:fp32:64", "matmul:bf16:512")),
    "wormhole": (Run("wormhole"), (*CASES, "matmul:bf16:512")),
    "blackhole, fast dispatch": (Run("blackhole", fast=True), CASES),
    "wormhole, fast dispatch": (Run("wormhole", fast=True), CASES),
}
"""How it runs, and what. The vendor's simulator refuses fp32's matmul on all of Wormhole's tiles
(UnsupportedFunctionality: cfg_context_id=1), and its add (UndefinedBehavior: tensix_unpacr)."""


@pytest.mark.parametrize("name", RUNS)
def test_programs_run(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    run, cases = RUNS[name]
    ours = on_tilelab(run, PROGRAM, tmp_path / "ours.npz", cases)
    booted = 1 if run.one else len(arch(run.chip).layout.tensix)
    assert f"{run.chip}: {booted} tiles booted" in capfd.readouterr().out
    rng = np.random.default_rng(1)
    a = rng.standard_normal((64, 128)).astype(np.float32)
    kept = ours["copy:bf16:64 0"]
    assert np.abs(kept - a).max() < 2**-6
    for moved, expected in (("transpose", kept.T), ("tilize", kept), ("untilize", kept)):
        assert np.array_equal(ours[f"{moved}:bf16:64 0"], expected)
    for case, result in ours.items():
        assert np.isfinite(result).all()
        assert result.tobytes() == ours[f"{case[:-1]}0"].tobytes()
    if VENDORS is not None:
        assert not differing(ours, on_the_vendors(run, PROGRAM, tmp_path, cases))


def differing(ours: Results, theirs: Results) -> list[str]:
    assert theirs.keys() == ours.keys()
    return [name for name in ours if ours[name].tobytes() != theirs[name].tobytes()]


@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_models_by_tilelabs_compiler(
    chip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their errors are the documented ones; the same ELFs give the vendor's bytes."""
    if PYTHON is None:
        pytest.skip(HOW)
    kernels = tmp_path / "kernels"
    monkeypatch.setenv("TT_METAL_CACHE", f"{kernels}/")
    run = Run(chip, one=True)
    ours = on_tilelab(run, "ttnn_models.py", tmp_path / "ours.npz", MODELS)
    if "tilelab" not in compiler():
        pytest.skip("the wheel has another compiler under runtime/sfpi")
    assert errors(ours) == recorded()[chip]
    if VENDORS is not None:
        built = {path: path.stat().st_mtime_ns for path in kernels.rglob("*.elf")}
        assert not differing(ours, on_the_vendors(run, "ttnn_models.py", tmp_path, MODELS))
        assert {path: path.stat().st_mtime_ns for path in kernels.rglob("*.elf")} == built


def test_what_cannot_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ttnn", str(tmp_path / "missing.py")]) == 2
    assert "no such file" in capsys.readouterr().err
    program = tmp_path / "program.py"
    program.write_text("")
    assert main(["ttnn", "--python", "no-such-python", str(program)]) == 2
    assert "no-such-python: no such program" in capsys.readouterr().err
    assert main(["ttnn", "--python", sys.executable, str(program)]) == 2
    assert "has no ttnn" in capsys.readouterr().err
