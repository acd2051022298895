"""A log that a flood of like lines cannot fill: the first are written, the rest are counted."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final

QUIET: Final = 10.0
"""Seconds without a line of its kind that end a flood."""


@dataclass
class _Run:
    """Lines of one kind that came close upon each other."""

    last: float
    written: int = 0
    held: int = 0


class Flood:
    """Writes lines, of each kind only the first of a flood, and how many more there were.

    The count is written with the first line after the flood, and by :meth:`close`.
    """

    def __init__(self, log: Callable[[str], None], now: Callable[[], float] = monotonic) -> None:
        self._log = log
        self._now = now
        self._runs: dict[str, _Run] = {}

    def __call__(self, kind: str, line: str, most: int = 1) -> None:
        """Write a line of a kind, unless ``most`` of its flood have been written."""
        now = self._now()
        run = self._runs.get(kind)
        if run is None or now - run.last > QUIET:
            self._count(kind)
            run = self._runs[kind] = _Run(now)
        run.last = now
        if run.written < most:
            run.written += 1
            self._log(line)
        else:
            run.held += 1

    def _count(self, kind: str) -> None:
        """Write how many lines of a kind were held back, if any were."""
        run = self._runs.pop(kind, None)
        if run is not None and run.held:
            self._log(f"{kind}: {run.held:,} more like it")

    def close(self) -> None:
        """Write what has been held back of every kind."""
        for kind in list(self._runs):
            self._count(kind)
