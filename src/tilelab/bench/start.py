"""Cold and warm starts, memory, and what a second core brings: each in processes of their own."""

import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from tilelab.bench.backends import EngineBackend
from tilelab.bench.work import catalogue

COMMAND = (
    "from tilelab.cli.examples import find_examples; from tilelab.cli.main import main;"
    "raise SystemExit(main(['run', str(find_examples()['matmul'])]))"
)
WORK, REPEATS, PARALLEL = "MVMUL", 4000, 2


def _started(cache: str) -> float:
    """Seconds of one ``tilelab run`` of the example matmul, from nothing to its end."""
    environment = {**os.environ, "TILELAB_CACHE": cache}
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", COMMAND], env=environment, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - begin


def _kernel(_: int) -> float:
    """Seconds of wall time of one kernel, once all is ready."""
    backend = EngineBackend("fast")
    backend.start(catalogue()[WORK])
    backend.run(10)
    begin = time.perf_counter()
    backend.run(REPEATS)
    return time.perf_counter() - begin


def measure_start(runs: int) -> dict[str, float]:
    """Seconds of a start with an empty cache, of one with a full one; memory; two processes."""
    with tempfile.TemporaryDirectory() as cache:
        cold = _started(cache)
        warm = statistics.median(_started(cache) for _ in range(runs))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    context = multiprocessing.get_context("spawn")
    gains = []
    with context.Pool(PARALLEL) as pool:
        pool.map(_kernel, range(PARALLEL), chunksize=1)
        for _ in range(runs):
            one = pool.apply(_kernel, (0,))
            gains.append(PARALLEL * one / max(pool.map(_kernel, range(PARALLEL), chunksize=1)))
    return {
        "cold_seconds": cold,
        "warm_seconds": warm,
        "peak_memory_mib": peak / 1024,
        "two_processes_gain": statistics.median(gains),
    }
