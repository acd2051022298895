"""Cold and warm starts, and what a second process brings: ``tilelab run`` as users start it."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tilelab.bench.backends import UnableError
from tilelab.bench.kernel import write_kernel
from tilelab.bench.measure import Spread, spread
from tilelab.bench.work import catalogue
from tilelab.kernelpy.tiers import PATIENCE

RUN = "import sys; from tilelab.cli.main import main; sys.exit(main(['run', *sys.argv[1:]]))"
EXAMPLE = "from tilelab.cli.examples import find_examples; print(find_examples()['matmul'])"
WORK, REPEATS, PROCESSES = "MVMUL", 120_000, 2
"""Each of the two kernels takes some ten seconds, so that starts weigh little."""
NO_LIMIT = 1 << 40


def _processor_time() -> float:
    """Seconds that child processes which have ended took of the processors."""
    used = os.times()
    return used.children_user + used.children_system


def _python(
    code: str,
    *arguments: str,
    cache: str = "",
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Seconds of a Python program, from nothing to its end: of wall time, if not by ``clock``."""
    environment = {**os.environ, **({"TILELAB_CACHE": cache} if cache else {})}
    if cache:  # as users start it
        environment.pop(PATIENCE, None)
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # or each compiles Python's files anew
    command = [sys.executable, "-c", code, *arguments]
    begin = clock()
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    seconds = clock() - begin
    if done.returncode:
        raise UnableError(f"tilelab run ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return seconds


@dataclass(frozen=True)
class Starts:
    """Seconds of processor time of ``tilelab run`` on the example matmul."""

    cold: Spread
    """With an empty cache of compiled code, and Python's files compiled."""
    warm: Spread
    python: Spread
    """Of Python with NumPy imported, which nothing here can be quicker than."""


def measure_starts(runs: int, note: Callable[[str], None]) -> Starts:
    """Start with an empty cache (once, however many runs), then with a full one."""
    found = subprocess.run(
        [sys.executable, "-c", EXAMPLE], check=True, capture_output=True, text=True
    )
    example = found.stdout.strip()
    with tempfile.TemporaryDirectory() as cache:
        note("start, nothing compiled")
        cold = [_python(RUN, example, cache=cache, clock=_processor_time)]
        warm, python = [], []
        for turn in range(runs):
            note(f"start, round {turn + 1} of {runs}")
            python.append(_python("import numpy", clock=_processor_time))
            warm.append(_python(RUN, example, cache=cache, clock=_processor_time))
    return Starts(spread(cold), spread(warm), spread(python))


@dataclass(frozen=True)
class Sweep:
    """Seconds of wall time of ``tilelab run`` over a folder of two equal kernels."""

    one_process: Spread
    two_processes: Spread
    gain: Spread
    """How many times as fast two processes are, in each round."""
    machine_gain: Spread
    """The same of two loops in plain Python: what the machine gives to anything at that time."""


def measure_sweep(runs: int, tiny: bool, note: Callable[[str], None]) -> Sweep:
    """Run both kernels one after the other and at once, in turn, ``runs`` times."""
    seconds: dict[int, list[float]] = {1: [], PROCESSES: []}
    machine = []
    with tempfile.TemporaryDirectory() as name:
        for number in range(PROCESSES):
            repeats = 1 if tiny else REPEATS
            write_kernel(Path(name) / f"kernel{number}", catalogue()[WORK], repeats)
        for turn in range(runs):
            for jobs, found in list(seconds.items())[:: 1 if turn % 2 else -1]:
                note(f"sweep, round {turn + 1} of {runs}, --jobs {jobs}")
                limit = ("--jobs", str(jobs), "--max-cycles", str(NO_LIMIT))
                found.append(_python(RUN, name, *limit))
            machine.append(_machine_gain(1000 if tiny else 20_000_000))
    gains = [one / two for one, two in zip(*seconds.values(), strict=True)]
    one, two = (spread(found) for found in seconds.values())
    return Sweep(one, two, spread(gains), spread(machine))


def _machine_gain(count: int) -> float:
    """How many times as fast two processes do what one does twice."""
    command = [sys.executable, "-c", f"for _ in range({count}): pass"]

    def seconds(at_once: int) -> float:
        begin = time.perf_counter()
        for _ in range(PROCESSES // at_once):
            running = [subprocess.Popen(command) for _ in range(at_once)]
            for process in running:
                process.wait()
        return time.perf_counter() - begin

    return seconds(1) / seconds(PROCESSES)
