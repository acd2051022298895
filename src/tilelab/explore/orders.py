"""Runs every order of dependent accesses, or those with at most so many pairs turned, each once.

Dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005; Abdulla and others, POPL 2014):
runs that make all dependent accesses in the same order come to the same end. From each order that
was met, an event is put before one that it follows with none between (:mod:`.traces`); what follows
that one waits, and all else stays in the order it was in. A run is made to follow such an order by
a delay for each two events of different actors of which one follows the other with none between.
What is proved of this, and on which assumptions: docs/decisions/15-orders.md.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from tilelab.explore.explorer import Explorer, Outcome
from tilelab.explore.plan import ACTORS, DELAYS, UNTIL_REST
from tilelab.explore.schedule import DOCUMENTED, ISA_ONLY, TURNS_LATE, Delay, Schedule
from tilelab.explore.search import Exploration, Progress
from tilelab.explore.traces import Trace
from tilelab.sim.errors import BadInputError

Step = tuple[Schedule, int | None]
"""A schedule, and the number of the order that it makes, if that can be told."""
SHOWN: Final = 25
"""Progress is told once in so many runs."""
SHORTENED: Final = 8
"""Of a schedule of more delays, those are left out first that held nobody."""


class Orders:
    """The search; ``explorer`` is one that was made ``ordered``."""

    def __init__(self, explorer: Explorer, reachable: str, bound: int) -> None:
        self.explorer, self.reachable, self.bound = explorer, reachable, bound
        self.met: set[int] = set()
        """Numbers of the orders that were met."""
        self.base: Trace | None = None
        self.cut = False
        """Whether there was a schedule beyond the bound."""
        self.late = [d for d in explorer.late if reachable in (ISA_ONLY, d.reachable)]
        self.late += [TURNS_LATE] if explorer.turns(reachable) else []
        self.levels: list[deque[Step]] = [deque() for _ in range(bound + 1)]
        """Schedules that are still to be run, by how much they turn."""

    def goes_on(self, late: Schedule, level: int, expected: int | None = None) -> None:
        """Queue what lies beside the order of the last run, unless that was met before.

        Where the program waits so that the order that was ``expected`` cannot be, the run made
        another one, by more turned pairs than ``level`` says.
        """
        trace = Trace(self.explorer.accesses())
        self.base = self.base or trace
        number = trace.number + (TURNS_LATE in late)
        if number in self.met:
            return
        if expected not in (None, number) and trace.accesses == self.base.accesses:
            level = max(level, trace.turned_from(self.base))
            if level > self.bound:
                self.cut = True
                return
        self.met.add(number)
        if level == self.bound and self.cut:
            return
        stays = list(self._stays(trace))
        for event, others, turned in trace.turned(self.bound + 1):
            if level + turned > self.bound:
                self.cut = True
                continue
            new = trace.number_with(event, others) + (TURNS_LATE in late)
            if new not in self.met:
                schedule = self._schedule(trace, stays, event, others)
                if schedule is not None:
                    self.levels[level + turned].append(((*late, *schedule), new))
        more = [one for one in self.late if one not in late]
        if level == self.bound:
            self.cut = self.cut or bool(more)
            return
        held = tuple(delay for _, delay in stays) if level else ()
        for one in more:
            self.levels[level + 1].append(((*late, one, *held), None))

    def _stays(self, trace: Trace) -> Iterator[tuple[int, Delay]]:
        """A delay for each event that follows another actor's: with these a run keeps its order.

        What comes first comes last here: of those that nothing else can end, it ends first.
        """
        for event in range(len(trace.actor) - 1, -1, -1):
            for other in trace.before[event]:
                delay = self._waits(trace, event, other)
                if delay is not None:
                    yield event, delay

    def _waits(self, trace: Trace, event: int, other: int, surely: bool = False) -> Delay | None:
        """An event waits for another one: a delay, if its class can hold the event back there.

        ``surely``: or else further ahead.
        """
        actor, at = trace.actor[event], trace.at[event]
        point = self.explorer.nearest(actor, at, self.reachable)
        if point is None or (point.at != at and not surely):
            return None
        until = trace.actor[other], trace.at[other]
        return replace(point, rounds=UNTIL_REST, until=until)

    def _schedule(
        self, trace: Trace, stays: list[tuple[int, Delay]], event: int, others: frozenset[int]
    ) -> Schedule | None:
        """The delays with which an event comes before these; None if its class has none such."""
        turns: list[Delay] = []
        for actor in range(ACTORS):
            if actor == trace.actor[event]:
                continue
            first = trace.first_behind(actor, others)
            if first is not None:
                delay = self._waits(trace, first, event, surely=True)
                if delay is None:
                    return None
                turns.append(delay)
        new = sorted(trace.new_neighbours(event, others), reverse=True)
        needed = (self._waits(trace, *pair) for pair in new)
        turns += [delay for delay in needed if delay is not None]
        made = tuple(dict.fromkeys([*turns, *(d for behind, d in stays if behind != event)]))
        if len(made) > DELAYS:
            raise BadInputError(f"an order takes more than {DELAYS} delays; take a smaller program")
        return made

    def explore(
        self, limit: int | None = None, progress: Progress = lambda done: None
    ) -> Exploration:
        """Run all, what turns least first, or at most ``limit``; stop at the first that differs."""
        explorer = self.explorer
        before = explorer.gave_up
        first = explorer.run((), logging=True)
        if first.differs(explorer.base):
            return self._made(1, found=(), outcome=first, first_found=())
        self.goes_on((), 0)
        done = 1
        for level, queue in enumerate(self.levels):
            while queue:
                schedule, expected = queue.popleft()
                if expected in self.met:
                    continue
                if done == limit:
                    return self._made(done)
                if not done % SHOWN:
                    progress(done)
                done += 1
                if explorer.run(schedule, logging=True).differs(explorer.base):
                    small, end = self._small(schedule)
                    return self._made(done, found=small, outcome=end, first_found=schedule)
                self.goes_on(tuple(d for d in schedule if d.late), level, expected)
        gave_up = explorer.gave_up - before
        return replace(self._made(done), complete=not gave_up, gave_up=gave_up, whole=not self.cut)

    def _made(
        self,
        done: int,
        found: Schedule | None = None,
        outcome: Outcome | None = None,
        first_found: Schedule | None = None,
    ) -> Exploration:
        """What is known after so many runs."""
        explorer = self.explorer
        return Exploration(
            *(done, len(explorer.at(self.reachable)), 0, 0, self.bound),
            *(found, outcome, first_found),
            orders=len(self.met),
            late=len(self.late),
            longest=explorer.longest,
        )

    def _small(self, schedule: Schedule) -> tuple[Schedule, Outcome]:
        """The same difference by fewer delays; the last run was that of all of them."""
        explorer = self.explorer
        held = explorer.held_back(schedule)
        if len(schedule) > SHORTENED and explorer.run(held).differs(explorer.base):
            schedule = held
        small = explorer.shrink(schedule)
        return small, explorer.run(small)


def explore_orders(
    explorer: Explorer,
    bound: int = 2,
    reachable: str = DOCUMENTED,
    progress: Progress = lambda done: None,
) -> Exploration:
    """Run every order that at most ``bound`` turned pairs of dependent accesses make."""
    return Orders(explorer, reachable, bound).explore(None, progress)
