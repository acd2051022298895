"""A schedule as people and files have it: the delays, each of an actor at a place."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tilelab.sim.errors import BadInputError
from tilelab.sim.files import read_file
from tilelab.tensix.explore.plan import ACTORS, DELAYS, THREAD_ACTOR, UNTIL_REST
from tilelab.tensix.words.origin import CORE_NAMES

ACTOR_NAMES = (*(CORE_NAMES[core] for core in range(THREAD_ACTOR)), "T0", "T1", "T2")
DOCUMENTED, ISA_ONLY = "documented timing", "ISA only"
VERSION = 1


@dataclass(frozen=True, order=True)
class Delay:
    """One delay: ``at`` counts instructions retired (a core) or words issued (a thread) before."""

    actor: int
    at: int
    rounds: int
    """How long, in rounds; 0: until nothing else moves."""
    where: str = ""
    reachable: str = DOCUMENTED
    """Whether the documented timing allows it, or the instruction set only."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "actor": ACTOR_NAMES[self.actor],
            "at": self.at,
            "rounds": self.rounds,
            "where": self.where,
            "class": self.reachable,
        }

    def __str__(self) -> str:
        unit = "words issued" if self.actor >= THREAD_ACTOR else "instructions retired"
        length = (
            "until nothing else moves" if self.rounds == UNTIL_REST else f"{self.rounds} rounds"
        )
        place = f", before {self.where}" if self.where else ""
        name = ACTOR_NAMES[self.actor]
        return f"{name} waits {length} after {self.at} {unit}{place} ({self.reachable})"


Schedule = tuple[Delay, ...]


def reachable(schedule: Iterable[Delay]) -> str:
    """The class of a schedule: the instruction set's only, if one of its delays is."""
    return ISA_ONLY if any(d.reachable == ISA_ONLY for d in schedule) else DOCUMENTED


def write_schedule(path: Path, program: str, schedule: Schedule) -> None:
    """Write a schedule for :func:`read_schedule`."""
    document = {
        "version": VERSION,
        "program": program,
        "delays": [delay.as_dict() for delay in schedule],
    }
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def read_schedule(path: Path) -> Schedule:
    """Read a schedule; BadInputError if the file holds none."""
    try:
        document = json.loads(read_file(path))
        if document["version"] != VERSION:
            raise BadInputError(f"{path}: a schedule of version {document['version']!r}")
        delays = tuple(_delay(item) for item in document["delays"])
    except BadInputError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadInputError(f"{path}: not a schedule: {error}") from error
    if len(delays) > DELAYS:
        raise BadInputError(f"{path}: a schedule has at most {DELAYS} delays")
    return delays


def _delay(item: Any) -> Delay:
    actor = ACTOR_NAMES.index(item["actor"])
    at, rounds = item["at"], item["rounds"]
    assert actor < ACTORS
    for number in (at, rounds):
        if type(number) is not int or not 0 <= number < 1 << 31:
            raise ValueError(f"{number!r} is no number of rounds or steps")
    return Delay(actor, at, rounds, str(item.get("where", "")), str(item.get("class", DOCUMENTED)))


def shorter(schedule: Schedule, which: int, rounds: int) -> Schedule:
    """A schedule with another length of one delay."""
    changed = replace(schedule[which], rounds=rounds)
    return (*schedule[:which], changed, *schedule[which + 1 :])
