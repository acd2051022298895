"""Tiles, results, breakdowns, expansions and recordings in a notebook, and the example notebook."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import tilelab
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.report import palette
from tilelab.report.breakdown import Breakdown
from tilelab.report.interval import Interval
from tilelab.report.parts import PartTime
from tilelab.tensix import Tile
from tilelab.tensix.report.html import table
from tilelab.tensix.tables.causes import BANK_MATRIX, CORE_SYNC, FIFO_EMPTY

ROOT = Path(__file__).parents[3]
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
@pytest.mark.parametrize("folder", ["beside the notebook", "anywhere"])
def test_notebook_runs_and_shows_something(
    path: Path, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent if folder == "beside the notebook" else tmp_path)
    shown = [value._repr_html_() for value in run_notebook(path)]
    assert len(shown) == 5
    for text in shown:
        well_formed(text)
    result, breakdown, tile, words, page = shown
    assert "matmul: PASS, 1,273 cycles" in result
    assert "kernel.cpp:31" in result
    assert "T1 math issues in" in breakdown
    assert "TFLOP/s" in breakdown
    assert "semaphore" in tile
    assert "17 words" in words
    assert "LoopOp, outer 0, inner 0" in words
    assert page.startswith("<iframe srcdoc=")
    assert "http://" not in page


def colour_of(text: str, cause: str) -> str:
    found = re.search(rf"title='{cause} [^']*'[^>]*background:(#\w+)", text)
    assert found, cause
    return found[1]


def test_one_colour_means_one_cause_and_the_legend_says_which() -> None:
    idle = ({"FIFO empty": 5, "operands": 4}, {"operands": 9, "FIFO empty": 1}, {"semaphore": 3})
    threads = [PartTime(name, 10, 1, part) for name, part in zip("abc", idle, strict=True)]
    cores = [PartTime("TRISC0", 10, 3, {"sync": 7})]
    known = Interval(10, 10, "", 0, {})
    made = Breakdown(10, 1000, threads, cores, [], [], 0, 0, 0, False, 0, 0, known, [], [])
    text = made._repr_html_()
    well_formed(text)
    bars = text.split("<tr>")
    for cause, number in (("FIFO empty", FIFO_EMPTY), ("operands", BANK_MATRIX)):
        rows = [bar for bar in bars if f"title='{cause} " in bar]
        assert len(rows) == 2
        assert {colour_of(row, cause) for row in rows} == {palette.CAUSES[number][0]}
        assert re.search(rf"background:{palette.CAUSES[number][0]}[^>]*></span>{cause}<", text)
    assert colour_of(text, "sync") == palette.CORES[CORE_SYNC][0]


def test_examples_are_found_from_python() -> None:
    found = tilelab.examples()
    assert sorted(found) == ["datacopy", "eltwise_add", "matmul", "matmul_block"]
    assert read_kernel_file(found["matmul"]).elfs


def test_fresh_tile() -> None:
    text = Tile()._repr_html_()
    well_formed(text)
    assert "blackhole, functional clock, at 0" in text
    assert "in reset" in text


def test_what_a_program_says_is_escaped() -> None:
    assert "<b>" not in table(("<b>",), [["<b>x"]], "<b>")
