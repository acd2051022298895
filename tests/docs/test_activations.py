"""The accuracy of activations: the page says what is measured, and both chips give it."""

from importlib.util import find_spec

import numpy as np
import pytest

from docs.activation_sweep import (
    SWEPT,
    away,
    exact,
    octaves_table,
    rows,
    specials_table,
    swept_numbers,
)
from docs.activations import FUNCTIONS, PAGE, measured, table
from tilelab.score.ulp import ulps

pytestmark = pytest.mark.skipif(not find_spec("ziglang"), reason="needs ziglang")

MOST = {
    **{"erf": 4.0, "erfc": 6.0, "gelu": 6.5, "mish": 4.0, "tanh_derivative": 4.0},
    **{"gelu_derivative": 400.0, "lgamma_stirling": 24.0},  # near their zeros
}
"""Largest errors of those that are not within 3 ulp."""
PERIODIC = 2.0**23
"""From where on sin and cos are NaN."""


def test_the_page_has_the_measured_table() -> None:
    assert table() in PAGE.read_text(encoding="utf-8"), "python tests/docs/activations.py --update"


def test_errors_are_small_and_those_of_both_chips() -> None:
    found = measured("blackhole")
    assert measured("wormhole") == found
    assert found.keys() == FUNCTIONS.keys()
    too_large = {name: most for name, (most, _) in found.items() if most > MOST.get(name, 3.0)}
    assert not too_large


def test_the_page_has_the_table_of_every_number() -> None:
    page = PAGE.read_text(encoding="utf-8")
    how = "python tests/docs/activation_sweep.py --update"
    assert specials_table() in page, how
    assert octaves_table() in page, how


@pytest.mark.parametrize("arch", ["blackhole", "wormhole"])
@pytest.mark.parametrize("name", SWEPT)
def test_every_bf16_number_and_each_octave_of_fp32(name: str, arch: str) -> None:
    """Within a few ulp but for what the page lists; NaN for NaN and where there is no result."""
    numbers, got, apart = away(name, arch)
    excused = np.zeros(numbers.shape, bool)
    if name in ("sin", "cos"):
        excused = np.abs(numbers) >= PERIODIC
        assert np.isnan(got[excused]).all()
        near_0 = np.abs(got - exact(name, numbers)) <= 2.0**-23
        excused |= near_0
    elif name == "silu":
        excused = (numbers < -87.33) & (np.abs(got) == 0)
    elif name == "mish":
        excused = (numbers < -87) & (np.abs(got) == 0)
    elif name == "gelu":
        excused = (numbers < 2.0**-125) & (numbers >= 2.0**-126) & (got == numbers)
    elif name == "relu":
        excused = np.isnan(numbers) & np.signbit(numbers) & (got == 0)
    assert apart[~excused].max() <= MOST.get(name, 3.0)


def test_a_table_has_a_line_for_each_number() -> None:
    lines = list(rows("sqrt", swept_numbers()[:1024]))
    assert len(lines) == 1025
    assert lines[1].startswith("0x00000000,0,0x00000000,0,0,0.00")


def test_ulps_are_those_of_fp32() -> None:
    got = np.array([1.0, 1 + 2**-23, np.nan, np.inf, 0.0, 3.0])
    want = np.array([1.0, 1.0, np.nan, np.inf, 1e-39, np.nan])
    assert list(ulps(got, want, "fp32")) == [0, 1, 0, 0, 0, np.inf]
