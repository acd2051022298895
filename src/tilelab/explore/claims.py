"""A claim that two lines race, executed: a reproducer, a bound, or what orders them.

Line A is executed at times a₀, a₁, …, and B at b₀, b₁, …, each by an actor, a core or a thread. To
hold A's actor just before aᵢ until nothing else can move lets B come as far as it can without aᵢ:
to Kᵢ times. So aᵢ is always before bⱼ if j ≥ Kᵢ; and likewise bⱼ before aᵢ if i ≥ Mⱼ. If each
pair is ordered in one of these ways, the claim is refuted, and what B waits for as it rests says by
what. Other pairs happen in both orders: the schedules that turn them are run, and one whose result
differs is the reproducer; if none does, their number is the bound.

That is of the order in which words are issued and accesses made, in a run whose cores take the same
branches. What is issued in order may still overlap in its units. So where a word of either line may
give its result late, schedules in which it does are run as well; and lines that the checker names,
which knows who waits for which unit, are never said to be ordered.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tilelab.explore.claim_lists import Claim
from tilelab.explore.explorer import Explorer, Outcome
from tilelab.explore.plan import ALL_WORDS, POINTS, THREAD_ACTOR, UNTIL_REST
from tilelab.explore.schedule import ACTOR_NAMES, Delay, Schedule, lines
from tilelab.sim.errors import BadInputError
from tilelab.tensix.report.explain import describe_core, describe_thread
from tilelab.tensix.words.origin import pushed_at, pusher

MOST_TIMES: Final = 48
"""So many times that a line is executed are looked at, from the first on."""
MOST_TURNED: Final = 200
"""So many schedules that turn a pair are run."""
REPRODUCER, BOUND, ORDERED = "reproducer", "bound", "ordered by"


@dataclass(frozen=True)
class Event:
    """A line is executed once: by whom, and what that one has done before."""

    actor: int
    at: int
    where: str


@dataclass(frozen=True)
class Answer:
    """What is known of a claim: ``kind`` is one of three."""

    claim: Claim
    kind: str
    said: str
    schedule: Schedule = ()
    """Of a reproducer; of a bound, one that turns a pair."""
    outcome: Outcome | None = None
    schedules: int = 0
    findings: tuple[str, ...] = field(default=())
    """The checker's findings about these two lines."""

    @property
    def holds(self) -> bool:
        """Whether the two lines are shown to race."""
        return self.kind == REPRODUCER or bool(self.findings)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "claim": str(self.claim),
            "answer": self.kind,
            "said": self.said,
            "delays": [delay.as_dict() for delay in self.schedule],
            "outcome": None if self.outcome is None else self.outcome.kind,
            "schedules": self.schedules,
            "findings": list(self.findings),
        }

    def lines(self) -> Iterator[str]:
        """For people."""
        yield f"claim: {self.claim}"
        yield f"  {self.kind}: {self.said}"
        yield from (f"    {line}" for line in lines(self.schedule))
        if self.outcome is not None:
            yield f"    ends with: {self.outcome.kind}"
            yield from (f"      {line}" for line in self.outcome.detail.splitlines()[:1])
        yield from (f"  the checker finds it: {name}" for name in self.findings)


