"""Doing it again whenever a file changes: what is looked at, and when."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.command import tilelab

from tilelab.runs.watch import again
from tilelab.sim.errors import BadInputError
from tilelab.trace.page.follow import follow, following


class EnoughError(Exception):
    """Ends the watch."""


def watched(targets: list[str], edits: list[Callable[[], object]]) -> tuple[int, list[str]]:
    """How often it was done, and which changes were told; an edit is made whenever time passes."""
    acts: list[int] = []
    told: list[str] = []
    left = list(edits)

    def wait(seconds: float) -> None:
        if not left:
            raise EnoughError
        left.pop(0)()

    with pytest.raises(EnoughError):
        again(targets, lambda: acts.append(1), told.append, wait)
    return len(acts), told


def nothing() -> None:
    """No edit."""


def test_a_change_is_acted_upon_once_it_has_settled(tmp_path: Path) -> None:
    source, other = tmp_path / "kernel.cpp", tmp_path / "kernel.toml"
    for file in source, other:
        file.write_text("1")
    edits = [nothing, lambda: source.write_text("22"), lambda: other.write_text("333"), nothing]
    done, told = watched([str(tmp_path)], [*edits, nothing, nothing])
    assert done == 2
    assert told == ["kernel.cpp, kernel.toml"]


def test_what_a_run_writes_itself_is_no_change(tmp_path: Path) -> None:
    (tmp_path / "kernel.toml").write_text("1")
    made = [(tmp_path / name).write_text for name in ("math.elf", "report.html", ".hidden")]
    edits = [lambda write=write: write("x") for write in made]
    assert watched([str(tmp_path)], [*edits, nothing]) == (1, [])


def test_a_file_that_goes_is_a_change(tmp_path: Path) -> None:
    (tmp_path / "kernel.toml").write_text("1")
    (tmp_path / "a.npy").write_text("1")
    done, told = watched([str(tmp_path)], [(tmp_path / "a.npy").unlink, nothing, nothing])
    assert (done, told) == (2, ["a.npy"])


def test_what_is_not_there_cannot_be_watched() -> None:
    for name in "-", "/no/such":
        with pytest.raises(BadInputError, match="no file that could change"):
            again([name], nothing, lambda text: None)


def test_run_watches_on_after_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "k.s"
    program.write_text("ttnopp\n")
    left = [lambda: program.write_text("ttnop\n"), nothing]

    def wait(seconds: float) -> None:
        if not left:
            raise KeyboardInterrupt
        left.pop(0)()

    monkeypatch.setattr("tilelab.cli.run.again", lambda *given: again(*given, wait))
    outcome = tilelab(capsys, "run", program, "--watch")
    assert outcome.code == 130
    assert "unknown mnemonic 'ttnopp'" in outcome.err
    assert "changed: k.s" in outcome.err
    assert outcome.out.startswith("RAN")


def test_a_page_that_is_followed_says_which_version_it_is(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    with following(page):
        first, second = (follow("<body>x</body></html>", page) for _ in range(2))
        version = (tmp_path / "report.html.version.js").read_text()
        newest = version.partition('"')[2].partition('"')[0] or version.split("'")[1]
        assert newest in second
        assert newest not in first
        assert second.endswith("</body></html>")
    assert not list(tmp_path.iterdir())
