"""The RISC-V rows against words that GNU as made."""

import pytest

from riscv_harness import ASSEMBLED
from tilelab.riscv.fields import tensix_word
from tilelab.riscv.table import RV32, Extension, Format, Instruction, Table


@pytest.mark.parametrize("text", ASSEMBLED)
def test_every_word_finds_its_row(text: str) -> None:
    row = RV32.find(ASSEMBLED[text])
    assert row is not None
    assert row.name == text.split(maxsplit=1)[0]


def test_every_row_has_an_assembled_word() -> None:
    assert RV32.rows.keys() - {text.split()[0] for text in ASSEMBLED} == {"fence.i"}


def test_two_rows_for_one_word_are_refused() -> None:
    rows = [
        Instruction("one", Format.IMMEDIATE, 0x13, Extension.I),
        Instruction("other", Format.SHIFT, 0x13, Extension.I),
    ]
    with pytest.raises(ValueError, match="other and one match the same words"):
        Table(rows)
    with pytest.raises(ValueError, match="two rows are named one"):
        Table([rows[0], rows[0]])


def test_a_match_outside_its_format_is_refused() -> None:
    with pytest.raises(ValueError, match="outside its format"):
        Instruction("lui", Format.UPPER, 0x1037, Extension.I)


@pytest.mark.parametrize("word", [0xFFFFFFFF, 0x0000000B, 0x00003003, 0x02C5C03B, 0x10500073])
def test_other_words_have_no_row(word: int) -> None:
    assert RV32.find(word) is None


@pytest.mark.parametrize(
    ("stored", "pushed"),
    [
        (0x06000000, 0x01800000),
        (0x0C02AF34, 0x0300ABCD),
        (0x10100404, 0x04040101),
        (0x10000140, 0x04000050),
        (0xFFFFFFFE, 0xBFFFFFFF),
    ],
)
def test_ttinsn_is_rotated_left_by_two(stored: int, pushed: int) -> None:
    row = RV32.find(stored)
    assert row is not None
    assert row.name == ".ttinsn"
    assert tensix_word(stored) == pushed
