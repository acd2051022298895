"""SARIF: what the standard requires of a log, and both parties' places."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from faulty.harness import PROGRAMS, read
from tilelab.check.sarif import sarif


@pytest.fixture(scope="module")
def log() -> dict[str, Any]:
    names = ("mvmul_then_sfpload", "wait_nobody_posts")
    return sarif(read(PROGRAMS / f"{name}.s").run(healthy=False) for name in names)


def test_a_log_has_what_the_standard_requires(log: dict[str, Any]) -> None:
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"]
    assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"])
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        assert result["occurrenceCount"] >= 1


def test_both_parties_have_a_place(log: dict[str, Any]) -> None:
    result = log["runs"][0]["results"][0]
    places = [*result["locations"], *result["relatedLocations"]]
    lines = [place["physicalLocation"]["region"]["startLine"] for place in places]
    text = read(PROGRAMS / "mvmul_then_sfpload.s")
    assert [f"{text.name}.s:{line}" for line in lines] == text.places()
    files = {place["physicalLocation"]["artifactLocation"]["uri"] for place in places}
    assert files == {f"{text.name}.s"}


def test_a_deadlock_is_at_the_line_that_waits(log: dict[str, Any]) -> None:
    (place,) = log["runs"][0]["results"][-1]["locations"]
    lines = read(PROGRAMS / "wait_nobody_posts.s").lines(healthy=False)
    (line,) = (number for number, text in enumerate(lines, 1) if text.startswith("ttsemwait"))
    assert place["message"]["text"].startswith("ttsemwait")
    assert place["physicalLocation"]["region"]["startLine"] == line


def test_the_public_multitool_has_nothing_to_say(log: dict[str, Any], tmp_path: Path) -> None:
    tool = os.environ.get("TILELAB_SARIF_MULTITOOL")
    if not tool:
        pytest.skip("TILELAB_SARIF_MULTITOOL names no Sarif.Multitool (docs/testing.md)")
    made, said = tmp_path / "made.sarif", tmp_path / "said.sarif"
    made.write_text(json.dumps(log), encoding="utf-8")
    command = [tool, "validate", str(made), "--output", str(said)]
    invariant = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    subprocess.run(command, check=True, capture_output=True, env=invariant, timeout=300)
    assert json.loads(said.read_text(encoding="utf-8-sig"))["runs"][0].get("results", []) == []
