"""Tables of published figures: what a value allows, and what is no such table."""

from pathlib import Path

import pytest

from tilelab.calibrate.rows import AFTER, BEFORE, Part, Row, ranked, read_rows
from tilelab.sim.errors import BadInputError


@pytest.mark.parametrize(
    ("value", "span"),
    [
        ("0.995", (0.995, 0.995)),
        ("12,594", (12594, 12594)),
        ("4096-5120", (4096, 5120)),
        ("894.0 -> 837.9", (837.9, 837.9)),
        ("~5", (5, 5)),
        (">= 15", (15, 15)),
        ("16.0*tiles + 9.13*pack_calls", None),
        ("82.6 / 34.6", None),
        ("", None),
    ],
)
def test_value_is_a_number_a_range_or_neither(value: str, span: tuple[float, float] | None) -> None:
    assert Row("a", "BH", "what", value).span == span


def test_error_is_the_percentage_of_the_nearest_value_allowed() -> None:
    assert Row("a", "BH", "what", "2.0").error(2.1) == pytest.approx(5.0)
    assert Row("a", "BH", "what", "100-200").error(150) == 0
    assert Row("a", "BH", "what", "100-200").error(220) == pytest.approx(10.0)
    assert Row("a", "BH", "what", "").error(220) is None


def test_a_row_is_met_by_either_measured_level() -> None:
    said = "median of 10 runs; bistable: the other level is 123,568"
    row = Row("a", "WH", "what", "120261", said)
    assert row.error(120261) == 0
    assert row.error(123568) == 0
    assert row.error(124804) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    ("chip", "names"),
    [
        ("WH n300", ("wormhole",)),
        ("BH p150", ("blackhole",)),
        ("WH,BH", ("wormhole", "blackhole")),
        ("Ascend A2/A3", ()),
    ],
)
def test_chips_are_told_by_their_short_names(chip: str, names: tuple[str, ...]) -> None:
    assert Row("a", chip, "what", "1").chips == names


def table(path: Path, *lines: str) -> Path:
    file = path / "rows.tsv"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_split_chooses_rows(tmp_path: Path) -> None:
    file = table(tmp_path, "id\tchip\twhat\tvalue\tsplit", "a\tBH\tx\t1\tfit", "b\tBH\ty\t2\thold")
    assert [row.id for row in read_rows(file)] == ["a", "b"]
    assert [row.id for row in read_rows(file, "hold")] == ["b"]


@pytest.mark.parametrize(
    ("lines", "split", "said"),
    [
        (("{}",), None, "no column 'id'"),
        (("id\tchip\twhat\tvalue", "a\tBH"), None, ":2: 2 columns, not 4"),
        (("id\tchip\twhat\tvalue", "a\tBH\tx\t1", "a\tBH\tx\t1"), None, ":3: id 'a'"),
        (("id\tchip\twhat\tvalue", "a\tBH\tx\t1"), "fit", "no column 'split'"),
        (("id\tchip\twhat\tvalue",), "both", "choose fit or hold"),
    ],
)
def test_what_is_no_table_is_bad_input(
    tmp_path: Path, lines: tuple[str, ...], split: str | None, said: str
) -> None:
    with pytest.raises(BadInputError, match=said):
        read_rows(table(tmp_path, *lines), split)


@pytest.mark.parametrize(
    ("what", "value", "change"),
    [
        ("Sin MATH_ISOLATE", "894.0 -> 837.9", (894.0, 837.9)),
        ("abs: old kernel / llk-bench winner MATH_ISOLATE", "146.1 / 47.1", (146.1, 47.1)),
        ("reciprocal fp32 / bf16 throughput", "5 / 3 per 32 lanes", None),
        ("Signbit MATH_ISOLATE", "179.89", None),
    ],
)
def test_a_change_has_a_figure_before_and_one_after(
    what: str, value: str, change: tuple[float, float] | None
) -> None:
    assert Row("r", "BH", what, value).change == change


@pytest.mark.parametrize(
    ("silicon", "predicted", "right"),
    [
        ((894, 838), (900, 832), True),
        ((894, 838), (832, 900), False),
        ((894, 838), (840, 838), False),  # no gain worth the name
        ((1375, 1375), (1480, 1484), True),
    ],
)
def test_a_change_is_ranked_as_on_silicon_or_not(
    silicon: tuple[float, float], predicted: tuple[float, float], right: bool
) -> None:
    names = (BEFORE, AFTER)
    parts = [Part(*each) for each in zip(names, silicon, predicted, strict=True)]
    assert ranked(parts) is right
    assert ranked(parts[:1]) is None
