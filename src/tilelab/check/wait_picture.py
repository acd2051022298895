"""The wait-for graph as a picture: who waits on the left of whom, a circle in another colour.

Everybody has a column of their own, in the order in which they are met from the waits' beginnings;
an edge is an arc above if its holder is to the right, below if to the left, with its words listed
under the picture by number.
"""

from collections.abc import Iterator
from html import escape
from typing import Final

from tilelab.check.waits import Wait, WaitGraph

WIDTH: Final = 128
"""From one column to the next."""
BOX: Final = 84
HIGH: Final = 30
STEP: Final = 22
"""How much higher an arc is for each column that it spans."""
LINE: Final = 17
MARGIN: Final = 12


def picture(graph: WaitGraph) -> str:
    """The graph as SVG, which takes its colours from the page."""
    names = columns(graph)
    place = {name: MARGIN + BOX / 2 + WIDTH * i for i, name in enumerate(names)}
    spans = [names.index(edge.holder) - names.index(edge.waiter) for edge in graph.edges]
    above = MARGIN + STEP * max((span for span in spans if span > 0), default=0) + 8
    below = STEP * max((-span for span in spans if span < 0), default=0) + 16
    words = above + HIGH + below
    height = words + LINE * len(graph.edges) + MARGIN
    width = max(WIDTH * len(names) + MARGIN, 760)
    around = {edge.waiter for edge in graph.circle}
    parts = [
        f"<svg viewBox='0 0 {width:.0f} {height:.0f}' width='{width:.0f}' role='img' "
        "aria-label='who waits for whom'>"
    ]
    for name, x in place.items():
        mark = " class='around'" if name in around else ""
        parts.append(
            f"<rect{mark} x='{x - BOX / 2:.0f}' y='{above:.0f}' width='{BOX}' height='{HIGH}' "
            f"rx='6'/><text x='{x:.0f}' y='{above + 20:.0f}' text-anchor='middle'>"
            f"{escape(name)}</text>"
        )
    for number, edge in enumerate(graph.edges, 1):
        mark = "around " if edge in graph.circle else ""
        parts += _arc(place[edge.waiter], place[edge.holder], above, number, mark)
        y = words + LINE * number
        parts.append(f"<text class='what' x='{MARGIN}' y='{y:.0f}'>{_words(number, edge)}</text>")
    return "".join([*parts, "</svg>"])


def columns(graph: WaitGraph) -> list[str]:
    """Everybody in the graph, each before whom they wait for where that can be."""
    after: dict[str, list[str]] = {}
    for edge in graph.edges:
        after.setdefault(edge.waiter, []).append(edge.holder)
    held = {edge.holder for edge in graph.edges}
    starts = [name for name in after if name not in held] or list(after)
    found: list[str] = []
    for name in [*starts, *after]:
        _visit(name, after, found)
    return found[::-1]


def _visit(name: str, after: dict[str, list[str]], found: list[str], *open_now: str) -> None:
    if name in found or name in open_now:
        return
    for holder in after.get(name, ()):
        _visit(holder, after, found, *open_now, name)
    found.append(name)


def _words(number: int, edge: Wait) -> str:
    text = f"{number}. {edge}"
    return escape(text if len(text) < 140 else text[:139] + "…")


def _arc(start: float, end: float, top: float, number: int, mark: str) -> Iterator[str]:
    """An arrow from one box to another, with its number."""
    right = end > start
    span = abs(end - start) / WIDTH
    side = -1 if right else 1
    y = top if right else top + HIGH
    tip = y + side * 7
    peak = y + side * (STEP * span + 6)
    start, end = (start + 14, end - 14) if right else (start - 14, end + 14)
    yield (
        f"<path class='{mark}edge' d='M{start:.0f},{y:.0f} C{start:.0f},{peak:.0f} "
        f"{end:.0f},{peak:.0f} {end:.0f},{tip:.0f}'/>"
        f"<path class='{mark}head' d='M{end:.0f},{y:.0f} l-4,{side * 8} l8,0 z'/>"
    )
    middle = y + side * 0.75 * (STEP * span + 6)
    x = (start + end) / 2
    yield (
        f"<rect x='{x - 9:.0f}' y='{middle - 8:.0f}' width='18' height='16' rx='8'/>"
        f"<text x='{x:.0f}' y='{middle + 4:.0f}' text-anchor='middle'>{number}</text>"
    )
