"""A schedule as people and files have it: delays, each of an actor at a place, or priorities."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tilelab.explore.plan import ACTORS, CHANGES, DELAYS, THREAD_ACTOR, TURNING, UNTIL_REST
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import read_file
from tilelab.tensix.words.origin import CORE_NAMES

ACTOR_NAMES = (*(CORE_NAMES[core] for core in range(THREAD_ACTOR)), "T0", "T1", "T2", "matrix unit")
DOCUMENTED, ISA_ONLY = "documented timing", "ISA only"
VERSION = 2


@dataclass(frozen=True, order=True)
class Delay:
    """One delay of an actor.

    ``at`` counts what the actor did before: a core its accesses outside of its own RAM (the same
    one in a loop once), a thread the words it issued.
    """

    actor: int
    at: int
    rounds: int
    """How long, in rounds; 0: until nothing else can move, or until what ``until`` says."""
    where: str = ""
    reachable: str = DOCUMENTED
    """Whether the documented timing allows it, or the instruction set only."""
    until: tuple[int, int] | None = None
    """An actor, and what it does first: as ``at`` counts."""
    late: bool = False
    """Whether the word is issued in time, but what it does is there so much later."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        made = {
            "actor": ACTOR_NAMES[self.actor],
            "at": self.at,
            "rounds": self.rounds,
            "where": self.where,
            "class": self.reachable,
        }
        if self.until is not None:
            made["until"] = {"actor": ACTOR_NAMES[self.until[0]], "at": self.until[1]}
        if self.late:
            made["late"] = True
        return made

    def __str__(self) -> str:
        length = (
            "until nothing else can move" if self.rounds == UNTIL_REST else f"{self.rounds} rounds"
        )
        if self.until is not None:
            other, at = self.until
            length = f"until {ACTOR_NAMES[other]} has done {_count(other, at + 1)}"
        if self.actor == TURNING:
            return f"the matrix unit turns Src banks {self.rounds} rounds late ({self.reachable})"
        place = f", before {self.where}" if self.where else ""
        name = ACTOR_NAMES[self.actor]
        done = _count(self.actor, self.at)
        if self.late:
            rounds = "1 round" if self.rounds == 1 else f"{self.rounds} rounds"
            return f"{name}, after {done}: {self.where} takes {rounds} longer ({self.reachable})"
        return f"{name} waits {length} after {done}{place} ({self.reachable})"


def _count(actor: int, number: int) -> str:
    """So many of what an actor does."""
    what = "word" if actor >= THREAD_ACTOR else "access"
    if number == 1:
        return f"1 {what}"
    return f"{number} {what}{'s' if what == 'word' else 'es'}"


@dataclass(frozen=True)
class Priorities:
    """Who goes first: of those that can go on, only the one with the highest priority does."""

    order: tuple[int, ...]
    """All actors, the highest priority first."""
    changes: tuple[int, ...]
    """Steps, counted over all: who does this one falls behind all others."""
    reachable: str = DOCUMENTED

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "order": [ACTOR_NAMES[actor] for actor in self.order],
            "changes": list(self.changes),
            "class": self.reachable,
        }

    def __str__(self) -> str:
        names = ", ".join(ACTOR_NAMES[actor] for actor in self.order)
        steps = ", ".join(map(str, self.changes))
        return f"priorities {names}; last of all after step {steps} ({self.reachable})"


TURNS_LATE = Delay(TURNING, 0, 256, "every Src bank", ISA_ONLY, late=True)
"""The matrix unit gives back, and turns, every Src bank so much later than it takes the word: later
than the documents have it, but they promise an order only by STALLWAIT on the matrix unit, and for
its own words that look at a bank."""

Schedule = tuple[Delay, ...]
AnySchedule = Schedule | Priorities


def lines(schedule: AnySchedule) -> list[str]:
    """A schedule for people, a line for each delay."""
    return [str(schedule)] if isinstance(schedule, Priorities) else list(map(str, schedule))


def reachable(schedule: AnySchedule) -> str:
    """The class of a schedule: the instruction set's only, if one of its delays is."""
    if isinstance(schedule, Priorities):
        return schedule.reachable
    return ISA_ONLY if any(d.reachable == ISA_ONLY for d in schedule) else DOCUMENTED


def write_schedule(path: Path, program: str, schedule: AnySchedule) -> None:
    """Write a schedule for :func:`read_schedule`."""
    document: dict[str, Any] = {"version": VERSION, "program": program}
    if isinstance(schedule, Priorities):
        document["priorities"] = schedule.as_dict()
    else:
        document["delays"] = [delay.as_dict() for delay in schedule]
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def read_schedule(path: Path) -> AnySchedule:
    """Read a schedule; BadInputError if the file holds none."""
    try:
        document = json.loads(read_file(path))
        if document["version"] != VERSION:
            raise BadInputError(f"{path}: a schedule of version {document['version']!r}")
        if "priorities" in document:
            return _priorities(document["priorities"])
        delays = tuple(_delay(item) for item in document["delays"])
    except BadInputError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadInputError(f"{path}: not a schedule: {error}") from error
    if len(delays) > DELAYS:
        raise BadInputError(f"{path}: a schedule has at most {DELAYS} delays")
    return delays


def _priorities(item: Any) -> Priorities:
    order = tuple(ACTOR_NAMES.index(name) for name in item["order"])
    if sorted(order) != list(range(ACTORS)):
        raise ValueError("the order does not name every actor once")
    changes = tuple(map(_number, item["changes"]))
    if len(changes) > CHANGES:
        raise ValueError(f"more than {CHANGES} changes of priority")
    return Priorities(order, changes, str(item.get("class", DOCUMENTED)))


def _number(given: Any) -> int:
    if type(given) is not int or not 0 <= given < 1 << 31:
        raise ValueError(f"{given!r} is no number of rounds or steps")
    return given


def _delay(item: Any) -> Delay:
    until = None
    if "until" in item:
        until = ACTOR_NAMES.index(item["until"]["actor"]), _number(item["until"]["at"])
    return Delay(
        ACTOR_NAMES.index(item["actor"]),
        _number(item["at"]),
        _number(item["rounds"]),
        str(item.get("where", "")),
        str(item.get("class", DOCUMENTED)),
        until,
        item.get("late") is True,
    )


def shorter(schedule: Schedule, which: int, rounds: int) -> Schedule:
    """A schedule with another length of one delay."""
    changed = replace(schedule[which], rounds=rounds, until=None)
    return (*schedule[:which], changed, *schedule[which + 1 :])
