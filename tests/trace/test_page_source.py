"""The source follows the selection; hot lines sort; what a search finds is counted."""

from typing import Any

import pytest

from tilelab import Recording, line_times

pytest.importorskip("playwright")


def test_the_source_follows_the_selection(shown: Any) -> None:
    shown.click("[data-tab=source]")
    line = shown.evaluate(
        """() => { const { model, jump } = window.tilelab, event = model.of(1, 1)[100];
                   jump(event); return model.lineOf(event); }"""
    )
    assert shown.is_visible("#source")
    number = shown.inner_text(".lines tr.chosen td:first-child")
    assert line.endswith(f":{number}")


def test_lines_sort_by_cycles_and_back(shown: Any) -> None:
    shown.click("[data-tab=source]")
    shown.click(".lines th button[aria-label='Sort by cycles of T1']")
    column = shown.evaluate(
        "() => [...document.querySelectorAll('.lines thead th')]"
        ".findIndex((th) => th.ariaSort === 'descending')"
    )
    cells = shown.locator(f".lines tbody td:nth-child({column + 1})").all_inner_texts()
    counts = [int(text.replace(",", "") or 0) for text in cells]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 0
    shown.click(".lines th button[aria-label='Sort by line']")
    assert shown.inner_text(".lines tbody td:first-child") == "1"


def test_the_panel_says_what_the_table_of_lines_says(shown: Any, recording: Recording) -> None:
    """Both count by themselves: the panel of any range of cycles, the table without a page."""
    shown.click("[data-tab=source]")
    names = shown.locator(".lines thead th").all_inner_texts()[1:-1]
    rows = shown.evaluate(
        "() => [...document.querySelectorAll('.lines tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.innerText.replaceAll(',', '')))"
    )
    file = shown.evaluate("() => Object.keys(window.tilelab.model.files)[0]")
    expected = {row["line"]: row for row in line_times(recording).rows()}
    assert {"T1", "waits"} <= set(names)
    for number, *counts, _ in rows:
        known = expected.get(f"{file}:{number}", {})
        found = dict(zip(map(str.lower, names), counts, strict=True))
        assert {name: int(count or 0) for name, count in found.items()} == {
            name: known.get(name, 0) for name in found
        }


def test_what_a_search_finds_is_counted(shown: Any) -> None:
    shown.fill("#search", "mvmul")
    shown.click("[data-tab=found]")
    count = int(shown.inner_text("#matches").split()[0].replace(",", ""))
    last = shown.locator("#found tbody tr").last.locator("td").last.inner_text()
    assert int(last.replace(",", "")) == count > 0


def test_causes_are_a_table_that_adds_up(shown: Any) -> None:
    shown.click("[data-tab=time]")
    cells = shown.locator("#time table.numbers").first.locator("tbody td:nth-child(2)")
    counts = [int(text.split()[0].replace(",", "")) for text in cells.all_inner_texts() if text]
    cycles = shown.evaluate("() => window.tilelab.model.report.cycles")
    assert sum(counts) == cycles
