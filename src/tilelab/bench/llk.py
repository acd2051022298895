"""The vendor's compiled kernels (tt-llk), whole, on simulators side by side.

``TILELAB_LLK_VECTORS`` names the recorded runs and ``TILELAB_LLK_ELFS`` the kernels' ELFs, laid out
as docs/testing.md says. Each simulator has one process and in it one tile that runs kernel after
kernel, by the polling protocol of the vendor's harness (:mod:`tilelab.vendor.llk.harness`). Only
time within the simulator's calls counts, and between them the host does little: files are read
before. It is elapsed time: to look at the processor's takes longer than a short call.
"""

import json
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tilelab.bench import ttsim
from tilelab.bench.apart import Apart, Memory
from tilelab.bench.backends import UnableError
from tilelab.bench.measure import Spread, spread
from tilelab.sim.errors import TilelabError
from tilelab.vendor.llk.harness import Backend, backend, play
from tilelab.vendor.llk.recorded import (
    Programs,
    Vector,
    read_programs,
    read_vector,
)

VECTORS, ELFS = "TILELAB_LLK_VECTORS", "TILELAB_LLK_ELFS"
CLOCKS_PER_ACCESS = 200
"""Clocks of the vendor's simulator for each access of the host."""


@dataclass(frozen=True)
class Kernel:
    """A recorded run and its ELFs; its family is the vendor's test file."""

    name: str
    vector: Path
    elfs: Path

    @property
    def family(self) -> str:
        """The name up to its first dot."""
        return self.name.partition(".")[0]


def kernels() -> list[Kernel]:
    """Every kernel that can be replayed and is built; UnableError if there are none."""
    folders = {}
    for variable in (VECTORS, ELFS):
        folder = os.environ.get(variable)
        if not folder:
            raise UnableError(
                f"{variable} names no folder; the documentation's page Testing says what belongs "
                "there"
            )
        if not Path(folder).is_dir():
            raise UnableError(f"{variable}={folder}: there is no such folder")
        folders[variable] = Path(folder)
    index = folders[VECTORS] / "INDEX.json"
    if not index.is_file():
        raise UnableError(f"{VECTORS}={folders[VECTORS]}: there is no INDEX.json")
    names = [e["slug"] for e in json.loads(index.read_text(encoding="utf-8")) if e["replay"]]
    found = [
        Kernel(name, folders[VECTORS] / name, folders[ELFS] / name)
        for name in names
        if (folders[ELFS] / name / "trisc2.elf").is_file()
    ]
    if not found:
        raise UnableError(
            f"{ELFS}={folders[ELFS]}: none of the {len(names)} kernels is built there"
        )
    return found


class Timed:
    """A backend that adds up the time that its calls take."""

    def __init__(self, inner: Backend) -> None:
        self._inner = inner
        self.seconds = 0.0

    def _timed(self, call: Callable[..., Any], *arguments: Any) -> Any:
        start = time.perf_counter()
        try:
            return call(*arguments)
        finally:
            self.seconds += time.perf_counter() - start

    def read(self, address: int, count: int) -> bytes:
        """Read L1."""
        data: bytes = self._timed(self._inner.read, address, count)
        return data

    def write(self, address: int, data: bytes) -> None:
        """Write L1."""
        self._timed(self._inner.write, address, data)

    def reg_read(self, address: int) -> int:
        """Read a tile register."""
        value: int = self._timed(self._inner.reg_read, address)
        return value

    def reg_write(self, address: int, value: int) -> None:
        """Write a tile register."""
        self._timed(self._inner.reg_write, address, value)


class Replayer:
    """Runs kernels on one tile; each is read from its files once."""

    def __init__(self, make: Callable[[], Backend]) -> None:
        self._device = Timed(make())
        self._read: dict[Kernel, tuple[Vector, Programs]] = {}

    def run(self, kernel: Kernel) -> float:
        """Run a kernel; seconds. UnableError if it does not leave the recorded bytes."""
        if kernel not in self._read:
            self._read[kernel] = read_vector(kernel.vector), read_programs(kernel.elfs)
        before = self._device.seconds
        try:
            result = play(self._device, *self._read[kernel])
        except TimeoutError as error:
            raise UnableError(f"{kernel.name}: {error}") from None
        if result.differ:
            raise UnableError(f"{kernel.name}: {result}")
        return self._device.seconds - before

    def run_all(self, kernels: list[Kernel]) -> list[float]:
        """Run kernels one after the other; seconds of each."""
        return [self.run(kernel) for kernel in kernels]


