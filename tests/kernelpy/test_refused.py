"""Everything that kernel Python has not is refused, with file, line and function."""

import linecache
from typing import Any

import pytest
from harness import module

from tilelab.kernelpy.machine import KernelError
from tilelab.sim import kernel as language

TABLE = (1, 2, 3)


@language.kernel
def one(x: int) -> int:
    return x


@language.kernel
def two(x: int) -> tuple[int, int]:
    return x, x


def unmarked(x: int) -> int:
    return x


REFUSED = {
    "s.n = 1.5": "1.5 is not an integer",
    's.n = "text"': "'text' is not an integer",
    "s.n = len(s.n)": "len takes an array of the state",
    "s.n = len(TABLE)": "len takes an array of the state",
    "s.n = None": "None is not an integer",
    "s.n = [1]": r"\[1\]: List is not part of kernel Python",
    "s.n = {1: 2}": "Dict is not part",
    "s.n = {1, 2}": "Set is not part",
    "s.n = (1, 2)": "Tuple is not part",
    "s.n = lambda: 1": "Lambda is not part",
    "s.n = (x := 2)": "NamedExpr is not part",
    "s.n = sum(i for i in TABLE)": "sum is not known",
    "s.n = [i for i in TABLE]": "ListComp is not part",
    's.n = f"{x}"': "JoinedStr is not part",
    "s.n = x ** 2": "operator Pow",
    "s.n = x / 2": "operator Div",
    "s.n = x @ 2": "operator MatMult",
    "s.n = x is 1": "comparison Is",
    "s.n = x is not 1": "comparison IsNot",
    "s.n = 0 < x < one(x)": "a call late in a chain",
    "s.n = x in ()": "an empty tuple",
    "s.n = x in s.pair": "not a tuple of constants",
    "s.n = TABLE[3]": "outside of the tuple",
    "s.n = TABLE": "not an integer but a tuple of constants",
    "s.n = one": "not an integer but a function",
    "s.n = x[0]": "x cannot be indexed: an integer",
    "s.n = x.bits": "cannot take .bits of an integer",
    "s.n = s.m": r"the state has no \.m",
    "s.n = s.pair[0]": "pair takes 2 indices, not 1",
    "s.n = s.pair": "pair, an array, cannot be assigned",
    "s.n = s.parts[0]": "parts, a record, cannot be assigned",
    "s.n = s.parts[0].early[1]": "early, a record, cannot be indexed",
    "s.n = s.pair.size": r"pair, an array, has no \.size",
    "s.n = language.absent": "no constant absent",
    "s.n = nowhere": "nowhere is not known",
    "s.n = s.m = 1": "more than one target",
    "s.n: int": "a declaration without a value",
    "x": "an expression without effect",
    "TABLE[0] = 1": "cannot assign to TABLE",
    "TABLE[0] += 1": "cannot assign to TABLE",
    "s.n, *x = 1, 2": r"cannot assign to \*x",
    "a, b = 1, 2, 3": "3 integers for 2 names",
    "a, b = one(x)": "only a tuple, or a call that returns one",
    "s.n = two(x)": "two returns several integers",
    "s.n = one(x=1)": "arguments are passed by position",
    "s.n = one(*TABLE)": "arguments are passed by position",
    "s.n = one(x, x)": "one takes 1 arguments",
    "s.n = unmarked(x)": "test_refused.*unmarked: not marked with @kernel",
    "s.n = range(3)": "range cannot be called here",
    "s.n = x()": "x cannot be called here",
    "s.n = language()": "language is not a kernel",
    "s.n = min(x)": "min takes two numbers or more",
    "s.n = abs(x, x)": "abs takes one argument",
    "s.n = language.bit_length(x, x)": "bit_length takes one argument",
    "s.n = language.signed32(x)": "signed32 takes a word of state",
    "s.n = language.call_at(x)": "call_at takes an address and a state",
    "s.n = language.call_at(x, s.n)": "call_at takes an address and a state",
    "for i in x: pass": "a for loop runs over",
    "for i in [1]: pass": "a for loop runs over",
    "for i in one(x): pass": "one is neither range nor lanes",
    "for i in range(): pass": "a range has one to three numbers",
    "for i in range(0, 9, 0): pass": "a range's step is not 0",
    "for i, k in TABLE: pass": "a for loop sets one name",
    "for i in TABLE: pass\nelse: pass": "a loop has no else",
    "while x: x -= 1\nelse: pass": "a loop has no else",
    "return": "return without a value",
    "return 1, 2": "2 integers where 1 are declared",
    "return two(x)": "two returns several integers",
    "try: pass\nfinally: pass": "Try is not part",
    "with s: pass": "With is not part",
    "raise ValueError": "Raise is not part",
    "assert x": "Assert is not part",
    "del x": "Delete is not part",
    "global y": "Global is not part",
    "import os": "Import is not part",
    "def inner(): pass": "FunctionDef is not part",
    "class Inner: pass": "ClassDef is not part",
    "match x:\n case 1: pass": "Match is not part",
    "yield 1": "Yield is not part|an expression without effect",
    "p = s.parts[0]\np = 1": "p names a record already",
    "p = 1\np = s.parts[0]": "p names an integer already",
    "p = s.parts[0]\nif x:\n p = s.parts[1]": "p names another record outside of this block",
    "p = s.parts[0]\nwhile x:\n p = s.parts[1]": "p names another record outside of this block",
    "if x:\n p = s.parts[1]\np.x[0] = 1": "p is not known",
    "p = s.parts[0]\nfor p in TABLE: pass": "p names a record already",
    "if x: return 1\nelse: s.n = 1\n'no return'": "it may end without a return",
}


def function(text: str, returning: bool, head: str = "def refused(s, x):") -> Any:
    """A function of its own, whose source can be found."""
    body = text.splitlines() + (["return 0"] if returning else [])
    lines = [head, *(f"    {line}" for line in body)]
    file = f"<refused {hash((head, *lines))}>"
    linecache.cache[file] = (1, None, [f"{line}\n" for line in lines], file)
    names: dict[str, Any] = dict(globals())
    exec(compile("\n".join(lines), file, "exec"), names)
    return names["refused"]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("text", REFUSED)
def test_it_is_refused(text: str) -> None:
    refused = language.kernel(function(text, "no return" not in text))
    with pytest.raises(KernelError, match=rf"^<refused [^:]*:\d: refused: .*({REFUSED[text]})"):
        module(refused)


def test_what_is_not_marked_is_refused() -> None:
    with pytest.raises(KernelError, match=r"test_refused.*unmarked: not marked with @kernel"):
        module(unmarked)


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("def refused(s, x=1):", "x has a default"),
        ("def refused(s, *x):", "is not a plain parameter"),
        ("def refused(s, *, x):", "is not a plain parameter"),
        ("def refused(s, **x):", "is not a plain parameter"),
    ],
)
def test_parameters_are_plain(head: str, why: str) -> None:
    with pytest.raises(KernelError, match=why):
        module(language.kernel(function("return 0", False, head)))


@pytest.mark.parametrize(
    ("head", "text", "why"),
    [
        ("def refused(s, x) -> tuple[int, int]:", "return 1", "several integers come from"),
        ("def refused(s, x) -> tuple[int, int]:", "return one(x)", "does not return 2 integers"),
        ("def refused(s, x) -> tuple[int, int]:", "return 1, 2, 3", "3 integers where 2"),
    ],
)
def test_as_many_integers_as_declared(head: str, text: str, why: str) -> None:
    with pytest.raises(KernelError, match=why):
        module(language.kernel(function(text, False, head)))
