"""The multiply-add, against every recorded vector and against exact arithmetic."""

from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_data import golden, report
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.backend.vector_unit.fma import fma_lanes
from tilelab.tensix.backend.vector_unit.lreg import LANES

CHIPS = {"blackhole": "bh", "wormhole": "wh"}


def fma(chip: str, x: list[int], y: list[int], z: list[int]) -> list[int]:
    """x*y + z of any number of lanes."""
    results = []
    for i in range(0, len(x), LANES):
        operands = [(numbers[i : i + LANES] + [0] * LANES)[:LANES] for numbers in (x, y, z)]
        scratch = sum(operands, [0] * LANES)
        view = SimpleNamespace(arch=ARCHES[chip], scratch_32=scratch, scratch_signed=[0] * LANES)
        fma_lanes(view)
        results += scratch[:LANES]
    return results[: len(x)]


def fma1(chip: str, x: int, y: int, z: int) -> int:
    """x*y + z."""
    return fma(chip, [x], [y], [z])[0]


@pytest.mark.parametrize("chip", CHIPS)
def test_every_recorded_vector(chip: str) -> None:
    data = golden("fma.npz")
    wanted = data[CHIPS[chip]]
    results = np.array(fma(chip, *(data[name].tolist() for name in "xyz")), np.uint32)
    wrong = np.flatnonzero(results != wanted)
    assert not len(wrong), [
        f"{data['x'][i]:#x}*{data['y'][i]:#x}+{data['z'][i]:#x}={wanted[i]:#x} not {results[i]:#x}"
        for i in wrong[:5]
    ]
    report(f"multiply-add, {chip}", Counter(fma=len(wanted)))


def bits(x: float) -> int:
    return int(np.float32(x).view(np.uint32))


def value(x: int) -> Fraction:
    return Fraction(float(np.uint32(x).view(np.float32)))


normals = st.integers(60, 190).flatmap(
    lambda e: st.integers(0, 2**23 - 1).flatmap(
        lambda m: st.sampled_from((0, 1)).map(lambda s: s << 31 | e << 23 | m)
    )
)


@pytest.mark.parametrize("chip", CHIPS)
@given(x=normals, y=normals)
def test_multiplying_without_addend_rounds_to_nearest_even(chip: str, x: int, y: int) -> None:
    exact = value(x) * value(y)
    expected = np.float64(float(exact)).astype(np.float32)  # 48-bit products are exact doubles
    if 2.0**-126 <= abs(expected) < 2.0**127:
        assert fma1(chip, x, y, 0) == bits(float(expected))


@pytest.mark.parametrize("chip", CHIPS)
@given(x=normals, y=normals)
def test_adding_commutes(chip: str, x: int, y: int) -> None:
    one = bits(1.0)
    assert fma1(chip, one, x, y) == fma1(chip, y, one, x)


@pytest.mark.parametrize(
    ("chip", "zero"), [("blackhole", 0x80000000), ("wormhole", 0)], ids=list(CHIPS)
)
def test_only_blackhole_has_a_negative_zero(chip: str, zero: int) -> None:
    assert fma1(chip, bits(-0.0), bits(1.0), bits(-0.0)) == zero


def test_only_blackhole_has_one_nan() -> None:
    nan, one = 0xFFC00123, bits(1.5)
    assert fma1("blackhole", nan, one, one) == 0x7FC00000
    assert fma1("wormhole", nan, one, one) & 0xFF800001 == 0xFF800001


tiny = st.tuples(st.integers(0, 1), st.integers(0, 3) | st.integers(0, 2**23 - 1)).map(
    lambda parts: parts[0] << 31 | parts[1]
)


@pytest.mark.parametrize("chip", CHIPS)
@given(operands=st.lists(st.tuples(tiny, tiny, tiny), min_size=1, max_size=LANES - 1))
def test_zeros_alone_come_to_what_they_do_beside_a_number(
    chip: str, operands: list[tuple[int, int, int]]
) -> None:
    """Only where all lanes count as zero is the sum not worked out."""
    one = bits(1.0)
    x, y, z = (list(column) for column in zip(*operands, strict=True))
    worked_out = fma(chip, [*x, one], [*y, one], [*z, 0])
    assert worked_out.pop() == one
    assert fma(chip, x, y, z) == worked_out
