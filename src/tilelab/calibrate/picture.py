"""Predicted against silicon as a picture: both axes logarithmic, a dot for each row."""

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from tilelab.calibrate.results import Result, group_and_chip

WIDTH, HEIGHT = 740, 560
LEFT, RIGHT, TOP, BOTTOM = 64, 210, 44, 52
COLOURS = 6
STYLE = """
svg { background: #fff } text { font: 12px sans-serif; fill: #222 } .title { font-size: 14px }
.grid { stroke: #e3e3e3 } .exact { stroke: #666 } .band { fill: #8882 }
circle { stroke-opacity: .9; fill-opacity: .45 }
.g0 { stroke: #0072b2; fill: #0072b2 } .g1 { stroke: #d55e00; fill: #d55e00 }
.g2 { stroke: #009e73; fill: #009e73 } .g3 { stroke: #cc79a7; fill: #cc79a7 }
.g4 { stroke: #b58900; fill: #b58900 } .g5 { stroke: #6c71c4; fill: #6c71c4 }
@media (prefers-color-scheme: dark) {
svg { background: #111 } text { fill: #ddd } .grid { stroke: #2a2a2a } .exact { stroke: #999 } }
"""


def picture(results: Sequence[Result], near: float = 10) -> str:
    """An SVG of all predicted rows with a plain figure; the band is ``near`` percent each way."""
    dots: dict[str, list[tuple[float, float, str]]] = {}
    for result in results:
        told = f"{result.row.id}: {result.row.what}"
        for point in result.points:
            if min(point) > 0:
                dots.setdefault(group_and_chip(result), []).append((*point, told))
    values = [value for group in dots.values() for dot in group for value in dot[:2]]
    low = math.floor(math.log10(min(values, default=1)))
    high = max(low + 1, math.ceil(math.log10(max(values, default=10))))
    plot = _Plot(low, high)
    title = f"Cycles: predicted against silicon, {sum(map(len, dots.values()))} figures"
    parts = [_text(LEFT, 24, title, "title"), plot.band(near), *plot.axes(near)]
    for number, (name, group) in enumerate(dots.items()):
        kind = f"g{number % COLOURS}"
        parts += [plot.dot(*dot, kind) for dot in group]
        y, x = TOP + 16 + 20 * number, WIDTH - RIGHT + 20
        parts.append(f'<circle class="{kind}" cx="{x}" cy="{y - 4}" r="4"/>')
        parts.append(_text(x + 12, y, f"{name} ({len(group)})"))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
    return (
        f'{head} aria-label="{escape(title)}">\n<style>{STYLE}</style>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


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
        place = f'cx="{self.x(silicon):.1f}" cy="{self.y(predicted):.1f}"'
        return f'<circle class="{kind}" {place} r="3"><title>{escape(told)}</title></circle>'

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
            parts.append(_line(x, TOP, x, HEIGHT - BOTTOM, "grid"))
            parts.append(_line(LEFT, y, WIDTH - RIGHT, y, "grid"))
            parts.append(_text(x, HEIGHT - BOTTOM + 18, label, anchor="middle"))
            parts.append(_text(LEFT - 6, y + 4, label, anchor="end"))
        first, last = 10.0**self.low, 10.0**self.high
        parts.append(_line(self.x(first), self.y(first), self.x(last), self.y(last), "exact"))
        middle = (LEFT + WIDTH - RIGHT) / 2
        parts.append(_text(middle, HEIGHT - 10, f"silicon (band: {near:g} %)", anchor="middle"))
        parts.append(_text(8, TOP - 8, "predicted"))
        return parts


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{escape(text)}</text>'
