"""Bit fields of instruction words."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Field:
    """The bits ``[hi:lo]`` of a word, both ends included."""

    name: str
    hi: int
    lo: int

    def __post_init__(self) -> None:
        if not 0 <= self.lo <= self.hi:
            raise ValueError(f"field {self.name}: [{self.hi}:{self.lo}] is not a range of bits")

    @cached_property
    def width(self) -> int:
        """Number of bits."""
        return self.hi - self.lo + 1

    @cached_property
    def max(self) -> int:
        """The largest value that fits."""
        return (1 << self.width) - 1

    @cached_property
    def mask(self) -> int:
        """The field's bits within the word."""
        return self.max << self.lo

    def get(self, word: int) -> int:
        """Return the field's value in a word."""
        return (word >> self.lo) & self.max

    def put(self, value: int) -> int:
        """Return a word holding the value in this field; ValueError if it does not fit."""
        if not 0 <= value <= self.max:
            raise ValueError(f"{self.name}={value} does not fit bits {self.hi}:{self.lo}")
        return value << self.lo

    def __str__(self) -> str:
        return f"{self.name}={self.hi}:{self.lo}"


def parse_field(text: str) -> Field:
    """Read ``name=hi:lo``; a single bit may be written ``name=bit``."""
    name, _, bits = text.partition("=")
    hi, _, lo = bits.partition(":")
    return Field(name, int(hi), int(lo or hi))


def runs(bits: int) -> Iterator[tuple[int, int]]:
    """The runs of set bits, lowest first: where each begins, and its width."""
    while bits:
        low = (bits & -bits).bit_length() - 1
        width = (bits >> low ^ (bits >> low) + 1).bit_length() - 1
        yield low, width
        bits = bits >> low + width << low + width


def check_disjoint(fields: Iterable[Field], what: str) -> None:
    """Raise ValueError if two fields share a bit or a name."""
    seen: list[Field] = []
    for field in fields:
        for other in seen:
            if field.mask & other.mask or field.name == other.name:
                raise ValueError(f"{what}: fields {other} and {field} overlap")
        seen.append(field)
