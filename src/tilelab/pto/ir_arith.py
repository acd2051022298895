"""Integers as ``arith`` has them: of the width that is written, wrapping, signed or unsigned as the
operation's name says. An ``index`` has 64 bits. A value is kept as the signed number, an i1 as 0 or
1.

Source: the MLIR dialect ``arith``.
"""

import operator
import re
from collections.abc import Callable

from tilelab.pto.errors import IRError

INDEX_BITS = 64

_WRAPPING: dict[str, Callable[[int, int], int]] = {
    "addi": operator.add, "subi": operator.sub, "muli": operator.mul, "minsi": min, "maxsi": max,
    "divsi": lambda a, b: a // b if (a < 0) == (b < 0) else -(-a // b),
    "andi": operator.and_, "ori": operator.or_, "xori": operator.xor,
    "remsi": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
}  # fmt: skip
_UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "divui": operator.floordiv,
    "remui": operator.mod,
}
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
    "ge": operator.ge,
}  # fmt: skip


def _bits(word: str, line: int) -> int:
    if word == "index":
        return INDEX_BITS
    if not re.fullmatch(r"i[1-9]\d{0,2}", word):
        raise IRError(f"{word!r} is no integer's type", line)
    return int(word[1:])


def _widths(words: tuple[str, ...], line: int) -> tuple[int, int]:
    """The bits of what goes in and of what comes out; index where nothing is written."""
    if ":" not in words:
        return INDEX_BITS, INDEX_BITS
    types = words[words.index(":") + 1 :]
    if not types:
        raise IRError("a type is missing behind the colon", line)
    before = _bits(types[0], line)
    return before, _bits(types[2], line) if types[1:2] == ("to",) and types[2:] else before


def _unsigned(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def signed(value: int, bits: int) -> int:
    """A value of so many bits as it is kept."""
    low = _unsigned(value, bits)
    return low - (1 << bits) if bits > 1 and low >> (bits - 1) else low


def compute(name: str, words: tuple[str, ...], values: list[int], line: int) -> int:
    """``arith.NAME`` of values; ``words`` are the operation's own, with its types."""
    bits, to = _widths(words, line)
    if name == "cmpi":
        found = re.fullmatch(r"([su]?)(lt|le|gt|ge)|eq|ne", words[0] if words else "")
        if found is None or found[1] == "" or len(values) != 2:
            raise IRError(f"arith.cmpi: no comparison {words[0] if words else ''!r}", line)
        how = _unsigned if found[1] == "u" else _as_signed
        compare = _COMPARE[found[2] or found[0]]
        return int(compare(how(values[0], bits), how(values[1], bits)))
    if name not in _WRAPPING and name not in _UNSIGNED:
        return _cast(name, values, bits, to, line)
    if len(values) != 2:
        raise IRError(f"arith.{name} takes two numbers", line)
    if name[:3] in ("div", "rem") and not _unsigned(values[1], bits):
        raise IRError(f"arith.{name}: division by zero", line)
    if name in _UNSIGNED:
        result = _UNSIGNED[name](_unsigned(values[0], bits), _unsigned(values[1], bits))
    else:
        result = _WRAPPING[name](_as_signed(values[0], bits), _as_signed(values[1], bits))
    return signed(result, bits)


def _as_signed(value: int, bits: int) -> int:
    """As a signed number, an i1 too: its 1 is -1."""
    return -(value & 1) if bits == 1 else signed(value, bits)


def _cast(name: str, values: list[int], bits: int, to: int, line: int) -> int:
    if len(values) != 1:
        raise IRError(f"arith.{name} takes one number", line)
    value = _unsigned(values[0], bits) if "u" in name[3:] else _as_signed(values[0], bits)
    return signed(value, to)
