"""What every engine does: runs a tile's state, tells observers, raises what failed."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from tilelab.sim.checks import CHECKS
from tilelab.sim.kernel import OK
from tilelab.tensix.cycle.events import EVENT
from tilelab.tensix.report.explain import failure
from tilelab.tensix.riscv.host_tools import tool_read, tool_write
from tilelab.tensix.run import rounds
from tilelab.tensix.run.stuck import forget_stuck
from tilelab.tensix.state import NOT_ARCHITECTURE, TensixState

CHUNK = 1 << 20
"""Rounds in one call, so that an interrupt is seen in time."""
ISSUED = np.dtype(
    [("clock", "<u8"), ("thread", "u1"), ("word", "<u4"), ("origin", "<u8")], align=True
)
"""One issued instruction."""


class Observer(Protocol):
    """Called for each issued instruction."""

    def __call__(self, clock: int, thread: int, word: int, origin: int) -> None:
        """Take note of one issued word."""


@runtime_checkable
class BatchObserver(Protocol):
    """Given issued instructions many at a time."""

    def batch(self, issued: npt.NDArray[Any]) -> None:
        """Take note of issued words, in order: an array of ``ISSUED``, not to be changed."""


class EventSink(Protocol):
    """Called with events of the cycle clock, in order: arrays of ``cycle.events.EVENT``."""

    def __call__(self, events: npt.NDArray[Any]) -> None:
        """Take note of some events."""


class Engine(ABC):
    """Runs a tile's state; an engine says how a word, rounds and their end are executed."""

    def __init__(self, state: TensixState, describe_pc: Callable[[int, int], str]) -> None:
        self.state = state
        self.s = state.s
        self.describe_pc = describe_pc
        self.observers: list[Observer] = []
        self.batch_observers: list[BatchObserver] = []
        self.sinks: list[EventSink] = []
        self._traces = True  # not known to be off
        self.pause = 0
        """Cycles after which sinks get what was noted; 0: when there is no more room for it."""
        self.warnings: dict[tuple[int, int, int], int] = {}

    def observe(self, observer: Observer | BatchObserver) -> None:
        """Tell ``observer`` of issued instructions, in batches if it takes them."""
        if isinstance(observer, BatchObserver):
            self.batch_observers.append(observer)
        else:
            self.observers.append(observer)

    @abstractmethod
    def execute(self, t: int, word: int) -> int:
        """Execute one word at its unit; returns OK, a wait code or a check's code."""

    @abstractmethod
    def rounds(self, count: int) -> int:
        """Run rounds (or cycles): OK, a STOP code or a failed check's code, see ``rounds``."""

    @abstractmethod
    def settled(self, count: int, address: int, words: int) -> int:
        """Run rounds to the first change of words of L1, see ``settle``."""

    def read_register(self, address: int) -> tuple[int, int]:
        """A tile register, or a word of L1, as a host reads it: OK or a check's code, and it."""
        return tool_read(self.s, address)

    def write_register(self, address: int, value: int) -> int:
        """Write a tile register, or a word of L1, as a host does: OK or a check's code."""
        code = tool_write(self.s, address, value)
        return forget_stuck(self.s) if code == OK else code

    def run(self, count: int) -> int:
        """Run up to ``count`` rounds; OK or a STOP code. Raises the error of a failed check."""
        end = self.s.clock + count
        code = rounds.STOP_TRACE if self._in_parts(count) else self.rounds(count)
        return self._finished(code, end)

    def settle(self, count: int, address: int, words: int) -> int:
        """:meth:`run`, to the first change of up to 8 words of L1 that begin at an address."""
        end = self.s.clock + count
        in_parts = self._in_parts(count)
        code = self.settled(0 if in_parts else count, address, words)
        return self._finished(rounds.STOP_TRACE if in_parts else code, end)

    def _in_parts(self, count: int) -> bool:
        """Whether rounds are run in parts, between which somebody is told of them."""
        seen = self.observers or self.batch_observers or self.sinks or self._traces
        return bool(seen or count > CHUNK)

    def _finished(self, code: int, end: int) -> int:
        """Go on to a clock with a run that is in parts; raise if a check has failed."""
        if code == rounds.STOP_TRACE:
            code = self._run_observed(end)
        elif self.s.fault.warnings:
            self._collect_warnings()
        if code > 0:
            engine = self.s.engine
            thread = engine.fault_thread if engine.fault_thread >= 0 else None
            raise self.fail(code, thread, engine.fault_word, engine.fault_origin)
        return code

    def _run_observed(self, end: int) -> int:
        """Run to a clock, in parts, so that what is noted is handed on; a code as of a round."""
        self.watch_trace()
        while True:
            left = end - int(self.s.clock)
            code = self.rounds(min(left, self.pause) if self.pause and self.sinks else left)
            self.collect()
            if code != rounds.STOP_TRACE and (code != OK or self.s.clock >= end):
                return code

    def fail(self, code: int, thread: int | None, word: int, origin: int) -> Exception:
        """Return the exception for a failed check, with the word and where it came from."""
        return failure(self.state, CHECKS[code], thread, word, origin, self.describe_pc)

    def watch_trace(self) -> None:
        """Have noted what observers and sinks want."""
        self._traces = bool(self.observers or self.batch_observers or self.sinks)
        self.s.engine.trace_on = 1 if self.observers or self.batch_observers else 0
        self.s.cycle.trace_on = 1 if self.sinks else 0

    def collect(self) -> None:
        """Hand what was noted to observers, and keep count of warnings."""
        self._collect_issued()
        self._collect_events()
        self._collect_warnings()

    def _collect_warnings(self) -> None:
        """Count warnings."""
        fault = self.s.fault
        for i in range(fault.warnings):
            key = (fault.warning_code[i], fault.warning_value[i], fault.warning_value2[i])
            self.warnings[key] = self.warnings.get(key, 0) + 1
        fault.warnings = 0

    def _collect_issued(self) -> None:
        """Hand issued instructions to observers."""
        count = self.s.engine.trace_count
        if not count:
            return
        engine = self.state.record["engine"]
        batch = rows(engine, ISSUED, "trace", count)
        engine["trace_count"] = 0
        for taker in self.batch_observers:
            taker.batch(batch)
        if self.observers:
            for event in batch.tolist():
                for observer in self.observers:
                    observer(*event)

    def _collect_events(self) -> None:
        """Hand the cycle clock's events to sinks."""
        count = self.s.cycle.event_count
        if not count:
            return
        cycle = self.state.record["cycle"]
        batch = rows(cycle, EVENT, "event", count)
        cycle["event_count"] = 0
        for sink in self.sinks:
            sink(batch)


def rows(record: Any, kind: np.dtype[Any], prefix: str, count: int) -> npt.NDArray[Any]:
    """The first of what a record notes in columns, which a prefix names, as rows."""
    made = np.empty(count, kind)
    for name in kind.names or ():
        made[name] = record[f"{prefix}_{name}"][:count]
    return made


def execute_or_nothing(engine: Engine, t: int, word: int) -> int:
    """Execute one word at its unit as an engine does; a check's code leaves no trace in registers.

    A vector word lets what SFPLOADMACRO scheduled advance before its own checks.
    """
    state = engine.state
    before = state.snapshot() if state.s.vector.load_macro.busy else None
    code = engine.execute(t, word)
    if code > 0 and before is not None:
        for name in before.dtype.names or ():
            if not name.startswith(NOT_ARCHITECTURE):
                state.record[name] = before[name]
    return code
