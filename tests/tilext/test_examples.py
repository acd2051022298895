"""The examples run and match NumPy."""

import runpy
import shutil
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "tilext"
EXAMPLES = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_matches_numpy(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert "NumPy" in capsys.readouterr().out


def test_the_gemm_example_matches_numpy(capfd, monkeypatch):
    if not shutil.which("riscv64-unknown-elf-gcc"):
        pytest.skip("riscv64-unknown-elf-gcc is not installed")
    monkeypatch.setattr("sys.argv", ["gemm.py"])
    runpy.run_path(str(FOLDER / "gemm" / "gemm.py"), run_name="__main__")
    assert capfd.readouterr().out.count("matches NumPy") == 3


def test_the_examples_are_there():
    assert {path.stem for path in EXAMPLES} == {"tiled_copy", "tiled_matmul"}
