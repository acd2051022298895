"""A comparison of PTO protocols as a picture: cycles by depth, a line for each protocol."""

from math import ceil

from tilelab.pto.compare import Comparison
from tilelab.report.svg import COLOURS, dot, drawing, line, text

LEFT, TOP, WIDTH, HEIGHT = 80, 44, 460, 300
RIGHT = 210


def picture(comparison: Comparison, title: str) -> str:
    """An SVG: what is not safe has no dot, and is named at the side as such."""
    rows = comparison.safe
    depths = sorted({row.depth for row in comparison.rows})
    most = max((row.cycles for row in rows), default=1)
    top = _round_up(most)

    def x(depth: int) -> float:
        return LEFT + WIDTH * (depths.index(depth) + 0.5) / len(depths)

    def y(cycles: float) -> float:
        return TOP + HEIGHT * (1 - cycles / top)

    parts = [text(LEFT, 20, f"{title}: cycles by SlotNum", "title")]
    for part in range(5):
        at = top * part / 4
        parts.append(line(LEFT, y(at), LEFT + WIDTH, y(at), "axis" if not part else "grid"))
        parts.append(text(LEFT - 8, y(at) + 4, f"{round(at):,}", anchor="end"))
    for depth in depths:
        parts.append(text(x(depth), TOP + HEIGHT + 18, str(depth), anchor="middle"))
    for number, protocol in enumerate(comparison.protocols):
        colour = f"c{number % COLOURS}"
        dashed = ' stroke-dasharray="6 4"' if number >= COLOURS else ""
        mine = [row for row in rows if row.protocol == protocol]
        named = next(row.name for row in comparison.rows if row.protocol == protocol)
        points = " ".join(f"{x(row.depth):.1f},{y(row.cycles):.1f}" for row in mine)
        if points:
            parts.append(f'<polyline class="{colour}"{dashed} points="{points}"/>')
        for row in mine:
            told = f"{row.name}, {row.depth} slots: {round(row.cycles):,} cycles"
            parts.append(dot(x(row.depth), y(row.cycles), told, colour))
        height = TOP + 14 + 20 * number
        at = LEFT + WIDTH + 8
        ends = f"{at},{height - 4} {at + 22},{height - 4}"
        parts.append(f'<polyline class="{colour}"{dashed} points="{ends}"/>')
        said = named if mine else f"{named}: never safe"
        parts.append(text(at + 28, height, said))
    return drawing(LEFT + WIDTH + RIGHT, TOP + HEIGHT + 34, title, parts)


def _round_up(value: float) -> float:
    """A round number that is no less."""
    unit = 10.0 ** (len(str(int(value))) - 1)
    return float(ceil(value / unit) * unit)
