"""The jobs of a sweep on a Dask cluster, whose workers see the same files at the same paths."""

import gc
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from tilelab.runs.job import Ran
from tilelab.runs.processes import JobT, Named, RanT, WorkerDiedError
from tilelab.sim.errors import BadInputError, TilelabError, unforeseen

CONNECT_SECONDS = 10
TICK_SECONDS = 0.2
LOST_SECONDS = 60.0
"""How long a cluster may be without any worker before the sweep gives up."""


def connect(address: str) -> Any:
    """A client of the cluster; BadInputError if there is none, or none of its workers comes."""
    try:
        from distributed import Client  # noqa: PLC0415
    except ImportError:
        raise BadInputError(
            "--cluster needs Dask, which is not installed: pip install 'tilelab[cluster]'"
        ) from None
    reason = ""
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as error:  # of many kinds: what they share is that there is no client
        reason = (str(error).splitlines() or [type(error).__name__])[0]
    if reason:
        gc.collect()  # the half-made client's end, met while another starts, would deadlock there
        raise BadInputError(f"--cluster {address}: cannot be reached: {reason}")
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError:
        client.close()
        raise BadInputError(f"--cluster {address}: has no workers") from None
    return client


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """A client of the cluster, closed at the end; None without an address. Errors as above."""
    if address is None:
        yield None
        return
    client = connect(address)
    try:
        yield client
    finally:
        client.close()


def on_cluster(
    client: Any,
    jobs: Sequence[JobT],
    tick: Callable[[list[str]], None],
    function: Callable[[JobT], RanT],
) -> Generator[tuple[int, RanT | Ran], None, None]:
    """Run jobs on a cluster: (number of the job, what came of it), as they finish.

    Dask gives the jobs of a worker that is lost to others, and gives up a job that was with
    several. It may only have been there, so it is tried once more, with no other job beside it;
    then it is reported. Leaving the loop, by an exception too, cancels what is left and closes the
    client.
    """
    given_up: list[int] = []
    try:
        for number, came in _finished(client, jobs, range(len(jobs)), tick, function):
            if _is_killed_worker(came):
                given_up.append(number)
            else:
                yield number, _outcome(jobs[number], came)
        for number in given_up:
            for _, came in _finished(client, jobs, (number,), tick, function):
                yield number, _outcome(jobs[number], came)
    finally:
        client.close()


def _finished(
    client: Any,
    jobs: Sequence[JobT],
    numbers: Iterable[int],
    tick: Callable[[list[str]], None],
    function: Callable[[JobT], RanT],
) -> Generator[tuple[int, Any], None, None]:
    """Run some of the jobs: (number, its result or the error it ended with), as they finish.

    A result may be lost with its worker until it is here; Dask runs such a job anew.
    """
    left = {number: client.submit(function, jobs[number], pure=False) for number in numbers}
    idle = 0.0
    try:
        while left:
            workers = _workers(client)
            tick([jobs[number].name for number in left][:workers])
            finished = _some(list(left.values()))
            idle = 0.0 if finished or workers else idle + TICK_SECONDS
            if idle >= LOST_SECONDS:
                raise WorkerDiedError("WorkerDied: the cluster has no workers any more")
            for number in [number for number, future in left.items() if future in finished]:
                came = _fetched(left[number])
                if came is not None:
                    del left[number]
                    yield number, came
    finally:
        client.cancel(list(left.values()))


def _some(futures: list[Any]) -> set[Any]:
    """The futures that are done; waits a moment if none is."""
    done = {future for future in futures if future.done()}
    if not done:
        time.sleep(TICK_SECONDS)
    return done


def _workers(client: Any) -> int:
    try:
        return len(client.nthreads())
    except (OSError, TimeoutError):  # the scheduler does not answer; it may again
        return 0


def _fetched(future: Any) -> Any:
    """A job's result, or the error it ended with; None where that was lost with its worker."""
    try:
        return future.result(timeout=LOST_SECONDS)
    except Exception as error:  # whatever the job or the cluster ended it with
        late = isinstance(error, TimeoutError) and future.status != "error"
        return None if late else error


def _outcome(job: Named, came: Any) -> Any:
    if not isinstance(came, BaseException):
        return came
    return Ran(job.name, came if isinstance(came, TilelabError) else _lost(came))


def _is_killed_worker(came: object) -> bool:
    return type(came).__name__ == "KilledWorker"


def _lost(error: BaseException) -> TilelabError:
    if _is_killed_worker(error):
        return WorkerDiedError("WorkerDied: every process of the cluster that ran it died")
    if isinstance(error, CancelledError):
        return WorkerDiedError("WorkerDied: the cluster's scheduler is gone")
    return unforeseen(error)
