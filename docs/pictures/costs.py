"""Draw where an instruction's time goes, from benchmarks/results.json.

usage: python docs/pictures/costs.py

Writes ``costs-light.svg`` and ``costs-dark.svg``. Nothing is sampled: a bar is the time of one
instruction (one over its rate), and its first part is what a word costs that does nothing, the row
"expansion" of the same run. The rest is thus what the instruction's own unit adds. Bars of the
RISC-V rows have no such part: their words go through no expander.
"""

import json
import sys
from pathlib import Path
from typing import Any

from make import DARK, LIGHT, MONO, SANS

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parents[1] / "benchmarks" / "results.json"
WIDTH, ROW, TOP, LEFT, RIGHT = 900, 26, 84, 172, 130
BASE = "expansion"
WORDS = {"PACR": 16}
"""Instructions in a unit of a rate, where that is not 1."""


def costs(results: dict[str, Any]) -> list[tuple[str, float, float]]:
    """For each benchmark: name, nanoseconds of a word that does nothing, nanoseconds besides."""
    each = {
        row["name"]: 1e9 / row["rates"]["fast"]["median"] / WORDS.get(row["name"], 1)
        for row in results["benchmarks"]
        if row["size"] == 1 and "fast" in row["rates"]
    }
    base = each[BASE]
    return [
        (name, *((min(base, whole), max(0.0, whole - base)) if _expanded(name) else (0.0, whole)))
        for name, whole in each.items()
    ]


def _expanded(name: str) -> bool:
    return not name.startswith("RISC-V")


def draw(results: dict[str, Any], palette: dict[str, str]) -> str:
    """The picture."""
    rows = costs(results)
    scale = (WIDTH - LEFT - RIGHT) / max(base + own for _, base, own in rows)
    height = TOP + ROW * len(rows) + 16
    colours = (palette["LoopOp"], palette["EndOp0"])
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img">',
        "<title>Where an instruction's time goes in the fast engine</title>",
        f"<style>.m {{ font: 12px {MONO} }} .s {{ font: 13px {SANS} }}</style>",
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="{palette["paper"]}"/>',
        _text(16, 32, "Nanoseconds of one instruction in the fast engine", palette["text"], "s"),
    ]
    legends = ("a word that does nothing: core, FIFO, expanders, wait gate, dispatch", "its unit")
    for x, colour, legend in zip((16, 520), colours, legends, strict=True):
        out.append(f'<rect x="{x}" y="46" width="12" height="12" fill="{colour}"/>')
        out.append(_text(x + 18, 57, legend, palette["soft"], "s"))
    for i, (name, base, own) in enumerate(rows):
        y, x = TOP + ROW * i, float(LEFT)
        out.append(_text(LEFT - 8, y + 14, name, palette["text"], "m", "end"))
        for part, colour in zip((base, own), colours, strict=True):
            width = part * scale
            out.append(
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="18" fill="{colour}"/>'
            )
            x += width
        label = f"{base + own:.3g}" + (f" = {base:.3g} + {own:.3g}" if base and own else "")
        out.append(_text(x + 6, y + 14, label, palette["soft"], "m"))
    return "\n".join([*out, "</svg>", ""])


def _text(x: float, y: float, text: str, colour: str, kind: str, anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place} fill="{colour}">{text}</text>'


def main() -> int:
    """Write both pictures."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    for name, palette in (("light", LIGHT), ("dark", DARK)):
        (HERE / f"costs-{name}.svg").write_text(draw(results, palette), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
