"""The accuracy of activations: the page says what is measured, and both chips give it."""

from importlib.util import find_spec

import pytest

from docs.activations import FUNCTIONS, PAGE, measured, table

pytestmark = pytest.mark.skipif(not find_spec("ziglang"), reason="needs ziglang")

MOST = {"erf": 6.0, "gelu": 300.0}
"""Largest errors of those that are not within 3 ulp."""


def test_the_page_has_the_measured_table() -> None:
    assert table() in PAGE.read_text(encoding="utf-8"), "python tests/docs/activations.py --update"


@pytest.mark.parametrize("arch", ["blackhole", "wormhole"])
def test_errors_are_small(arch: str) -> None:
    found = measured(arch)
    assert found.keys() == FUNCTIONS.keys()
    too_large = {name: error for name, (error, _) in found.items() if error > MOST.get(name, 3.0)}
    assert not too_large
