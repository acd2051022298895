"""Objects in processes of their own: simulators neither share memory nor end each other."""

import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tilelab.bench.backends import UnableError
from tilelab.sim.errors import TilelabError
from tilelab.sim.interrupts import interrupts_held

STATUS = Path("/proc/self/status")
MEMORY = "memory"


@dataclass(frozen=True)
class Memory:
    """High-water marks of a process's resident memory, in MiB."""

    base_mib: float
    """All imported and nothing made yet."""
    peak_mib: float

    @property
    def gained(self) -> float:
        """What it has taken since all was imported."""
        return self.peak_mib - self.base_mib


def high_water_mib() -> float:
    """The most memory that this process has had resident so far.

    Linux passes what ``getrusage`` gives on to a process that another one starts, so its own
    figure is taken where there is one.
    """
    if STATUS.is_file():
        for line in STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1024)


def serve(make: Callable[[], Any], connection: Connection) -> None:
    """Make an object and call its methods as asked, in this process, until nobody asks."""
    os.dup2(2, 1)  # what a simulator prints is no part of a result
    try:
        made = make()
        base = high_water_mib()
        connection.send((True, None))
        while True:
            method, arguments = connection.recv()
            if method == MEMORY:
                connection.send((True, Memory(base, high_water_mib())))
                continue
            connection.send((True, getattr(made, method)(*arguments)))
    except (EOFError, ConnectionError):  # who asked has ended, maybe before the answer
        return
    except TilelabError as error:
        connection.send((False, error.summary))


@contextmanager
def _deaf() -> Iterator[None]:
    """What is started here never hears Ctrl-C: that is for the process which asks."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # when it begins, it lets signals through again
    with interrupts_held():  # another thread may take the signal, and Python tells this one
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Apart:
    """An object in a process of its own. Its first error ends the process."""

    def __init__(self, make: Callable[[], Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(make, theirs), daemon=True)
        with _deaf():
            self._process.start()
        theirs.close()
        self.answer()

    def ask(self, method: str, *arguments: Any) -> None:
        """Call a method; :meth:`answer` waits for what it returns."""
        try:
            self._ours.send((method, arguments))
        except OSError:
            raise UnableError("its process has ended") from None

    def answer(self) -> Any:
        """What the method asked for returned; UnableError if it failed."""
        try:
            good, value = self._ours.recv()
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode
            raise UnableError(f"it ended its process, exit code {code}") from None
        if not good:
            raise UnableError(value)
        return value

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method and wait for what it returns; UnableError if it failed."""
        self.ask(method, *arguments)
        return self.answer()

    def memory(self) -> Memory:
        """Memory so far."""
        memory: Memory = self.call(MEMORY)
        return memory

    def close(self) -> None:
        """End the process."""
        self._ours.close()
        self._process.join(10)
        if self._process.is_alive():
            self._process.kill()
