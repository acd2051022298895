"""Errors of the fidelities as a picture."""

from collections.abc import Sequence

from tilelab.numerics.errors import BINS, Errors
from tilelab.report.svg import drawing, line, text

WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 56, 120, 40, 48


def _x(order: float) -> float:
    span = float(BINS[-1] - BINS[0])
    return LEFT + (order - float(BINS[0])) / span * (WIDTH - LEFT - RIGHT)


def _y(share: float, top: float) -> float:
    return HEIGHT - BOTTOM - share / top * (HEIGHT - TOP - BOTTOM)


def _curve(index: int, row: Errors, top: float) -> str:
    points = [f"{_x(float(BINS[0])):.1f},{_y(0, top):.1f}"]
    for low, high, count in zip(BINS[:-1], BINS[1:], row.histogram, strict=True):
        y = _y(count / row.samples, top)
        points += [f"{_x(float(low)):.1f},{y:.1f}", f"{_x(float(high)):.1f},{y:.1f}"]
    points.append(f"{_x(float(BINS[-1])):.1f},{_y(0, top):.1f}")
    return f'<polyline class="c{index}" points="{" ".join(points)}"/>'


def errors_svg(found: Sequence[Errors], title: str) -> str:
    """Draw the share of results by error, a curve for each fidelity."""
    peak = max(max(row.histogram) / row.samples for row in found)
    top = max(0.1, (int(peak * 10) + 1) / 10)
    parts = [text(WIDTH / 2, 22, title, "title", "middle")]
    for tenth in range(0, round(top * 10) + 1, 1 if top <= 0.5 else 2):
        y = _y(tenth / 10, top)
        parts += [
            line(LEFT, y, WIDTH - RIGHT, y, "grid"),
            text(LEFT - 6, y + 4, f"{tenth * 10}%", anchor="end"),
        ]
    for order in range(-24, 1, 4):
        parts.append(line(_x(order), HEIGHT - BOTTOM, _x(order), HEIGHT - BOTTOM + 5, "axis"))
        parts.append(text(_x(order), HEIGHT - BOTTOM + 20, f"2^{order}", anchor="middle"))
    parts.append(line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "axis"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(text(middle, HEIGHT - 8, "error / sum of |products|", anchor="middle"))
    for index, row in enumerate(found):
        y = TOP + 20 + 22 * index
        x = WIDTH - RIGHT + 14
        parts += [
            _curve(index, row, top),
            f'<rect class="c{index}" x="{x}" y="{y - 9}" width="10" height="10"/>',
            text(x + 16, y, row.fidelity),
        ]
    return drawing(WIDTH, HEIGHT, title, parts)
