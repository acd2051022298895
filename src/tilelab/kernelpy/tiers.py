"""Code that is compiled quickly at first, and thoroughly once it has run for a while.

Thorough code takes many times as long to make as quick code and is many times as fast. Both leave
the same state, so between two calls one may take the other's place. Time that quick code has run
is kept in the cache: many short processes earn thorough code as one long one does.
"""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock
from time import perf_counter
from typing import Protocol

from tilelab.kernelpy import dump
from tilelab.kernelpy.build import Compiler, Library, thaw
from tilelab.kernelpy.module import Module
from tilelab.sim.cache import tally
from tilelab.sim.errors import BadInputError

PATIENCE = "TILELAB_PATIENCE"
"""The environment's variable that says for how many seconds quick code runs, in all processes."""
SECONDS = 1.0
"""So many otherwise: what runs for a second in quick code is no short run, nor one of a few."""
AGAIN = " again, to run fast: it has run for a while"
LONG = 1.0
"""Seconds from which on a process is no short one."""
NOTED = 0.01
"""Seconds that are noted at a time."""


def patience() -> float:
    """For how many seconds quick code runs; 0 if there is to be none.

    Who asks for a dump sees what runs for long. BadInputError if the environment has no number.
    """
    if dump.folder() is not None:
        return 0.0
    given = os.environ.get(PATIENCE) or SECONDS
    with suppress(ValueError):
        if (seconds := float(given)) >= 0:
            return seconds
    raise BadInputError(f"{PATIENCE} is {given!r}: give seconds, 0 or more")


class Code(Protocol):
    """Machine code whose symbols are called with 64-bit integers."""

    def function(self, symbol: str, arguments: int) -> Callable[..., int]:
        """A symbol as a Python callable."""

    def raise_outside(self) -> None:
        """OutsideError if a bounds check has failed in this code since it was last asked."""


class Tiers:
    """A module's code; ``make`` gives the module, ``make(True)`` the one that is compiled quickly.

    OSError if it cannot be made.
    """

    def __init__(self, compiler: Compiler, make: Callable[[bool], Module]) -> None:
        self._compiler = compiler
        self._make = make
        self._lock = Lock()
        self._spent = 0.0
        """Seconds that quick code has run and that are not noted yet."""
        self._before = 0.0
        """Seconds that are."""
        self._here = 0.0
        """Seconds that it has run in this process."""
        self._name = compiler.name()
        self._patience = patience()
        images = compiler.found()
        self.quick = images is None and self._patience > 0 and not compiler.refused
        """Whether what is called is still quick code."""
        if images is None:
            images = compiler.images(partial(make, self.quick), self.quick)
        if self.quick:
            self._before = NOTED * tally(self._name)
        self._library = Library(*images)
        self._added: dict[str, int] = {}
        """Addresses of additions by their symbols."""

    def function(self, symbol: str, arguments: int) -> Callable[..., int]:
        """A symbol as a Python callable."""
        if not self.quick:
            return self._library.function(symbol, arguments)
        called = self._library.function(symbol, arguments)
        is_quick = True

        def call(*values: int) -> int:
            nonlocal called, is_quick
            if not is_quick:
                return called(*values)
            if self._before + self._spent >= self._patience:
                self._hasten()
            if not self.quick:
                called, is_quick = self._library.function(symbol, arguments), False
                return called(*values)
            begin = perf_counter()
            try:
                return called(*values)
            finally:
                self._note(perf_counter() - begin)

        return call

    def addition(self, symbol: str, make: Callable[[], Module], more: int) -> int:
        """The address of a function that goes with thorough code; 0 as long as there is none.

        ``make`` gives the module that exports it, should the cache not have it and it be earned: by
        what other code does in its place. That has taken ``more`` times :data:`NOTED` since this
        was asked last, which counts over all processes.
        """
        with self._lock:
            if self.quick:
                return 0
            if symbol not in self._added:
                name = hashlib.sha256(f"{self._name} {symbol}".encode()).hexdigest()[:32]
                earned = NOTED * tally(name, more) >= self._patience
                image = self._compiler.addition(symbol, make, earned)
                if image is None:
                    return 0
                self._added[symbol] = self._library.add(image, symbol)
            return self._added[symbol]

    def raise_outside(self) -> None:
        """OutsideError if a bounds check has failed in this code since it was last asked."""
        self._library.raise_outside()

    def _hasten(self) -> None:
        """Have thorough code take the place of quick code now; OSError if it cannot be made."""
        with self._lock:
            if self.quick:
                quick = self._library
                images = self._compiler.images(partial(self._make, False), why=AGAIN)
                self._library = Library(*images)
                self._replaced = quick  # other threads may be in it
                self.quick = False

    def _note(self, seconds: float) -> None:
        self._spent += seconds
        if self._spent >= NOTED:
            count = int(self._spent / NOTED)
            self._spent -= count * NOTED
            self._before = max(self._before + count * NOTED, NOTED * tally(self._name, count))
            self._here += count * NOTED
            if self._here >= LONG:
                thaw()
