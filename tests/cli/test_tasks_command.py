"""``tilelab tasks``, and folders that ``tilelab new --task`` makes of them."""

import json
from pathlib import Path

import pytest
from command import tilelab


def test_tasks_are_listed_shown_and_made(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert "attention_scores" in tilelab(capsys, "tasks").out
    assert 'expect = "gelu(a)"' in tilelab(capsys, "tasks", "gelu").out
    made = json.loads(tilelab(capsys, "tasks", "gelu", "--solution", "--json").out)
    assert "tilelab::vec::gelu" in made["tasks"][0]["solution"]
    folder = tmp_path / "k"
    done = tilelab(capsys, "new", "--task", "gelu", "--arch", "wormhole", "--no-build", folder)
    assert done.code == 0
    assert 'arch = "wormhole"' in (folder / "kernel.toml").read_text()
    assert "r = x;" in (folder / "kernel.cpp").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tasks", "gleu"], "did you mean gelu?"),
        (["tasks", "--solution"], "--solution is for name"),
        (["new", "--solution", "x"], "--solution is for --task"),
        (["new", "--task", "nosuch", "x"], "no task is called 'nosuch'"),
    ],
)
def test_what_means_nothing_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    done = tilelab(capsys, *arguments)
    assert done.code == 2
    assert message in done.err
