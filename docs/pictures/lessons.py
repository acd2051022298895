"""Draws the lessons' pictures: what each thread does in each cycle of a lesson's first program.

usage: python docs/pictures/lessons.py [--check]
"""

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from html import escape
from pathlib import Path

from tilelab.sim.errors import MachineError
from tilelab.tensix import Tile, assemble
from tilelab.tensix.cycle import events
from tilelab.tensix.programs.assembly_run import run_program
from tilelab.tensix.report import palette
from tilelab.trace.recorded import Recorded

HERE = Path(__file__).parent
LESSONS = HERE.parent / "lessons"
PROGRAM = re.compile(r"^cat > \w+\.s <<'EOF'\n(.*?)^EOF$", re.M | re.S)
ISSUED = 0
LEFT, WIDTH, ROW, TOP = 80, 720, 26, 24
MOST_CYCLES = 60
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1b1f27}.on{fill:#10131a}"
    "@media(prefers-color-scheme:dark){text{fill:#e6e9ef}.on{fill:#10131a}}"
)


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
        shown = escape(name) if width > 6.6 * len(name) + 4 else ""
        text = f'<text class="on" x="{x + 3:.1f}" y="{y + 14}">{shown}</text>' if shown else ""
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


def picture(recording: Recorded, cycles: range, named: tuple[int, ...] = ()) -> str:
    """The picture of some cycles of a run; of threads that issue something or are named."""
    threads = [t for t in range(3) if len(recording.of(events.ISSUE, t)) or t in named]
    height = TOP + ROW * 3 + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 10} {height}">',
        f"<style>{STYLE}</style>",
    ]
    step = max(1, len(cycles) // 10)
    for cycle in cycles[::step]:
        x = LEFT + (cycle - cycles.start) * WIDTH / len(cycles)
        parts.append(f'<text x="{x:.1f}" y="14">{cycle}</text>')
    parts.append('<text x="4" y="14">cycle</text>')
    for t in range(3):
        parts.append(f'<text x="4" y="{TOP + ROW * t + 14}">thread {t}</text>')
        parts += bars(recording, t, cycles) if t in threads else ()
    return "\n".join([*parts, "</svg>"]) + "\n"


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
