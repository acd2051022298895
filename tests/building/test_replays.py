"""Repeated vector code is recorded once and replayed; the words that arrive stay the same."""

import random

import numpy as np
import pytest

from tilelab.build.vector import with_replays
from tilelab.build.vector.raw import word_of
from tilelab.tensix import expand
from tilelab.tensix.words.assembly import assemble
from tilelab.tensix.words.ttinsn import to_ttinsn
from vector_machine import CHIPS

WORDS = [
    "sfpload L0,0,3,0",
    "sfpmad L3,L0,L1,L2,0",
    "sfpstore L3,0,3,0",
    "ttincrwc 0,2,0,0",
    "sfpnop",
    "sfpabs L1,L0,0",
]


def word(text: str) -> int:
    return assemble(text).words(1)[0]


def function(lines: list[str], name: str = "f") -> str:
    begin, end = [f"\t.type\t{name},@function", f"{name}:"], ["\tret", f"\t.size\t{name}, .-{name}"]
    return "\n".join([*begin, *lines, *end]) + "\n"


def made(text: str) -> str:
    """A line as the compiler leaves it."""
    return f"\t.word\t{to_ttinsn(word(text)):#010x}\t# {text}"


def pushed(text: str) -> list[int]:
    found = (word_of(line) for line in text.splitlines())
    return [each for each in found if each is not None]


def arriving(text: str, chip: str) -> list[int]:
    return [int(each) for each in expand(np.array(pushed(text), np.uint32), arch=chip)]


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("seed", range(40))
def test_the_same_words_arrive(chip: str, seed: int) -> None:
    draw = random.Random(seed)
    body = [draw.choice(WORDS) for _ in range(draw.randint(1, 45))]
    lines: list[str] = []
    for _ in range(draw.randint(1, 9)):
        lines += [made(text) for text in body]
        lines += draw.choice(
            [[], ["\taddi\ta0, a0, 4"], [".Ltmp7:"], ["\t.loc\t1 2 3"], [".LBB0_1:"]]
        )
        if draw.random() < 0.3:
            body[draw.randrange(len(body))] = draw.choice(WORDS)
    text = function(lines)
    assert arriving(with_replays(text, chip), chip) == pushed(text)


def test_a_core_pushes_a_body_once_and_a_word_for_each_repetition() -> None:
    text = function([made(each) for each in WORDS] * 8)
    assert len(pushed(with_replays(text, "wormhole"))) == len(WORDS) + 8


def test_places_that_the_source_records_into_are_left_alone() -> None:
    record = f"\t.ttinsn\t{0x04 << 24 | 0 << 14 | 28 << 4 | 1:#x}"
    own = function([record], "g")
    text = own + function([made(each) for each in WORDS] * 8)
    replays = [w for w in pushed(with_replays(text, "blackhole")) if w >> 24 == 4][1:]
    assert {w >> 14 & 31 for w in replays} == {28}
    assert {w >> 4 & 63 for w in replays} == {4}


@pytest.mark.parametrize("line", ["\t.ttinsn\t0x04000041", "\t# tt.replay"])
def test_a_function_that_records_by_itself_is_left_as_it_is(line: str) -> None:
    text = function([line, *[made(each) for each in WORDS] * 8])
    assert with_replays(text, "blackhole") == text


def test_what_the_source_wrote_as_words_ends_a_sequence() -> None:
    text = function([f"\t.ttinsn\t{word(each):#x}" for each in WORDS] * 8)
    assert with_replays(text, "blackhole") == text
