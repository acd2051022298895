"""Many jobs at once: a process for each core of the machine.

A process runs one job after another. If it dies, that is the outcome of the job it had, and another
process takes its place; nothing waits for what cannot come.
"""

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from tilelab.runs.job import Job, Ran, run_apart
from tilelab.sim.errors import MachineError
from tilelab.sim.interrupts import interrupts_held
from tilelab.sim.parent import die_with

FORKS = sys.platform == "linux"
"""Whether a process starts as a copy of this one, with all that is imported and compiled."""
PARENT_SECONDS = 1.0
"""How often an idle process looks whether the one that started it is still there."""
TICK_SECONDS = 0.1


class WorkerDiedError(MachineError):
    """The process that ran a kernel died."""

    category = "WorkerDied"


def cores() -> int:
    """How many processes can run at once here."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Worker:
    """A process that runs jobs, seen from the process that gives them."""

    def __init__(self, function: Callable[[Job], Ran]) -> None:
        context: Any = get_context("fork" if FORKS else "spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, function, os.getpid()), daemon=True
        )
        with interrupts_held():
            self._process.start()
        theirs.close()
        self.alive = True
        self.number = -1
        self.name = ""

    def give(self, number: int, job: Job) -> None:
        """Have it run a job. If it is dead, :meth:`take` will say so."""
        self.number, self.name = number, job.name
        with suppress(OSError):
            self.pipe.send(job)

    def take(self) -> Ran:
        """What came of its job, once the pipe is readable."""
        try:
            ran: Ran = self.pipe.recv()
        except (EOFError, OSError):
            self.alive = False
            return Ran(self.name, self._death())
        return ran

    def _death(self) -> WorkerDiedError:
        self._process.join()
        code = self._process.exitcode
        how = f"was ended by {_signal(-code)}" if code < 0 else f"ended with exit code {code}"
        return WorkerDiedError(f"WorkerDied: the process that ran it {how}")

    def stop(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _serve(pipe: Connection, function: Callable[[Job], Ran], parent: int) -> None:
    """Run the jobs that come, until no more can come."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for whoever gives the jobs
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # this one is for the process itself
    die_with(parent)
    with suppress(EOFError, BrokenPipeError):
        while True:
            while not pipe.poll(PARENT_SECONDS):
                if os.getppid() != parent:
                    return
            pipe.send(function(pipe.recv()))


def sweep(
    jobs: list[Job],
    processes: int,
    tick: Callable[[list[str]], None],
    function: Callable[[Job], Ran] = run_apart,
) -> Generator[tuple[int, Ran], None, None]:
    """Run jobs in so many processes: (number of the job, what came of it), as they finish.

    ``tick`` is called several times a second with the names of what is running. Leaving the loop,
    by an exception too, ends every process.
    """
    waiting = deque(enumerate(jobs))
    workers: list[_Worker] = []
    try:
        while waiting or workers:
            while waiting and len(workers) < processes:
                workers.append(_Worker(function))
                workers[-1].give(*waiting.popleft())
            tick([worker.name for worker in workers])
            ready = wait([worker.pipe for worker in workers], TICK_SECONDS)
            for worker in [worker for worker in workers if worker.pipe in ready]:
                finished = worker.number, worker.take()
                if worker.alive and waiting:
                    worker.give(*waiting.popleft())
                else:
                    workers.remove(worker)
                    worker.stop()
                yield finished
    finally:
        for worker in workers:
            worker.stop()


def in_order(finished: Iterable[tuple[int, Ran]]) -> Generator[Ran, None, None]:
    """What came of the jobs in the order of the jobs, each as soon as those before it are there."""
    early: dict[int, Ran] = {}
    following = 0
    for number, ran in finished:
        early[number] = ran
        while following in early:
            yield early.pop(following)
            following += 1
