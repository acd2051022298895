"""Errors in ulp: against a definition by neighbours, for every number of a format."""

import ml_dtypes
import numpy as np
import pytest

from tilelab.score.ulp import FLOATS, errors_of, nearer, numbers_of, ulps

TYPES = {"bf16": ml_dtypes.bfloat16, "fp32": np.float32}


@pytest.mark.parametrize("name", ["bf16", "fp16"])
def test_all_numbers_of_16_bits_are_asked_once(name: str) -> None:
    numbers = numbers_of(name)
    assert len(numbers) == 1 << 16
    finite = numbers[np.isfinite(numbers) & (numbers != 0)]
    assert len(np.unique(finite)) == len(finite)


def test_fp32_is_asked_in_every_octave() -> None:
    numbers = numbers_of("fp32")
    keys = np.unique(numbers.astype(np.float32).view(np.uint32) >> 23)
    assert len(keys) == 512


@pytest.mark.parametrize("name", sorted(TYPES))
def test_one_ulp_is_the_distance_to_the_next_number(name: str) -> None:
    values = numbers_of("bf16")
    values = values[np.isfinite(values) & (np.abs(values) >= 2.0**-126)]
    kind = TYPES[name]
    own = values.astype(kind)
    following = np.nextafter(own, np.array(np.inf, kind)).astype(np.float64)
    inside = np.isfinite(following) & (values > 0)
    np.testing.assert_array_equal(ulps(following[inside], values[inside], name), 1.0)


def test_special_results_are_right_or_infinitely_wrong() -> None:
    want = np.array([np.inf, np.inf, -np.inf, np.nan, np.nan, 1.0, 1e300, 1e-40, 1e-40])
    got = np.array([np.inf, 1.0, np.inf, np.nan, 1.0, np.nan, np.inf, 0.0, 1e-30])
    away = ulps(got, want, "bf16")
    assert away[[0, 3, 6, 7]].tolist() == [0, 0, 0, 0]
    assert np.isinf(away[[1, 2, 4, 5, 8]]).all()


def test_a_subnormal_input_may_be_read_as_zero() -> None:
    inputs = np.array([1e-40, 1.0])
    want, away = nearer(
        np.array([-1.0, 2.0]), lambda x: 2 * x + (x > 0) * 1.0 - 1.0, inputs, "fp32"
    )
    assert want.tolist() == [-1.0, 2.0]
    assert away.tolist() == [0.0, 0.0]


def test_octaves_hold_every_finite_number_that_is_not_zero() -> None:
    inputs = numbers_of("bf16")
    away = np.where(np.isfinite(inputs), 0.5, np.inf)
    errors = errors_of(("a", "bf16", "bf16"), (inputs, inputs, inputs, away), 1.0, None)
    assert sum(octave.count for octave in errors.octaves) == (1 << 16) - 2 - 2 - 254
    assert {octave.worst for octave in errors.octaves} == {0.5}
    assert errors.beyond == 256
    within = errors_of(("a", "bf16", "bf16"), (inputs, inputs, inputs, away), 1.0, (-1.0, 1.0))
    assert within.beyond == 0
    assert within.judged == np.count_nonzero(np.abs(inputs) <= 1)


def test_every_format_has_its_fraction() -> None:
    for name, (least, fraction) in FLOATS.items():
        assert ulps(np.array([1 + 2.0**-fraction]), np.array([1.0]), name) == 1.0
        assert ulps(np.array([2.0 ** (least - fraction)]), np.array([0.0]), name) == 1.0
