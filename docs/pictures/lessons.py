"""Draws the lessons' pictures: what each thread does in each cycle of a lesson's first program.

usage: python docs/pictures/lessons.py [--check]
"""

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from html import escape
from pathlib import Path

from tilelab.kernels.assembly_run import run_program
from tilelab.report import palette
from tilelab.sim.errors import MachineError
from tilelab.tensix import Tile, assemble
from tilelab.tensix.cycle import events
from tilelab.trace.recorded import Recorded

HERE = Path(__file__).parent
LESSONS = HERE.parent / "lessons"
PROGRAM = re.compile(r"^cat > \w+\.s <<'EOF'\n(.*?)^EOF$", re.M | re.S)
ISSUED = 0
LEFT, WIDTH, ROW, TOP = 80, 720, 26, 24
MOST_CYCLES = 60
STEPS = (1, 2, 5, 10, 20, 50, 100)
DARK, LIGHT = "#10131a", "#ffffff"
STYLE = (
    f"text{{font:12px system-ui,sans-serif;fill:#1b1f27}}.on{{fill:{DARK}}}.off{{fill:{LIGHT}}}"
    f"@media(prefers-color-scheme:dark){{text{{fill:#e6e9ef}}.on{{fill:{DARK}}}.off{{fill:{LIGHT}}}}}"
)
FEWEST_LETTERS = 3
"""Of a name that is cut."""


def wide(text: str) -> float:
    """About how wide a text is, in the widest of the usual fonts."""
    return sum(8.6 if c.isupper() else 7.3 if c.isalnum() else 5.0 for c in text)


def fitting(name: str, width: float) -> str:
    """As much of a name as there is room for; "" if that is hardly any."""
    if wide(name) <= width:
        return name
    most = max((n for n in range(len(name)) if wide(name[:n] + "…") <= width), default=0)
    return f"{name[:most].rstrip()}…" if most >= FEWEST_LETTERS else ""


def luminance(colour: str) -> float:
    """WCAG's relative luminance of ``#rrggbb``."""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (s / 12.92 if s <= 0.03928 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ink(colour: str) -> str:
    """The class of the text that can be read better on a colour."""
    light = luminance(colour) + 0.05
    return "off" if 1.05 / light >= light / (luminance(DARK) + 0.05) else "on"


def record(text: str) -> tuple[Recorded, range]:
    """A program's run under the cycle clock, up to what ends it, and the cycles to show."""
    tile = Tile(clock="cycle", engine="reference")
    recording = Recorded(tile)
    with suppress(MachineError):  # a fault to find: the picture ends where it ends
        run_program(assemble(text), tile, 10_000)
    last = max((int(row["clock"]) for row in recording.of(events.ISSUE)), default=0)
    return recording, range(min(MOST_CYCLES, last + 8, recording.end))


def bars(recording: Recorded, thread: int, cycles: range) -> Iterator[str]:
    """What a thread does, as rectangles with words in them."""
    scale, y = WIDTH / len(cycles), TOP + ROW * thread

    def bar(start: int, stop: int, colour: str, name: str) -> str:
        first, last = max(start, cycles.start), min(stop, cycles.stop)
        x, width = LEFT + (first - cycles.start) * scale, (last - first) * scale
        shape = f'<rect x="{x:.1f}" y="{y}" width="{max(width - 0.6, 0.8):.1f}"'
        shape += f' height="{ROW - 6}" rx="2"'
        shown = escape(fitting(name, width - 6))
        text = f'<text class="{ink(colour)}" x="{x + 3:.1f}" y="{y + 14}">{shown}</text>'
        text = text if shown else ""
        return f'{shape} fill="{colour}"><title>{escape(name)}</title></rect>{text}'

    for span in recording.states(events.GATE, thread):
        if span.value != ISSUED and span.start < cycles.stop and span.end > cycles.start:
            name = recording.gate_cause(span.value, span.extra)
            yield bar(span.start, span.end, palette.CAUSES[span.value][0], name)
    units = palette.UNITS
    for row in recording.of(events.ISSUE, thread):
        if int(row["clock"]) in cycles:
            colours = units.get(recording.unit_of(int(row["value"])), palette.OTHER)
            name = recording.mnemonic(int(row["value"]))
            yield bar(int(row["clock"]), int(row["clock"]) + 1, colours[0], name)


def legend(recording: Recorded, cycles: range) -> list[tuple[str, str]]:
    """The colours in the picture, each with what it means: units of words, causes of bubbles."""
    found: dict[str, str] = {}
    for t in range(3):
        for row in recording.of(events.ISSUE, t):
            if int(row["clock"]) in cycles:
                unit = recording.unit_of(int(row["value"]))
                found[palette.UNITS.get(unit, palette.OTHER)[0]] = unit.replace("_", " ")
    for t in range(3):
        for span in recording.states(events.GATE, t):
            if span.value != ISSUED and span.start < cycles.stop and span.end > cycles.start:
                cause = recording.gate_cause(span.value, span.extra).partition(":")[0]
                found[palette.CAUSES[span.value][0]] = cause
    return list(found.items())


def keys(named: list[tuple[str, str]], top: int) -> tuple[list[str], int]:
    """The legend below the threads, in lines; how high it is."""
    parts, x, y = [], float(LEFT), top
    for colour, name in named:
        if x > LEFT and x + 18 + wide(name) > LEFT + WIDTH:
            x, y = float(LEFT), y + 20
        parts.append(
            f'<rect x="{x:.1f}" y="{y}" width="11" height="11" rx="2" fill="{colour}"/>'
            f'<text x="{x + 16:.1f}" y="{y + 10}">{escape(name)}</text>'
        )
        x += 30 + wide(name)
    return parts, y - top + 20


def picture(recording: Recorded, cycles: range, named: tuple[int, ...] = ()) -> str:
    """The picture of some cycles of a run; of threads that issue something or are named."""
    threads = [t for t in range(3) if len(recording.of(events.ISSUE, t)) or t in named]
    below, more = keys(legend(recording, cycles), TOP + ROW * 3 + 6)
    height = TOP + ROW * 3 + 6 + more
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 10} {height}">',
        f"<style>{STYLE}</style>",
    ]
    step = next(step for step in STEPS if len(cycles) <= 15 * step)
    for cycle in range(-(-cycles.start // step) * step, cycles.stop, step):
        x = LEFT + (cycle - cycles.start) * WIDTH / len(cycles)
        parts.append(f'<text x="{x:.1f}" y="14">{cycle}</text>')
    parts.append('<text x="4" y="14">cycle</text>')
    for t in range(3):
        parts.append(f'<text x="4" y="{TOP + ROW * t + 14}">thread {t}</text>')
        parts += bars(recording, t, cycles) if t in threads else ()
    return "\n".join([*parts, *below, "</svg>"]) + "\n"


def used(text: str) -> tuple[int, ...]:
    """The threads that a program is for."""
    return assemble(text).threads


def pictures() -> dict[Path, str]:
    """Every lesson's picture, by its file."""
    made = {}
    for page in sorted(LESSONS.glob("[0-9]*.md")):
        found = PROGRAM.search(page.read_text(encoding="utf-8"))
        assert found, f"{page.name} has no program"
        made[HERE / "lessons" / f"{page.stem}.svg"] = picture(*record(found[1]), used(found[1]))
    return made


def main(made: dict[Path, str]) -> int:
    """Write the pictures, or with ``--check`` say which are not current; return the exit code."""
    stale = [
        (path, text)
        for path, text in made.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in stale:
        print(path.name)
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main(pictures()))
