"""RV32I and M arithmetic against models in big integers."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riscv_harness import CODE, WORDS, Core
from tilelab.sim.kernel import OK
from tilelab.tensix.riscv.integer import mul, mulh, mulhsu, mulhu

M = 0xFFFFFFFF
EDGES = [0, 1, 2, 31, 32, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, M]
words = st.one_of(st.sampled_from(EDGES), st.integers(0, M))
CORE = Core()


def signed(a: int) -> int:
    return a - (1 << 32) if a >> 31 else a


def quotient(a: int, b: int) -> int:
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


MODELS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "sll": lambda a, b: a << b % 32,
    "srl": lambda a, b: a >> b % 32,
    "sra": lambda a, b: signed(a) >> b % 32,
    "slt": lambda a, b: signed(a) < signed(b),
    "sltu": lambda a, b: a < b,
    "xor": lambda a, b: a ^ b,
    "or": lambda a, b: a | b,
    "and": lambda a, b: a & b,
    "mul": lambda a, b: a * b,
    "mulh": lambda a, b: signed(a) * signed(b) >> 32,
    "mulhsu": lambda a, b: signed(a) * b >> 32,
    "mulhu": lambda a, b: a * b >> 32,
    "divu": lambda a, b: a // b if b else -1,
    "remu": lambda a, b: a % b if b else a,
    "div": lambda a, b: quotient(signed(a), signed(b)),
    "rem": lambda a, b: signed(a) - quotient(signed(a), signed(b)) * signed(b) if b else a,
}
IMMEDIATE = {"addi": "add", "slti": "slt", "sltiu": "sltu", "xori": "xor", "ori": "or"}
IMMEDIATE |= {"andi": "and", "slli": "sll", "srli": "srl", "srai": "sra"}
TAKEN: dict[str, Callable[[int, int], bool]] = {
    "beq": lambda a, b: a == b,
    "bne": lambda a, b: a != b,
    "blt": lambda a, b: signed(a) < signed(b),
    "bge": lambda a, b: signed(a) >= signed(b),
    "bltu": lambda a, b: a < b,
    "bgeu": lambda a, b: a >= b,
}


@given(a=words, b=words)
@pytest.mark.parametrize("name", MODELS)
def test_register_operations(name: str, a: int, b: int) -> None:
    assert CORE.value(WORDS[name], a1=a, a2=b) == int(MODELS[name](a, b)) & M


@pytest.mark.parametrize(
    ("name", "a", "b", "expected"),
    [
        ("div", 0x80000000, M, 0x80000000),
        ("rem", 0x80000000, M, 0),
        ("div", 7, 0, M),
        ("rem", 0xFFFFFFF9, 0, 0xFFFFFFF9),
        ("div", 0xFFFFFFF9, 2, 0xFFFFFFFD),
        ("rem", 0xFFFFFFF9, 2, M),
        ("rem", 7, 0xFFFFFFFE, 1),
        ("divu", 7, 0, M),
        ("remu", 7, 0, 7),
        ("mulh", 0x80000000, 0x80000000, 0x40000000),
        ("mulhu", M, M, 0xFFFFFFFE),
        ("mulhsu", M, M, M),
        ("sra", 0x80000000, 31, M),
        ("sll", 1, 33, 2),
    ],
)
def test_corner_cases(name: str, a: int, b: int, expected: int) -> None:
    assert CORE.value(WORDS[name], a1=a, a2=b) == expected


@given(a=words)
@pytest.mark.parametrize("name", IMMEDIATE)
def test_immediate_operations(name: str, a: int) -> None:
    b = 13 if name in ("slli", "srli", "srai") else -7 & M
    assert CORE.value(WORDS[name], a1=a) == int(MODELS[IMMEDIATE[name]](a, b)) & M


@given(a=words, b=words)
@pytest.mark.parametrize("name", TAKEN)
def test_branches(name: str, a: int, b: int) -> None:
    assert CORE.run(WORDS[name], a1=a, a2=b) == OK
    assert CORE.hart.pc == CODE + (16 if TAKEN[name](a, b) else 4)


@given(a=words, b=words)
def test_no_product_needs_more_than_a_signed_64_bit_word(a: int, b: int) -> None:
    class Narrow(int):
        """An integer whose every result must fit."""

        def _made(self, value: int) -> "Narrow":
            assert -(1 << 63) <= value < 1 << 63
            return Narrow(value)

        def __mul__(self, other: int) -> "Narrow":
            return self._made(int(self) * int(other))

        def __add__(self, other: int) -> "Narrow":
            return self._made(int(self) + int(other))

        __rmul__, __radd__ = __mul__, __add__

        def __sub__(self, other: int) -> "Narrow":
            return self._made(int(self) - int(other))

        def __lshift__(self, other: int) -> "Narrow":
            return self._made(int(self) << int(other))

        def __rshift__(self, other: int) -> "Narrow":
            return Narrow(int(self) >> int(other))

        def __and__(self, other: int) -> "Narrow":
            return Narrow(int(self) & int(other))

        def __xor__(self, other: int) -> "Narrow":
            return Narrow(int(self) ^ int(other))

    for kernel in (mul, mulh, mulhsu, mulhu):
        assert kernel(Narrow(a), Narrow(b)) == kernel(a, b)
