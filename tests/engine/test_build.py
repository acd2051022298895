"""The cache of compiled code: never stale, never damaged, never needed."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llvmlite import binding

from tilelab.engine import build
from tilelab.engine.layout import record
from tilelab.engine.machine import Machine
from tilelab.engine.module import Module


def seven_times(a: int) -> int:
    return a * 7


def made() -> Module:
    module = Module(Machine(record(np.dtype([("x", "u4")]))))
    module.add(seven_times, "seven_times")
    return module


class Cache:
    """Compiles ``seven_times``, a kernel of one source file, and says whether it had to."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "kernel.py"
        self.source.write_text("text\n")
        self.notes: list[str] = []

    def compiled(self, facts: str = "") -> bool:
        before = len(self.notes)
        image = build.compiled(made, [self.source], facts, "a test", self.notes.append)
        library = build.Library(image)  # its code lives as long as it does
        assert library.function("seven_times", 1)(6) == 42
        return len(self.notes) > before


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILELAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def cache(folder: Path, tmp_path: Path) -> Cache:
    return Cache(tmp_path)


def test_it_is_compiled_once_and_says_so(cache: Cache) -> None:
    assert [cache.compiled(), cache.compiled(), cache.compiled()] == [True, False, False]
    assert cache.notes == [
        "compiling the fast engine for a test (once; later starts take it from a cache)"
    ]


def test_an_edit_is_never_run_stale(cache: Cache) -> None:
    cache.compiled()
    cache.source.write_text("another text\n")
    assert cache.compiled()
    cache.source.write_text("text\n")
    assert not cache.compiled(), "as it was before"


@pytest.mark.parametrize("fact", ["get_host_cpu_name", "get_default_triple"])
def test_another_processor_has_a_key_of_its_own(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, fact: str
) -> None:
    here = build.key([cache.source], "")
    monkeypatch.setattr(binding, fact, lambda: "another")
    assert build.key([cache.source], "") != here


def test_versions_and_facts_are_in_the_key(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {build.key([cache.source], facts) for facts in ("", "blackhole", "wormhole")}
    monkeypatch.setattr("llvmlite.__version__", "another")
    keys.add(build.key([cache.source], ""))
    assert len(keys) == 4


@pytest.mark.parametrize(
    "damage",
    [
        lambda image: b"",
        lambda image: image[:10],
        lambda image: image[:-1],
        lambda image: image + b"\0",
        lambda image: image[:200] + bytes([image[200] ^ 1]) + image[201:],
        lambda image: bytes(len(image)),
    ],
)
def test_a_damaged_file_is_made_anew(cache: Cache, folder: Path, damage: Any) -> None:
    cache.compiled()
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert cache.compiled()
    assert file.read_bytes()[:32] == whole[:32]
    assert not cache.compiled()


def test_without_a_folder_nothing_is_kept_and_all_works(cache: Cache, folder: Path) -> None:
    folder.write_text("a file stands where the folder would be")
    assert [cache.compiled(), cache.compiled()] == [True, True]


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(cache: Cache, folder: Path) -> None:
    (folder / f"{build.key([cache.source], '')}.o").mkdir(parents=True)
    assert [cache.compiled(), cache.compiled()] == [True, True]
    assert len(list(folder.iterdir())) == 1


START = "import sys, test_build, pathlib; test_build.Cache(pathlib.Path(sys.argv[1])).compiled()"


def test_several_cold_starts_at_once(cache: Cache, folder: Path, tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "src"
    environment = os.environ | {"PYTHONPATH": str(source)}
    starts = []
    for number in range(3):
        own = tmp_path / str(number)
        own.mkdir()
        command = [sys.executable, "-c", START, str(own)]
        starts.append(subprocess.Popen(command, cwd=Path(__file__).parent, env=environment))
    assert [start.wait(timeout=200) for start in starts] == [0, 0, 0]
    assert not cache.compiled()
    assert len(list(folder.iterdir())) == 1
