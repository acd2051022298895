"""Draw the pictures of the documentation from real runs.

usage: python docs/pictures/make.py [FOLDER]

Writes ``expansion-light.svg`` and ``expansion-dark.svg``: what one MOP of examples/matmul becomes.
"""

import sys
from html import escape
from pathlib import Path

from record import Issued, Recording, record, spell

HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parents[1] / "examples" / "matmul"

LIGHT = {
    "paper": "#ffffff", "card": "#f6f8fa", "line": "#d0d7de", "text": "#1f2328", "soft": "#59636e",
    "LoopOp": "#0969da", "Loop0Last": "#8250df", "EndOp0": "#bc4c00",
}  # fmt: skip
DARK = {
    "paper": "#0d1117", "card": "#151b23", "line": "#3d444d", "text": "#f0f6fc", "soft": "#a0a8b1",
    "LoopOp": "#58a6ff", "Loop0Last": "#bc8cff", "EndOp0": "#f0883e",
}  # fmt: skip
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SANS = "-apple-system, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif"
WIDTH, HEIGHT = 1060, 560
TOP, ROW = 150, 22
LEFT, LEFT_WIDTH = 16, 338
MIDDLE, MIDDLE_WIDTH = 396, 384
RIGHT, RIGHT_WIDTH = 816, 228
CELL = 52
EMITTED_TOP, EMITTED_ROW = 304, 26
ROWS_AT = (284, 332, 372)


class Drawing:
    """SVG elements in one palette."""

    def __init__(self, palette: dict[str, str]) -> None:
        self.colour = palette
        self.parts: list[str] = []

    def text(
        self, x: float, y: float, text: str, colour: str = "text", size: int = 12,
        mono: bool = True, bold: bool = False, anchor: str = "start",
    ) -> None:  # fmt: skip
        """A line of text; ``y`` is its baseline."""
        weight = ' font-weight="600"' if bold else ""
        align = f' text-anchor="{anchor}"' if anchor != "start" else ""
        kind = "m" if mono else "s"
        self.parts.append(
            f'<text class="{kind}" x="{x:g}" y="{y:g}" font-size="{size}"{weight}{align} '
            f'fill="{self.colour[colour]}">{escape(text, quote=False)}</text>'
        )

    def box(
        self, x: float, y: float, width: float, height: float,
        fill: str = "card", line: str = "line", opacity: float = 1, radius: int = 8,
    ) -> None:  # fmt: skip
        """A rounded rectangle; ``opacity`` is its filling's."""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}" '
            f'fill="{self.colour[fill]}" fill-opacity="{opacity:g}" stroke="{self.colour[line]}"/>'
        )

    def arrow(self, path: str, colour: str) -> None:
        """A line with a head at its end."""
        self.parts.append(
            f'<path d="{path}" fill="none" stroke="{self.colour[colour]}" stroke-width="1.6" '
            f'marker-end="url(#{colour})"/>'
        )

    def finish(self, title: str) -> str:
        """The whole document."""
        heads = "".join(
            f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            f'markerHeight="7" orient="auto"><path d="M0,0.5 L8,4 L0,7.5 z" '
            f'fill="{self.colour[name]}"/></marker>'
            for name in ("soft", "LoopOp", "Loop0Last", "EndOp0")
        )
        body = "\n".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" height="{HEIGHT}" role="img">\n<title>{escape(title)}</title>\n'
            f"<style>.m {{ font-family: {MONO}; white-space: pre }} "
            f".s {{ font-family: {SANS} }}</style>\n<defs>{heads}</defs>\n"
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="{self.colour["paper"]}"/>\n'
            f"{body}\n</svg>\n"
        )


def draw(run: Recording, palette: dict[str, str]) -> str:
    """The picture of one expansion."""
    out = Drawing(palette)
    total = len(run.issued)
    title = f"One pushed word becomes {total} instructions"
    out.text(LEFT, 36, title, size=20, mono=False, bold=True)
    subtitle = (
        f"examples/{run.kernel}, math thread: one 32×32 tile product at four fidelity phases. "
        "Words, rows and cycles come from a trace of the run."
    )
    out.text(LEFT, 58, subtitle, "soft", 13, mono=False)
    _pushed(out, run)
    _mop_expander(out, run)
    _replay_buffer(out, run)
    _wait_gate(out, run)
    _notes(out, run)
    return out.finish(title)


