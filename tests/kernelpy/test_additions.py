"""Functions made while a program runs: they call what is there, and are called by address."""

from pathlib import Path

import numpy as np
import pytest
from harness import STATE, module

from tilelab.kernelpy import tiers
from tilelab.kernelpy.build import Compiler, Library, emit
from tilelab.kernelpy.layout import record
from tilelab.kernelpy.machine import Machine
from tilelab.kernelpy.module import Module
from tilelab.kernelpy.tiers import NOTED, Tiers
from tilelab.sim.kernel import call_at, kernel


@kernel
def counts(s, by):  # type: ignore[no-untyped-def]
    s.n = s.n + by
    return s.n


@kernel
def counts_twice(s):  # type: ignore[no-untyped-def]
    counts(s, 3)
    return counts(s, 4)


@kernel
def calls(s, address):  # type: ignore[no-untyped-def]
    return call_at(address, s) + 1


class Made:
    """Modules of a small machine, and of a function to go with them."""

    def __init__(self) -> None:
        self.additions = 0

    def base(self, quick: bool = False) -> Module:
        made = Module(Machine(record(STATE)))
        made.quick = quick
        made.homes = {counts: "base"}
        made.add(counts)
        made.add(calls, "calls")
        return made

    def addition(self) -> Module:
        self.additions += 1
        made = Module(Machine(record(STATE)))
        made.homes = {counts: "base"}
        made.there = frozenset({"base"})
        made.add(counts_twice, "counts_twice")
        return made

    def tiers(self, source: Path) -> Tiers:
        def tell(text: str) -> None:
            pass

        return Tiers(Compiler([source], "", "a test", tell, tell), self.base)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILELAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TILELAB_DUMP", raising=False)
    (tmp_path / "kernel.py").write_text("text\n")
    return tmp_path / "kernel.py"


def test_an_addition_calls_what_is_there_and_is_called_by_its_address() -> None:
    made = Made()
    library = Library(*(emit(unit) for unit in made.base().units.values()))
    address = library.add(emit(made.addition().whole), "counts_twice")
    state = np.zeros((), STATE)
    assert library.function("calls", 2)(state.ctypes.data, address) == 8
    assert state["n"] == 7


def test_python_has_no_code_at_any_address() -> None:
    with pytest.raises(RuntimeError, match="0x10 is no code"):
        calls(None, 16)
    assert "call i64" in module(calls).whole.text


def test_an_addition_is_made_once_what_it_saves_has_taken_long_enough(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Made()
    monkeypatch.setenv(tiers.PATIENCE, "0")
    made.tiers(source)  # there is thorough code
    monkeypatch.setenv(tiers.PATIENCE, str(3 * NOTED))
    first, second = made.tiers(source), made.tiers(source)
    found = [one.addition("counts_twice", made.addition, 1) for one in (first, second)]
    assert (found, made.additions) == ([0, 0], 0)
    assert first.addition("counts_twice", made.addition, 0) == 0, "asking alone takes no time"
    assert first.addition("counts_twice", made.addition, 1)
    assert second.addition("counts_twice", made.addition, 0), "found where the first one put it"
    assert made.additions == 1
    assert made.tiers(source).addition("counts_twice", made.addition, 0)
    assert made.additions == 1


def test_quick_code_has_no_additions(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tiers.PATIENCE, "inf")
    made = Made()
    code = made.tiers(source)
    assert code.quick
    assert code.addition("counts_twice", made.addition, 1 << 20) == 0
    assert made.additions == 0
