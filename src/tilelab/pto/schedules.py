"""Schedules as choices: whenever a core stops, which of those that can run goes on; kept in a file
and replayed.

The file is JSON: ``{"schedule": ["cube", "vec0", ...], "program": "file", "finding": "..."}``, one
name for each step.
"""

import json
import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tilelab.pto.cluster import Chooser
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.sim.files import read_file, write_whole


class ReplayError(TilelabError):
    """A schedule that does not fit the program: its core cannot run at that step."""


def in_turn() -> Chooser:
    """The cores by turns."""
    last = ""

    def choose(ready: list[str]) -> int:
        nonlocal last
        after = [index for index, name in enumerate(ready) if name > last]
        place = after[0] if after else 0
        last = ready[place]
        return place

    return choose


def at_random(seed: int) -> Chooser:
    """By chance, repeatably."""
    chance = random.Random(seed)
    return lambda ready: int(chance.random() * len(ready))


def first(name: str) -> Chooser:
    """One kind of core ("cube" or "vec") as long as it can run."""

    def choose(ready: list[str]) -> int:
        for index, one in enumerate(ready):
            if one.startswith(name):
                return index
        return 0

    return choose


def replay(names: Sequence[str]) -> Chooser:
    """A kept schedule; behind its end the cores go by turns."""
    step = 0
    rest = in_turn()

    def choose(ready: list[str]) -> int:
        nonlocal step
        if step >= len(names):
            return rest(ready)
        name = names[step]
        step += 1
        if name not in ready:
            raise ReplayError(
                f"the schedule does not fit the program: {name} cannot run at step {step}; "
                f"{' and '.join(ready)} can"
            )
        return ready.index(name)

    return choose


STANDARD = (in_turn, partial(first, "cube"), partial(first, "vec"), partial(at_random, 1))
"""Four ways to begin with."""


def load(file: Path) -> list[str]:
    """The names of a schedule file."""
    try:
        document = json.loads(read_file(file))
    except ValueError as error:
        raise BadInputError(f"{file}: not a schedule: {error}") from None
    names = document.get("schedule") if isinstance(document, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BadInputError(f'{file}: not a schedule: it needs "schedule", a list of core names')
    return names


def save(file: Path, names: Sequence[str], program: str, finding: str) -> None:
    """Keep a schedule."""
    document = {"program": program, "finding": finding, "schedule": list(names)}
    write_whole(file, json.dumps(document) + "\n")


def parse(text: str) -> Chooser | str | int:
    """What ``--schedule`` names: rr, cube_first, vec_first, a seed, or a schedule file."""
    if text in ("rr", "cube_first", "vec_first"):
        return text
    if text.isdigit():
        return int(text)
    if text.endswith(".json") or "/" in text or Path(text).is_file():
        return replay(load(Path(text)))
    raise BadInputError(
        f"no schedule {text!r}; there are rr, cube_first, vec_first, a seed, a schedule file"
    )


def chooser(schedule: Chooser | str | int) -> Chooser:
    """The same as a function of choices, so that the steps are recorded."""
    if callable(schedule):
        return schedule
    if isinstance(schedule, int):
        return at_random(schedule)
    return in_turn() if schedule == "rr" else first(schedule.removesuffix("_first"))
