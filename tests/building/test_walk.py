"""The walk's commands, one after the other, and what the page says that they print."""

import shutil
from pathlib import Path

import pytest

from docs.snippets import ROOT, run_page

WALKS = ["walk.md"]


@pytest.mark.skipif(not shutil.which("bash"), reason="the snippets are for bash")
@pytest.mark.parametrize("name", WALKS)
def test_the_walk_is_as_the_page_says(name: str) -> None:
    text = Path(ROOT, "docs", name).read_text(encoding="utf-8")
    for result in run_page(text):
        assert result.agrees, f"{result.what!r} shows\n{result.shown}\nbut this came:\n{result.got}"
