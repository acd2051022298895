"""A schedule drawn: what every thread issues round by round, undisturbed and with the delays in it.

One picture for a page: a lane for each thread, one box for each word, in its unit's colour; below
each other the undisturbed run and the one that differs, on one scale. A delay is a hatched bar in
its actor's lane, as long as it lasted. Only the rounds around the delays are drawn.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.explore.explorer import Explorer
from tilelab.explore.plan import THREAD_ACTOR, TURNING
from tilelab.explore.schedule import ACTOR_NAMES, AnySchedule, Priorities, lines
from tilelab.report.palette import OTHER, UNITS
from tilelab.tensix.words.assembly import disassemble
from tilelab.tensix.words.origin import pushed_at, pusher

BEFORE: Final = 40
AFTER: Final = 120
MOST: Final = 900
"""Rounds that are drawn before the first delay, after the last one, and in all."""
LEFT: Final = 64
LANE: Final = 26
BAR: Final = 16
WIDE: Final = 1060

STYLE: Final = (
    ".schedule { margin: 8px 0; }"
    ".schedule .held { fill: url(#held); stroke: var(--bad); }"
    ".schedule .late { fill: none; stroke: var(--bad); stroke-dasharray: 3 2; }"
    ".schedule .lane { stroke: var(--line); }"
    + "".join(
        f".schedule .u{number} {{ fill: {light}; stroke: none; }}"
        for number, (light, _) in enumerate([*UNITS.values(), OTHER])
    )
)
"""What a page that holds a picture needs beside its own."""


@dataclass(frozen=True)
class Bar:
    """A delay as it was: an actor held from one round to another, or a result that was late."""

    actor: int
    first: int
    last: int
    late: bool
    what: str


@dataclass(frozen=True)
class Traced:
    """A run under a schedule, word by word: fields clock, thread, word, origin."""

    issued: npt.NDArray[Any]
    bars: tuple[Bar, ...]


class _Words:
    """Takes what is issued."""

    def __init__(self) -> None:
        self.batches: list[npt.NDArray[Any]] = []

    def batch(self, issued: npt.NDArray[Any]) -> None:
        """Keep a batch."""
        self.batches.append(issued.copy())


def traced(explorer: Explorer, schedule: AnySchedule) -> Traced:
    """Run under a schedule, and keep every word and when delays began and ended."""
    words = _Words()
    engine = explorer.engine
    engine.batch_observers.append(words)
    try:
        explorer.run(schedule)
        engine.collect()
    finally:
        engine.batch_observers.remove(words)
        engine.watch_trace()
    bars = []
    if not isinstance(schedule, Priorities):
        placed = [delay for delay in schedule if delay.actor != TURNING]
        for delay, record in zip(placed, engine.plan["delay"], strict=False):
            began = int(record["began"])
            if began:
                # the round in which it ended was counted as well
                last = began + (delay.rounds if delay.late else int(record["held"]) - 1)
                bars.append(Bar(delay.actor, began, last, delay.late, str(delay)))
    issued = np.concatenate(words.batches) if words.batches else np.zeros(0, np.void)
    return Traced(issued, tuple(bars))


def picture(explorer: Explorer, schedule: AnySchedule) -> str:
    """The undisturbed run and this one as HTML with one SVG picture, around the delays."""
    runs = [("undisturbed", traced(explorer, ())), ("this schedule", traced(explorer, schedule))]
    bars = runs[1][1].bars
    first = min((bar.first for bar in bars), default=explorer.start) - BEFORE
    first = max(first, explorer.start)
    last = min(max((bar.last for bar in bars), default=first) + AFTER, first + MOST)
    actors = sorted({*range(THREAD_ACTOR, THREAD_ACTOR + 3), *(bar.actor for bar in bars)})
    scale = (WIDE - LEFT) / (last - first)
    high = len(actors) * LANE + 30
    parts = [
        "<figure class='schedule'>",
        *(f"<p>{escape(line)}</p>" for line in lines(schedule)),
        f"<svg viewBox='0 0 {WIDE} {2 * high + 20}' width='{WIDE}' role='img' "
        "aria-label='what the threads issue, undisturbed and under the schedule'>",
        "<defs><pattern id='held' width='6' height='6' patternUnits='userSpaceOnUse' "
        "patternTransform='rotate(45)'><rect width='2.5' height='6' class='head' "
        "style='fill: var(--bad); stroke: none'/></pattern></defs>",
    ]
    for number, (name, run) in enumerate(runs):
        top = number * high
        parts.append(f"<text x='0' y='{top + 14}' class='what'>{name}</text>")
        for lane, actor in enumerate(actors):
            y = top + 20 + lane * LANE
            parts.append(
                f"<text x='0' y='{y + 13}'>{ACTOR_NAMES[actor]}</text>"
                f"<path class='lane' d='M{LEFT},{y + BAR} H{WIDE}'/>"
            )
            parts += _words(explorer, run, actor, (first, last), scale, y)
            parts += (_bar(bar, (first, last), scale, y) for bar in run.bars if bar.actor == actor)
    parts.append(
        f"<text class='what' x='{LEFT}' y='{2 * high + 12}'>rounds {first:,} to {last:,}</text>"
        "</svg></figure>"
    )
    return "".join(parts)


def _words(
    explorer: Explorer, run: Traced, actor: int, span: tuple[int, int], scale: float, y: int
) -> Iterator[str]:
    """A thread's words in these rounds."""
    first, last = span
    if actor < THREAD_ACTOR or not len(run.issued):
        return
    mine = run.issued[run.issued["thread"] == actor - THREAD_ACTOR]
    units = list(UNITS)
    instructions = explorer.tile.arch.instructions
    for clock, word, origin in mine[["clock", "word", "origin"]].tolist():
        if not first <= clock <= last:
            continue
        row = instructions.find(word)
        unit = next(
            (u for u in units if row is not None and u.startswith(row.unit.rstrip("s"))), ""
        )
        kind = units.index(unit) if unit else len(units)
        line = explorer.source(pusher(origin), pushed_at(origin))
        name = disassemble(word, explorer.tile.arch.name)
        x = LEFT + (clock - first) * scale
        yield (
            f"<rect class='u{kind}' x='{x:.1f}' y='{y}' width='{max(scale * 0.85, 0.8):.1f}' "
            f"height='{BAR}'><title>round {clock:,}: {escape(name)} {escape(line)}</title></rect>"
        )


def _bar(bar: Bar, span: tuple[int, int], scale: float, y: int) -> str:
    """A delay in its actor's lane."""
    first, last = span
    x = LEFT + (bar.first - first) * scale
    wide = max((min(bar.last, last) - bar.first) * scale, 2)
    return (
        f"<rect class='{'late' if bar.late else 'held'}' x='{x:.1f}' y='{y - 2}' "
        f"width='{wide:.1f}' height='{BAR + 4}'><title>{escape(bar.what)}</title></rect>"
    )
