"""Intervals that the other families give: who is left out, and what is within."""

import json
from pathlib import Path
from typing import Any

import pytest

from tilelab.calibrate import pto
from tilelab.calibrate.families import Answer
from tilelab.calibrate.left_out import LeftOut, covering, left_out
from tilelab.calibrate.results import Result
from tilelab.calibrate.rows import Row
from tilelab.tensix.tables import mechanisms as known
from tilelab.tensix.tables.mechanisms import Mechanism


def result(mechanism: Mechanism, predicted: float | None) -> dict[str, Any]:
    return Result(Row("a", "BH", "what", "100"), Answer(mechanism, predicted)).document()


def test_a_family_is_within_what_the_others_of_its_kind_are_off_by() -> None:
    off = {known.VECTOR: (101, 102, 140), known.MATRIX: (97, 103), known.SFPU_KERNEL: (110,)}
    asked = [result(mechanism, value) for mechanism, values in off.items() for value in values]
    asked.append(result(known.SCALAR, None))
    vector, matrix = left_out(asked)  # no other kernel was asked, so that one has no spread
    assert (vector.family, vector.rows, vector.inside) == (known.VECTOR.name, 3, 2)
    assert vector.spread == pytest.approx(100 * 3 / 97)
    assert (matrix.rows, matrix.inside) == (2, 2)
    assert matrix.spread == pytest.approx(100 * 40 / 140)


def test_what_nobody_measured_is_no_family() -> None:
    others = (known.DOCUMENTED, known.UNKNOWN, pto.MECHANISM)
    assert left_out([result(each, 101) for each in others] + [result(known.VECTOR, 101)]) == []


def test_a_spread_covers_nine_rows_of_ten() -> None:
    assert covering([float(n) for n in range(1, 20)]) == 18
    assert covering([1, 2, 3]) == 3


FIGURES = Path(__file__).parents[1] / "data/silicon.json"


def test_intervals_of_families_never_seen_hold_four_rows_of_five() -> None:
    """Of the figures that the pages show."""
    families = [LeftOut(**one) for one in json.loads(FIGURES.read_text())["left_out"]]
    inside, rows = sum(one.inside for one in families), sum(one.rows for one in families)
    assert len(families) > 10
    assert inside >= 0.8 * rows
    for kind in {one.kind for one in families}:
        own = [one for one in families if one.kind == kind]
        assert sum(one.inside for one in own) >= 0.8 * sum(one.rows for one in own), kind
