"""The cache holds a limited amount, and lets go of nothing but its own."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tilelab.sim import cache

DAY = 24 * 3600
OLD, USED, NEW = (digit * 40 for digit in "abc")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILELAB_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "LIMIT_BYTES", 2500)
    return tmp_path


def fill(path: Path, days: float, size: int = 1000) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(size))
    when = time.time() - days * DAY
    os.utime(path, (when, when))
    return path


def test_beyond_the_limit_what_was_used_longest_ago_goes(folder: Path) -> None:
    oldest = fill(cache.place("code", OLD), 3)
    draft = fill(folder / "kernels" / f"{OLD}-0123abcd.new", 4)
    used = fill(cache.place("kernels", USED), 2)
    last = fill(cache.place("code", NEW), 1)
    cache.keep(cache.place("kernels", NEW), b"x" * 10)
    assert not oldest.exists()
    assert not draft.exists()
    assert used.exists()
    assert last.exists()
    assert cache.kept(cache.place("kernels", NEW)) == b"x" * 10


def test_using_something_keeps_it(folder: Path) -> None:
    path = cache.place("kernels", OLD)
    cache.keep(path, b"y" * 968)
    fill(cache.place("kernels", USED), 2, 2400)
    os.utime(path, (0, 0))
    assert cache.kept(path) == b"y" * 968
    fill(folder / cache.STAMP, 1, 0)
    cache.look_over()
    assert path.exists()
    assert not cache.place("kernels", USED).exists()


def test_a_built_kernel_goes_as_a_whole(folder: Path) -> None:
    built = cache.place("pto", OLD)
    fill(built / "vec.so", 2, 5000)
    fill(built / "vec" / "header.h", 2)
    os.utime(built, (0, 0))
    cache.look_over()
    assert not built.exists()


def test_files_of_others_stay(folder: Path) -> None:
    others = [
        fill(folder / "kernels" / "notes.txt", 9, 9000),
        fill(folder / f"{OLD}.txt", 9, 9000),
        fill(folder / "thesis.o", 9, 9000),
        fill(folder / "pto" / "mine" / OLD, 9, 9000),
    ]
    cache.look_over()
    assert all(path.exists() for path in others)


def test_it_is_looked_over_once_an_hour_and_nothing_used_since_goes(folder: Path) -> None:
    cache.look_over()
    old = fill(cache.place("code", OLD), 1, 5000)
    cache.look_over()
    assert old.exists()
    fill(folder / cache.STAMP, 1, 0)
    lately = fill(cache.place("code", NEW), 0.01, 5000)
    cache.look_over()
    assert not old.exists()
    assert lately.exists()


def test_a_folder_that_cannot_be_written_is_left_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").write_text("")
    monkeypatch.setenv("TILELAB_CACHE", str(folder / "file"))
    cache.look_over()


MAKE = """
import sys, time
from pathlib import Path
from tilelab.sim import cache
with cache.alone("a" * 32):
    made = Path(sys.argv[1])
    with made.open("a") as file:
        file.write("begun ")
        file.flush()
        time.sleep(0.2)
        file.write("done ")
"""


def test_two_processes_do_not_make_the_same_thing_at_once(folder: Path) -> None:
    made = folder / "made.txt"
    commands = [[sys.executable, "-c", MAKE, str(made)]] * 3
    makers = [subprocess.Popen(command) for command in commands]
    assert [maker.wait(60) for maker in makers] == [0, 0, 0]
    assert made.read_text() == "begun done " * 3


def test_making_something_within_another_does_not_let_others_make_that(folder: Path) -> None:
    made = folder / "made.txt"
    with cache.alone("a" * 32):
        with cache.alone("b" * 32):
            pass
        other = subprocess.Popen([sys.executable, "-c", MAKE, str(made)])
        time.sleep(1)
        made.write_text("mine ")
    assert other.wait(60) == 0
    assert made.read_text() == "mine begun done "


def test_what_cannot_be_locked_is_made_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").write_text("")
    monkeypatch.setenv("TILELAB_CACHE", str(folder / "file"))
    with cache.alone("a" * 32):
        pass
