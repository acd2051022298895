"""The LLK set: what is summed up, what is compared, and clear words where it cannot be measured."""

import json
from pathlib import Path

import numpy as np
import pytest

from tilelab.bench import llk
from tilelab.bench.backends import UnableError
from tilelab.bench.llk import ELFS, VECTORS, Replayer, Timed, kernels, times_of
from tilelab.cli.main import main

SAMPLES = {
    "fast": {"a.x": [1.0, 2.0, 3.0], "a.y": [1.0, 1.0, 1.0], "b.x": [4.0, 4.0, 4.0]},
    "ttsim": {"a.x": [5.0, 6.0, 7.0], "a.y": [3.0, 3.0, 3.0], "b.x": [4.0, 2.0, 4.0]},
}


def test_ratios_are_of_runs_of_the_same_round() -> None:
    times = times_of("a", ["a.x", "a.y"], SAMPLES)
    assert times.kernels == 2
    assert times.milliseconds["fast"] == llk.Spread(3000, 2000, 4000)
    assert times.ratio == llk.Spread(9 / 3, 10 / 4, 8 / 2)


def test_without_the_vendors_there_is_no_ratio() -> None:
    assert times_of("a", ["a.x"], {"fast": SAMPLES["fast"]}).ratio is None


def test_the_least_ahead() -> None:
    every = [times_of(name, [name], SAMPLES) for name in SAMPLES["fast"]]
    found = llk.LlkSet(times_of("all", list(SAMPLES["fast"]), SAMPLES), [], every)
    assert found.worst is not None
    assert found.worst.name == "b.x"


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Two kernels that can be replayed, one of them built, and one that cannot."""
    vectors, elfs = tmp_path / "vectors", tmp_path / "elfs"
    vectors.mkdir()
    (elfs / "one.f.1").mkdir(parents=True)
    (elfs / "one.f.1" / "trisc2.elf").touch()
    index = [{"slug": f"{name}.f.1", "replay": name != "three"} for name in ("one", "two", "three")]
    (vectors / "INDEX.json").write_text(json.dumps(index))
    monkeypatch.setenv(VECTORS, str(vectors))
    monkeypatch.setenv(ELFS, str(elfs))
    return vectors, elfs


def test_kernels_that_are_built(folders: tuple[Path, Path]) -> None:
    (kernel,) = kernels()
    assert (kernel.name, kernel.family) == ("one.f.1", "one")


@pytest.mark.parametrize("variable", [VECTORS, ELFS])
def test_a_variable_that_is_not_set(folders, variable, monkeypatch, capsys) -> None:
    monkeypatch.delenv(variable)
    assert main(["bench", "llk"]) == 2
    error = capsys.readouterr().err
    assert error.startswith(
        f"tilelab: {variable} names no folder; the documentation's page Testing"
    )
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda v, e: (e / "one.f.1" / "trisc2.elf").unlink(), "none of the 2 kernels is built"),
        (lambda v, e: (v / "INDEX.json").unlink(), "there is no INDEX.json"),
        (lambda v, e: e.rename(e.with_name("moved")), "there is no such folder"),
    ],
)
def test_folders_that_lack_something(folders, spoil, says) -> None:
    spoil(*folders)
    with pytest.raises(UnableError, match=says):
        kernels()


class Device:
    """A tile on which every kernel is done at once."""

    def read(self, address: int, count: int) -> bytes:
        return b"\7" * count

    def write(self, address: int, data: bytes) -> None:
        np.zeros(1000).sum()

    reg_read = reg_write = None


def replayer() -> Replayer:
    return Replayer(Device)  # type: ignore[arg-type]  # its registers are never asked for


def test_only_the_backends_calls_are_timed() -> None:
    timed = Timed(Device())  # type: ignore[arg-type]
    assert timed.read(0, 3) == b"\7\7\7"
    once = timed.seconds
    sum(range(300_000))
    assert timed.seconds == once
    timed.write(0, b"")
    assert timed.seconds > once


def test_wrong_bytes_end_it(folders, monkeypatch) -> None:
    wrong = llk.play.__globals__["Comparison"](compared=8, differ=2, first=16)
    monkeypatch.setattr(llk, "play", lambda *_: wrong)
    monkeypatch.setattr(llk, "read_vector", Path)
    monkeypatch.setattr(llk, "read_programs", Path)
    with pytest.raises(UnableError, match=r"one.f.1: 2 of 8 bytes differ, the first at 0x10"):
        replayer().run(kernels()[0])


def test_files_are_read_once(folders, monkeypatch) -> None:
    read = []
    right = llk.play.__globals__["Comparison"](compared=8, differ=0, first=None)
    monkeypatch.setattr(llk, "play", lambda *_: right)
    monkeypatch.setattr(llk, "read_vector", read.append)
    monkeypatch.setattr(llk, "read_programs", read.append)
    assert replayer().run_all([*kernels(), *kernels()]) == [0, 0]
    assert read == [folders[0] / "one.f.1", folders[1] / "one.f.1"]


class Apart:
    """A replayer that takes longer the first time."""

    made = 0

    def __init__(self, make: object) -> None:
        Apart.made += 1
        self.runs, self.scale = 0, Apart.made

    def call(self, method: str, kernels: list[llk.Kernel]) -> list[float]:
        self.runs += 1
        return [self.scale * (5.0 if self.runs == 1 else 1.0)] * len(kernels)

    def memory(self) -> llk.Memory:
        return llk.Memory(1.0, 2.0)

    def close(self) -> None:
        pass


def test_the_first_time_is_apart(folders, monkeypatch) -> None:
    monkeypatch.setattr(llk, "Apart", Apart)
    monkeypatch.setattr(llk.ttsim, "folder", Path)
    found = llk.measure_llk(3, False, lambda text: None)
    assert found.cold is not None
    assert found.cold.milliseconds == {
        "fast": llk.Spread(5000, 5000, 5000),
        "ttsim": llk.Spread(10000, 10000, 10000),
    }
    assert found.total.milliseconds["fast"] == llk.Spread(1000, 1000, 1000)
    assert found.total.ratio == llk.Spread(2, 2, 2)
