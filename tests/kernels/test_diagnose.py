"""A wrong output is named by place, and by cause where every wrong element agrees with one."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tilelab.formats import from_l1_bytes, tilize, to_l1_bytes
from tilelab.kernels.diagnose import Wrong, diagnose
from tilelab.kernels.outputs import differences

Array = npt.NDArray[np.float64]


def as_bf16(values: Array) -> Array:
    raw = to_l1_bytes(values, "bf16", "row_major")
    return from_l1_bytes(raw, values.shape, "bf16", "row_major").astype(np.float64)


WANT = as_bf16(np.random.default_rng(18).normal(size=(64, 64)))


def same(got: Array, want: Array) -> npt.NDArray[np.bool_]:
    return ~differences(got, want, 1e-9, 0.0)[0]


def said(got: Array, want: Array = WANT, name: str = "bf16") -> list[str]:
    wrong, _ = differences(got, want, 1e-9, 0.0)
    return diagnose(Wrong(got, want, wrong, same, name))


def changed(change: Callable[[Array], Any]) -> Array:
    got = WANT.copy()
    change(got)
    return got


def swap_tiles(a: Array) -> None:
    a[:32, 32:], a[32:, :32] = a[32:, :32].copy(), a[:32, 32:].copy()


def put(a: Array, rows: slice, columns: slice, value: Any) -> None:
    a[rows, columns] = value


def faces_transposed(a: Array) -> None:
    for row in range(0, 64, 16):
        for column in range(0, 64, 16):
            a[row : row + 16, column : column + 16] = a[
                row : row + 16, column : column + 16
            ].T.copy()


def faces_1_and_2(a: Array) -> None:
    a[:16, 16:32], a[16:32, :16] = a[16:32, :16].copy(), a[:16, 16:32].copy()


FIRST, SECOND = slice(0, 32), slice(32, 64)


@pytest.mark.parametrize(
    ("got", "lines"),
    [
        (WANT, []),
        (WANT.T, ["wrong: every tile", "looks transposed: the whole output"]),
        (
            changed(lambda a: put(a, FIRST, FIRST, a[FIRST, FIRST].T.copy())),
            ["wrong: tile 0 of 4", "looks transposed: each wrong tile is the transpose of what it should be"],
        ),
        (
            changed(faces_transposed),
            ["wrong: every tile", "looks transposed within each face: the faces themselves are in place"],
        ),
        (
            changed(faces_1_and_2),
            ["wrong: tile 0 of 4, faces 1, 2", "looks like faces 1 and 2 swapped"],
        ),
        (changed(swap_tiles), ["wrong: tiles 1, 2 of 4", "looks like tiles 1 and 2 swapped"]),
        (
            changed(lambda a: put(a, SECOND, SECOND, a[SECOND, FIRST])),
            ["wrong: tile 3 of 4", "looks stale: tile 3 repeats what the tile before it holds"],
        ),
        (
            changed(lambda a: put(a, slice(16, 32), FIRST, a[0:16, FIRST])),
            [
                "wrong: tile 0 of 4, faces 2, 3",
                "looks stale: the lower faces repeat the upper ones, the second half of each tile",
            ],
        ),
        (
            changed(lambda a: put(a, SECOND, slice(None), 0)),
            [
                "wrong: tiles 2, 3 of 4",
                "looks never written: every wrong element is 0, the second half of the output",
            ],
        ),
        (np.maximum(WANT, 0), ["wrong: every tile", "looks clamped: what should be negative is 0"]),
        (-WANT, ["wrong: every tile", "looks negated: every wrong element has the other sign"]),
        (2 * WANT, ["wrong: every tile", "looks scaled: every wrong element is 2 times what it should be"]),
        (
            WANT + 0.5,
            ["wrong: every tile", "looks shifted in value: every wrong element is 0.5 too large"],
        ),
        (
            changed(lambda a: put(a, SECOND, SECOND, a[SECOND, SECOND] + a[SECOND, FIRST])),
            [
                "wrong: tile 3 of 4",
                "looks accumulated: each wrong tile is the sum of itself and the one before it",
            ],
        ),
        (
            np.roll(WANT, 1, axis=0),
            ["wrong: every tile", "looks shifted: every row comes 1 row too late"],
        ),
        (
            tilize(WANT).reshape(64, 64),
            [
                "wrong: every tile",
                "looks tilized: the data lie in the order of tiles, where rows are expected",
            ],
        ),
        (
            changed(lambda a: put(a, slice(5, 6), slice(0, 8), np.nan)),
            [
                "wrong: tile 0 of 4, face 0, row 5, columns 0 to 7",
                "looks like NaN in every wrong element: an operand was NaN, or infinity less infinity",
            ],
        ),
        (changed(lambda a: put(a, slice(5, 6), slice(3, 4), 77)), ["wrong: tile 0 of 4, face 0, row 5, column 3"]),
    ],
)  # fmt: skip
def test_places_and_causes(got: Array, lines: list[str]) -> None:
    assert said(got) == lines


def test_noise_has_no_cause() -> None:
    got = as_bf16(np.random.default_rng(19).normal(size=(64, 64)))
    assert said(got) == ["wrong: every tile"]


@pytest.mark.parametrize("steps", [1, 3])
def test_units_in_the_last_place(steps: int) -> None:
    bits = np.frombuffer(to_l1_bytes(WANT, "bf16", "row_major"), np.uint16) + steps
    got = from_l1_bytes(bits.astype(np.uint16).tobytes(), WANT.shape, "bf16", "row_major")
    many = "off by at most 3 units in the last place of bf16: rounding"
    one = "off by one unit in the last place of bf16: rounding, or its order"
    assert said(got.astype(np.float64))[1:] == [f"looks {one if steps == 1 else many}"]


def test_what_is_not_made_of_tiles_has_rows() -> None:
    want = np.arange(1.0, 41.0).reshape(8, 5)
    got = want.copy()
    got[2:4] += [[0.5, 3, 0.25, 1, 2], [9, 3, 1, 2, 7]]
    assert said(got, want) == ["wrong: rows 2 to 3 of 8"]
    assert said(want.reshape(-1) * 4, want.reshape(-1)) == [
        "looks scaled: every wrong element is 4 times what it should be"
    ]


def test_the_tolerance_is_the_outputs() -> None:
    got = WANT.T + 0.01
    loose = partial(differences, absolute=0.05, relative=0.0)
    found = Wrong(got, WANT, loose(got, WANT)[0], lambda a, b: ~loose(a, b)[0], "bf16")
    assert "looks transposed: the whole output" in diagnose(found)
