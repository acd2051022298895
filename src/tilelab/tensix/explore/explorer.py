"""Runs a program under many schedules from one snapshot, and finds one whose result differs.

Delay bounding: a schedule is the machine's own order of rounds with a few delays put in, each at a
*point*: before a core's access outside of its own RAM (a polling loop's once), or before a word of
the sync unit, unpackers, packers, scalar unit, configuration unit or mover. All schedules of one
delay come first, then random ones of up to ``bound`` delays, or all of them if that is asked for.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import Any, Final

import numpy as np

from tilelab.sim.errors import BadInputError, MachineError
from tilelab.tensix.explore.engine import ExploringEngine
from tilelab.tensix.explore.plan import (
    DELAYS,
    PAGE_SHIFT,
    POINTS,
    THREAD_ACTOR,
    UNTIL_REST,
)
from tilelab.tensix.explore.schedule import (
    DOCUMENTED,
    ISA_ONLY,
    Delay,
    Schedule,
    shorter,
)
from tilelab.tensix.run.rounds import STOP_CONDITION, STOP_IDLE, STOP_STUCK
from tilelab.tensix.state import HEADER_BYTES
from tilelab.tensix.tile import Tile
from tilelab.tensix.words.assembly import disassemble
from tilelab.tensix.words.origin import by_expander, pushed_at, pusher

LENGTHS: Final = (16, 256, UNTIL_REST)
"""Rounds of the delays that are tried."""
MORE_ROUNDS: Final = 20
"""How many times the rounds of the undisturbed run a schedule may take, beside its delays."""
MARGIN: Final = 20_000
REACHES_MEMORY: Final = ("UNPACR", "PACR", "XMOV", "LOADIND", "STOREIND", "ATSWAP", "ATINCGET")
"""Instructions that wait for L1, for as long as others contend for it (L1.md)."""

Outputs = Callable[[Tile], bytes]
"""What of a tile is the result of a run."""


@dataclass(frozen=True)
class Outcome:
    """How a run under a schedule ended: ``done``, ``hang``, ``limit`` or a failed check's name."""

    kind: str
    result: bytes
    detail: str = ""

    def differs(self, other: "Outcome") -> bool:
        """Whether it is not the same end with the same result."""
        return (self.kind, self.result) != (other.kind, other.result)


@dataclass(frozen=True)
class Exploration:
    """What exploring came to. ``found`` is None if no schedule that was run differs."""

    schedules: int
    points: int
    singles: int
    """Schedules of one delay that were run, of ``all_singles``."""
    all_singles: int
    bound: int
    complete: bool
    """Whether every schedule of up to ``bound`` delays of these lengths was run."""
    found: Schedule | None
    outcome: Outcome | None
    first_found: Schedule | None
    """As it was found, before it was shrunk."""
    lengths: tuple[int, ...] = LENGTHS

    def covered(self) -> str:
        """What is known now, in one sentence."""
        if self.found is not None:
            return f"a schedule of {len(self.found)} delays differs; {self.schedules} were run"
        lengths = ", ".join("until rest" if n == UNTIL_REST else str(n) for n in self.lengths)
        if self.complete:
            return (
                f"no schedule with at most {self.bound} delays (of {lengths} rounds) at "
                f"{self.points} points differs: all {self.schedules} were run"
            )
        if self.singles == self.all_singles:
            return (
                f"no schedule with 1 delay (of {lengths} rounds) at {self.points} points differs, "
                f"nor any of {self.schedules - self.singles} random ones with up to {self.bound}"
            )
        return f"none of {self.schedules} schedules differs, of {self.all_singles} with 1 delay"


