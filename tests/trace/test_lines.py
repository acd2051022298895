"""What each source line took: CSV, JSON, and what the page's source panel says."""

import csv
import json
from pathlib import Path

import pytest
from tests.cli.command import tilelab

from tilelab import Recording, Tile, examples, line_times, run_kernel

DATACOPY = examples()["datacopy"]


def test_lines_add_up_to_the_last_issue_of_each_thread() -> None:
    tile = Tile(clock="cycle")
    recording = Recording(tile)
    result = run_kernel(DATACOPY, tile)
    table = line_times(recording)
    for t in range(3):
        last = int(recording.of(1, t)["clock"][-1])
        assert sum(one.threads[t] for one in table.lines) == last
    assert sum(one.issued for one in table.lines) == sum(c.issued for c in result.threads)
    assert table.lines[0].threads != (0, 0, 0)


def test_they_are_written_as_csv_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in "lines.csv", "lines.json":
        assert tilelab(capsys, "run", DATACOPY, "--lines", tmp_path / name).code == 0
    with (tmp_path / "lines.csv").open() as file:
        rows = list(csv.DictReader(file))
    (kernel,) = json.loads((tmp_path / "lines.json").read_text())["kernels"]
    assert [row["line"] for row in rows] == [one["line"] for one in kernel["lines"]]
    assert [int(row["t1"]) for row in rows] == [one["threads"][1] for one in kernel["lines"]]
    assert any(row["line"].startswith("kernel.cpp:") for row in rows)


def test_a_failing_run_leaves_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = tilelab(capsys, "run", tmp_path / "no", "--lines", tmp_path / "lines.csv")
    assert outcome.code == 2
    outcome = tilelab(capsys, "run", DATACOPY, "--lines", tmp_path / "lines.txt")
    assert outcome.complaint == f"{tmp_path / 'lines.txt'}: name it .csv or .json"
    assert not (tmp_path / "lines.txt").exists()
