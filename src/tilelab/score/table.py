"""What came of candidates, as a CSV file, which a search goes on from, and as a picture."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tilelab.report.svg import dot, drawing, line, text
from tilelab.score.one import Depth
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import TEXT, read_file, write_whole

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 72, 24, 64, 52
STEPS: Final = 5
ASKED: Final = [depth.name.lower() for depth in Depth]
RIGHT_KIND, BEST_KIND, WRONG_KIND = "c0", "c2", "c1"
NUMBERS: Final = ("cycles", "low", "high", "code_bytes", "lregs", "replay_slots", "findings")


def read(path: Path) -> dict[str, dict[str, Any]]:
    """The rows of a table by their key; none of a file that is not there.

    BadInputError for a file that is no such table.
    """
    if not path.exists():
        return {}
    try:
        lines = csv.DictReader(io.StringIO(read_file(path).decode(TEXT)))
    except UnicodeDecodeError:
        raise BadInputError(f"{path}: not UTF-8 text") from None
    made = {}
    try:
        if not {"key", "asked", "right"} <= set(lines.fieldnames or ()):
            raise ValueError
        for found in lines:
            row: dict[str, Any] = {name: value or None for name, value in found.items()}
            row |= {name: int(row[name]) if row[name] else None for name in NUMBERS}
            if found["right"] not in ("True", "False") or found["asked"] not in ASKED:
                raise ValueError
            made[found["key"]] = row | {"right": found["right"] == "True"}
    except (KeyError, ValueError, csv.Error):
        said = f"line {lines.line_num} is not as tilelab tune writes it"
        raise BadInputError(f"{path}: {said}") from None
    return made


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table whole; None is an empty cell."""
    said = io.StringIO()
    writer = csv.DictWriter(said, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, said.getvalue())


def unit(rows: Sequence[Mapping[str, Any]]) -> str:
    """Which column has the error: ulp, unless no candidate was asked every number."""
    asked = any(row["worst_ulp"] not in (None, "") for row in rows)
    return "worst_ulp" if asked else "largest_error"


def error_of(row: Mapping[str, Any], column: str) -> float | None:
    """The error of a candidate; None if it was not asked."""
    return None if row[column] in (None, "") else float(row[column])


def best(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The right ones that no other right one beats on both cycles and error, the quickest first."""
    column = unit(rows)
    judged = sorted(
        (row["cycles"], error, number)
        for number, row in enumerate(rows)
        if row["right"] and (error := error_of(row, column)) is not None
    )
    made, least = [], math.inf
    for _, error, number in judged:
        if error < least:
            made.append(rows[number])
            least = error
    return made


def picture(rows: Sequence[Mapping[str, Any]], title: str) -> str:
    """An SVG of cycles against error, a dot for each candidate that has both."""
    column = unit(rows)
    dots = [
        (float(row["cycles"]), error, row)
        for row in rows
        if row["cycles"] and (error := error_of(row, column)) is not None and math.isfinite(error)
    ]
    front = best(rows)
    plot = _Plot([x for x, _, _ in dots], [y for _, y, _ in dots], column.replace("_", " "))
    parts = [text(LEFT, 24, title, "title"), *plot.axes()]
    for x, (kind, said) in zip(
        (LEFT, LEFT + 210, LEFT + 290),
        ((BEST_KIND, "none is better on both"), (RIGHT_KIND, "right"), (WRONG_KIND, "wrong")),
        strict=True,
    ):
        parts += [dot(x + 4, 42, "", kind, 4), text(x + 14, 46, said)]
    for cycles, error, row in dots:
        kind = BEST_KIND if row in front else RIGHT_KIND if row["right"] else WRONG_KIND
        told = f"{row['name']}: {cycles:,.0f} cycles, error {error:.4g}"
        parts.append(dot(plot.x(cycles), plot.y(error), told, kind, 4))
    return drawing(WIDTH, HEIGHT, title, parts)


class _Plot:
    """Cycles to the right; errors upwards, by the logarithm of 1 + error."""

    def __init__(self, cycles: Sequence[float], errors: Sequence[float], unit: str) -> None:
        self.unit = unit
        self.least, self.most = min(cycles, default=0.0), max(cycles, default=1.0)
        if self.most == self.least:
            self.least, self.most = self.least * 0.9, self.least * 1.1 + 1
        self.top = max(map(math.log1p, errors), default=0.0) or 1.0

    def x(self, cycles: float) -> float:
        """Where so many cycles lie."""
        share = (cycles - self.least) / (self.most - self.least)
        return LEFT + 12 + share * (WIDTH - LEFT - RIGHT - 24)

    def y(self, error: float) -> float:
        """Where an error lies."""
        return HEIGHT - BOTTOM - math.log1p(error) / self.top * (HEIGHT - TOP - BOTTOM)

    def axes(self) -> list[str]:
        """Grid and labels."""
        parts = []
        for step in range(STEPS):
            share = step / (STEPS - 1)
            cycles = self.least + share * (self.most - self.least)
            error = math.expm1(share * self.top)
            x, y = self.x(cycles), self.y(error)
            parts.append(line(x, TOP, x, HEIGHT - BOTTOM, "grid"))
            parts.append(line(LEFT, y, WIDTH - RIGHT, y, "grid"))
            parts.append(text(x, HEIGHT - BOTTOM + 18, f"{cycles:,.0f}", anchor="middle"))
            parts.append(text(LEFT - 6, y + 4, f"{error:.3g}", anchor="end"))
        parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "cycles", anchor="middle"))
        parts.append(text(8, TOP - 8, self.unit))
        return parts
