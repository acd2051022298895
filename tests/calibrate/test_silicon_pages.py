"""What the pages show of cards: made of calibrate's results, by one script."""

import importlib
import json
from pathlib import Path

import pytest

from tilelab.calibrate.families import Answer
from tilelab.calibrate.results import Result
from tilelab.calibrate.rows import Row
from tilelab.tensix.tables import mechanisms as known

DOCS = Path(__file__).resolve().parents[2] / "docs"


def result(row: str, group: str, silicon: str, predicted: float | None) -> dict[str, object]:
    told = Row(row, "WH n300", f"what of {row}", silicon, group=group, source="a repository")
    why = "" if predicted else "why not"
    return Result(told, Answer(known.VECTOR, predicted, why)).document()


def test_results_become_lines_of_tables_and_raw_points_a_sum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [
        result("near", "A1 Tensix instr", "100", 101.0),
        result("far", "A1 Tensix instr", "100", 150.0),
        result("none", "A4 SFPU LLK", "100", None),
        result("point", "A1 raw", "100", 103.0),
        result("noc", "B1 NoC", "100", 100.0),
    ]
    (tmp_path / "found.json").write_text(json.dumps({"rows": found, "left_out": []}))
    monkeypatch.syspath_prepend(str(DOCS))
    script = importlib.import_module("make_silicon")
    kept = json.loads(script.lines(script.kept(script.results([str(tmp_path / "found.json")]))))
    assert {row["id"]: row["reason"] for row in kept["rows"]} == {
        "near": "",
        "far": "not known",
        "none": "why not",
    }
    assert {row["chip"] for row in kept["rows"]} == {"wormhole"}
    points = {"points": 1, "within": 1, "worst": 3.0}
    assert kept["raw"] == {"Tensix words, `matmul_tiles`: wormhole": points}


def test_the_figures_that_the_pages_show_meet_what_they_are_held_to() -> None:
    """Groups of single instructions within 5 %, whole kernels within 10 %."""
    rows = json.loads((DOCS.parent / "tests/data/silicon.json").read_text())["rows"]
    errors: dict[str, list[float]] = {}
    for row in rows:
        if row["error"] is None:
            assert row["reason"], row["id"]
        else:
            errors.setdefault(row["group"], []).append(abs(row["error"]))
            assert abs(row["error"]) <= 10 or row["reason"] not in ("", "not known"), row["id"]
    for group in ("A1", "A2"):
        assert sum(error <= 5 for error in errors[group]) >= 0.95 * len(errors[group])
    kernels = [error for group in ("A0", "A3", "A4", "A6") for error in errors[group]]
    assert sum(error <= 10 for error in kernels) >= 0.85 * len(kernels)
