"""Interleaved measurements: in every round each simulator runs once, one after the other."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from tilelab.bench import ttsim
from tilelab.bench.backends import Backend, EngineBackend, UnableError
from tilelab.bench.wolfpine import WolfpineBackend
from tilelab.bench.work import Work
from tilelab.sim.errors import TilelabError


@dataclass(frozen=True)
class Rate:
    """Units per second of processor time, over several runs."""

    median: float
    low: float
    high: float
    units: float
    """In one run."""


@dataclass(frozen=True)
class Row:
    """One benchmark at one size: the rates of the simulators, or why one has none."""

    name: str
    unit: str
    size: int
    rates: dict[str, Rate]
    skipped: dict[str, str]

    def ratios(self) -> dict[str, float]:
        """How many times as fast as each other simulator the fast engine is."""
        if "fast" not in self.rates:
            return {}
        own = self.rates["fast"].median
        return {name: own / rate.median for name, rate in self.rates.items() if name != "fast"}


def backends() -> tuple[list[Backend], dict[str, str]]:
    """Every simulator at hand, and those that are not with the reason."""
    found: list[Backend] = [EngineBackend("fast"), EngineBackend("reference")]
    missing = {}
    try:
        found.append(WolfpineBackend())
    except UnableError as error:
        missing["wolfpine"] = str(error)
    where = ttsim.folder()
    if where:
        found.append(ttsim.TtsimBackend(where))
    else:
        missing["ttsim"] = f"{ttsim.VARIABLE} names no folder"
    return found, missing


def measure(
    work: Work, simulators: list[Backend], runs: int, size: int = 1, tiny: bool = False
) -> Row:
    """Measure one benchmark on some simulators: a run to warm up, then ``runs`` rounds of all.

    ``size`` multiplies the length of a run; ``tiny`` makes it as short as can be.
    """
    skipped: dict[str, str] = {}
    samples: dict[str, list[float]] = {}
    repeats = {
        backend.name: 1 if tiny else max(1, int(size * work.repeats * backend.share))
        for backend in simulators
    }

    def attempt(backend: Backend, step: Callable[[], float | None]) -> None:
        if backend.name in skipped:
            return
        try:
            seconds = step()
        except TilelabError as error:
            skipped[backend.name] = error.summary
            return
        if seconds is not None:
            units = repeats[backend.name] * work.per_repeat
            samples.setdefault(backend.name, []).append(units / max(seconds, 1e-9))

    for backend in simulators:
        attempt(backend, lambda backend=backend: backend.start(work))  # type: ignore[misc]
    for _ in range(runs + 1):
        for backend in simulators:
            attempt(backend, lambda backend=backend: backend.run(repeats[backend.name]))  # type: ignore[misc]
    for backend in simulators:
        backend.close()
    rates = {
        name: Rate(
            statistics.median(found[1:]),
            min(found[1:]),
            max(found[1:]),
            repeats[name] * work.per_repeat,
        )
        for name, found in samples.items()
        if name not in skipped
    }
    return Row(work.name, work.unit, size, rates, skipped)
