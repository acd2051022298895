"""Zba and Zbb against models over strings of bits and bytes."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_integer import M, signed, words

from riscv_harness import WORDS, Core

CORE = Core()


def bits(a: int) -> str:
    return f"{a:032b}"


def octets(a: int) -> bytes:
    return a.to_bytes(4, "big")


def rotated(a: int, right: int) -> int:
    text, n = bits(a), right % 32
    return int(text[32 - n :] + text[: 32 - n], 2)


TWO: dict[str, Callable[[int, int], int]] = {
    "sh1add": lambda a, b: 2 * a + b,
    "sh2add": lambda a, b: 4 * a + b,
    "sh3add": lambda a, b: 8 * a + b,
    "andn": lambda a, b: a & ~b,
    "orn": lambda a, b: a | ~b,
    "xnor": lambda a, b: ~(a ^ b),
    "min": lambda a, b: min(signed(a), signed(b)),
    "max": lambda a, b: max(signed(a), signed(b)),
    "minu": min,
    "maxu": max,
    "rol": lambda a, b: rotated(a, -b),
    "ror": rotated,
}
ONE: dict[str, Callable[[int], int]] = {
    "clz": lambda a: 32 - a.bit_length(),
    "ctz": lambda a: 32 - len(bits(a).rstrip("0")) if a else 32,
    "cpop": int.bit_count,
    "sext.b": lambda a: int.from_bytes(octets(a)[3:], "big", signed=True),
    "sext.h": lambda a: int.from_bytes(octets(a)[2:], "big", signed=True),
    "zext.h": lambda a: a % 65536,
    "orc.b": lambda a: int.from_bytes(bytes(255 if o else 0 for o in octets(a)), "big"),
    "rev8": lambda a: int.from_bytes(octets(a), "little"),
}
single_bits = st.integers(0, 31).map(lambda i: 1 << i)


@given(a=words, b=words)
@pytest.mark.parametrize("name", TWO)
def test_two_operands(name: str, a: int, b: int) -> None:
    assert CORE.value(WORDS[name], a1=a, a2=b) == TWO[name](a, b) & M


@given(a=st.one_of(words, single_bits))
@pytest.mark.parametrize("name", ONE)
def test_one_operand(name: str, a: int) -> None:
    assert CORE.value(WORDS[name], a1=a) == ONE[name](a) & M


@given(a=words)
def test_rotate_by_a_constant(a: int) -> None:
    assert CORE.value(WORDS["rori"], a1=a) == rotated(a, 13)
