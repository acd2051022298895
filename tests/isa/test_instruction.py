from dataclasses import replace

import pytest

from tilelab.isa.field import Field
from tilelab.isa.instruction import Instruction, InstructionSet, derived, fields

ADD = Instruction("ADD", 1, "unit", fields("a=23:20 b=3"), mnemonic="add")
SUB = Instruction("SUB", 2, "unit", (), mnemonic="sub", aliases=("minus",))


def test_encode_and_decode() -> None:
    assert ADD.encode(a=5, b=1) == 0x01500008
    assert ADD.decode(0x01500008) == {"a": 5, "b": 1}
    assert ADD.unused_bits == 0x0FFFF7


def test_encode_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="ADD: b=2 does not fit bits 3:3"):
        ADD.encode(b=2)
    with pytest.raises(ValueError, match="ADD has no field c"):
        ADD.encode(c=0)


def test_fields_may_not_overlap_nor_reach_the_opcode() -> None:
    with pytest.raises(ValueError, match="overlap"):
        replace(ADD, fields=fields("a=5:3 b=3"))
    with pytest.raises(ValueError, match="runs into the opcode"):
        replace(ADD, fields=(Field("a", 24, 20),))


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (replace(SUB, opcode=1), "ADD and SUB share opcode 0x01"),
        (replace(SUB, name="ADD"), "two rows are named ADD"),
        (replace(SUB, aliases=("add",)), "ADD and SUB are both spelt add"),
    ],
)
def test_no_two_rows_match_one_word_name_or_spelling(row: Instruction, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        InstructionSet("chip", (ADD, row))


def test_an_alias_finds_the_row() -> None:
    assert InstructionSet("chip", (ADD, SUB)).by_mnemonic["minus"] is SUB


def test_deriving_leaves_out_and_replaces() -> None:
    base = InstructionSet("chip", (ADD, SUB))
    other = replace(SUB, fields=fields("x=0"))
    assert list(derived(base, ["ADD"], [other])) == [other]


@pytest.mark.parametrize(
    ("without", "new", "problem"),
    [
        (["MUL"], [], "no such row: MUL"),
        ([], [replace(SUB, name="MUL")], "no such row: MUL"),
        (["SUB"], [replace(SUB, page="x")], "no such row: SUB"),
        ([], [SUB], "SUB: replaced by an equal row"),
    ],
)
def test_deriving_refuses_what_changes_nothing(
    without: list[str], new: list[Instruction], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        list(derived(InstructionSet("chip", (ADD, SUB)), without, new))


def test_blocking_by_any_bit_or_by_all() -> None:
    anyone = replace(ADD, block_mask=0b101)
    assert [anyone.is_blocked_by(bits) for bits in (0b010, 0b100, 0b111)] == [False, True, True]
    everyone = replace(anyone, blocked_by_all=True)
    assert [everyone.is_blocked_by(bits) for bits in (0b100, 0b101)] == [False, True]
    assert not replace(ADD, block_mask=0, blocked_by_all=True).is_blocked_by(0)
