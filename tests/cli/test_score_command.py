"""``tilelab score`` as a command: its requests, and options that mean nothing."""

import io
import json
from pathlib import Path

import pytest
from command import tilelab

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_the_command_answers_line_by_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["x", "", json.dumps({"target": str(EXAMPLES / "datacopy"), "id": "a"})]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
    done = tilelab(capsys, "score", "--serve", "json")
    assert done.code == 0
    first, second = map(json.loads, done.out.splitlines())
    assert "error" in first
    assert (second["id"], second["score"]["correct"]) == ("a", True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x", "--serve", "json"], "takes its targets from requests"),
        (["--serve", "json", "--source", "x.cpp"], "excludes --serve"),
        ([], "name a kernel.toml or a folder"),
        (["nosuch"], "nosuch: no such folder"),
        ([EXAMPLES, "--source", EXAMPLES / "matmul" / "kernel.cpp"], "one source is for one"),
        ([EXAMPLES, "--seconds", "nan"], "seconds is a number above 0"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[object], message: str
) -> None:
    done = tilelab(capsys, "score", *arguments)
    assert done.code == 2
    assert message in done.complaint
