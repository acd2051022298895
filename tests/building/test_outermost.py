"""Outermost conditions without the flag stack leave the same in Dst."""

from pathlib import Path

import numpy as np
import pytest

from tilelab.build.vector import complete, without_outermost_pushes
from tilelab.build.vector.code import VectorError
from vector_fuzz import Unit, drawn
from vector_fuzz_programs import Program
from vector_fuzz_values import WAY
from vector_machine import CHIPS

PROGRAMS = 60
BEGIN, END = ["\t.type\tf,@function", "f:"], ["\tret", "\t.size\tf, .-f"]
PUSH, POP, SETCC = 0x87000000, 0x88000000, 0x7B000000


def text(*lines: str) -> str:
    return "\n".join([*BEGIN, *lines, *END]) + "\n"


def word(value: int) -> str:
    return f"\t.word\t{(value << 2 | value >> 30) & 0xFFFFFFFF:#010x}"


@pytest.mark.parametrize("chip", CHIPS)
def test_random_conditions_leave_the_same(chip: str) -> None:
    unit, changed = Unit(chip), 0
    for seed in range(PROGRAMS):
        try:
            whole = complete(Program(seed, chip).text, chip, Path("p.cpp"))
        except VectorError:
            continue
        short = without_outermost_pushes(whole, chip)
        changed += short != whole
        rows = drawn(seed)
        for way in (0, 1) if WAY in whole else (0,):
            assert np.array_equal(unit.run(short, rows, way), unit.run(whole, rows, way)), seed
    assert changed > PROGRAMS / 5


@pytest.mark.parametrize("chip", CHIPS)
def test_only_the_outermost_condition_loses_its_push(chip: str) -> None:
    nested = text(*map(word, (PUSH, SETCC, PUSH, SETCC, POP, POP)))
    short = without_outermost_pushes(nested, chip)
    assert short.count("sfpencc") == 1
    assert [short.count(word(value).strip()) for value in (PUSH, POP)] == [1, 1]


def test_the_source_may_enable_all_lanes_by_itself() -> None:
    whole = text("\t.ttinsn\t0x8a00300a", word(PUSH), word(SETCC), word(POP))
    assert "sfpencc" in without_outermost_pushes(whole, "blackhole")


@pytest.mark.parametrize(
    "inside",
    [".LBB0_1:", "\tbnez\ta0, .LBB0_1", f"\t.ttinsn\t{SETCC:#x}"],
    ids=["label", "jump", "raw"],
)
def test_a_condition_whose_lanes_are_not_certain_is_left_as_it_is(inside: str) -> None:
    whole = text(word(PUSH), word(SETCC), inside, word(POP))
    assert without_outermost_pushes(whole, "blackhole") == whole


def test_where_a_condition_calls_nothing_changes_anywhere() -> None:
    caller = text(word(PUSH), word(SETCC), "\tcall\tg", word(POP))
    own = (
        text(word(PUSH), word(SETCC), word(POP)).replace("f", "g").replace("@gunction", "@function")
    )
    assert without_outermost_pushes(own + caller, "blackhole") == own + caller
