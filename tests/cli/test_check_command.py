"""``tilelab check``: exit codes, JSON, SARIF, schedules."""

import json
from pathlib import Path

import pytest

from faulty.harness import PROGRAMS, read
from tilelab.cli.main import main


@pytest.fixture
def faulty(tmp_path: Path) -> str:
    path = tmp_path / "early.s"
    path.write_text("\n".join(read(PROGRAMS / "mvmul_then_sfpload.s").lines(healthy=False)) + "\n")
    return str(path)


def test_a_healthy_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "examples/matmul"]) == 0
    assert capsys.readouterr().out.startswith("matmul: nothing found")


def test_a_finding_is_exit_1(faulty: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", faulty]) == 1
    out = capsys.readouterr().out
    assert "dst-read-early: vector unit, thread 1 reads Dst row 0" in out
    assert "early.s" in out


def test_a_finding_that_only_warns(faulty: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", faulty, "--policy", "dst-read-early=warn"]) == 0
    assert "dst-read-early" in capsys.readouterr().out


def test_json_and_sarif(faulty: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = tmp_path / "found.sarif"
    assert main(["check", faulty, "--json", "--sarif", str(at)]) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert [finding["check"] for finding in run["findings"]] == ["dst-read-early"]
    (result,) = json.loads(at.read_text())["runs"][0]["results"]
    assert result["ruleId"] == "dst-read-early"


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-file"],
        ["examples/matmul", "--schedules", "some"],
        ["examples/matmul", "--schedules", "9" * 30],
        ["examples/matmul", "--policy", "x"],
    ],
)
def test_bad_input_is_exit_2(arguments: list[str]) -> None:
    assert main(["check", *arguments]) == 2


@pytest.mark.parametrize("option", ["--sarif", "--page"])
def test_a_file_that_cannot_be_written_is_said_first(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "examples/matmul", option, str(tmp_path / "none" / "x")]) == 2
    assert capsys.readouterr().out == ""


def test_schedules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "examples/eltwise_add", "--schedules", "50", "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    documented = run["schedules"]["documented timing"]
    assert documented["schedules"] == 50
    assert documented["found"] is None
