"""Tensors to L1 bytes and back."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilelab.formats import FORMATS, from_l1_bytes, l1_size, tilize, to_l1_bytes, untilize
from tilelab.formats.l1 import BLOCKS

EXACT_VALUES = {name: np.array([0, 1, -1, 2, -0.5, 1.5, -3, 64]) for name in FORMATS}
for _name in FORMATS:
    if "int" in _name:
        EXACT_VALUES[_name] = np.array([0, 1, 2, 3, 100, 127, 5, 64])
    if "bfp" in _name:
        EXACT_VALUES[_name] = np.array([0, 1, -1, 1, 1, -1, 1, 0])


@pytest.mark.parametrize("layout", ["tile", "row_major"])
@pytest.mark.parametrize("name", FORMATS)
def test_exact_values_survive(name: str, layout: str) -> None:
    array = np.resize(EXACT_VALUES[name], (2, 32, 64))
    raw = to_l1_bytes(array, name, layout)
    assert len(raw) == l1_size(array.shape, name, layout)
    np.testing.assert_array_equal(from_l1_bytes(raw, array.shape, name, layout), array)


def test_a_tile_is_four_faces() -> None:
    array = np.arange(32 * 32).reshape(32, 32)
    (tile,) = tilize(array)
    faces = [array[:16, :16], array[:16, 16:], array[16:, :16], array[16:, 16:]]
    np.testing.assert_array_equal(tile, np.concatenate([face.ravel() for face in faces]))


def test_tiles_are_in_row_major_order() -> None:
    array = np.arange(64 * 96).reshape(64, 96)
    tiles = tilize(array)
    np.testing.assert_array_equal(tiles[4], tilize(array[32:, 32:64])[0])
    np.testing.assert_array_equal(untilize(tiles, array.shape), array)


def test_bytes_of_known_values() -> None:
    assert to_l1_bytes([1.0, -2.0], "bf16", "row_major") == bytes.fromhex("803f00c0")
    assert to_l1_bytes([1.0, -2.0], "fp16", "row_major") == bytes.fromhex("003c00c0")
    assert to_l1_bytes([1.0, -2.0], "fp8_e5m2", "row_major") == bytes.fromhex("3cc0")
    assert to_l1_bytes([1.0, -2.0], "fp8_e4m3", "row_major") == bytes.fromhex("38c0")
    assert to_l1_bytes([5, -5], "int8", "row_major") == bytes.fromhex("0585")
    assert to_l1_bytes([5, -5], "int16", "row_major") == bytes.fromhex("0500fbff")
    assert to_l1_bytes([-5], "int32sm", "row_major") == bytes.fromhex("05000080")


def test_a_bfp8_tile_begins_with_its_exponents() -> None:
    array = np.zeros((32, 32))
    array[0, :16] = 1.0
    array[0, 16] = -0.5
    raw = to_l1_bytes(array, "bfp8")
    assert len(raw) == 64 + 1024
    assert raw[0] == 127
    assert raw[16] == 126
    assert raw[64:80] == bytes([0x40] * 16)
    assert raw[64 + 256] == 0xC0


def test_bfp4_puts_the_first_datum_low() -> None:
    raw = to_l1_bytes([1.0, -1.0] + [0.0] * 14, "bfp4", "row_major")
    assert raw[:16] == bytes([127] + [0] * 15)
    assert raw[16] == 0xC4


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=40))
def test_bf16_rounds_as_ml_dtypes(values: list[float]) -> None:
    array = np.array(values, np.float32)
    expected = array.astype(ml_dtypes.bfloat16).astype(np.float32)
    raw = to_l1_bytes(array, "bf16", "row_major")
    np.testing.assert_array_equal(from_l1_bytes(raw, array.shape, "bf16", "row_major"), expected)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("fp16", np.float16),
        ("fp8_e5m2", ml_dtypes.float8_e5m2),
        ("fp8_e4m3", ml_dtypes.float8_e4m3),
    ],
)
def test_small_floats_are_ieee_below_the_largest_exponent(name: str, dtype: type) -> None:
    bits = np.dtype(dtype).itemsize * 8
    patterns = np.arange(1 << bits).astype(f"u{bits // 8}")
    values = patterns.view(dtype).astype(np.float32)
    ordinary = np.isfinite(values)
    decoded = from_l1_bytes(patterns.tobytes(), values.shape, name, "row_major")
    np.testing.assert_array_equal(decoded[ordinary], values[ordinary])
    raw = to_l1_bytes(decoded, name, "row_major")
    np.testing.assert_array_equal(np.frombuffer(raw, patterns.dtype), patterns)
    assert decoded.max() > values[ordinary].max()


def test_fp16_rounds_to_nearest_even_and_saturates() -> None:
    values = np.array([1 + 2**-11, 1 + 3 * 2**-11, 1e9, -np.inf, np.nan])
    decoded = from_l1_bytes(to_l1_bytes(values, "fp16", "row_major"), (5,), "fp16", "row_major")
    largest = (2 - 2**-10) * 2.0**16
    np.testing.assert_array_equal(decoded, [1, 1 + 2**-9, largest, -largest, largest])


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(sorted(BLOCKS)),
    st.lists(st.floats(-100, 100, width=32), min_size=16, max_size=16),
)
def test_blocks_keep_what_the_largest_datum_allows(name: str, values: list[float]) -> None:
    array = np.array(values, np.float32)
    raw = to_l1_bytes(array, name, "row_major")
    decoded = from_l1_bytes(raw, (16,), name, "row_major")
    bits = int(name[3])
    unit = 2.0 ** (max(np.frexp(np.abs(array).max())[1], -13) + 2 - bits)
    assert np.all(np.abs(decoded - array) <= 2 * unit)
    again = from_l1_bytes(to_l1_bytes(decoded, name, "row_major"), (16,), name, "row_major")
    np.testing.assert_array_equal(again, decoded)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: to_l1_bytes([1.0], "bf17", "row_major"), "unknown format"),
        (lambda: to_l1_bytes([1.0], "bf16", "diagonal"), "unknown layout"),
        (lambda: to_l1_bytes(np.zeros((32, 33)), "bf16"), "32x32 tiles"),
        (lambda: to_l1_bytes(np.zeros(32), "bf16"), "32x32 tiles"),
        (lambda: to_l1_bytes([1.0] * 15, "bfp8", "row_major"), "multiple of 16"),
        (lambda: to_l1_bytes([256], "uint8", "row_major"), "holds 0 to 255"),
        (lambda: to_l1_bytes([-128], "int8", "row_major"), "holds -127 to 127"),
        (lambda: to_l1_bytes([0.5], "int16", "row_major"), "integers only"),
        (lambda: from_l1_bytes(b"123", (1, 2), "bf16", "row_major"), "4 bytes, not 3"),
    ],
)
def test_what_cannot_be_is_one_clear_error(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