def _card(out: Drawing, x: int, y: int, width: int, height: int, title: str, below: str) -> None:
    out.box(x, y, width, height)
    out.text(x + 14, y + 24, title, size=14, mono=False, bold=True)
    out.text(x + 14, y + 42, below, "soft", 12, mono=False)


def _pushed(out: Drawing, run: Recording) -> None:
    height = 118
    where = f"at pc {run.pc:#x}, in cycle {run.pushed:,}, and {run.times - 1} times more"
    _card(out, LEFT, 78, LEFT_WIDTH, height, f"1  {run.core} pushes one word", where)
    out.text(LEFT + 14, 148, run.source, "soft")
    out.box(LEFT + 12, 160, LEFT_WIDTH - 24, 24, "paper", radius=4)
    out.text(LEFT + 22, 176, f"{run.mop:#010x}  {spell(run.mop)}", bold=True)
    middle = LEFT + LEFT_WIDTH / 2
    out.arrow(f"M{middle:g},{78 + height} V{78 + height + 24}", "soft")


def _mop_expander(out: Drawing, run: Recording) -> None:
    outer, inner = run.mop_cfg[0] & 127, run.mop_cfg[1] & 127
    top = 222
    count = len(run.emitted)
    note = f"OuterCount {outer}, InnerCount {inner}; NOPs are skipped"
    height = EMITTED_TOP - top + count * EMITTED_ROW + 12
    _card(out, LEFT, top, LEFT_WIDTH, height, f"2  MOP expander emits {count} words", note)
    for x, head in ((LEFT + 14, "MopCfg"), (LEFT + 110, "word"), (LEFT + 192, "is")):
        out.text(x, EMITTED_TOP - 12, head, "soft", 11, mono=False)
    for index, (word, step) in enumerate(run.emitted):
        y = EMITTED_TOP + index * EMITTED_ROW
        out.box(LEFT + 12, y - 3, LEFT_WIDTH - 24, 22, step.role, step.role, 0.16, 4)
        out.text(LEFT + 20, y + 12, f"{step.register} {step.role}", step.role, bold=True)
        out.text(LEFT + 110, y + 12, f"{word:#010x}")
        out.text(LEFT + 192, y + 12, _short(spell(word)))


def _replay_buffer(out: Drawing, run: Recording) -> None:
    first = run.played(0)
    slots = [item.slot for item in first]
    height = TOP - 78 + len(first) * ROW + 12
    title = f"3  Replay buffer plays slots {slots[0]} to {slots[-1]}"
    _card(out, MIDDLE, 78, MIDDLE_WIDTH, height, title, "once for each REPLAY; recorded by mm_init")
    for x, head in ((14, "slot"), (50, "word"), (136, "is")):
        out.text(MIDDLE + x, TOP - 10, head, "soft", 11, mono=False)
    for x, head in zip(ROWS_AT, ("Dst +=", "SrcB ·", "SrcA"), strict=True):
        out.text(MIDDLE + x, TOP - 10, head, "soft", 11, mono=False, anchor="end")
    for index, item in enumerate(first):
        y = TOP + index * ROW
        if index % 2 == 0:
            out.box(MIDDLE + 8, y, MIDDLE_WIDTH - 16, ROW, "paper", "paper", radius=3)
        out.text(MIDDLE + 16, y + 15, f"{item.slot}", bold=True)
        out.text(MIDDLE + 50, y + 15, f"{item.word:#010x}")
        out.text(MIDDLE + 136, y + 15, spell(item.word))
        for x, value in zip(ROWS_AT, item.rows, strict=True):
            out.text(MIDDLE + x, y + 15, f"{value}", anchor="end")
    for index, (_, step) in enumerate(run.emitted):
        if run.played(index)[0].slot is not None:
            start, end = EMITTED_TOP + index * EMITTED_ROW + 8, 248 + index * 36
            out.arrow(_curve(LEFT + LEFT_WIDTH, start, MIDDLE, end), step.role)


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = (x + to_x) / 2
    return f"M{x:g},{y:g} C{middle:g},{y:g} {middle:g},{to_y:g} {to_x:g},{to_y:g}"


