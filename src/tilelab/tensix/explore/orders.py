"""Runs every order of dependent accesses that a few delays can make, each once.

Dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005) with a bound on pre-emptions.
Two accesses of one object by different actors, of which one writes, are *dependent*; runs that make
all dependent accesses in the same order come to the same end. So a run's accesses are logged, and
for each two dependent neighbours that nothing else orders, the first one's actor is held until the
second one's has made its access: one more delay, one more run. Each result that may be late is one
more delay as well. A run whose order was met before is not gone on from.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.tensix.explore.explorer import Explorer
from tilelab.tensix.explore.plan import ACTORS, UNTIL_REST
from tilelab.tensix.explore.schedule import DOCUMENTED, ISA_ONLY, TURNS_LATE, Delay, Schedule
from tilelab.tensix.explore.search import Exploration, Progress

Access = tuple[int, int, int, int]
"""Actor, how far it has come, object, whether it writes."""


def settled(log: npt.NDArray[Any]) -> list[Access]:
    """The accesses of a run, in order, without those of polling loops that were in vain."""
    kept: list[Access | None] = []
    last: dict[int, int] = {}
    fields = (log[name].tolist() for name in ("actor", "at", "object", "write", "again"))
    for actor, at, touched, write, again in zip(*fields, strict=True):
        before = last.get(actor)
        if again and before is not None:
            previous = kept[before]
            if previous is not None and previous[2] == touched and previous[3] == write:
                kept[before] = None
                at = previous[1]  # where the loop began
        last[actor] = len(kept)
        kept.append((actor, at, touched, write))
    return [access for access in kept if access is not None]


def order_of(accesses: list[Access]) -> bytes:
    """A number that is the same for runs with the same order of dependent accesses."""
    made = sha256()
    by_object: dict[int, list[tuple[int, int, int]]] = {}
    for actor, at, touched, write in accesses:
        by_object.setdefault(touched, []).append((write, actor, at))
    for touched in sorted(by_object):
        made.update(touched.to_bytes(4, "little"))
        reads: set[tuple[int, int, int]] = set()
        for access in by_object[touched]:
            if not access[0]:
                reads.add(access)
                continue
            made.update(repr((sorted(reads), access)).encode())
            reads.clear()
        made.update(repr(sorted(reads)).encode())
    return made.digest()


def races(accesses: list[Access]) -> Iterator[tuple[Access, Access]]:
    """Dependent neighbours that no other accesses put in order: the earlier one, the later one."""
    clocks = np.zeros((ACTORS, ACTORS), np.int64)
    written: dict[int, tuple[Access, npt.NDArray[np.int64]]] = {}
    read: dict[int, dict[int, tuple[Access, npt.NDArray[np.int64]]]] = {}
    for number, access in enumerate(accesses, 1):
        actor, _, touched, write = access
        earlier = [written[touched]] if touched in written else []
        if write:
            earlier += read.pop(touched, {}).values()
        for other, clock in earlier:
            if other[0] != actor and clocks[actor, other[0]] < clock[other[0]]:
                yield other, access
        for _, clock in earlier:
            np.maximum(clocks[actor], clock, out=clocks[actor])
        clocks[actor, actor] = number
        if write:
            written[touched] = access, clocks[actor].copy()
        else:
            read.setdefault(touched, {})[actor] = access, clocks[actor].copy()


class Orders:
    """The search; ``explorer`` is one that was made ``ordered``."""

    def __init__(self, explorer: Explorer, reachable: str, bound: int) -> None:
        self.explorer, self.reachable, self.bound = explorer, reachable, bound
        self.met: set[bytes] = set()
        self.tried: set[frozenset[Delay]] = set()
        self.late = [d for d in explorer.late if reachable in (ISA_ONLY, d.reachable)]
        self.late += [TURNS_LATE] if explorer.turns(reachable) else []

    def more(self, schedule: Schedule) -> Iterator[Schedule]:
        """The schedules with one more delay, which turns a race of this run or makes a result late.

        Nothing if the run's order was met before.
        """
        accesses = settled(self.explorer.accesses())
        order = order_of(accesses) + bytes([TURNS_LATE in schedule])
        if order in self.met:
            return
        self.met.add(order)
        if len(schedule) == self.bound:
            return
        for first, second in races(accesses):
            point = self.explorer.nearest(first[0], first[1], self.reachable)
            if point is None:
                continue
            until = second[0], second[1]
            delay = Delay(point.actor, point.at, UNTIL_REST, point.where, point.reachable, until)
            longer = (*schedule, delay)
            if self._is_new(longer):
                yield longer
        for late in self.late:
            if self._is_new((*schedule, late)):
                yield (*schedule, late)

    def _is_new(self, schedule: Schedule) -> bool:
        """Whether these delays, all different, were not put together before."""
        chosen = frozenset(schedule)
        if len(chosen) < len(schedule) or chosen in self.tried:
            return False
        self.tried.add(chosen)
        return True

    def explore(
        self, limit: int | None = None, progress: Progress = lambda done: None
    ) -> Exploration:
        """Run all, fewest delays first, or at most ``limit``; stop at the first that differs."""
        explorer = self.explorer
        points = len(explorer.at(self.reachable))
        before = explorer.gave_up
        late = explorer.run((), logging=True)
        if late.differs(explorer.base):
            return Exploration(1, points, 0, 0, self.bound, (), late, ())
        level = list(self.more(()))
        done = 1
        while level:
            deeper: list[Schedule] = []
            for schedule in level:
                if done == limit:
                    return Exploration(done, points, 0, 0, self.bound, orders=len(self.met))
                if not done % 100:
                    progress(done)
                done += 1
                if explorer.run(schedule, logging=True).differs(explorer.base):
                    small = explorer.shrink(schedule)
                    end = explorer.run(small)
                    orders = len(self.met)
                    return Exploration(
                        done, points, 0, 0, self.bound, small, end, schedule, orders=orders
                    )
                deeper += self.more(schedule)
            level = deeper
        gave_up = explorer.gave_up - before
        return Exploration(
            *(done, points, 0, 0, self.bound),
            orders=len(self.met),
            complete=not gave_up,
            late=len(self.late),
            gave_up=gave_up,
            longest=explorer.longest,
        )


def explore_orders(
    explorer: Explorer,
    bound: int = 2,
    reachable: str = DOCUMENTED,
    progress: Progress = lambda done: None,
) -> Exploration:
    """Run every order of dependent accesses that up to ``bound`` delays make."""
    return Orders(explorer, reachable, bound).explore(None, progress)
