"""Unmodified ttnn programs, where the vendor's wheel and a compiler for it are installed."""

import json
import os
import re
from pathlib import Path

import pytest

from chip_program import CHIPS
from tilelab.cli.main import main

PYTHON = os.environ.get("TILELAB_TTNN_PYTHON")
HOW = "set TILELAB_TTNN_PYTHON to a Python that has ttnn and a compiler for its kernels"
PROGRAM = Path(__file__).with_name("ttnn_program.py")


@pytest.mark.parametrize("chip", CHIPS)
def test_a_program_runs_on_one_tile(chip: str, capfd: pytest.CaptureFixture[str]) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    command = ["ttnn", "--one-tile", "--arch", chip, "--python", PYTHON, str(PROGRAM), "64"]
    assert main(command) == 0
    shown = capfd.readouterr().out
    found = re.search("RESULT (.*)", shown)
    assert found, shown
    errors = json.loads(found[1])
    assert errors["copy"] == 0
    assert errors["add"] <= 2**-5  # one place of bfloat16 below 8
    assert errors["matmul"] < 0.5
    assert f"{chip}: 1 tiles booted, 1 computed" in shown


def test_what_cannot_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ttnn", str(tmp_path / "missing.py")]) == 2
    assert "no such file" in capsys.readouterr().err
    program = tmp_path / "program.py"
    program.write_text("")
    assert main(["ttnn", "--python", "no-such-python", str(program)]) == 2
    assert "no-such-python: no such program" in capsys.readouterr().err
