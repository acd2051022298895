"""The cache of compiled code: never stale, never damaged, never needed."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llvmlite import binding

from tilelab.kernelpy import build
from tilelab.kernelpy.layout import record
from tilelab.kernelpy.machine import Machine
from tilelab.kernelpy.module import Module
from tilelab.sim.kernel import kernel


@kernel
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
        self.warnings: list[str] = []

    def compiled(self, facts: str = "") -> bool:
        before = len(self.notes)
        tell = self.notes.append, self.warnings.append
        compiler = build.Compiler([self.source], facts, "a test", *tell)
        library = build.Library(*compiler.images(made))  # its code lives as long as it does
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


def test_modules_share_the_units_that_are_the_same(cache: Cache, folder: Path) -> None:
    cache.compiled()
    before = set(folder.glob("*.o"))
    assert cache.compiled("other facts")
    assert len(set(folder.glob("*.o")) - before) == 1, "another list of the same unit"


def test_an_edit_is_never_run_stale(cache: Cache) -> None:
    cache.compiled()
    cache.source.write_text("another text\n")
    assert cache.compiled()
    cache.source.write_text("text\n")
    assert not cache.compiled(), "as it was before"


def test_where_the_sources_lie_makes_no_difference(tmp_path: Path) -> None:
    """As when one process has tilelab from a checkout and another from a wheel."""
    keys = set()
    for folders in ("ab", "ba"):
        sources = [tmp_path / folders / folder / "kernel.py" for folder in folders]
        for source, text in zip(sources, ("one", "two"), strict=True):
            source.parent.mkdir(parents=True)
            source.write_text(text)
        keys.add(build.key(sources, ""))
    assert len(keys) == 1


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
        lambda image: image[:40] + bytes([image[40] ^ 1]) + image[41:],
        lambda image: bytes(len(image)),
    ],
)
def test_a_damaged_file_is_made_anew(cache: Cache, folder: Path, damage: Any) -> None:
    cache.compiled()
    files = list(folder.glob("*.o"))
    assert len(files) == 2, "a unit, and the list of them"
    for file in files:
        whole = file.read_bytes()
        file.write_bytes(damage(whole))
        assert cache.compiled()
        assert file.read_bytes()[:32] == whole[:32]
        assert not cache.compiled()


def test_without_a_folder_nothing_is_kept_and_all_works(cache: Cache, folder: Path) -> None:
    folder.write_text("a file stands where the folder would be")
    assert [cache.compiled(), cache.compiled()] == [True, True]
    assert len(cache.warnings) == 2
    assert "compiled code cannot be kept" in cache.warnings[0]
    assert str(folder) in cache.warnings[0]


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(cache: Cache, folder: Path) -> None:
    (folder / f"{build.key([cache.source], '')}.o").mkdir(parents=True)
    assert [cache.compiled(), cache.compiled()] == [True, True]
    assert len(list(folder.glob("*.o"))) == 2
    assert len(cache.warnings) == 2


def test_a_user_without_a_home_is_told(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("TILELAB_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert cache.compiled()
    assert "there is no home folder" in cache.warnings[0]


@pytest.mark.skipif(os.name != "posix", reason="modes as on POSIX")
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_the_modes_of_files_are_what_the_umask_leaves_and_others_cannot_write(
    cache: Cache, folder: Path, mask: int
) -> None:
    before = os.umask(mask)
    try:
        cache.compiled()
    finally:
        os.umask(before)
    for file in folder.glob("*.o"):
        assert file.stat().st_mode & 0o777 == 0o644 & ~mask
    assert folder.stat().st_mode & 0o777 == 0o755 & ~mask
    assert not cache.warnings


@pytest.mark.skipif(os.name != "posix", reason="owners and modes as on POSIX")
@pytest.mark.parametrize("mode", [0o664, 0o646])
def test_what_others_may_have_written_is_compiled_anew_and_said(
    cache: Cache, folder: Path, mode: int
) -> None:
    cache.compiled()
    file, *_ = folder.glob("*.o")
    file.chmod(mode)
    assert cache.compiled()
    (said,) = cache.warnings
    assert said == (
        f"not used, and replaced: {file}: code from it would be run, and others may write to it "
        f"(mode {mode:04o}; chmod go-w)"
    )
    assert not cache.compiled()


@pytest.mark.skipif(os.name != "posix", reason="owners and modes as on POSIX")
def test_a_folder_to_which_others_may_write_keeps_nothing(cache: Cache, folder: Path) -> None:
    cache.compiled()
    folder.chmod(0o777)
    assert [cache.compiled(), cache.compiled()] == [True, True]
    assert len(cache.warnings) == 2
    assert f"{folder}: code from it would be run, and others may write to it" in cache.warnings[0]
    assert "TILELAB_CACHE names another folder" in cache.warnings[0]
    folder.chmod(0o755)
    assert not cache.compiled()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="gives a file away")
def test_what_belongs_to_another_user_is_not_used(cache: Cache, folder: Path) -> None:
    cache.compiled()
    file, *_ = folder.glob("*.o")
    os.chown(file, 65534, 65534)
    assert cache.compiled()
    assert "it belongs to another user, number 65534" in cache.warnings[0]
    assert file.stat().st_uid == 0
    os.chown(folder, 65534, 65534)
    assert cache.compiled()
    assert f"{folder}: code from it would be run, and it belongs to another" in cache.warnings[1]


@pytest.mark.skipif(os.name != "posix", reason="owners as on POSIX")
def test_what_belongs_to_root_is_used_by_all(
    cache: Cache, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a folder that an administrator has filled."""
    cache.compiled()
    owner = folder.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert cache.compiled() == (owner != 0)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_folder_that_takes_no_files_is_said_in_one_line(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("/proc/tilelab", "/dev/null/x"):
        monkeypatch.setenv("TILELAB_CACHE", place)
        assert cache.compiled()
        assert cache.warnings.pop().count("\n") == 0


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
    assert len(list(folder.glob("*.o"))) == 2


def test_a_dump_shows_what_is_compiled(
    cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.compiled()
    monkeypatch.setenv("TILELAB_DUMP", str(tmp_path / "dump"))
    assert cache.compiled(), "though the cache has it"
    texts = {file.name: file.read_text() for file in (tmp_path / "dump").iterdir()}
    assert set(texts) == {"kernels.ll", "kernels.optimised.ll"}
    assert all("seven_times" in text for text in texts.values())


def test_a_dump_that_cannot_be_written_names_its_variable(
    cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TILELAB_DUMP", str(tmp_path / "file"))
    with pytest.raises(OSError, match=r"TILELAB_DUMP: .*cannot be written"):
        cache.compiled()


SHOW_NUMBERS = """
import sys, importlib
for name in sys.argv[1:]:
    importlib.import_module(name)
from tilelab.tensix.run.speed import fast
from tilelab.sim.checks import CHECKS
print(sorted((check.name, code) for code, check in CHECKS.items()))
"""


def test_checks_have_the_same_numbers_whatever_is_imported_first() -> None:
    """Compiled code holds them, and other processes use it."""
    first = ([], ["tilelab.tensix.riscv.core"], ["tilelab.tensix.frontend.mop_expander"])
    shown = [
        subprocess.run(
            [sys.executable, "-c", SHOW_NUMBERS, *names], capture_output=True, check=True
        ).stdout
        for names in first
    ]
    assert b"mop-outer-count-bug" in shown[0]
    assert shown[0] == shown[1] == shown[2]
