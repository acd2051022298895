"""Which schedules of a program are run, in which order, and what is known after that.

First all schedules of one delay: *delay bounding* by enumeration. Then schedules by priorities, the
same for the same seed: *probabilistic concurrency testing* (Burckhardt and others, "A randomized
scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010). Of ``n`` actors that do
``k`` steps in all, each such schedule shows a difference that ``d`` orderings of steps make with a
probability of at least ``1 / (n * k ** (d - 1))``.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, product
from typing import Any, Final

from tilelab.explore.explorer import Explorer, Outcome, long
from tilelab.explore.plan import ACTORS, UNTIL_REST
from tilelab.explore.schedule import (
    DOCUMENTED,
    ISA_ONLY,
    TURNS_LATE,
    AnySchedule,
    Delay,
    Priorities,
    Schedule,
)

LENGTHS: Final = (16, 256, UNTIL_REST)
"""Rounds of the delays that are tried."""
NEAR: Final = 16
"""So many words, and rounds, around a delay that makes a difference are tried one by one."""
SHARPENING: Final = 1 << 18
"""Rounds of a delay times points: how far the shortest one is looked for."""
Progress = Callable[[int], None]
"""Told now and then how many schedules were run."""


@dataclass(frozen=True)
class Chance:
    """What drawing priorities is sure to find."""

    drawn: int
    """Schedules by priorities that were run."""
    actors: int
    steps: int
    depth: int
    cut: int = 0
    """Of those, how many had not ended when their time was up."""

    @property
    def each(self) -> float:
        """With what probability, at least, one schedule shows a difference of that depth."""
        return 1.0 / (self.actors * float(self.steps) ** (self.depth - 1))

    @property
    def all(self) -> float:
        """The same of all that were run."""
        return 1 - (1 - self.each) ** (self.drawn - self.cut)

    def __str__(self) -> str:
        cut = f", {self.cut} of them cut short" if self.cut else ""
        return (
            f"{self.drawn} by priorities (depth {self.depth}, {self.actors} actors, {self.steps} "
            f"steps: each would show one with probability {self.each:.2g} at least, all of them "
            f"with {_below_one(self.all)}{cut})"
        )


@dataclass(frozen=True)
class Exploration:
    """What exploring came to. ``found`` is None if no schedule that was run differs."""

    schedules: int
    points: int
    singles: int
    """Schedules of one delay that were run, of ``all_singles``."""
    all_singles: int
    bound: int
    found: AnySchedule | None = None
    outcome: Outcome | None = None
    first_found: AnySchedule | None = None
    """As it was found, before it was shrunk."""
    chance: Chance | None = None
    """Of schedules by priorities, if any were run."""
    orders: int = 0
    """How many orders of accesses were met (:mod:`.orders`)."""
    complete: bool = False
    """Whether every order was met that at most ``bound`` turned pairs of accesses make."""
    late: int = 0
    """Results that may be late and were among those delays (:mod:`.orders`)."""
    gave_up: int = 0
    """Delays until rest that ended after ``longest`` rounds: others still went on."""
    longest: int = 0
    turned: int = 0
    """Schedules of one delay in which, beside that, Src banks are turned late."""
    whole: bool = False
    """Whether nothing lay beyond the bound: ``orders`` are all that there are."""

    def covered(self) -> str:
        """What is known now, in one sentence."""
        said = self._covered()
        if self.found is not None or not self.gave_up:
            return said
        which = "1 delay" if self.gave_up == 1 else f"{self.gave_up} delays"
        why = f"{which} until rest ended after {self.longest:,} rounds, before others rested"
        return f"{said}: {why}, so orders may be missing" if self.orders else f"{said}; {why}"

    def _covered(self) -> str:
        if self.found == ():
            return "the undelayed schedule differs, if Src banks are given back as late as they may"
        if self.found is not None:
            count = 0 if isinstance(self.found, Priorities) else len(self.found)
            which = f"of {count} delay{'s' if count > 1 else ''}" if count else "by priorities"
            runs = "1 was" if self.schedules == 1 else f"{self.schedules} were"
            return f"a schedule {which} differs; {runs} run"
        if self.complete:
            return self._all_orders()
        if self.orders:
            return f"none of {self.schedules} schedules differs, {_orders(self.orders)}; not all"
        lengths = ", ".join("until rest" if n == UNTIL_REST else str(n) for n in LENGTHS)
        if self.singles < self.all_singles:
            return f"none of {self.schedules} schedules differs, of {self.all_singles} with 1 delay"
        more = f", nor any of {self.chance}" if self.chance is not None else ""
        late = self.all_singles - self.turned - self.points * len(LENGTHS)
        also = f", nor any of {late} late results" if late else ""
        if self.turned:
            rounds = TURNS_LATE.rounds
            also = f", nor any with Src banks turned {rounds} rounds late as well{also}"
        return (
            f"no schedule with 1 delay (of {lengths} rounds) at {self.points} points differs"
            f"{also}{more}"
        )

    def _all_orders(self) -> str:
        runs = "1 run" if self.schedules == 1 else f"{self.schedules} runs"
        which = (
            "the 1 order there is" if self.orders == 1 else f"all {self.orders} orders there are"
        )
        late = f", nor any with one of {self.late} late results" if self.late else ""
        if self.whole:
            return f"no order of dependent accesses differs{late}: {which}, in {runs}"
        pairs = "1 pair" if self.bound == 1 else f"{self.bound} pairs"
        if self.late:
            late = f", each late result (of {self.late}) counted as one"
        return (
            f"no order with at most {pairs} of dependent accesses turned round differs{late}: "
            f"{which} of these, in {runs}"
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        found: Any = None
        if isinstance(self.found, Priorities):
            found = {"priorities": self.found.as_dict()}
        elif self.found is not None:
            found = [delay.as_dict() for delay in self.found]
        chance = None
        if self.chance is not None:
            chance = {**vars(self.chance), "each": self.chance.each, "all": self.chance.all}
        return {
            "schedules": self.schedules,
            "points": self.points,
            "bound": self.bound,
            "complete": self.complete,
            "orders": self.orders,
            "whole": self.whole,
            "gave_up": self.gave_up,
            "longest": self.longest,
            "chance": chance,
            "covered": self.covered(),
            "found": found,
            "outcome": self.outcome.kind if self.outcome is not None else None,
        }


def _below_one(probability: float) -> str:
    """A probability in two digits; none that is less than 1 is said to be 1."""
    said = f"{probability:.2g}"
    return "more than 0.99" if said == "1" else said


def _orders(number: int) -> str:
    return "1 order" if number == 1 else f"{number} orders"


def singles(points: list[Delay]) -> Iterator[Schedule]:
    """All schedules of one delay."""
    for length, point in product(LENGTHS, points):
        yield (long(point, length),)


def turns(steps: int, seed: int, depth: int, reachable: str) -> Iterator[Priorities]:
    """Schedules by priorities, the same ones for the same seed, without end."""
    draw = random.Random(seed)
    while True:
        order = draw.sample(range(ACTORS), ACTORS)
        changes = sorted(draw.randint(1, max(steps, 1)) for _ in range(depth - 1))
        yield Priorities(tuple(order), tuple(changes), reachable)


def explore(
    explorer: Explorer,
    count: int,
    bound: int = 2,
    seed: int = 0,
    reachable: str = DOCUMENTED,
    progress: Progress = lambda done: None,
) -> Exploration:
    """Run ``count`` schedules; stop at the first that differs.

    ``bound`` is the depth of schedules by priorities. ``reachable``: with delays that the
    documented timing allows, or also with all others.
    """
    points = explorer.at(reachable)
    results = [(late,) for late in explorer.late if reachable in (ISA_ONLY, late.reachable)]
    turned = [(TURNS_LATE, *one) for one in singles(points)] if explorer.turns(reachable) else []
    all_singles = len(points) * len(LENGTHS) + len(results) + len(turned)
    actors, steps = len({point.actor for point in points}), len(explorer.points)

    def made(done: int, found: AnySchedule | None) -> Exploration:
        drawn = max(0, done - all_singles)
        chance = Chance(drawn, actors, steps, bound, cut) if drawn and steps else None
        tried = done, len(points), min(done, all_singles), all_singles, bound
        if found is None:
            ended = explorer.gave_up - gave_up, explorer.longest, len(turned)
            return Exploration(*tried, None, None, None, chance, 0, False, 0, *ended)
        small = shrunk(explorer, found)
        return Exploration(*tried, small, explorer.run(small), found, chance)

    def wanted() -> Iterator[AnySchedule]:
        yield from singles(points)
        yield from turned
        yield from results
        if points:
            yield from turns(steps, seed, bound, reachable)

    gave_up = explorer.gave_up
    late = explorer.run(())
    if late.differs(explorer.base):
        return Exploration(1, len(points), 0, all_singles, bound, (), late, ())
    done = cut = 0
    for schedule in islice(wanted(), count):
        if not done % 100:
            progress(done)
        done += 1
        outcome = explorer.run(schedule)
        if isinstance(schedule, Priorities) and outcome.kind == "limit":
            cut += 1  # one that waits in a long loop for somebody who has no turn
        elif outcome.differs(explorer.base):
            return made(done, schedule)
    return made(done, None)


def shrunk(explorer: Explorer, schedule: AnySchedule) -> AnySchedule:
    """The same difference by as few delays as possible; the priorities, if no delays make it.

    Of single delays it is the shortest one that there is.
    """
    small: AnySchedule | None = schedule
    if isinstance(schedule, Priorities):
        small = explorer.as_delays(schedule)
    else:
        small = explorer.shrink(schedule)
    if small is None or isinstance(small, Priorities) or len(small) != 1 or small[0].late:
        return small or schedule
    return sharpest(explorer, small[0])


def sharpest(explorer: Explorer, known: Delay) -> Schedule:
    """The shortest delay that makes a difference: it is closest to what it must not overtake."""
    longest = known.rounds or 1 << 12
    points = explorer.at(known.reachable)
    rounds = 1
    while rounds < longest and rounds * len(points) < SHARPENING:
        for point in points:
            schedule = (long(point, rounds),)
            if explorer.run(schedule).differs(explorer.base):
                return explorer.shrink(schedule)
        rounds *= 2
    return (known,)


def beside(explorer: Explorer, known: Delay, reachable: str) -> Iterator[Schedule]:
    """Schedules of one delay that come to the same moment as a known one, by its neighbours."""
    for point in explorer.at(reachable):
        if point.actor == known.actor and abs(point.at - known.at) <= NEAR and known.rounds:
            for rounds in range(max(1, known.rounds - NEAR // 2), known.rounds + NEAR):
                yield (long(point, rounds),)


def places(
    explorer: Explorer,
    reachable: str = DOCUMENTED,
    progress: Progress = lambda done: None,
    known: Delay | None = None,
) -> list[tuple[Delay, Outcome]]:
    """Where one delay makes a difference: of each place the shortest that does, with its end.

    ``known`` is one that does: around it every length like its own is tried.
    """
    found: dict[str, tuple[Delay, Outcome]] = {}
    near = beside(explorer, known, reachable) if known is not None else ()
    for number, schedule in enumerate(chain(singles(explorer.at(reachable)), near)):
        if not number % 100:
            progress(number)
        where = f"{schedule[0].actor} {schedule[0].where}"
        if where in found:
            continue
        outcome = explorer.run(schedule)
        if outcome.differs(explorer.base):
            small = explorer.shrink(schedule)
            found[where] = small[0], outcome
    return sorted(found.values(), key=lambda place: (place[0].rounds or 1 << 30, place[0].at))
