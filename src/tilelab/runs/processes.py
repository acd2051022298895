"""Many jobs at once: a process for each core of the machine.

A process runs one job after another. If it dies, or takes more time than it may, that is the
outcome of the job it had, and another process takes its place; nothing waits for what cannot come.
"""

import os
import signal
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from tilelab.runs.job import Ran
from tilelab.sim.confined import confine
from tilelab.sim.errors import MachineError
from tilelab.sim.files import folder_meanwhile
from tilelab.sim.interrupts import interrupts_held
from tilelab.sim.parent import die_with

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

FORKS = sys.platform == "linux"
"""Whether a process starts as a copy of this one, with all that is imported and compiled."""
PARENT_SECONDS = 1.0
"""How often an idle process looks whether the one that started it is still there."""
TICK_SECONDS = 0.1


class Named(Protocol):
    """What is run: it has a name."""

    @property
    def name(self) -> str:
        """What reports call it."""


JobT = TypeVar("JobT", bound=Named)
RanT = TypeVar("RanT")
AnyT = TypeVar("AnyT")


@dataclass(frozen=True)
class Limits:
    """What a job may take: seconds, and bytes of memory beyond what its process begins with.

    A process with limits is the head of a session of its own, which ends with it: whatever the job
    has started ends, too. Memory is limited on Linux alone.
    """

    seconds: float | None = None
    memory: int | None = None
    confined: bool = False
    """Whether it may write into a temporary folder of its own alone, where Landlock is there."""

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return self.seconds is not None or self.memory is not None or self.confined


UNLIMITED: Final = Limits()


class TimeLimitError(MachineError):
    """A job was still running when its time was over."""

    category = "TimeLimit"


class WorkerDiedError(MachineError):
    """The process that ran a kernel died."""

    category = "WorkerDied"


class _Worker(Generic[JobT, RanT]):
    """A process that runs jobs, seen from the process that gives them."""

    def __init__(self, function: Callable[[JobT], RanT], limits: Limits) -> None:
        from multiprocessing import get_context  # noqa: PLC0415  most runs need no other process

        context: Any = get_context("fork" if FORKS else "spawn")
        self.pipe, theirs = context.Pipe()
        self._limits = limits
        self._due = float("inf")
        self._process = context.Process(
            target=_serve, args=(theirs, function, os.getpid(), limits), daemon=not limits.any
        )
        with interrupts_held():
            self._process.start()
        theirs.close()
        self.alive = True
        self.number = -1
        self.name = ""

    def give(self, number: int, job: JobT) -> None:
        """Have it run a job. If it is dead, :meth:`take` will say so."""
        self.number, self.name = number, job.name
        if self._limits.seconds is not None:
            self._due = time.monotonic() + self._limits.seconds
        with suppress(OSError):
            self.pipe.send(job)

    @property
    def overdue(self) -> bool:
        """Whether its job has had its time."""
        return time.monotonic() > self._due

    def take(self) -> RanT | Ran:
        """What came of its job, once the pipe is readable, or the job is overdue."""
        if not self.pipe.poll():
            self.alive = False
            seconds = self._limits.seconds
            return Ran(self.name, TimeLimitError(f"TimeLimit: not done after {seconds:g} s"))
        try:
            ran: RanT = self.pipe.recv()
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
        """End it, whatever it does, and what it has started."""
        if self._limits.any and hasattr(os, "killpg"):
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _limit_memory(memory: int) -> None:
    """Have this process get no more than so many bytes beyond what it has."""
    import resource  # noqa: PLC0415  Linux has it, Windows has not

    with open("/proc/self/statm", encoding="ascii") as file:
        most = int(file.read().split()[0]) * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _close_streams() -> None:
    """Neither read what is the caller's input nor write into its output: a job may do both."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    os.close(nothing)


def _serve(
    pipe: "Connection", function: Callable[[JobT], RanT], parent: int, limits: Limits
) -> None:
    """Run the jobs that come, until no more can come."""
    if limits.any:
        _close_streams()
        if hasattr(os, "setsid"):
            os.setsid()
    if limits.memory is not None and sys.platform == "linux":
        _limit_memory(limits.memory)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for whoever gives the jobs
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # this one is for the process itself
    die_with(parent)
    with _confined() if limits.confined else nullcontext(), suppress(EOFError, BrokenPipeError):
        while True:
            while not pipe.poll(PARENT_SECONDS):
                if os.getppid() != parent:
                    return
            pipe.send(function(pipe.recv()))


@contextmanager
def _confined() -> Iterator[None]:
    """Have this process write into a temporary folder of its own alone."""
    with folder_meanwhile("tilelab-") as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
        confine([folder])
        yield


def sweep(
    jobs: Sequence[JobT],
    processes: int,
    tick: Callable[[list[str]], None],
    function: Callable[[JobT], RanT],
    limits: Limits = UNLIMITED,
) -> Generator[tuple[int, RanT | Ran], None, None]:
    """Run jobs in so many processes: (number of the job, what came of it), as they finish.

    What comes of one whose process dies, or is ended by a limit, is a :class:`Ran` with the error.
    ``tick`` is called several times a second with the names of what is running. Leaving the loop,
    by an exception too, ends every process.
    """
    from multiprocessing.connection import wait  # noqa: PLC0415  as above

    waiting = deque(enumerate(jobs))
    workers: list[_Worker[JobT, RanT]] = []
    try:
        while waiting or workers:
            while waiting and len(workers) < processes:
                workers.append(_Worker(function, limits))
                workers[-1].give(*waiting.popleft())
            tick([worker.name for worker in workers])
            ready = wait([worker.pipe for worker in workers], TICK_SECONDS)
            for worker in [one for one in workers if one.pipe in ready or one.overdue]:
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


def in_order(finished: Iterable[tuple[int, AnyT]]) -> Generator[AnyT, None, None]:
    """What came of the jobs in the order of the jobs, each as soon as those before it are there."""
    early: dict[int, AnyT] = {}
    following = 0
    for number, ran in finished:
        early[number] = ran
        while following in early:
            yield early.pop(following)
            following += 1
