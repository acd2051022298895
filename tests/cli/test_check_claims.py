"""``tilelab check --claim``: answers on the terminal and as JSON, exit codes."""

import json
from pathlib import Path

import pytest

from tilelab.cli.main import main

TEXT = """.thread 0
ttseminit 2,0,2
ttrmwcib0 255,1,180
ttsempost 2
.thread 1
ttnop
ttrmwcib0 255,2,180
ttsemwait 128,2,1
ttrmwcib0 255,3,181
"""
OFF = ("--policy", "race-config=off")


def test_claims_are_answered_and_a_true_one_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, listed = tmp_path / "x.s", tmp_path / "claims.txt"
    program.write_text(TEXT, "utf-8")
    listed.write_text("x.s:3 races x.s:9\n", "utf-8")
    assert main(["check", str(program), *OFF, "--claim", str(listed)]) == 0
    assert "ordered by: until" in capsys.readouterr().out
    assert main(["check", str(program), *OFF, "--claim", "x.s:3 races x.s:7", "--json"]) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    (claim,) = run["claims"]
    assert claim["answer"] == "reproducer"
    assert claim["findings"] == ["race-config"]  # whatever the policy


def test_the_checkers_finding_is_told_with_its_claim(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "x.s"
    program.write_text(TEXT, "utf-8")
    assert main(["check", str(program), "--claim", "x.s:7 races x.s:3"]) == 1
    assert "the checker finds it: race-config" in capsys.readouterr().out


def test_what_is_no_claim_cannot_be_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "x.s"
    program.write_text(TEXT, "utf-8")
    assert main(["check", str(program), "--claim", "x.s races"]) == 2
    assert "a claim is" in capsys.readouterr().err
