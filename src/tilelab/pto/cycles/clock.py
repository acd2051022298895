"""The clock: a run's trace, read once, as times on every pipe of every core.

Cores meet at counters with one sender and one receiver, so the n-th wait takes the n-th signal
whatever the schedule was: when each instruction starts follows from the trace alone
(``docs/decisions/18-pto-clock.md``).

Not modelled: the length of a pipe's queue; traffic of other clusters.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from tilelab.pto.cycles.costs import cycles, held, known, shared
from tilelab.pto.cycles.figures import Figures
from tilelab.pto.order import PIPES, Mail
from tilelab.pto.paths import Arch
from tilelab.pto.trace import Result, Step, Work

_WAITS = {"ALLOCATE": "a free slot of", "WAIT": "a tile of", "DRAIN": "the last credit of"}
_ISSUE = "issue"
SYNCHRONISES = ("SET", "WAIT", "BARRIER", "GET", "RELEASE")


class Busy(NamedTuple):
    """An instruction on a pipe, which stood still from ``since`` because of ``cause``. From ``end``
    the pipe takes the next one; at ``done`` the result is there.
    """

    core: str
    pipe: str
    op: str
    since: float
    start: float
    end: float
    done: float
    cause: str
    ring: str
    tile: int
    event: int


class Bound(NamedTuple):
    """A time before which something cannot start, and why."""

    time: float
    cause: str


@dataclass
class Timed:
    """What a run takes: ``total`` cycles; ``waits`` of each core's scalar unit, by cause."""

    busy: list[Busy]
    waits: dict[str, dict[str, float]]
    total: float
    figures: Figures
    times: list[float] = field(default_factory=list)  # when each event of the trace was over
    unknown: set[str] = field(default_factory=set)  # instructions without a figure of their own

    @property
    def microseconds(self) -> float:
        """The same at the chip's clock."""
        return self.total / self.figures["clock"]

    def pipes(self) -> dict[tuple[str, str], tuple[float, dict[str, float]]]:
        """Of each core's pipe that worked: cycles of work, and of standing still by cause."""
        found: dict[tuple[str, str], tuple[float, dict[str, float]]] = {}
        for one in self.busy:
            work, stalls = found.get((one.core, one.pipe), (0.0, defaultdict(float)))
            if one.start > one.since:
                stalls[one.cause] += one.start - one.since
            found[one.core, one.pipe] = work + one.end - one.start, stalls
        return found


@dataclass
class _Bytes:
    """When bytes were last written and read by a core, and by which pipes."""

    written: Bound = field(default_factory=lambda: Bound(0, ""))
    read: dict[str, float] = field(default_factory=dict)


