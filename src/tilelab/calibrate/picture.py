"""Predicted against silicon as a picture: both axes logarithmic, a dot for each row."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tilelab.calibrate.results import label
from tilelab.report.svg import COLOURS, dot, drawing, line, text

WIDTH, HEIGHT = 740, 560
LEFT, RIGHT, TOP, BOTTOM = 64, 210, 44, 52


def picture(rows: Sequence[Mapping[str, Any]], near: float = 10) -> str:
    """An SVG of all predicted rows with a plain figure, of what ``--json`` gives for each.

    The band is ``near`` percent each way.
    """
    dots: dict[str, list[tuple[float, float, str]]] = {}
    for row in rows:
        told = f"{row['id']}: {row['what']}"
        for silicon, predicted in row["points"]:
            if min(silicon, predicted) > 0:
                name = label(row["group"], row["chip"])
                dots.setdefault(name, []).append((silicon, predicted, told))
    values = [value for group in dots.values() for dot in group for value in dot[:2]]
    low = math.floor(math.log10(min(values, default=1)))
    high = max(low + 1, math.ceil(math.log10(max(values, default=10))))
    plot = _Plot(low, high)
    title = f"Cycles: predicted against silicon, {sum(map(len, dots.values()))} figures"
    parts = [text(LEFT, 24, title, "title"), plot.band(near), *plot.axes(near)]
    for number, (name, group) in enumerate(dots.items()):
        kind = f"c{number % COLOURS}"
        parts += [plot.dot(*dot, kind) for dot in group]
        y, x = TOP + 16 + 20 * number, WIDTH - RIGHT + 20
        parts.append(dot(x, y - 4, "", kind, 4))
        parts.append(text(x + 12, y, f"{name} ({len(group)})"))
    return drawing(WIDTH, HEIGHT, title, parts)


class _Plot:
    """Both axes, from one power of ten to another."""

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    def x(self, value: float) -> float:
        """Where a figure of silicon's lies."""
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """Where a prediction lies."""
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def dot(self, silicon: float, predicted: float, told: str, kind: str) -> str:
        """A row."""
        return dot(self.x(silicon), self.y(predicted), told, kind)

    def band(self, near: float) -> str:
        """What is no further off than ``near`` percent."""
        first, last = 10.0**self.low, 10.0**self.high
        up, down = 1 + near / 100, 1 - near / 100
        upper = ((first, first), (first, first * up), (last / up, last))
        lower = ((last, last), (last, last * down), (first / down, first))
        points = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in (*upper, *lower))
        return f'<polygon class="band" points="{points}"/>'

    def axes(self, near: float) -> list[str]:
        """Grid, labels, and the line on which a prediction is exact."""
        parts = []
        for power in range(self.low, self.high + 1):
            value = 10.0**power
            x, y, label = self.x(value), self.y(value), f"{value:,g}"
            parts.append(line(x, TOP, x, HEIGHT - BOTTOM, "grid"))
            parts.append(line(LEFT, y, WIDTH - RIGHT, y, "grid"))
            parts.append(text(x, HEIGHT - BOTTOM + 18, label, anchor="middle"))
            parts.append(text(LEFT - 6, y + 4, label, anchor="end"))
        first, last = 10.0**self.low, 10.0**self.high
        parts.append(line(self.x(first), self.y(first), self.x(last), self.y(last), "exact"))
        middle = (LEFT + WIDTH - RIGHT) / 2
        parts.append(text(middle, HEIGHT - 10, f"silicon (band: {near:g} %)", anchor="middle"))
        parts.append(text(8, TOP - 8, "predicted"))
        return parts
