"""Tiles, results, breakdowns, expansions and recordings in a notebook, and the example notebook."""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tilelab.tensix import Tile
from tilelab.tensix.display import table

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
EMPTY = ("br", "meta", "input", "canvas")


class Balanced(HTMLParser):
    """Complains about tags that are not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY:
            assert self.open.pop() == tag


def well_formed(text: str) -> None:
    parser = Balanced()
    parser.feed(text)
    parser.close()
    assert parser.open == []


def run_notebook(path: Path) -> list[Any]:
    """Run a notebook's cells in order; what each cell's last expression gives."""
    names: dict[str, Any] = {"__name__": "notebook"}
    shown = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            *before, last = "".join(cell["source"]).rstrip("\n").split("\n")
            exec(compile("\n".join(before), str(path), "exec"), names)
            shown.append(eval(compile(last, str(path), "eval"), names))
    return shown


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_runs_and_shows_something(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = [value._repr_html_() for value in run_notebook(path)]
    assert len(shown) == 5
    for text in shown:
        well_formed(text)
    result, breakdown, tile, words, page = shown
    assert "matmul: PASS, 2,869 cycles" in result
    assert "T1 math waits for operands" in breakdown
    assert "TFLOP/s" in breakdown
    assert "semaphore" in tile
    assert "17 words" in words
    assert "LoopOp, outer 0, inner 0" in words
    assert page.startswith("<iframe srcdoc=")
    assert "http://" not in page


def test_fresh_tile() -> None:
    text = Tile()._repr_html_()
    well_formed(text)
    assert "blackhole, functional clock, at 0" in text
    assert "in reset" in text


def test_what_a_program_says_is_escaped() -> None:
    assert "<b>" not in table(("<b>",), [["<b>x"]], "<b>")