def _wait_gate(out: Drawing, run: Recording) -> None:
    plays = [i for i in range(len(run.emitted)) if run.played(i)[0].slot is not None]
    rest = [i for i in range(len(run.emitted)) if i not in plays]
    count = len(run.played(0))
    height = TOP - 78 + (count + len(rest)) * ROW + 24
    title = f"4  Wait gate gets {len(run.issued)} words"
    first, last = run.cycles
    when = f"in cycles {first:,} to {last:,}, by phase"
    _card(out, RIGHT, 78, RIGHT_WIDTH, height, title, when)
    number = 0
    for column, index in enumerate(plays):
        role = run.emitted[index][1].role
        x = RIGHT + 12 + column * CELL
        items = run.played(index)
        _same_rows(run.played(plays[0]), items)
        phase = items[0].fidelity
        out.text(x + CELL / 2 - 2, TOP - 10, f"{phase}", role, 12, bold=True, anchor="middle")
        for row, _ in enumerate(items):
            number += 1
            out.box(x, TOP + row * ROW + 1, CELL - 4, ROW - 2, role, role, 0.16, 3)
            out.text(x + CELL / 2 - 2, TOP + row * ROW + 15, f"{number}", anchor="middle")
    for place, index in enumerate(rest):
        word, step = run.emitted[index]
        number += 1
        y = TOP + (count + place) * ROW + 10
        out.box(RIGHT + 12, y, CELL * 4 - 4, ROW, step.role, step.role, 0.16, 3)
        label = f"{number}  {spell(word)}"
        out.text(RIGHT + 22, y + 15, label)
        start, y = EMITTED_TOP + index * EMITTED_ROW + 8, y + ROW / 2
        bend = LEFT + LEFT_WIDTH + 20
        path = f"M{LEFT + LEFT_WIDTH},{start} H{bend - 8} Q{bend},{start} {bend},{start + 8} "
        path += f"V{y - 8:g} Q{bend},{y:g} {bend + 8},{y:g} H{RIGHT + 11}"
        out.arrow(path, step.role)
    for row in (0, count // 2, count - 1):
        y = TOP + row * ROW + ROW / 2
        out.arrow(f"M{MIDDLE + MIDDLE_WIDTH},{y:g} H{RIGHT}", "soft")


def _notes(out: Drawing, run: Recording) -> None:
    last = run.played(0)[-1].slot
    notes = (
        "A ttmvmul adds 8 rows of SrcB times 16 rows of SrcA",
        "to 8 rows of Dst. Its third operand is the ADDR_MOD",
        f"that moves the rows on; at slot {last} it returns to row 0,",
        "next fidelity phase. EndOp0 gives SrcA back.",
    )
    for line, note in enumerate(notes):
        out.text(LEFT, HEIGHT - 76 + 18 * line, note, "soft", 12, mono=False)


def _short(assembly: str, most: int = 18) -> str:
    """Assembly, its operands left out where they are too long."""
    return assembly if len(assembly) <= most else assembly.partition(" ")[0] + " …"


def _same_rows(first: list[Issued], other: list[Issued]) -> None:
    """The picture shows the rows once: they must be the same each time."""
    if [item.rows for item in first] != [item.rows for item in other]:
        raise ValueError("the playbacks differ in their rows: the picture would be wrong")


def main() -> None:
    """Write the pictures."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    run = record(EXAMPLE)
    for name, palette in (("light", LIGHT), ("dark", DARK)):
        (target / f"expansion-{name}.svg").write_text(draw(run, palette), encoding="utf-8")


if __name__ == "__main__":
    main()
