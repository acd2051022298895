"""The order in which a run made its dependent accesses, and which other orders lie beside it.

An *event* is what one actor does in one step: a core's access, or a thread's word. Two events of
different actors are *dependent* if they touch one object and these accesses do not commute
(:mod:`.touches`). An *order* says of each two dependent events which one came first: runs of one
order end alike (Mazurkiewicz's traces). Event f *follows* event e if a chain of dependent events,
or of one actor's, leads from e to f. Nothing here runs anything.
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.explore.plan import ACTORS, THREAD_ACTOR
from tilelab.explore.touches import CELLS, MAILBOX_CELLS, READS, REGISTERS, SEMAPHORE_CELLS, WRITES

Words = npt.NDArray[np.uint64]
VALID_CELLS: Final = CELLS + 2048, CELLS + 2052
"""Whether Src banks are valid."""
WAITED_FOR: Final = CELLS + SEMAPHORE_CELLS, CELLS + MAILBOX_CELLS + 64
"""Semaphores, mutexes, mailboxes and the like."""
PRIMES: Final = tuple(
    np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
Turned = tuple[int, frozenset[int], int]
"""An event, those that it comes before and did not, and how many dependent pairs that turns."""


def mixed(*parts: Words) -> Words:
    """Numbers that are the same for the same parts (splitmix64, part by part)."""
    made = np.zeros(1, np.uint64)
    with np.errstate(over="ignore"):
        for part in parts:
            made = (made ^ part) * PRIMES[0] + PRIMES[2]
            made = (made ^ made >> np.uint64(30)) * PRIMES[1]
            made = (made ^ made >> np.uint64(27)) * PRIMES[2]
            made = made ^ made >> np.uint64(31)
    return made


def settled(log: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The accesses of a run, in order, without those of polling loops that were in vain.

    What is left of such a loop is its last load, in the place of its first one.
    """
    if not log["again"].any():
        return log
    kept = np.ones(len(log), bool)
    made = log.copy()
    last: dict[tuple[int, int], int] = {}
    core = log["actor"] < THREAD_ACTOR
    fields = (log[name][core].tolist() for name in ("actor", "object", "again"))
    for i, actor, touched, again in zip(np.flatnonzero(core).tolist(), *fields, strict=True):
        before = last.get((actor, touched))
        if again and before is not None:
            kept[before] = False
            made["at"][i] = made["at"][before]
        last[actor, touched] = i
    return made[kept]


