"""Published figures: a table of rows, each a figure of silicon with its exact conditions."""

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tilelab.sim.errors import BadInputError
from tilelab.sim.files import read_file

COLUMNS = ("id", "chip", "what", "value")
"""Columns that a table must have."""
OTHERS = ("conditions", "unit", "source", "group", "split", "can_we_run", "quote")
"""Columns that are read if it has them."""
SPLITS = ("fit", "hold")
LARGEST = 64 << 20
NUMBER = r"\d[\d,]*(?:\.\d+)?"
OTHER_LEVEL = "the other level is"


def chips_of(text: str) -> tuple[str, ...]:
    """Names of the chips that a text names as WH or BH."""
    named = (("WH", "wormhole"), ("BH", "blackhole"))
    return tuple(name for short, name in named if re.search(rf"\b{short}", text))


@dataclass(frozen=True)
class Row:
    """A figure. ``value`` is as published: a number, or a range, or one of several."""

    id: str
    chip: str
    what: str
    value: str
    conditions: str = ""
    unit: str = ""
    source: str = ""
    group: str = ""
    split: str = ""
    can_we_run: str = ""
    quote: str = ""

    @property
    def chips(self) -> tuple[str, ...]:
        """Names of the chips that it is of: blackhole, wormhole or none."""
        return chips_of(self.chip)

    @property
    def span(self) -> tuple[float, float] | None:
        """The least and the most that its value allows; None if it is no number.

        ``a-b`` and ``a or b`` are ranges; of ``a -> b`` (before and after a change) the second
        counts. What is above a lower bound is as it should be.
        """
        text = self.value.rpartition("->")[2].strip().lstrip("~ ")
        if found := re.fullmatch(rf"({NUMBER}) *(?:-|or) *({NUMBER})", text):
            return _number(found[1]), _number(found[2])
        if found := re.fullmatch(rf"[>≥]?=? *({NUMBER})", text):
            least = _number(found[1])
            return least, math.inf if "lower bound" in self.what else least
        return None

    @property
    def change(self) -> tuple[float, float] | None:
        """The figures before and after a change, of ``a -> b`` and of ``a / b`` old and new."""
        old = " / " if re.search(r": old kernel / ", self.what) else "->"
        texts = [text.strip() for text in self.value.split(old)]
        if len(texts) != 2 or not all(re.fullmatch(NUMBER, text) for text in texts):
            return None
        return _number(texts[0]), _number(texts[1])

    @property
    def numbers(self) -> list[float]:
        """The figures of a value that states several, such as ``5 / 3 / 1 per 32 lanes``."""
        return [_number(text) for text in re.findall(NUMBER, self.value.partition(" per ")[0])]

    @property
    def spans(self) -> tuple[tuple[float, float], ...]:
        """Its span, and another measured level where its conditions name one; none: no number."""
        if self.span is None:
            return ()
        found = re.search(rf"{OTHER_LEVEL} ({NUMBER})", self.conditions)
        return (self.span, (_number(found[1]),) * 2) if found else (self.span,)

    def error(self, predicted: float) -> float | None:
        """How far a prediction is off, in percent of the nearest value allowed."""
        nearest = [min(max(predicted, low), high) for low, high in self.spans]
        errors = [100 * (predicted - value) / value for value in nearest if value]
        return min(errors, key=abs, default=None)


@dataclass(frozen=True)
class Part:
    """One of several figures that a row publishes together: its name, silicon's, the model's."""

    name: str
    silicon: float
    predicted: float

    @property
    def error(self) -> float:
        """Percent of silicon's."""
        return 100 * (self.predicted - self.silicon) / self.silicon


BEFORE, AFTER = "before", "after"
"""Names of the parts of a row that has a figure before a change and one after it."""
ALIKE = 1.0
"""Figures that differ by no more than so many percent are no gain and no loss."""


def ranked(parts: Sequence[Part]) -> bool | None:
    """Whether the model has a change as silicon has it: faster, slower, or neither.

    None if it was not asked for both.
    """
    found = {part.name: part for part in parts}
    if not {BEFORE, AFTER} <= found.keys():
        return None
    old, new = found[BEFORE], found[AFTER]
    return _direction(old.silicon, new.silicon) == _direction(old.predicted, new.predicted)


def _direction(old: float, new: float) -> int:
    gain = 100 * (old - new) / old
    return 0 if abs(gain) <= ALIKE else 1 if gain > 0 else -1


Figures = float | dict[str, float] | list[Part]
"""What the model gives for a row: a figure, one for each state in which a card may have been, or
one for each that the row publishes."""


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _two_levels(rows: list[Row]) -> list[Row]:
    """The rows, where ``same, ...`` is the other level of what the row before it is of."""
    found: list[Row] = []
    for row in rows:
        if found and (said := re.match(r"same, (.*)", row.what)):
            one = found[-1]
            found[-1] = replace(one, conditions=f"{one.conditions}; {OTHER_LEVEL} {row.value}")
            what, conditions = (
                f"{one.what}; {said[1]}",
                f"{row.conditions}; {OTHER_LEVEL} {one.value}",
            )
            row = replace(row, what=what, conditions=conditions)
        found.append(row)
    return found


def read_rows(path: Path, split: str | None = None) -> list[Row]:
    """Rows of a table of tab-separated columns, only those of a split if one is named.

    BadInputError for what is no such table, and for a split that is not ``fit`` or ``hold``.
    """
    if split is not None and split not in SPLITS:
        raise BadInputError(f"--split {split}: choose fit or hold")
    text = read_file(path, LARGEST).decode("utf-8-sig", errors="replace")
    lines = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    heads = next(lines, [])
    if missing := [name for name in COLUMNS if name not in heads]:
        raise BadInputError(f"{path}: no column {missing[0]!r}: a table of {', '.join(COLUMNS)}")
    if len(set(heads)) != len(heads):
        raise BadInputError(f"{path}: two columns have one name")
    if split is not None and "split" not in heads:
        raise BadInputError(f"{path}: no column 'split', so --split {split} chooses nothing")
    rows, seen = [], set()
    for number, cells in enumerate(lines, 2):
        if not cells:
            continue
        if len(cells) != len(heads):
            raise BadInputError(f"{path}:{number}: {len(cells)} columns, not {len(heads)}")
        given = dict(zip(heads, cells, strict=True))
        if not given["id"] or given["id"] in seen:
            raise BadInputError(f"{path}:{number}: id {given['id']!r} is not a new one")
        seen.add(given["id"])
        row = Row(**{name: given[name] for name in (*COLUMNS, *OTHERS) if name in given})
        rows.append(row)
    return [row for row in _two_levels(rows) if split in (None, row.split)]