class _CoreClock:
    """One core: its scalar unit, its pipes, and what nothing but bytes orders."""

    def __init__(self, name: str, figures: Figures) -> None:
        self.name = name
        self.figures = figures
        self.scalar = Bound(0, _ISSUE)
        self.free: dict[str, float] = defaultdict(float)  # when a pipe takes its next instruction
        self.ended: dict[str, float] = defaultdict(float)  # when all that it took is done
        self.gates: dict[str, Bound] = {}
        self.flags: dict[tuple[str, str, int], list[float]] = defaultdict(list)
        self.bytes: dict[tuple[int, int], _Bytes] = {}
        self.released: dict[int, Bound] = {}  # buffers, by rls_buf
        self.filled = False  # PIPE_V runs, and no barrier has followed

    def issue(self) -> None:
        """The scalar unit sends an instruction."""
        self.scalar = Bound(self.scalar.time + self.figures["issue"], self.scalar.cause)

    def done(self, pipe: str) -> float:
        """When a pipe will have done all that was sent to it, what it is held by included."""
        return max(self.ended[pipe], self.gates.get(pipe, Bound(0, "")).time, self.scalar.time)

    def hold(self, pipe: str, until: Bound) -> None:
        """One pipe, or ("" and "S") the whole core, goes on no earlier."""
        if pipe and pipe != "S":
            self.gates[pipe] = max(self.gates.get(pipe, Bound(0, "")), until)
        else:
            self.scalar = max(self.scalar, until)

    def synchronise(self, work: Work) -> None:
        """set_flag, wait_flag, pipe_barrier, get_buf and rls_buf."""
        self.issue()
        if work.op == "BARRIER":
            pipes = PIPES if work.pipe == "ALL" else (work.pipe,)
            until = max(self.done(pipe) for pipe in pipes)
            if work.pipe in ("V", "ALL"):
                self.filled = False
            if work.pipe == "ALL":
                self.scalar = max(self.scalar, Bound(until, "pipe_barrier(ALL)"))
            return
        if work.op == "RELEASE":
            self.released[work.event] = Bound(self.done(work.pipe), f"PIPE_{work.pipe}")
            return
        if work.op == "GET":
            if work.event in self.released:
                until, cause = self.released[work.event]
                self.hold(work.pipe, Bound(until + self.figures["flag"], cause))
            return
        key = (work.pipe, work.target, work.event)
        if work.op == "SET":
            self.flags[key].append(self.done(work.pipe) + self.figures["flag"])
        elif self.flags[key]:
            self.hold(work.target, Bound(self.flags[key].pop(0), f"PIPE_{work.pipe}"))

    def run(self, work: Work) -> tuple[float, float, float, float, str]:
        """An instruction: ``since`` to ``cause`` of its ``Busy``."""
        self.issue()
        pipe = work.pipe
        since = self.free[pipe]
        nothing = Bound(0, "")
        bounds = [self.scalar, self.gates.pop(pipe, nothing), self._operands(work)]
        latest = max(bounds, key=lambda bound: bound.time)
        start = max(since, latest.time)
        spared = shared(work, self.figures) if self.filled and start == since else 0.0
        end = self.free[pipe] = start + held(work, self.figures) - spared
        done = max(start + cycles(work, self.figures) - spared, self.ended[pipe])
        self.ended[pipe] = done
        if pipe == "S":
            self.scalar = Bound(done, _ISSUE)
        if pipe == "V":  # what an assembler makes of a Python or IR program has a barrier here
            self.filled = not work.writes
        for extent in work.reads:
            mine = self.bytes.setdefault(extent, _Bytes()).read
            mine[pipe] = max(mine.get(pipe, 0), done)
        for low, high in work.writes:
            inside = [one for one in self.bytes if low <= one[0] and one[1] <= high]
            for one in inside:
                del self.bytes[one]
            self.bytes[low, high] = _Bytes(Bound(done, pipe))
        return since, start, end, done, latest.cause

    def _operands(self, work: Work) -> Bound:
        """When what it reads is written, and what it writes neither read nor written any more."""
        found = Bound(0, "")
        for extents, also_reads in ((work.reads, False), (work.writes, True)):
            for first, last in extents:
                for (low, high), memory in self.bytes.items():
                    if first < high and low < last:
                        found = max(found, self._over(work.pipe, memory.written))
                        for pipe, time in memory.read.items() if also_reads else ():
                            found = max(found, self._over(work.pipe, Bound(time, pipe)))
        return found

    def _over(self, pipe: str, other: Bound) -> Bound:
        if not other.cause or other.cause == pipe:
            return Bound(0, "")
        return Bound(other.time + self.figures["flag"], f"PIPE_{other.cause}")


def clock(result: Result, arch: Arch, vec: int, figures: Figures) -> Timed:
    """The times of a run on ``vec`` Vector cores that noted its work (``Cluster(cycles=True)``)."""
    names = ("cube", *(f"vec{lane}" for lane in range(vec)))
    cores = {name: _CoreClock(name, figures) for name in names}
    mail: Mail[float] = Mail(arch.reduces, vec)
    timed = Timed([], {name: defaultdict(float) for name in names}, 0, figures)
    for index, record in enumerate(result.raw):
        step, core = record[0], cores[record[0].core]
        work = result.works.get(index)
        number = names.index(step.core)
        if step.signals:
            core.issue()
            flag = "free_flag" if step.pipe == "MTE2" else "cross_core_flag"
            arrives = core.done(step.pipe) + figures[flag]
            mail.signal(number, step.flag, [arrives])
        elif step.waits:
            _wait(mail, number, step, core, timed.waits[step.core])
        elif work is not None and work.op in SYNCHRONISES:
            core.synchronise(work)
        elif work is not None:
            op = step.op if step.ring else work.op
            ran = core.run(work)
            timed.busy.append(Busy(core.name, work.pipe, op, *ran, step.ring, record[1], index))
            if work.pipe == "V" and not known(work.op, figures):
                timed.unknown.add(work.op)
        over = timed.busy[-1].done if work and timed.busy else core.done(step.pipe)
        taken = step.phase == "POP" and work is None  # in place: there when its wait is over
        timed.times.append(max(over, timed.times[-1]) if taken else over)
    timed.total = max((core.done(pipe) for core in cores.values() for pipe in PIPES), default=0)
    return timed


def _wait(
    mail: Mail[float], number: int, step: Step, core: _CoreClock, waits: dict[str, float]
) -> None:
    core.issue()
    sent = mail.take(number, step.flag)
    cause = f"{_WAITS[step.phase]} {step.ring or f'flag {step.flag}'}"
    until = Bound(sent[0] if sent else 0, cause)
    if not step.pipe and until.time > core.scalar.time:
        waits[cause] += until.time - core.scalar.time
    core.hold(step.pipe, until)