class Trace:
    """The order of a run, of which ``log`` is what it touched."""

    def __init__(self, log: npt.NDArray[Any]) -> None:
        log = settled(log)
        actor, at = log["actor"].astype(np.int64), log["at"].astype(np.int64)
        begins = np.ones(len(log), bool)
        begins[1:] = (actor[1:] != actor[:-1]) | (at[1:] != at[:-1])
        event = np.cumsum(begins) - 1
        self.actor: list[int] = actor[begins].tolist()
        """By event, in the order of the run."""
        self.at: list[int] = at[begins].tolist()
        self._keys = mixed(actor[begins].astype(np.uint64), at[begins].astype(np.uint64))
        self._take(log["object"].astype(np.int64), event, log["kind"].astype(np.int64))
        self._order()

    def _take(self, touched: Any, event: Any, kind: Any) -> None:
        """Keep what several actors touch; of objects that are touched alike one."""
        if not len(touched):
            self.sequences: dict[int, list[tuple[int, int]]] = {}
            self.number = self.accesses = 0
            return
        # an event's accesses of one object as one
        places = np.lexsort((event, touched))
        touched, event, kind = touched[places], event[places], kind[places]
        first = np.ones(len(touched), bool)
        first[1:] = (touched[1:] != touched[:-1]) | (event[1:] != event[:-1])
        at = np.flatnonzero(first)
        low, high = np.minimum.reduceat(kind, at), np.maximum.reduceat(kind, at)
        kind = np.where(low == high, low, WRITES)
        touched, event = touched[at], event[at]
        # objects of which anything can come otherwise
        begins = np.flatnonzero(np.r_[True, touched[1:] != touched[:-1]])
        sizes = np.diff(np.r_[begins, len(touched)])
        actors = np.bitwise_or.reduceat(1 << np.asarray(self.actor)[event], begins)
        low, high = np.minimum.reduceat(kind, begins), np.maximum.reduceat(kind, begins)
        matters = (actors & (actors - 1) != 0) & ((low != high) | (low == WRITES))
        kept = np.repeat(matters, sizes)
        parts = (part[kept].astype(np.uint64) for part in (touched, kind))
        with np.errstate(over="ignore"):
            self.accesses = int(np.add.reduce(mixed(*parts, self._keys[event[kept]])))
        """The same for runs of the same accesses, in whatever order."""
        # one of those that are touched alike
        position = np.arange(len(touched)) - np.repeat(begins, sizes)
        alike = mixed(*(part.astype(np.uint64) for part in (event, kind, position)))
        with np.errstate(over="ignore"):
            sums = np.add.reduceat(alike, begins)
        _, chosen = np.unique(sums[matters], return_index=True)
        self.sequences = {}
        events, kinds = event.tolist(), kind.tolist()
        for i in np.flatnonzero(matters)[np.sort(chosen)].tolist():
            span = slice(begins[i], begins[i] + sizes[i])
            self.sequences[int(touched[begins[i]])] = list(
                zip(events[span], kinds[span], strict=True)
            )
        with np.errstate(over="ignore"):
            self.number = sum(self._of(*item) for item in self.sequences.items()) & (1 << 64) - 1
        """The same for runs of the same order."""

    def _of(self, touched: int, sequence: list[tuple[int, int]]) -> int:
        """An object's part of the number: who touches it, up to what commutes."""
        events, kinds = np.array(sequence, np.int64).T
        turns = np.ones(len(kinds), np.uint64)
        turns[1:] = (kinds[1:] != kinds[:-1]) | (kinds[1:] == WRITES)
        parts = np.cumsum(turns), self._keys[events], kinds.astype(np.uint64)
        made = mixed(np.full(len(kinds), touched, np.uint64), *parts)
        return int(np.add.reduce(made))

    def _order(self) -> None:
        """Find what follows what, by vector clocks."""
        count = len(self.actor)
        self.touched: list[list[tuple[int, int, int]]] = [[] for _ in range(count)]
        """Of each event: object, kind, and its group of those that commute."""
        self.groups: dict[int, list[list[int]]] = {}
        for touched, sequence in self.sequences.items():
            self.groups[touched] = groups = _groups(sequence)
            kinds = dict(sequence)
            for number, members in enumerate(groups):
                for event in members:
                    self.touched[event].append((touched, kinds[event], number))
        self.clock: list[list[int]] = []
        """Of each event, of each actor: its last event that this one follows, or is; -1: none."""
        self.before: list[list[int]] = []
        """Of each event: those of others that it follows with none between."""
        self.of_actor: list[list[int]] = [[] for _ in range(ACTORS)]
        self.implied: list[tuple[int, int]] = []
        """Neighbours by what they touch of which one follows the other by others between, too."""
        for event in range(count):
            self._place(event)
        pairs = np.array(self.implied, np.int64).reshape(-1, 2).T
        clocks = np.array(self.clock, np.int64).reshape(-1, ACTORS)
        self._later, self._earlier_one = pairs
        self._actors = np.array(self.actor, np.int64)
        self._clocks = clocks

    def _place(self, event: int) -> None:
        actor = self.actor[event]
        mine = self.of_actor[actor]
        known = self.clock[mine[-1]] if mine else [-1] * ACTORS
        clock = known
        found: set[int] = set()
        for touched, _, group in self.touched[event]:
            if group:
                found.update(self.groups[touched][group - 1])
        unknown = [e for e in found if known[self.actor[e]] < e and self.actor[e] != actor]
        if unknown:
            clock = [
                max(parts) for parts in zip(known, *(self.clock[e] for e in unknown), strict=True)
            ]
            if len(unknown) > 1:
                unknown = [
                    e
                    for e in unknown
                    if not any(self.clock[o][self.actor[e]] >= e for o in unknown if o != e)
                ]
        else:
            clock = clock.copy()
        clock[actor] = event
        theirs = (e for e in found if self.actor[e] != actor)
        self.implied += [(event, e) for e in theirs if e not in unknown]
        self.clock.append(clock)
        self.before.append(sorted(unknown))
        mine.append(event)

    def follows(self, event: int, others: frozenset[int]) -> bool:
        """Whether an event is one of these, or follows one."""
        clock = self.clock[event]
        return any(clock[self.actor[other]] >= other for other in others)

    def first_behind(self, actor: int, others: frozenset[int]) -> int | None:
        """An actor's first event that is one of these or follows one; None if there is none."""
        mine = self.of_actor[actor]
        place = bisect_left(mine, True, key=lambda event: self.follows(event, others))
        return mine[place] if place < len(mine) else None

    def turned(self, most: int) -> Iterator[Turned]:
        """What can come earlier, so that at most so many dependent pairs come the other way round.

        Each event can come before one that it follows with none between. A load of a core, and
        what waits, can also come before several at once that touched what it reads: what it finds
        in between may keep it waiting.
        """
        for event in range(len(self.actor)):
            tried: set[frozenset[int]] = set()
            for others in self._earlier(event):
                if others in tried:
                    continue
                tried.add(others)
                pairs = self.passed(event, others)
                if len(pairs) <= most:
                    yield event, others, len(pairs)

    def _earlier(self, event: int) -> Iterator[frozenset[int]]:
        for other in self.before[event]:
            yield frozenset([other])
        for touched, kind, group in self.touched[event]:
            if self._may_wait(event, touched, kind):
                yield from self._groups_before(event, touched, group)

    def _may_wait(self, event: int, touched: int, kind: int) -> bool:
        if touched >= REGISTERS or WAITED_FOR[0] <= touched < WAITED_FOR[1]:
            return True
        if VALID_CELLS[0] <= touched < VALID_CELLS[1]:
            return True
        return kind == READS and self.actor[event] < THREAD_ACTOR

    def _groups_before(self, event: int, touched: int, group: int) -> Iterator[frozenset[int]]:
        """All that comes behind a place among an object's accesses, as far as it is not known."""
        actor = self.actor[event]
        place = bisect_left(self.of_actor[actor], event)
        known = self.clock[self.of_actor[actor][place - 1]] if place else [-1] * ACTORS
        later: frozenset[int] = frozenset()
        for members in reversed(self.groups[touched][:group]):
            by_actor: dict[int, list[int]] = {}
            for e in members:
                if self.actor[e] != actor and known[self.actor[e]] < e:
                    by_actor.setdefault(self.actor[e], []).append(e)
            if not by_actor:
                return
            ends = [[theirs[i:] for i in range(len(theirs) + 1)] for theirs in by_actor.values()]
            for chosen in product(*ends):
                some = frozenset(e for part in chosen for e in part)
                if some:
                    yield some | later
            later |= frozenset(members)

    def passed(self, event: int, others: frozenset[int]) -> set[int]:
        """The dependent events that an event comes before if it comes before these."""
        made: set[int] = set()
        for touched, _, group in self.touched[event]:
            for members in reversed(self.groups[touched][:group]):
                new = [e for e in members if self.follows(e, others)]
                if not new:
                    break
                made.update(e for e in new if self.actor[e] != self.actor[event])
        return made

    def new_neighbours(self, event: int, others: frozenset[int]) -> set[tuple[int, int]]:
        """If an event comes before these: who then comes right behind whom, and did not before.

        Events of different actors, by what they touch; of this event all.
        """
        made = set(self._by_way_of(event))
        for touched, _, _ in self.touched[event]:
            old = self.sequences[touched]
            new = _neighbours(self._moved(touched, event, others))
            known = set(_neighbours(old))
            made |= {pair for pair in new if pair[0] == event or pair not in known}
        return {(e, o) for e, o in made if self.actor[e] != self.actor[o]}

    def _by_way_of(self, event: int) -> Iterator[tuple[int, int]]:
        """Neighbours that an event stands between, which must be kept in order without it."""
        later, earlier = self._later, self._earlier_one
        behind = (later > event) & (self._clocks[later, self.actor[event]] >= event)
        ahead = (earlier < event) & (self._clocks[event, self._actors[earlier]] >= earlier)
        for i in np.flatnonzero(behind & ahead).tolist():
            yield int(later[i]), int(earlier[i])

    def _moved(self, touched: int, event: int, others: frozenset[int]) -> list[tuple[int, int]]:
        """Who touches an object in which order, if an event comes before these."""
        sequence = self.sequences[touched]
        place = next(i for i, item in enumerate(sequence) if item[0] == event)
        behind = [item for item in sequence[:place] if self.follows(item[0], others)]
        if not behind:
            return sequence
        ahead = [item for item in sequence[:place] if not self.follows(item[0], others)]
        return [*ahead, sequence[place], *behind, *sequence[place + 1 :]]

    def turned_from(self, base: "Trace") -> int:
        """How many dependent pairs come the other way than in a run of the same accesses."""
        places = {key: i for i, key in enumerate(zip(base.actor, base.at, strict=True))}
        place = [places.get(key, -1) for key in zip(self.actor, self.at, strict=True)]
        made: set[tuple[int, int]] = set()
        for groups in self.groups.values():
            ahead: list[int] = []
            for members in groups:
                made |= {(e, f) for e in ahead for f in members if place[e] > place[f]}
                ahead += members
        return len(made)

    def number_with(self, event: int, others: frozenset[int]) -> int:
        """The number of the order in which an event comes before these, if all else stays."""
        made = self.number
        for touched, _, _ in self.touched[event]:
            old = self.sequences[touched]
            new = self._moved(touched, event, others)
            if new is not old:
                made += self._of(touched, new) - self._of(touched, old)
        return made & (1 << 64) - 1


def _neighbours(sequence: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Each event with those of one object that come right before it and do not commute with it."""
    for groups in pairwise(_groups(sequence)):
        yield from ((later, earlier) for earlier in groups[0] for later in groups[1])


def _groups(sequence: list[tuple[int, int]]) -> list[list[int]]:
    """An object's events, those together that commute."""
    groups: list[list[int]] = []
    before = -1
    for event, kind in sequence:
        if kind != before or kind == WRITES:
            groups.append([])
        before = kind
        groups[-1].append(event)
    return groups
