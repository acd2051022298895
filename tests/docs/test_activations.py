"""The accuracy of activations: the page says what is measured, and both chips give it."""

from importlib.util import find_spec

import pytest

from docs.activations import FUNCTIONS, PAGE, measured, table

pytestmark = pytest.mark.skipif(not find_spec("ziglang"), reason="needs ziglang")

MOST = {"erf": 6.0, "gelu": 300.0}
"""Largest errors of those that are not within 3 ulp."""


def test_the_page_has_the_measured_table() -> None:
    assert table() in PAGE.read_text(encoding="utf-8"), "python tests/docs/activations.py --update"


def test_errors_are_small_and_those_of_both_chips() -> None:
    found = measured("blackhole")
    assert measured("wormhole") == found
    assert found.keys() == FUNCTIONS.keys()
    too_large = {name: most for name, (most, _) in found.items() if most > MOST.get(name, 3.0)}
    assert not too_large
