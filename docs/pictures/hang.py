"""Draw the hang of docs/debug.md as the debugger sees it: who issued what, and the semaphore.

usage: python docs/pictures/hang.py [--check]

Writes ``hang.svg``; with --check it says whether that is what would be written.
"""

import re
import sys
from html import escape
from pathlib import Path
from typing import NamedTuple

from tilelab.debug import Debugger, Why, changed
from tilelab.tensix import Tile
from tilelab.tensix.tile.feeder import Feeder
from tilelab.tensix.words.assembly import assemble, disassemble

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "debug.md"
PICTURE = HERE / "hang.svg"
SEMAPHORE = 1
LEFT, TOP, COLUMN, ROW, WIDTH = 120, 58, 84, 46, 1010
INK, SOFT, WAIT, GOOD = "#57606a", "#656d76", "#cf222e", "#0969da"
ON_DARK = {INK: "#c9d1d9", SOFT: "#9ea7b3", WAIT: "#ff8182", GOOD: "#6cb6ff"}
STYLE = "".join(f'text[fill="{light}"]{{fill:{dark}}}' for light, dark in ON_DARK.items())


class Moment(NamedTuple):
    """The end of a cycle: what was issued by which thread, the semaphore's value."""

    clock: int
    issued: tuple[tuple[int, str], ...]
    value: int


def program() -> str:
    """The assembly program in the page."""
    found = re.search(r"cat > hang.s <<'END'\n(.*?)\nEND\n", PAGE.read_text(), re.DOTALL)
    assert found is not None, f"{PAGE} has no hang.s"
    return found[1]


def record() -> tuple[list[Moment], int, str]:
    """Run it to its end: the cycles in which words were issued, the end, where thread 1 waits."""
    tile = Tile("blackhole")
    made = Debugger(tile, feed=Feeder(assemble(program(), "blackhole"), tile.state, tile.sources))
    moments = []
    counts = [changed(made.place(f"frontend[{t}].issued")) for t in range(3)]
    while True:
        halt = made.forward(counts)
        if halt.why is not Why.STOP:
            break
        clock = made.clock
        made.go_to(clock - 1)
        words = {t: int(made.state.s.frontend[t].gate_word) for t in halt.hits}
        made.go_to(clock)
        issued = tuple((t, disassemble(word, "blackhole")) for t, word in words.items())
        moments.append(Moment(clock, issued, made.number(f"semaphore[{SEMAPHORE}].value")))
    waits = disassemble(int(made.state.s.frontend[1].wait.word), "blackhole")
    return moments, made.clock, waits


def text(x: float, y: float, content: str, colour: str = INK, more: str = "") -> str:
    """Some text."""
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}" {more}>{escape(content)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str, more: str = "") -> str:
    """A straight line."""
    return f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{colour}" fill="none" {more}/>'


def box(x: float, y: float, width: float, colour: str) -> str:
    """A word's frame, around the middle of its row."""
    fill = f'fill="{colour}" fill-opacity="0.12" stroke="{colour}"'
    return f'<rect x="{x:g}" y="{y - 16:g}" width="{width:g}" height="34" rx="4" {fill}/>'


def drawing(moments: list[Moment], end: int, waits: str) -> str:
    """The picture: a column for each cycle, then the end."""
    rows = {"thread 0": TOP, "thread 1": TOP + ROW, "semaphore 1": TOP + 2 * ROW + 16}
    parts = [text(10, y + 5, name, INK, 'font-weight="600"') for name, y in rows.items()]
    x_of = {m.clock: LEFT + i * COLUMN for i, m in enumerate(moments)}
    last = LEFT + len(moments) * COLUMN
    base, high = rows["semaphore 1"] + 10, 30
    level = base
    for moment in moments:
        x = x_of[moment.clock]
        parts.append(text(x + 4, 26, f"cycle {moment.clock}", SOFT))
        for t, word in moment.issued:
            name, _, operands = word.partition(" ")
            y = rows[f"thread {t}"]
            parts.append(box(x, y, COLUMN - 8, GOOD))
            parts += [text(x + 5, y - 2, name), text(x + 5, y + 12, operands, SOFT)]
        now = base - high * moment.value
        parts.append(line(x, level, x, now, GOOD, 'stroke-width="2"'))
        parts.append(line(x, now, x + COLUMN, now, GOOD, 'stroke-width="2"'))
        parts.append(text(x + 6, now - 5, str(moment.value), GOOD))
        level = now
    y = rows["thread 1"]
    parts.append(text(last + 4, 26, f"... cycle {end}", SOFT))
    parts.append(box(last, y, WIDTH - last - 10, WAIT))
    parts.append(text(last + 8, y - 2, f"{waits}: waits for ever", WAIT))
    parts.append(text(last + 8, y + 12, "nobody posts any more: deadlock", WAIT))
    parts.append(
        line(last, level, WIDTH - 10, level, WAIT, 'stroke-width="2" stroke-dasharray="5 3"')
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {base + 18}" '
        'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="11">\n'
        f"<style>@media(prefers-color-scheme:dark){{{STYLE}}}</style>\n"
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def main(arguments: list[str]) -> int:
    """Draw, or compare with what was drawn."""
    drawn = drawing(*record())
    if "--check" in arguments:
        return 0 if PICTURE.exists() and PICTURE.read_text() == drawn else 1
    PICTURE.write_text(drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
