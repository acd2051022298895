"""Files that commands write: opened before the work, whole or not there at all."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import tilelab

from tilelab.cli import explain_matmul, run, view
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import writing

EXAMPLES = Path(__file__).parents[2] / "examples"
DATACOPY = str(EXAMPLES / "datacopy")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="file systems as on Linux")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)]
    if (
        sys.platform != "linux"
        or subprocess.run(mount, check=False, capture_output=True).returncode
    ):
        pytest.skip("needs root on Linux, to mount a file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


WRITERS = [
    ("run", "--engine", "reference", DATACOPY, "--trace", "{}.jsonl"),
    ("run", "--engine", "reference", DATACOPY, "--trace", "{}.txt"),
    ("run", "--engine", "reference", DATACOPY, "--trace", "{}.pftrace"),
    ("view", "--engine", "reference", DATACOPY, "-o", "{}.html"),
    ("explain-matmul", "--distribution", "normal", "--samples", "128", "--svg", "{}.svg"),
    ("asm", "{program}", "-o", "{}.bin"),
]


def filled(arguments: tuple[str, ...], name: Path, tmp_path: Path) -> list[str]:
    program = tmp_path / "long.s"
    program.write_text("ttnop\n" * 30_000)
    return [item.format(name, program=program) for item in arguments]


@pytest.mark.parametrize("arguments", WRITERS, ids=lambda words: words[-1].lstrip("{}."))
def test_a_place_that_is_not_there_is_said_before_the_work(
    arguments: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the work was begun")

    monkeypatch.setattr(run, "run_on", work)
    monkeypatch.setattr(view, "run_target", work)
    monkeypatch.setattr(explain_matmul, "matmul_errors", work)
    outcome = tilelab(capsys, *filled(arguments, tmp_path / "no" / "such", tmp_path))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.complaint.endswith(": No such file or directory")
    suffix = Path(arguments[-1]).suffix or f".{arguments[-1].rpartition('.')[2]}"
    (tmp_path / f"folder{suffix}").mkdir()
    outcome = tilelab(capsys, *filled(arguments, tmp_path / "folder", tmp_path))
    assert outcome.complaint.endswith(": Is a directory")


@pytest.mark.parametrize("arguments", WRITERS, ids=lambda words: words[-1].lstrip("{}."))
@pytest.mark.parametrize("before", [None, b"what was there"], ids=["new", "old"])
def test_a_full_disk_leaves_nothing_half_written(
    arguments: tuple[str, ...],
    before: bytes | None,
    small_disk: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = filled(arguments, small_disk / "out", tmp_path)
    target = Path(words[-1])
    if before is not None:
        target.write_bytes(before)
    (small_disk / "full").write_bytes(bytes(60 << 10))
    outcome = tilelab(capsys, *words)
    assert outcome.code == 2
    assert outcome.complaint == f"{target}: No space left on device"
    left = {path.name for path in small_disk.iterdir()} - {"full"}
    assert left == (set() if before is None else {target.name})
    assert before is None or target.read_bytes() == before
    (small_disk / "full").unlink()


@LINUX
def test_what_cannot_be_replaced_is_written_where_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.s").write_text("ttnop\n")
    assert tilelab(capsys, "asm", tmp_path / "k.s", "-o", "/dev/null").code == 0
    assert tilelab(capsys, "view", "--engine", "reference", DATACOPY, "-o", "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()
    (tmp_path / "real").mkdir()
    (tmp_path / "link.bin").symlink_to(tmp_path / "real" / "words.bin")
    assert tilelab(capsys, "asm", tmp_path / "k.s", "-o", tmp_path / "link.bin").code == 0
    assert (tmp_path / "link.bin").is_symlink()
    assert (tmp_path / "real" / "words.bin").stat().st_size == 4
    assert os.stat(tmp_path / "real" / "words.bin").st_mode & 0o777 == 0o666 & ~umask()


@LINUX
def test_what_the_shell_has_opened_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "k.s").write_text("ttnop\n" * 3)
    run_it = f'"{sys.executable}" -m tilelab'
    script = f"""
        {run_it} run --engine reference k.s --trace >(cat > lines) > /dev/null
        {run_it} asm k.s -o /dev/stdout > words
        {run_it} asm k.s -o >(cat > piped)
        sleep 0.5
    """
    environment = os.environ | {"PYTHONPATH": str(EXAMPLES.parent / "src")}
    done = subprocess.run(
        ["bash", "-c", script], check=False, cwd=tmp_path, env=environment, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert len((tmp_path / "lines").read_text().splitlines()) == 3
    assert (tmp_path / "words").stat().st_size == 12
    assert (tmp_path / "piped").stat().st_size == 12
    assert {path.name for path in tmp_path.iterdir()} == {"k.s", "lines", "words", "piped"}


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_page_for_a_pipe_is_utf_8(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    from tilelab.cli.main import main  # noqa: PLC0415

    assert main(["view", "--engine", "reference", DATACOPY, "-o", "-"]) == 0
    page = capsysbinary.readouterr().out.decode("utf-8")
    assert not page.isascii()


def test_a_trace_of_a_program_that_fails_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.s").write_text("ttnop\nttsetadcxx 0,15,0\n")
    (tmp_path / "good.s").write_text("ttnop\n")
    arguments = ("run", "--engine", "reference", "--trace", tmp_path / "t.jsonl")
    assert tilelab(capsys, *arguments, tmp_path / "k.s").code == 1
    lines = (tmp_path / "t.jsonl").read_text().splitlines()
    assert [json.loads(line)["assembly"] for line in lines] == ["ttnop"]
    assert tilelab(capsys, *arguments, *[tmp_path / "good.s"] * 3, tmp_path / "k.s").code == 1
    assert len((tmp_path / "t.jsonl").read_text().splitlines()) == 4


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with writing(path) as at:
            at.write_bytes(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [(item.name, item.read_bytes()) for item in tmp_path.iterdir()] == [("x.bin", b"old")]


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "no/such/folder/x"])
def test_a_name_that_cannot_be_written_is_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInputError) as caught, writing(tmp_path / name):
        pass
    assert "\n" not in caught.value.summary


def test_examples_on_a_full_disk_leave_nothing(
    small_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = tilelab(capsys, "examples", "--copy", small_disk / "mine")
    assert outcome.code == 2
    assert outcome.complaint.endswith(": No space left on device")
    assert "[" not in outcome.complaint
    complete = {path.name for path in (small_disk / "mine").iterdir()}
    for name in complete:
        mine = {path.name for path in (small_disk / "mine" / name).iterdir()}
        assert mine == {path.name for path in (EXAMPLES / name).iterdir()}
    shutil.rmtree(small_disk / "mine")