class Claims:
    """Executes claims about one program."""

    def __init__(self, explorer: Explorer) -> None:
        """Take an explorer; BadInputError if its run is too long to be recorded."""
        self.explorer = explorer
        self.plan = explorer.engine.plan
        self.tile = explorer.tile
        self.runs = 0
        self._events: dict[str, list[Event]] = {}
        self._note_events()

    def _note_events(self) -> None:
        """Record which line is executed when."""
        self.plan["recording"] = ALL_WORDS
        self.explorer.run(())
        self.plan["recording"] = 0
        count = int(self.plan["points"])
        if count == POINTS:
            raise BadInputError(f"the run has more than {POINTS} words and accesses to tell apart")
        seen = set()
        for point in self.plan["point"][:count].copy():
            actor, at, origin = int(point["actor"]), int(point["at"]), int(point["origin"])
            if actor > THREAD_ACTOR + 2 or (actor, at) in seen:
                continue
            seen.add((actor, at))
            core, pc = pusher(origin), pushed_at(origin)
            sources = self.tile.sources
            places = {frame.place for frame in sources.frames(core, pc)} | {sources.line(core, pc)}
            event = Event(actor, at, self.explorer.source(core, pc))
            for place in places - {""}:
                self._events.setdefault(place.rpartition("/")[2], []).append(event)

    def events(self, place: str) -> dict[int, list[Event]]:
        """When a line is executed, by actor: a thread's words, or else a core's accesses."""
        found = self._events.get(place, [])
        words = [event for event in found if event.actor >= THREAD_ACTOR]
        by: dict[int, list[Event]] = {}
        for event in words or found:
            by.setdefault(event.actor, []).append(event)
        return by

    def answer(self, claim: Claim, findings: tuple[str, ...] = ()) -> Answer:
        """Execute a claim."""
        self.runs = 0
        made = self._answer(claim)
        if made.kind == ORDERED:
            made = self._late(claim, made, bool(findings))
        return replace(made, schedules=self.runs, findings=findings)

    def _late(self, claim: Claim, ordered: Answer, found: bool) -> Answer:
        """Answer again about lines whose words are issued in order: their results may be late."""
        both = (self.events(claim.first), self.events(claim.second))
        events = {(one.actor, one.at) for by in both for some in by.values() for one in some}
        late = [delay for delay in self.explorer.late if (delay.actor, delay.at) in events]
        for delay in late[:MOST_TURNED]:
            outcome = self._run((delay,))
            if outcome.differs(self.explorer.base):
                said = "issued in order, but a result that is there late changes another"
                return Answer(claim, REPRODUCER, said, (delay,), outcome)
        said = f"issued in order: {ordered.said}" if found else ordered.said
        if late:
            tried = min(len(late), MOST_TURNED)
            said += f"; {tried} schedules, of {len(late)}, in which a result is late: none differs"
        return replace(ordered, kind=BOUND if found else ORDERED, said=said)

    def _answer(self, claim: Claim) -> Answer:
        if self.explorer.base.kind != "done":
            ends = self.explorer.base.kind
            return Answer(claim, BOUND, f"undisturbed, the run ends with: {ends}")
        first, second = self.events(claim.first), self.events(claim.second)
        for place, by in ((claim.first, first), (claim.second, second)):
            if place and not by:
                said = f"{place} executes no word and no access outside local RAM in this run"
                return Answer(claim, BOUND, said)
        if not claim.second:
            return self._alone(claim, first)
        answers = [
            self._pair(claim, a, b)
            for one, a in first.items()
            for other, b in second.items()
            if one != other
        ]
        if not answers:
            (actor,) = first
            said = f"{ACTOR_NAMES[actor]} does both, in the order of its program"
            return Answer(claim, ORDERED, said)
        return min(answers, key=lambda answer: (REPRODUCER, BOUND, ORDERED).index(answer.kind))

    def _alone(self, claim: Claim, by: dict[int, list[Event]]) -> Answer:
        """Answer about a line by itself: does a result differ if it, or its result, is late?"""
        events = [event for some in by.values() for event in some[:MOST_TIMES]]
        held: list[Schedule] = [
            (Delay(one.actor, one.at, UNTIL_REST, one.where),) for one in events
        ]
        places = {(one.actor, one.at) for one in events}
        late = [(one,) for one in self.explorer.late if (one.actor, one.at) in places]
        tried = [*held, *late][:MOST_TURNED]
        for schedule in tried:
            outcome = self._run(schedule)
            if outcome.differs(self.explorer.base):
                return Answer(claim, REPRODUCER, "late, it gives another result", schedule, outcome)
        said = f"none of {len(tried)} schedules in which it is late gives another result"
        return Answer(claim, BOUND, said)

    def _pair(self, claim: Claim, first: list[Event], second: list[Event]) -> Answer:
        """Answer about two lines of two actors."""
        more = max(len(first), len(second)) > MOST_TIMES
        first, second = first[:MOST_TIMES], second[:MOST_TIMES]
        reached, why, fails = self._reached(first, second)
        back, why_back, fails_back = self._reached(second, first)
        turned = [
            (a, b)
            for i, a in enumerate(first)
            for j, b in enumerate(second)
            if j < reached[i] and i < back[j]
        ]
        if turned:
            return self._turn(claim, turned)
        if fails or fails_back:
            return Answer(
                claim, BOUND, f"no two are seen in both orders, but {fails or fails_back}"
            )
        if more:
            said = f"the first {MOST_TIMES} times each are ordered: {why or why_back}"
            return Answer(claim, BOUND, said)
        return Answer(claim, ORDERED, why or why_back)

    def _reached(self, held: list[Event], others: list[Event]) -> tuple[list[int], str, str]:
        """For each event held until rest: how often the other line is executed, at least.

        Also what that one waits for, and why it may be executed more often, if a run had no rest.
        """
        counts, why, fails = [], "", ""
        for event in held:
            outcome = self._run((Delay(event.actor, event.at, UNTIL_REST),), stops=True)
            actor = others[0].actor
            come = self._come(actor)
            counts.append(sum(other.at < come for other in others))
            where = f"{event.where} ({ACTOR_NAMES[event.actor]})"
            if outcome.kind == "failed check":
                fails = f"held at {where}, the run fails: {outcome.detail.splitlines()[0]}"
            elif outcome.kind not in ("hang", "done") or int(self.plan["gave_up"]):
                fails = f"held at {where}, the others never come to rest"
            elif not why and counts[-1] < len(others):
                what = f"{others[counts[-1]].where} ({ACTOR_NAMES[actor]})"
                why = f"until {where}, {what} waits: {self._waits(actor)}"
        return counts, why, fails

    def _run(self, schedule: Schedule, stops: bool = False) -> Outcome:
        self.runs += 1
        self.plan["stops"] = stops
        try:
            return self.explorer.run(schedule)
        finally:
            self.plan["stops"] = 0

    def _come(self, actor: int) -> int:
        """How far an actor has come."""
        if actor < THREAD_ACTOR:
            return int(self.plan["passed"][actor])
        return int(self.tile.state.s.frontend[actor - THREAD_ACTOR].issued)

    def _waits(self, actor: int) -> str:
        """What an actor waits for, where the run has stopped."""
        state, sources = self.tile.state, self.tile.sources
        if actor >= THREAD_ACTOR:
            said = describe_thread(state, actor - THREAD_ACTOR, sources.describe_pc)
            told = [line.strip() for line in said]
            waits = [line for line in told if re.match("waits|semaphore|latched", line)]
            if waits:
                return "; ".join(waits[-2:])
            actor -= THREAD_ACTOR  # it has nothing to issue: the core that pushes its words waits
        return describe_core(state, actor, sources).strip().splitlines()[0].strip()

    def _turn(self, claim: Claim, turned: list[tuple[Event, Event]]) -> Answer:
        """Run schedules that turn pairs, up to one whose result differs."""
        example: Schedule = ()
        for number, (a, b) in enumerate(turned):
            if 2 * number >= MOST_TURNED:
                break
            for early, late in ((b, a), (a, b)):
                until = early.actor, early.at
                schedule = (Delay(late.actor, late.at, UNTIL_REST, late.where, until=until),)
                outcome = self._run(schedule)
                example = example or schedule
                if outcome.differs(self.explorer.base):
                    return Answer(claim, REPRODUCER, "another result", schedule, outcome)
        tried = min(2 * len(turned), MOST_TURNED)
        said = (
            f"both orders happen, with the same result: {tried} schedules that put the one or the "
            f"other first, of {2 * len(turned)}"
        )
        return Answer(claim, BOUND, said, example)
