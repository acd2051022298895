"""What pictures of figures are made of: text, lines, and the drawing around them."""

from collections.abc import Iterable
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from tilelab.sim.texts import text_of

COLOURS: Final = 6
"""Classes ``c0`` to ``c5`` are colours that also colour-blind people tell apart."""
STYLE: Final = "\n" + text_of(__package__, "svg.css")


def drawing(width: int, height: int, title: str, parts: Iterable[str]) -> str:
    """An SVG of so many units, light or dark as its reader's screen is."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
    body = "\n".join(parts)
    return f"{head} aria-label={quoteattr(title)}>\n<style>{STYLE}</style>\n{body}\n</svg>\n"


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A line."""
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def text(x: float, y: float, said: str, kind: str = "", anchor: str = "start") -> str:
    """A line of text."""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{escape(said)}</text>'


def dot(x: float, y: float, told: str, kind: str, radius: int = 3) -> str:
    """A dot; ``told``, if anything, is shown to who points at it."""
    place = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius}"'
    title = f"<title>{escape(told)}</title>" if told else ""
    return f'<circle class="{kind}" {place}>{title}</circle>'