class Explorer:
    """A program on a tile, loaded and ready, to be run under schedules."""

    def __init__(
        self, tile: Tile, outputs: Outputs, watch: dict[int, int], max_cycles: int
    ) -> None:
        """Take a loaded and started tile; its engine becomes an exploring one."""
        self.tile, self.outputs, self.watch, self.max_cycles = tile, outputs, watch, max_cycles
        self.engine = ExploringEngine(tile.state, tile.sources.describe_pc)
        tile.engine = self.engine
        self._memory = tile.state.memory[HEADER_BYTES:]
        self._record = self._memory.copy()
        self._pages = tile.state.l1.reshape(-1, 1 << PAGE_SHIFT)
        self._l1 = self._pages.copy()
        self._start = int(tile.state.s.clock)
        self.engine.plan["recording"] = 1
        self.limit = self._start + max_cycles
        self.base = self.run(())
        self.rounds = int(tile.state.s.clock) - self._start
        self.limit = min(max_cycles, MORE_ROUNDS * self.rounds + MARGIN)
        self.engine.plan["recording"] = 0
        self.points = self._points()

    def run(self, schedule: Schedule) -> Outcome:
        """Run from the snapshot under a schedule."""
        if len(schedule) > DELAYS:
            raise BadInputError(f"a schedule has at most {DELAYS} delays")
        plan = self.engine.plan
        self._memory[:] = self._record
        dirty = np.flatnonzero(plan["dirty"])
        self._pages[dirty] = self._l1[dirty]
        plan["dirty"] = 0
        plan["count"] = len(schedule)
        plan["actors"] = sum({1 << delay.actor for delay in schedule})
        for i, delay in enumerate(schedule):
            plan["delay"][i] = (delay.actor, delay.at, delay.rounds, 0, 0, 0, 0)
        self.tile.watch_words(self.watch)
        limit = self.limit + sum(delay.rounds for delay in schedule)
        try:
            code = self.engine.run(limit)
        except MachineError as error:
            return Outcome("failed check", b"", str(error))
        if code == STOP_STUCK or (code == STOP_IDLE and self.watch):
            return Outcome("hang", b"", str(self.tile.deadlock()))
        if code not in (STOP_CONDITION, STOP_IDLE):
            return Outcome("limit", b"", f"not done after {limit} rounds")
        return Outcome("done", self.outputs(self.tile))

    def _points(self) -> list[Delay]:
        """Where the undisturbed run could have been delayed."""
        noted = self.engine.plan
        count = int(noted["points"])
        if count == POINTS:
            raise BadInputError(f"the run has more than {POINTS} points; take a smaller one")
        found: dict[tuple[int, int], Delay] = {}
        for point in noted["point"][:count]:
            actor, at = int(point["actor"]), int(point["at"])
            found.setdefault((actor, at), self._place(actor, at, point))
        return list(found.values())

    def _place(self, actor: int, at: int, point: Any) -> Delay:
        """A point as a delay without a length."""
        origin = int(point["origin"])
        line = self.tile.sources.line(pusher(origin), pushed_at(origin))
        if actor < THREAD_ACTOR:
            return Delay(actor, at, 0, line or f"pc {pushed_at(origin):#x}")
        word = disassemble(int(point["word"]), self.tile.arch.name)
        row = self.tile.arch.instructions.find(int(point["word"]))
        slow = row is not None and row.name in REACHES_MEMORY
        # a word that was pushed by itself may be pushed late, and memory may be slow; between
        # words of an expansion the documents know of no other delay
        certain = slow or not by_expander(origin)
        where = f"{word} ({line})" if line else word
        return Delay(actor, at, 0, where, DOCUMENTED if certain else ISA_ONLY)

    # ------------------------------------------------------------------ exploring

    def at(self, reachable: str) -> list[Delay]:
        """The points of a class; the instruction set allows them all."""
        return [p for p in self.points if reachable in (ISA_ONLY, p.reachable)]

    def singles(self, points: list[Delay]) -> Iterator[Schedule]:
        """All schedules of one delay."""
        for length, point in product(LENGTHS, points):
            yield (_long(point, length),)

    def several(self, all_points: list[Delay], bound: int) -> Iterator[Schedule]:
        """All schedules of two delays, then of three, up to a bound."""
        for count in range(2, bound + 1):
            for points in combinations(all_points, count):
                for lengths in product(LENGTHS, repeat=count):
                    yield tuple(map(_long, points, lengths))

    def random(self, points: list[Delay], seed: int, bound: int) -> Iterator[Schedule]:
        """Schedules of two to ``bound`` delays, the same ones for the same seed."""
        draw = random.Random(seed)
        while points and bound > 1:
            count = min(draw.randint(2, bound), len(points))
            chosen = draw.sample(points, count)
            yield tuple(_long(point, draw.choice(LENGTHS)) for point in chosen)

    def explore(
        self,
        count: int | None,
        bound: int = 2,
        seed: int = 0,
        reachable: str = DOCUMENTED,
        progress: Callable[[int], None] = lambda done: None,
    ) -> Exploration:
        """Run ``count`` schedules, or all up to the bound (None); stop at one that differs.

        ``reachable``: with delays that the documented timing allows, or also with all others.
        """
        points = self.at(reachable)
        all_singles = len(points) * len(LENGTHS)
        done = singles = 0
        for number, schedule in enumerate(self._order(points, count, bound, seed)):
            if not number % 100:
                progress(number)
            done += 1
            singles += len(schedule) == 1
            outcome = self.run(schedule)
            if outcome.differs(self.base):
                small = self.shrink(schedule)
                return Exploration(
                    done, len(points), singles, all_singles, bound, False, small,
                    self.run(small), schedule,
                )  # fmt: skip
        return Exploration(
            done, len(points), singles, all_singles, bound, count is None, None, None, None
        )

    def _order(
        self, points: list[Delay], count: int | None, bound: int, seed: int
    ) -> Iterator[Schedule]:
        if count is None:
            yield from self.singles(points)
            yield from self.several(points, bound)
            return
        yield from islice(self.singles(points), count)
        left = count - len(points) * len(LENGTHS)
        if left > 0:
            yield from islice(self.random(points, seed, bound), left)

    def shrink(self, schedule: Schedule) -> Schedule:
        """The same difference with as few delays, and as short ones, as leaving out finds."""
        for delay in schedule:
            fewer = tuple(other for other in schedule if other != delay)
            if self.run(fewer).differs(self.base):
                schedule = fewer
        for which in range(len(schedule)):
            schedule = self._shortest(schedule, which)
        return schedule

    def _shortest(self, schedule: Schedule, which: int) -> Schedule:
        """Shorten one delay as far as halving finds."""
        high = schedule[which].rounds or 1 << 12
        if not self.run(shorter(schedule, which, high)).differs(self.base):
            return schedule  # it has to last until the others rest
        low = 0
        while high - low > 1:
            middle = (low + high) // 2
            if self.run(shorter(schedule, which, middle)).differs(self.base):
                high = middle
            else:
                low = middle
        return shorter(schedule, which, high)


def _long(point: Delay, rounds: int) -> Delay:
    return Delay(point.actor, point.at, rounds, point.where, point.reachable)


def whole_l1(tile: Tile) -> bytes:
    """All of L1 as the result of a run."""
    return np.asarray(tile.state.l1).tobytes()
