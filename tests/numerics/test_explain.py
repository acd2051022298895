"""The explanation of an element is what the tile computes, bit by bit."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilelab.numerics.explain import explain_data
from tilelab.numerics.operands import (
    FIDELITIES,
    FORMATS,
    Data,
    encode,
    number,
    schedule,
    value_of,
    values_of,
)
from tilelab.numerics.product import MatrixUnit
from tilelab.numerics.rounding import align_product
from tilelab.sim.errors import BadInputError
from tilelab.tensix import explain_matmul
from tilelab.tensix.arch import arch
from tilelab.tensix.backend.matrix_unit.numerics import ALIGN_LIMIT

CHIPS = ("blackhole", "wormhole")
KINDS = ["anything", "alike", "cancelling", "sparse"]


@cache
def unit(chip: str, name: str, dst_bits: int) -> MatrixUnit:
    return MatrixUnit(chip, FORMATS[name], dst_bits)


def random_data(rng: np.random.Generator, shape: tuple[int, int], five: bool, kind: str) -> Data:
    """Bits that a bank can hold: any exponent; or like ones, which meet in every bit."""
    exponents = rng.integers(0, 32 if five else 256, shape)
    if kind != "anything":
        exponents = rng.integers(10, 18, shape) + (0 if five else 112)
    if kind == "sparse":
        exponents = np.where(rng.random(shape) < 0.8, 0, exponents)
    data = exponents << 23 | rng.integers(0, 1 << 10, shape) << 13 | rng.integers(0, 2, shape) << 31
    if kind == "cancelling":
        flip = rng.integers(0, 8, shape) == 0
        data = np.where(np.arange(shape[1])[None, :] % 2, np.roll(data, 1, 1) ^ flip << 13, data)
        data ^= (np.arange(shape[1])[None, :] % 2) << 31
    return data.astype(np.uint32)


@settings(max_examples=60, deadline=None)  # the first one compiles
@given(
    st.integers(0, 2**32),
    st.sampled_from(CHIPS),
    st.sampled_from(["bf16", "tf32", "fp16"]),
    st.sampled_from([16, 32]),
    st.integers(1, 4),
    st.sampled_from([16, 32, 48, 80]),
    st.sampled_from(KINDS),
)
def test_the_explanation_is_what_the_tile_computes(
    seed: int, chip: str, name: str, dst_bits: int, phases: int, k: int, kind: str
) -> None:
    chosen = FORMATS[name]
    rng = np.random.default_rng(seed)
    a = random_data(rng, (8, k), chosen.five_bit_exponent, kind)
    b = random_data(rng, (k, 16), chosen.five_bit_exponent, "alike" if kind == KINDS[2] else kind)
    if name == "bf16":
        a &= np.uint32(0xFFFF0000)
        b &= np.uint32(0xFFFF0000)
    matrix_unit = unit(chip, name, dst_bits)
    computed = matrix_unit.multiply(a, b, phases)
    for row, column in zip(range(8), rng.integers(0, 16, 8).tolist(), strict=True):
        steps, bits = explain_data(
            a[row].tolist(), b[:, column].tolist(), chosen, phases, matrix_unit.kind, arch(chip)
        )
        assert bits == computed[row, column]
        assert len(steps) == len(list(schedule(k, phases))) == phases * k // 16


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("fidelity", FIDELITIES)
@pytest.mark.parametrize("dst_bits", [16, 32])
def test_from_matrices(name: str, fidelity: str, dst_bits: int) -> None:
    """The whole way, from numbers: padded in k, any row and column."""
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((5, 40)), rng.standard_normal((40, 9))
    found = explain_matmul(
        a, b, 4, 8, data_format=name, fidelity=fidelity, dst_bits=dst_bits, arch="wormhole"
    )
    data = np.zeros((8, 48), np.uint32), np.zeros((48, 16), np.uint32)
    data[0][:5, :40] = encode(a, FORMATS[name], "a")
    data[1][:40, :9] = encode(b, FORMATS[name], "b")
    phases = FIDELITIES.index(fidelity) + 1
    assert found.bits == unit("wormhole", name, dst_bits).multiply(*data, phases)[4, 8]
    five = FORMATS[name].five_bit_exponent
    exact = values_of(data[0], five)[4] @ values_of(data[1], five)[:, 8]
    assert found.exact == pytest.approx(exact)
    assert abs(found.error) < (2.0 if fidelity == "lofi" else 0.5)
    assert found.result == found.steps[-1].dst_after == found.exact + found.error


def test_t17_the_four_phases_of_one_number() -> None:
    """16 products of 1.9921875 with itself: each phase adds its slices' products exactly."""
    a = np.full((1, 16), 1.9921875)
    found = explain_matmul(a, a.T, fidelity="hifi4", dst_bits=32)
    sums = [step.dst_after for step in found.steps]
    assert sums == [61.515625, 63.251953125, 63.494140625, 63.5009765625]
    assert found.exact == 16 * 1.9921875**2 == found.result
    first = found.steps[0].groups[0].products[0]
    assert (first.a.significand, first.b.significand) == ("[1111111]1000", "[11111]111000")
    assert (first.a.slice, first.b.slice, first.product) == (127, 31, 3937)
    assert first.product / 2**10 == 3.8447265625
    last = found.steps[3].groups[1].products[7]
    assert (last.a.significand, last.b.significand) == ("1111111[1000]", "11111[11100]0")


