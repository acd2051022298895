"""What a comparison with silicon gives: a result for each row, and a summary for each group."""

import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from tilelab.calibrate.families import Answer, answer
from tilelab.calibrate.llk import PendingError
from tilelab.calibrate.off import reason
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.rows import NUMBER, Row, chips_of, ranked

LIMITS = (5, 10, 15)
PREDICTED, NOT_RUN = "predicted", "not run"


@dataclass(frozen=True)
class Result:
    """A row and what the model gives for it; ``error`` in percent of silicon."""

    row: Row
    answer: Answer

    @property
    def status(self) -> str:
        """``predicted`` or ``not run``."""
        return NOT_RUN if self.answer.predicted is None else PREDICTED

    @property
    def error(self) -> float | None:
        """Percent of the published figure; None if there is no prediction, or no plain figure."""
        if self.answer.parts:
            return max((part.error for part in self.answer.parts), key=abs)
        predicted = self.answer.predicted
        return None if predicted is None else self.row.error(predicted)

    @property
    def reason(self) -> str:
        """Why there is no prediction, or why it is more than a tenth off."""
        return self.answer.reason or reason(self.row.what, self.error)

    @property
    def ranked(self) -> bool | None:
        """Whether a change is faster or slower as on silicon; None if it has not been asked."""
        return ranked(self.answer.parts)

    @property
    def points(self) -> list[tuple[float, float]]:
        """Silicon's and predicted figures: one, or each that the row publishes."""
        if self.answer.parts:
            return [(part.silicon, part.predicted) for part in self.answer.parts]
        span, predicted = self.row.span, self.answer.predicted
        if span is None or predicted is None or math.isinf(span[1]):  # a bound is no point
            return []
        return [(sum(span) / 2, predicted)]

    def document(self) -> dict[str, Any]:
        """The result as ``--json`` gives it."""
        value = self.row.value
        plain = re.fullmatch(NUMBER, value)
        return {
            "id": self.row.id,
            "chip": self.row.chip,
            "group": self.row.group,
            "split": self.row.split,
            "what": self.row.what,
            "unit": self.row.unit,
            "source": self.row.source,
            "status": self.status,
            "silicon": float(value.replace(",", "")) if plain else value,
            "predicted": self.answer.predicted,
            "low": self.answer.low,
            "high": self.answer.high,
            "inside": inside(self),
            "error": self.error,
            "mechanism": self.answer.mechanism.name,
            "reason": self.reason,
            "state": self.answer.state,
            "parts": [asdict(part) for part in self.answer.parts],
            "ranked": self.ranked,
            "points": self.points,
        }


@dataclass(frozen=True)
class Summary:
    """Errors of some rows: how many rows there are, how many are predicted, how far they are."""

    name: str
    rows: int
    errors: tuple[float, ...]
    inside: int
    """Rows whose published figure lies within the stated interval."""

    @property
    def median(self) -> float:
        """The middle error, in percent, without its sign."""
        return median(map(abs, self.errors))

    def within(self, limit: float) -> int:
        """Rows that are off by no more than so many percent."""
        return sum(abs(error) <= limit for error in self.errors)


def compare(
    bench: Perfbench, rows: Sequence[Row], note: Callable[[str], None] = lambda text: None
) -> list[Result]:
    """Ask the model for each row; ``note`` is told which one is asked.

    The vendor's tests that rows need are run together, and those rows are then asked again.
    """
    found: dict[int, Answer] = {}
    while left := [number for number in range(len(rows)) if number not in found]:
        for number in left:
            note(f"{number} of {len(rows)}: {rows[number].what}")
            with suppress(PendingError):
                found[number] = answer(bench, rows[number])
        bench.run(note)
    return [Result(row, found[number]) for number, row in enumerate(rows)]


def summaries(results: Sequence[Result], name: Callable[[Result], str]) -> list[Summary]:
    """A summary for each name that results have, in the order of their first."""
    named: dict[str, list[Result]] = {}
    for result in results:
        named.setdefault(name(result), []).append(result)
    found = []
    for key, members in named.items():
        errors = tuple(r.error for r in members if r.error is not None)
        found.append(Summary(key, len(members), errors, sum(map(inside, members))))
    return found


def inside(result: Result) -> bool:
    """Whether silicon's figure lies within the stated interval; of several, each of them."""
    answer = result.answer
    if answer.parts:
        return all(
            abs(part.silicon - part.predicted) <= answer.off(part.predicted)
            for part in answer.parts
        )
    low, high = answer.low, answer.high
    if low is None or high is None:
        return False
    return any(low <= span[1] and span[0] <= high for span in result.row.spans)


def label(group: str, chip: str) -> str:
    """``A1 blackhole``: the group's number and the chip, as a table has them."""
    return f"{group.partition(' ')[0]} {'/'.join(chips_of(chip)) or chip}"


def group_and_chip(result: Result) -> str:
    """The same of a result."""
    return label(result.row.group, result.row.chip)