@dataclass(frozen=True)
class Times:
    """Milliseconds by simulator, and how many times as fast as the vendor's the fast engine is."""

    name: str
    kernels: int
    milliseconds: dict[str, Spread]
    ratio: Spread | None


@dataclass(frozen=True)
class LlkSet:
    """The whole set, its families, its kernels."""

    total: Times
    families: list[Times]
    kernels: list[Times]
    memory: dict[str, Memory] = field(default_factory=dict)
    cold: Times | None = None
    """The first run in a new process, once: memory is touched, and code met, for the first time."""

    @property
    def worst(self) -> Times | None:
        """The kernel where the fast engine is the least ahead."""
        compared = [(times.ratio.median, times) for times in self.kernels if times.ratio]
        return min(compared, key=lambda pair: pair[0])[1] if compared else None


Samples = dict[str, dict[str, list[float]]]
"""Seconds of each run, by simulator and kernel."""


def times_of(name: str, members: list[str], samples: Samples) -> Times:
    """What some kernels took together. Ratios are of runs of the same round."""
    sums = {
        simulator: [sum(values) for values in zip(*(found[m] for m in members), strict=True)]
        for simulator, found in samples.items()
    }
    ratio = None
    if "ttsim" in sums:
        pairs = zip(sums["fast"], sums["ttsim"], strict=True)
        ratio = spread([other / own for own, other in pairs])
    shown = {key: spread([1e3 * value for value in values]) for key, values in sums.items()}
    return Times(name, len(members), shown, ratio)


def measure_llk(runs: int, tiny: bool, note: Callable[[str], None]) -> LlkSet:
    """Run the set ``runs`` times after once cold, on each simulator in turn.

    A simulator runs the whole set at a stretch, as the vendor's harness would: a kernel takes about
    a millisecond, and changing processes at each would measure cold caches. ``tiny``: only the
    first kernels. ``note`` is told what is running.
    """
    chosen = kernels()[: 3 if tiny else None]
    makers: dict[str, Callable[[], Replayer]] = {"fast": partial(Replayer, backend)}
    if where := ttsim.folder():
        host = partial(ttsim.TtsimHost, where, CLOCKS_PER_ACCESS)
        makers["ttsim"] = partial(Replayer, host)
    samples, cold = _no_samples(makers, chosen), _no_samples(makers, chosen)
    replayers: dict[str, Apart] = {}
    try:
        for name, make in makers.items():
            replayers[name] = Apart(make)
        for turn in range(runs + 1):
            for name, replayer in list(replayers.items())[:: 1 if turn % 2 else -1]:
                note(f"llk, round {turn} of {runs}, {name}")
                seconds = _run(name, replayer, chosen)
                for kernel, value in zip(chosen, seconds, strict=True):
                    (samples if turn else cold)[name][kernel.name].append(value)
        memory = {name: replayer.memory() for name, replayer in replayers.items()}
    finally:
        for replayer in replayers.values():
            replayer.close()
    families: dict[str, list[str]] = {}
    for kernel in chosen:
        families.setdefault(kernel.family, []).append(kernel.name)
    every = [kernel.name for kernel in chosen]
    return LlkSet(
        times_of("all kernels", every, samples),
        [times_of(name, members, samples) for name, members in sorted(families.items())],
        [times_of(name, [name], samples) for name in every],
        memory,
        times_of("the first time", every, cold),
    )


def _no_samples(simulators: Iterable[str], kernels: list[Kernel]) -> Samples:
    return {name: {kernel.name: [] for kernel in kernels} for name in simulators}


def _run(name: str, replayer: Apart, kernels: list[Kernel]) -> list[float]:
    try:
        seconds: list[float] = replayer.call("run_all", kernels)
    except TilelabError as error:
        raise UnableError(f"the LLK set on {name}: {error.summary}") from None
    return seconds
