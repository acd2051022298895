"""Errors of the fidelities as a picture."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from tilelab.numerics.errors import BINS, Errors

WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 56, 120, 40, 48
STYLE = """
svg { background: #fff } text { font: 12px sans-serif; fill: #222 } .title { font-size: 14px }
.grid { stroke: #ddd } .axis { stroke: #666 } polyline { fill: none; stroke-width: 2 }
.f0 { stroke: #0072b2; fill: #0072b2 } .f1 { stroke: #d55e00; fill: #d55e00 }
.f2 { stroke: #009e73; fill: #009e73 } .f3 { stroke: #cc79a7; fill: #cc79a7 }
polyline.f0, polyline.f1, polyline.f2, polyline.f3 { fill: none }
@media (prefers-color-scheme: dark) {
svg { background: #111 } text { fill: #ddd } .grid { stroke: #333 } .axis { stroke: #999 } }
"""


def _x(order: float) -> float:
    span = float(BINS[-1] - BINS[0])
    return LEFT + (order - float(BINS[0])) / span * (WIDTH - LEFT - RIGHT)


def _y(share: float, top: float) -> float:
    return HEIGHT - BOTTOM - share / top * (HEIGHT - TOP - BOTTOM)


def _text(x: float, y: float, text: str, anchor: str = "middle", kind: str = "") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _curve(index: int, row: Errors, top: float) -> str:
    points = [f"{_x(float(BINS[0])):.1f},{_y(0, top):.1f}"]
    for low, high, count in zip(BINS[:-1], BINS[1:], row.histogram, strict=True):
        y = _y(count / row.samples, top)
        points += [f"{_x(float(low)):.1f},{y:.1f}", f"{_x(float(high)):.1f},{y:.1f}"]
    points.append(f"{_x(float(BINS[-1])):.1f},{_y(0, top):.1f}")
    return f'<polyline class="f{index}" points="{" ".join(points)}"/>'


def errors_svg(found: Sequence[Errors], title: str) -> str:
    """Draw the share of results by error, a curve for each fidelity."""
    peak = max(max(row.histogram) / row.samples for row in found)
    top = max(0.1, (int(peak * 10) + 1) / 10)
    parts = [_text(WIDTH / 2, 22, title, kind="title")]
    for tenth in range(0, round(top * 10) + 1, 1 if top <= 0.5 else 2):
        y = _y(tenth / 10, top)
        parts += [
            _line(LEFT, y, WIDTH - RIGHT, y, "grid"),
            _text(LEFT - 6, y + 4, f"{tenth * 10}%", "end"),
        ]
    for order in range(-24, 1, 4):
        parts.append(_line(_x(order), HEIGHT - BOTTOM, _x(order), HEIGHT - BOTTOM + 5, "axis"))
        parts.append(_text(_x(order), HEIGHT - BOTTOM + 20, f"2^{order}"))
    parts.append(_line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "axis"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "error / sum of |products|"))
    for index, row in enumerate(found):
        y = TOP + 20 + 22 * index
        x = WIDTH - RIGHT + 14
        parts += [
            _curve(index, row, top),
            f'<rect class="f{index}" x="{x}" y="{y - 9}" width="10" height="10"/>',
            _text(x + 16, y, row.fidelity, "start"),
        ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}">\n<style>{STYLE}</style>\n' + "\n".join(parts) + "\n</svg>\n"
    )
