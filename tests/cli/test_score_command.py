"""``tilelab score`` as a command: its requests, and options that mean nothing."""

import io
import json
from pathlib import Path

import jsonschema
import pytest
from command import tilelab

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SCHEMA = json.loads((ROOT / "docs" / "score.schema.json").read_text(encoding="utf-8"))


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


def test_two_kernels_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    two = EXAMPLES / "datacopy", EXAMPLES / "matmul"
    said = tilelab(capsys, "score", *two).out
    assert "because T1 math: " in said
    made = json.loads(tilelab(capsys, "score", *two, "--json").out)
    jsonschema.validate(made, SCHEMA)
    cycles = [score["cycles"]["value"] for score in made["scores"]]
    assert made["difference"]["cycles"]["before"] == cycles[0]
    assert made["difference"]["cycles"]["after"] == cycles[1]
    one = json.loads(tilelab(capsys, "score", two[0], "--json").out)
    assert "difference" not in one
    assert one["scores"] == made["scores"][:1]