def test_a_group_rounds_each_product_to_its_largest_exponent() -> None:
    a, b = np.zeros((1, 16)), np.ones((16, 1))
    a[0, 0], a[0, 1], a[0, 9] = 1024.0, 1.5, 1.5
    step = explain_matmul(a, b, fidelity="lofi", dst_bits=32).steps[0]
    large, small = step.groups[0].products[:2]
    assert (large.shift, small.shift) == (0, 10)
    assert small.product == 1536  # 1.5 in units of 2**-10
    assert small.rounded == 2  # 1.5 units, halves away from zero
    assert step.groups[1].products[1].shift == 0
    assert step.dst_after == 1024 + 2 + 1.5


def test_values() -> None:
    assert value_of(0x3F800000, False) == 1.0
    assert value_of(0x80000000 | 15 << 23 | 1 << 13, True) == -(1 + 2**-10)
    assert value_of(0x007FE000, False) == 0.0  # no denormals
    assert value_of(0x7F800000, False) == 2.0**128  # no infinities
    assert number(0x7F800000, 0) == float("inf")
    assert number(31 << 23 | 0x3FF << 13, 3) == 131008


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"data_format": "int8"}, "no operand format is called 'int8'"),
        ({"fidelity": "hifi5"}, "no fidelity is called 'hifi5'"),
        ({"dst_bits": 8}, "Dst has 16 or 32 bits, not 8"),
        ({"arch": "grayskull"}, "unknown architecture 'grayskull'"),
        ({"row": 2}, "it has no element 2, 0"),
        ({"column": -1}, "it has no element 0, -1"),
        ({"b": np.ones((3, 2))}, "they do not multiply"),
        ({"a": np.ones(4)}, "which is no matrix's"),
        ({"a": np.full((2, 4), "x")}, "not numbers"),
        ({"a": np.full((2, 4), np.inf)}, "not finite"),
        ({"b": np.full((4, 2), 1e39)}, "not finite"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input(arguments: dict[str, object], message: str) -> None:
    given_: dict[str, object] = {"a": np.ones((2, 4)), "b": np.ones((4, 2))} | arguments
    with pytest.raises(BadInputError, match=message):
        explain_matmul(**given_)  # type: ignore[arg-type]


def test_products_are_aligned_as_the_matrix_unit_aligns_whole_rows() -> None:
    """``sum_products`` has a product twice, as a 16-bit number, and its shift limited."""
    for product in range(-4095, 4096):
        twice = 2 * product
        for shift in range(20):
            row = (((twice + (twice >> 15)) >> min(shift, ALIGN_LIMIT)) + 1) >> 1
            assert align_product(product, shift) == row
