"""A few cases of each kind of ``ttnn_survey.py``, which tries all (docs/chip-compared.md)."""

import json
from contextlib import chdir
from pathlib import Path

import pytest

from tilelab.cli.main import main
from ttnn_runs import HOW, PROGRAMS, PYTHON

FEW = ("softsign fp32", "add int32 numbers", "max uint16", "minimum int32", "sum bf16 (1, 2) large")
"""Parts of names: of one operand, with a number, of integers, of two operands, a reduction."""


@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
@pytest.mark.parametrize("part", FEW)
def test_functions_and_reductions_are_what_numpy_gives(
    part: str, chip: str, tmp_path: Path
) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    results = tmp_path / "results.jsonl"
    program = [str(PROGRAMS / "ttnn_survey.py"), str(results), "1", part]
    with chdir(tmp_path):
        assert main(["ttnn", "--one-tile", "--arch", chip, "--python", PYTHON, *program]) == 0
    items = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    verdicts = {item["case"]: item["verdict"] for item in items}
    assert verdicts
    assert set(verdicts.values()) <= {"right", "refused"}, verdicts
