"""What the checker found is in the page of a run: a panel, and marks on both parties' words."""

from pathlib import Path
from typing import Any

from page_browser import keep, opened
from tilelab.cli.main import main

EARLY = """.thread 0
ttzeroacc 3,0,0,1,0
ttunpacr_nop 0,0,0,1,0,0,0,0,1
ttunpacr_nop 1,0,0,1,0,0,0,0,1
.thread 1
ttnop
ttmvmul 0,0,0,0
sfpload L0,0,0,0
"""
MARKED = "tilelab.timeline.findings.map((f) => f.map((e) => tilelab.model.word(e).text))"


def test_both_parties_are_marked_and_can_be_jumped_to(browser: Any, tmp_path: Path) -> None:
    source, path = tmp_path / "early.s", tmp_path / "early.html"
    source.write_text(EARLY)
    assert main(["view", str(source), "--check", "-o", str(path)]) == 0
    for tab in opened(browser, path):
        assert tab.is_visible("#findings")
        assert tab.inner_text("#findings h2") == "dst-read-early"
        assert tab.evaluate(MARKED) == [["sfpload L0,0,0,0", "ttmvmul 0,0,0,0"]]
        tab.click("#findings tr:nth-child(2) button")
        assert "ttmvmul" in tab.inner_text("#selected")
        keep(tab, "findings")


def test_a_page_without_findings_has_no_such_panel(browser: Any, tmp_path: Path) -> None:
    source, path = tmp_path / "early.s", tmp_path / "early.html"
    source.write_text(EARLY)
    assert main(["view", str(source), "-o", str(path)]) == 0
    for tab in opened(browser, path):
        assert not tab.is_visible("[data-tab=findings]")
        assert tab.evaluate(MARKED) == []
