"""What one run proves of every order of its cores.

A core's program waits at one counter at a time, and each counter has one core that takes from it.
So a step that is possible stays possible until it is taken: every order of the cores takes the same
steps, and only their order differs. If one run ends, all end. What may come before what is then
what signals and waits leave open: a push may overtake the release of its slot exactly if no chain
of them puts the release first. One pass with a clock for each core therefore decides what a search
through all states would, and gives the order that goes wrong.

Not modelled: programs whose own Python, or whose popped values, decide by the order of cores what
they do next.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from tilelab.pto.order import Mail
from tilelab.pto.shared import Shared
from tilelab.pto.trace import Record, Result, Step

Clock = list[int]


@dataclass(frozen=True)
class Fault:
    """What can go wrong, and how many events of each core come before it does."""

    code: str
    message: str
    before: tuple[int, ...]


@dataclass
class Proof:
    """The faults that some order has; none: no order of the ``events`` has one."""

    events: int
    faults: list[Fault] = field(default_factory=list)

    @property
    def safe(self) -> bool:
        """Whether no order goes wrong."""
        return not self.faults


@dataclass
class _Counted:
    """One counter: the clocks of its signals, and when each was taken."""

    sent: list[Clock] = field(default_factory=list)
    taken: list[tuple[int, int]] = field(default_factory=list)


class _Counters(Mail[int]):
    """Mail that remembers what each counter, by core and flag, was sent."""

    def __init__(self, reduces: bool, vec: int) -> None:
        super().__init__(reduces, vec)
        self.counted: dict[tuple[int, int], _Counted] = defaultdict(_Counted)

    def _send(self, core: int, flag: int, clock: Clock) -> None:
        self.counted[core, flag].sent.append(clock)
        super()._send(core, flag, clock)


class _Prover:
    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.names = list(shared.core_names)
        self.limit = shared.flags.limit
        size = len(self.names)
        self.clocks: list[Clock] = [[0] * size for _ in self.names]
        self.mail = _Counters(shared.arch.reduces, shared.vec)
        self.released: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
        self.written: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
        self.popped: dict[str, set[int]] = defaultdict(set)
        self.faults: dict[tuple[str, str], Fault] = {}

    def read(self, record: Record) -> None:
        """One event of the trace."""
        step, tile, _ = record
        core = self.names.index(step.core)
        mine = self.clocks[core]
        mine[core] += 1
        if step.signals:
            self.mail.signal(core, step.flag, mine[:])
        elif step.waits:
            clock = self.mail.take(core, step.flag)
            self.mail.counted[core, step.flag].taken.append((core, mine[core]))
            if clock is not None:
                self.clocks[core] = [max(pair) for pair in zip(mine, clock, strict=True)]
        if step.phase in ("FREE", "RELEASE"):
            done = self.released[step.ring, tile]
            if all(one != core for one, _ in done):  # A5 notes a signal for each Vector core
                done.append((core, mine[core]))
        elif step.phase == "PUSH" or (step.op == "TALLOC" and step.phase == "ASSIGN"):
            self._push(core, step, tile)
        elif step.phase == "POP":
            self._pop(core, step, tile)

    def overflows(self) -> None:
        """A counter passes its width if a signal may come before so many of the waits."""
        for (core, flag), counter in self.mail.counted.items():
            for number in range(self.limit, len(counter.sent)):
                clock = counter.sent[number]
                before = number - self.limit
                if before < len(counter.taken):
                    taker, at = counter.taken[before]
                    if clock[taker] >= at:
                        continue
                text = f"{self.names[core]}'s counter of flag {flag} can pass {self.limit}"
                self._fault("E14", text, clock)
                break

    def _push(self, core: int, step: Step, tile: int) -> None:
        clock = self.clocks[core]
        self.written[step.ring, tile].append((core, clock[core]))
        old = tile - step.slots
        if old < 0:
            return
        done = self.released[step.ring, old]
        missing = self.popped[step.ring] - {consumer for consumer, _ in done}
        late = [consumer for consumer, at in done if clock[consumer] < at]
        if missing or late or not done:
            text = f"{step.ring} tile {tile} can overwrite tile {old} before it is released"
            self._fault("E10", text, clock)

    def _pop(self, core: int, step: Step, tile: int) -> None:
        self.popped[step.ring].add(core)
        clock = self.clocks[core]
        done = self.written[step.ring, tile]
        if not done or any(clock[producer] < at for producer, at in done):
            text = f"{step.ring} tile {tile} can be read before it is written"
            self._fault("E11", text, clock)

    def _fault(self, code: str, message: str, clock: Clock) -> None:
        kind = "".join(char for char in message if not char.isdigit())
        self.faults.setdefault((code, kind), Fault(code, message, tuple(clock)))


def prove(result: Result, shared: Shared) -> Proof:
    """What a run that has ended says of every order of its cores; it needs the trace."""
    prover = _Prover(shared)
    for record in result.raw:
        prover.read(record)
    prover.overflows()
    return Proof(len(result.raw), list(prover.faults.values()))


class Recorder:
    """A schedule by turns that remembers how many events each core had after each of its steps."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, int]] = []
        self._shared: Shared | None = None
        self._seen = 0
        self._last = ""
        self._counts: dict[str, int] = defaultdict(int)

    def attach(self, shared: Shared) -> None:
        """A cluster starts to run under these choices."""
        self.steps, self._shared, self._seen, self._last = [], shared, 0, ""
        self._counts.clear()

    def end(self) -> None:
        """Take in what the newest step did."""
        if self._shared is None:
            return
        events = self._shared.events
        for step, _, _ in events[self._seen :]:
            self._counts[step.core] += 1
        self._seen = len(events)
        if self._last:
            self.steps.append((self._last, self._counts[self._last]))

    def __call__(self, ready: list[str]) -> int:
        """The core that can go on whose turn it is."""
        self.end()
        after = [place for place, name in enumerate(ready) if name > self._last]
        place = after[0] if after else 0
        self._last = ready[place]
        return place


def counter_example(
    fault: Fault, names: tuple[str, ...], steps: list[tuple[str, int]]
) -> list[str]:
    """The order in which only what must come before a fault comes before it.

    ``steps``: as a ``Recorder`` has them.
    """
    done = dict.fromkeys(names, 0)
    order = []
    for core, after in steps:
        if done[core] < fault.before[names.index(core)]:
            order.append(core)
            done[core] = after
    return order
