"""The documents that the project set out from, where they lie beside the checkout.

TILELAB_SEEDS names another folder. They are not in the repository.
"""

import os
import re
from pathlib import Path

import pytest

EXPANDERS, MOPS, COMPUTE = "000", "001", "003"


def document(number: str) -> str:
    named = os.environ.get("TILELAB_SEEDS")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "seeds"
    found = sorted(folder.glob(f"{number}_*.txt"))
    if not found:
        pytest.skip("the documents are not here")
    return found[0].read_text(encoding="utf-8")


def cut(number: str, first: str, last: str) -> str:
    """The document's text from the line that begins with ``first`` to that with ``last``."""
    text = document(number)
    start = re.search(rf"^{re.escape(first)}", text, re.M)
    assert start, first
    end = re.compile(rf"^{re.escape(last)}.*$", re.M).search(text, start.start())
    assert end, last
    return text[start.start() : end.end()] + "\n"
