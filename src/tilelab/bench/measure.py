"""Interleaved measurements: in every round each simulator runs once, one after the other."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from tilelab.bench import ttsim, wolfpine
from tilelab.bench.apart import Apart, Memory
from tilelab.bench.backends import Backend, EngineBackend, HostBackend, UnableError
from tilelab.bench.work import Work


@dataclass(frozen=True)
class Simulator:
    """One to measure: how to make it, and how much it is given to do."""

    name: str
    make: Callable[[], Backend]
    """Can be sent to another process."""
    share: float = 1.0
    """Which share of a benchmark's repeats it is given: slow simulators do less in a run."""


@dataclass(frozen=True)
class Spread:
    """Several measurements of one thing."""

    median: float
    low: float
    high: float


def spread(values: list[float]) -> Spread:
    """Median, lowest and highest."""
    return Spread(statistics.median(values), min(values), max(values))


@dataclass(frozen=True)
class Rate(Spread):
    """Units per second of processor time, over several runs."""

    units: float
    """In one run."""


@dataclass(frozen=True)
class Row:
    """One benchmark at one size: the rates of the simulators, or why one has none."""

    name: str
    unit: str
    size: int
    rates: dict[str, Rate] = field(default_factory=dict)
    memory: dict[str, Memory] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def ratios(self) -> dict[str, float]:
        """How many times as fast as each other simulator the fast engine is."""
        if "fast" not in self.rates:
            return {}
        own = self.rates["fast"].median
        return {name: own / rate.median for name, rate in self.rates.items() if name != "fast"}


def simulators() -> tuple[list[Simulator], dict[str, str]]:
    """Every simulator at hand, and those that are not with the reason."""
    found = [
        Simulator("fast", partial(EngineBackend, "fast")),
        Simulator("reference", partial(EngineBackend, "reference"), 1 / 1000),
    ]
    missing = {}
    if wolfpine.installed():
        found.append(Simulator("wolfpine", wolfpine.WolfpineBackend, 1 / 1000))
    else:
        missing["wolfpine"] = "it is not installed (pip install wolfpine)"
    where = ttsim.folder()
    if where:
        make = partial(HostBackend, partial(ttsim.TtsimHost, where))
        found.append(Simulator("ttsim", make, 1 / 4))
    else:
        missing["ttsim"] = f"{ttsim.VARIABLE} names no folder"
    return found, missing


class _Case:
    """One simulator at one benchmark, in a process of its own."""

    def __init__(self, simulator: Simulator, work: Work, repeats: int) -> None:
        self.name = simulator.name
        self.units = repeats * work.per_repeat
        self.rates: list[float] = []
        self.skipped = ""
        self.memory: Memory | None = None
        self._repeats = repeats
        self._apart: Apart | None = None
        try:
            self._apart = Apart(simulator.make)
            self._apart.call("start", work)
        except UnableError as error:
            self.skipped = error.summary

    def run(self) -> None:
        """One run, unless it failed before."""
        if self._apart is None or self.skipped:
            return
        try:
            seconds: float = self._apart.call("run", self._repeats)
        except UnableError as error:
            self.skipped = error.summary
            return
        self.rates.append(self.units / max(seconds, 1e-9))

    def close(self) -> None:
        """Note the memory and end the process."""
        if self._apart is None:
            return
        if not self.skipped:
            self.memory = self._apart.memory()
        self._apart.close()


def measure(
    work: Work, chosen: list[Simulator], runs: int, size: int = 1, tiny: bool = False
) -> Row:
    """Measure one benchmark on some simulators: a run to warm up, then ``runs`` rounds of all.

    ``size`` multiplies the length of a run; ``tiny`` makes it as short as can be.
    """
    cases = []
    try:
        for simulator in chosen:
            repeats = 1 if tiny else max(1, int(size * work.repeats * simulator.share))
            cases.append(_Case(simulator, work, repeats))
        for _ in range(runs + 1):
            for case in cases:
                case.run()
    finally:
        for case in cases:
            case.close()
    row = Row(work.name, work.unit, size)
    for case in cases:
        if case.skipped:
            row.skipped[case.name] = case.skipped
            continue
        found = spread(case.rates[1:])
        row.rates[case.name] = Rate(found.median, found.low, found.high, case.units)
        if case.memory is not None:
            row.memory[case.name] = case.memory
    return row
