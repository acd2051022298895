"""Code that is quick to compile gives way to thorough code, and nobody can tell but by the time."""

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from tilelab.kernelpy import tiers
from tilelab.kernelpy.build import Compiler
from tilelab.kernelpy.layout import record
from tilelab.kernelpy.machine import Machine
from tilelab.kernelpy.module import Module
from tilelab.kernelpy.tiers import Tiers
from tilelab.sim.errors import BadInputError
from tilelab.sim.kernel import kernel


@kernel
def counted(a: int, n: int) -> int:
    total = a
    for i in range(n):
        total = (total * 7 + i) & 0xFFFF
    return total


class Made:
    """Makes modules of ``counted``, and remembers which."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self.source.write_text("text\n")
        self.modules: list[str] = []
        self.notes: list[str] = []
        self.warnings: list[str] = []

    def module(self, quick: bool) -> Module:
        self.modules.append("quick" if quick else "thorough")
        module = Module(Machine(record(np.dtype([("x", "u4")]))))
        module.quick = quick
        module.add(counted, "counted")
        return module

    def tiers(self) -> Tiers:
        tell = self.notes.append, self.warnings.append
        return Tiers(Compiler([self.source], "", "a test", *tell), self.module)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILELAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(tiers.PATIENCE, raising=False)
    monkeypatch.delenv("TILELAB_DUMP", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def made(folder: Path, tmp_path: Path) -> Made:
    return Made(tmp_path / "kernel.py")


TICK = 1 / 32
"""Seconds that each call takes, by the clock of these tests."""


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "perf_counter", partial(next, count(0, TICK)))


def run(call: Callable[..., int], times: int) -> None:
    for _ in range(times):
        call(1, 1)


def test_a_short_run_makes_quick_code_alone(made: Made) -> None:
    code = made.tiers()
    assert code.function("counted", 2)(3, 2) == (((3 * 7) * 7) + 1) & 0xFFFF
    assert code.quick
    assert made.modules == ["quick"]
    assert made.notes == [
        "compiling the fast engine for a test (once; later starts take it from a cache)"
    ]
    assert made.tiers().quick
    assert made.modules == ["quick"], "it is kept"


def test_code_that_has_run_long_is_made_anew_and_says_so(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiers, "SECONDS", 0.1)
    code = made.tiers()
    call, other = code.function("counted", 2), code.function("counted", 2)
    before = call(5, 100)
    run(call, 3)
    assert code.quick
    assert call(5, 100) == before
    assert not code.quick
    assert other(5, 100) == before == code.function("counted", 2)(5, 100)
    assert made.modules == ["quick", "thorough"]
    assert "again, to run fast" in made.notes[1]
    assert not made.tiers().quick, "the next start has it at once"
    assert len(made.notes) == 2


def test_many_short_processes_earn_it_together(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "SECONDS", 0.1)
    tells = []
    for _ in range(4):
        code = made.tiers()  # as in a process of its own
        run(code.function("counted", 2), 2)
        tells.append(code.quick)
    assert tells == [True, True, False, False]
    assert made.modules == ["quick", "thorough"]


def test_without_a_cache_a_process_counts_for_itself(
    made: Made, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write_text("a file stands where the folder would be")
    monkeypatch.setattr(tiers, "SECONDS", 0.1)
    code = made.tiers()
    run(code.function("counted", 2), 4)
    assert code.quick
    run(code.function("counted", 2), 1)
    assert not code.quick


def test_who_is_interrupted_while_it_compiles_goes_on_with_quick_code(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = made.tiers()
    call = code.function("counted", 2)
    monkeypatch.setattr(code, "_patience", 0.0)

    def interrupted(quick: bool) -> Module:
        raise KeyboardInterrupt

    with monkeypatch.context() as now:
        now.setattr(code, "_make", interrupted)
        with pytest.raises(KeyboardInterrupt):
            call(1, 1)
    assert code.quick
    assert call(1, 0) == 1
    assert not code.quick


@pytest.mark.parametrize(("given", "modules"), [("0", ["thorough"]), ("inf", ["quick"])])
def test_the_environment_says_how_long(
    made: Made, monkeypatch: pytest.MonkeyPatch, given: str, modules: list[str]
) -> None:
    monkeypatch.setenv(tiers.PATIENCE, given)
    monkeypatch.setattr(tiers, "SECONDS", 0.01)
    code = made.tiers()  # what it makes lives as long as it does
    run(code.function("counted", 2), 9)
    assert made.modules == modules


@pytest.mark.parametrize("given", ["soon", "-1", "nan"])
def test_what_is_no_time_is_refused(
    made: Made, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv(tiers.PATIENCE, given)
    with pytest.raises(BadInputError, match=f"TILELAB_PATIENCE is '{given}': give seconds"):
        made.tiers()


def test_a_dump_shows_thorough_code(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILELAB_DUMP", str(tmp_path / "dump"))
    assert not made.tiers().quick
    assert made.modules == ["thorough"]


def test_thorough_code_that_others_may_have_written_is_replaced(
    made: Made, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(tiers.PATIENCE, "0")
    made.tiers()
    for file in folder.glob("*.o"):
        file.chmod(0o666)
    monkeypatch.delenv(tiers.PATIENCE)
    assert not made.tiers().quick
    assert "others may write to it" in made.warnings[0]
