"""Published cycles of PTO's instructions, asked of PTO's clock."""

from pathlib import Path

import pytest

from tilelab.calibrate.families import answer
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.pto import MECHANISM
from tilelab.calibrate.rows import Row, read_rows

SOURCE = "hw-native-sys/pto-isa@3186c38 tests/costmodel/st/testcase"
SAID = ": profiled cycles of one PTO instruction"
FIGURES = {
    "TAdd float_64x64": 160,
    "TAdd half_16x256": 92,
    "TDiv case_float_64x64_64x64_64x64": 288,
    "TExp half_32x32": 47,
    "TRowMax float_64x64": 480,
    "TRowSum half_64x128": 495,
    "TColMax float_64x64": 2589,
    "TColSum float_64x64_binary": 1263,
    "TRowExpand half_64x64": 933,
    "TLoad c01_nd_float_128x128": 776,
    "TLoad c05_nd_uint8_128x127_padmin": 392,
    "TLoadConv c02_nc1hwc0_float_1_4_10_10": 116,
}


def row(what: str, value: float, chip: str = "Ascend A2/A3", quote: str = "") -> Row:
    """A published figure."""
    return Row("x1", chip, what + SAID, str(value), source=SOURCE, quote=quote)


@pytest.fixture
def bench() -> Perfbench:
    """Nothing is built for these rows."""

    def never() -> None:
        raise AssertionError("a compiler is asked for")

    return Perfbench(None, never)  # type: ignore[arg-type]


@pytest.mark.parametrize("what", FIGURES)
def test_a_published_instruction_is_within_six_percent(bench: Perfbench, what: str) -> None:
    one = row(what, FIGURES[what])
    found = answer(bench, one)
    assert found.mechanism is MECHANISM
    assert found.predicted is not None
    assert abs(one.error(found.predicted) or 0) < 6


def test_a_quote_may_tell_how_many_transfers_a_load_is(bench: Perfbench) -> None:
    quote = "run<int16_t, 1, 1, 32, 64, 128, 64, 128, 1, 1>"
    found = answer(bench, row("TLoad c06_nd_int16_64x128_dyn", 8576, quote=quote))
    assert found.predicted == 8576


@pytest.mark.parametrize(
    ("what", "chip", "why"),
    [
        ("TMrgSort float_64x64", "Ascend A2/A3", "TMRGSORT has no figure of its own"),
        ("TAdd float_64x64", "Ascend A5", "no figure of PTO's instructions is of Ascend A5"),
        ("TAdd sixteen", "Ascend A2/A3", "no element type and shape are named"),
    ],
)
def test_what_cannot_be_asked_says_why(bench: Perfbench, what: str, chip: str, why: str) -> None:
    found = answer(bench, row(what, 1, chip))
    assert found.predicted is None
    assert why in found.reason


def test_a_table_may_have_quotes(tmp_path: Path) -> None:
    table = tmp_path / "rows.tsv"
    table.write_text("id\tchip\twhat\tvalue\tquote\na\tb\tc\t1\td<2>\n", encoding="utf-8")
    assert read_rows(table)[0].quote == "d<2>"
