"""The list of thorough tests names tests that are there."""

import re

import pytest
from snippets import ROOT

from thorough import THOROUGH


@pytest.mark.parametrize("pattern", THOROUGH)
def test_a_pattern_of_thorough_tests_matches_some(pattern: str) -> None:
    files, _, name = pattern.partition("::")
    found = ROOT.glob(files.replace("*wormhole*", "*"))
    texts = [path.read_text(encoding="utf-8") for path in found if path.suffix == ".py"]
    assert texts
    function = re.match(r"\w+", name)
    part = f"def {function[0]}" if function else name.strip("*")
    assert any(part in text or (ROOT / part).exists() for text in texts)
