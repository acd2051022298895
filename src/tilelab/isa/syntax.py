"""Assembler operands: one description of a row's syntax, used to read, check and print it.

The operands stand in one line, in the order of the assembler, each as
``[kind:]name[=hi:lo][<limit][(values)]``. Without bits an operand is the row's field of that name.

============ =====================================================================================
``uint``     unsigned number; the kind of an operand that names none
``int``      number that may be given signed or unsigned; prints unsigned, if 16 bits wide signed
``mod``      modifier with the ``(values)`` it may take
``bymod``    number whose range depends on the ``mod`` that follows it; 12 bits print hexadecimal
``lreg``     vector register ``L0`` …, below ``<limit``
``macroreg`` vector register: its bits 1:0 at the named bits, its bit 2 at bit 0 of the word
``fixed``    not written: the bits hold ``(value)``
============ =====================================================================================

The ``values`` of a ``mod`` are masks in hexadecimal, bit *n* standing for modifier *n*. Modifiers
in ``(z)`` and in the first part of ``(z+r)`` and ``(z-r)`` want a ``bymod`` number of 0; those in
*r* let it be any unsigned (``+``) or signed (``-``) number; all others are refused.

Where operands share bits, the later one wins; a ``macroreg`` must come out as written.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from tilelab.isa.field import Field, parse_field


class Kind(StrEnum):
    """How an operand is written."""

    UINT = "uint"
    INT = "int"
    MOD = "mod"
    BYMOD = "bymod"
    LREG = "lreg"
    MACROREG = "macroreg"
    FIXED = "fixed"


REGISTERS = (Kind.LREG, Kind.MACROREG)
SIGNED = (Kind.INT, Kind.BYMOD)


class OperandError(ValueError):
    """Operands that the assembler does not take; the message names the operand and the cure."""


class NumberTooLargeError(OperandError):
    """A number with more digits than any operand has use for."""


_NUMBER = re.compile(r"(-?)(?:0x([0-9a-f]+)|0b([01]+)|0([0-7]+)|(0|[1-9][0-9]*))", re.IGNORECASE)
_REGISTER = re.compile(r"L([0-9]{1,2})", re.IGNORECASE)
_OPERAND = re.compile(
    r"(?:(?P<kind>[a-z]+):)?(?P<name>\w+)(?:=(?P<bits>[\d:]+))?(?:<(?P<limit>\d+))?"
    r"(?:\((?P<zero>[0-9a-f]+)(?:(?P<sign>[+-])(?P<range>[0-9a-f]+))?\))?"
)


def parse_number(text: str) -> int:
    """Read a number as C writes it: decimal, 0x, 0b, or octal with a leading 0; maybe negative."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise OperandError(f"{shorten(text)!r} is not a number")
    if len(text) > 40:
        raise NumberTooLargeError(f"{shorten(text)} is too large")
    sign, *digits = match.groups()
    value = next(int(d, base) for d, base in zip(digits, (16, 2, 8, 10), strict=True) if d)
    return -value if sign else value


def shorten(text: str) -> str:
    """Return at most 40 characters of a text, for messages."""
    return text if len(text) <= 40 else f"{text[:37]}..."


@dataclass(frozen=True)
class Operand:
    """One operand: its kind, its bits (named), and which values it takes."""

    kind: Kind
    field: Field
    limit: int
    """Values are below this."""
    zero: int = 0
    """``mod``: modifiers that want a ``bymod`` number of 0. ``fixed``: the value."""
    range: int = 0
    """``mod``: modifiers that allow any ``bymod`` number."""
    signed: bool = False
    """``mod``: that number is signed."""

    @cached_property
    def mask(self) -> int:
        """The operand's bits within the word."""
        return self.field.mask | (self.kind is Kind.MACROREG)

    def get(self, word: int) -> int:
        """Return the operand's value in a word, unsigned."""
        value = self.field.get(word)
        return value | (word & 1) << 2 if self.kind is Kind.MACROREG else value

    def put(self, word: int, value: int) -> int:
        """Return the word with the operand set to a value, which may be negative."""
        word = word & ~self.mask | (value & self.field.max) << self.field.lo
        return word | value >> 2 if self.kind is Kind.MACROREG else word

    def takes(self, value: int) -> bool:
        """Whether an encoded value is one that can be written."""
        if self.kind is Kind.MOD:
            return bool((self.zero | self.range) >> value & 1)
        if self.kind is Kind.FIXED:
            return value == self.zero
        return value < self.limit

    def parse(self, text: str) -> int:
        """Read the operand as written; OperandError if it is not one of its values."""
        name = self.field.name
        if self.kind in REGISTERS:
            match = _REGISTER.fullmatch(text)
            if match is None or int(match[1]) >= self.limit:
                raise OperandError(
                    f"{name} is {shorten(text)!r}, not a register from L0 to L{self.limit - 1}"
                )
            return int(match[1])
        value = parse_number(text)
        least = -(self.limit >> 1) if self.kind in SIGNED else 0
        if not least <= value < self.limit:
            raise OperandError(
                f"{name} is {shorten(text)}, not in the range {least} to {self.limit - 1}"
            )
        if not self.takes(value):
            allowed = [str(n) for n in range(self.limit) if self.takes(n)]
            raise OperandError(f"{name} is {value}, not one of {', '.join(allowed)}")
        return value

    def show(self, value: int) -> str:
        """Write an encoded value as the disassembler does."""
        if self.kind in REGISTERS:
            return f"L{value}"
        if self.kind is Kind.BYMOD and self.field.width == 12:
            return f"0x{value:03X}"
        if self.kind is Kind.INT and self.field.width == 16:
            return str(value - (value >> 15 << 16))
        return str(value)


def parse_operands(text: str, fields: Iterable[Field]) -> tuple[Operand, ...]:
    """Read a row's operands in the notation of this module; ValueError if it is not that."""
    by_name = {field.name: field for field in fields}
    operands = []
    for item in text.split():
        match = _OPERAND.fullmatch(item)
        if match is None:
            raise ValueError(f"{item!r} is not an operand")
        kind, name, bits, limit, zero, sign, values = match.groups()
        if bits is None and name not in by_name:
            raise ValueError(f"operand {name} has no bits and no field")
        field = parse_field(f"{name}={bits}") if bits else by_name[name]
        kind = Kind(kind or "uint")
        width = 3 if kind is Kind.MACROREG else field.width
        operands.append(
            Operand(
                kind,
                field,
                int(limit or 1 << width),
                int(zero or "0", 16),
                int(values or "0", 16),
                sign == "-",
            )
        )
    return tuple(operands)


@dataclass(frozen=True)
class Syntax:
    """The operands of one instruction, and the bits of its word that they leave fixed."""

    base: int
    """The word without operands."""
    operands: tuple[Operand, ...]

    @cached_property
    def written(self) -> tuple[Operand, ...]:
        """The operands that assembly shows."""
        return tuple(op for op in self.operands if op.kind is not Kind.FIXED)

    @cached_property
    def match(self) -> int:
        """The word with every written operand 0."""
        word = self.base
        for op in self.operands:
            word = op.put(word, op.zero if op.kind is Kind.FIXED else 0)
        return word

    @cached_property
    def fixed_bits(self) -> int:
        """Bits that must be as in :attr:`match`."""
        mask = 0xFFFFFFFF
        for op in self.written:
            mask &= ~op.mask
        return mask

    def assemble(self, texts: Sequence[str]) -> int:
        """Return the word for operands as written; OperandError if they are not acceptable."""
        if len(texts) != len(self.written):
            names = ", ".join(op.field.name for op in self.written) or "none"
            raise OperandError(f"{len(texts)} operands, expected {len(self.written)}: {names}")
        values = [op.parse(text) for op, text in zip(self.written, texts, strict=True)]
        self._check_modified(texts, values)
        word = self.match
        for op, value in zip(self.written, values, strict=True):
            word = op.put(word, value)
        for op, value in zip(self.written, values, strict=True):
            if op.kind is Kind.MACROREG and op.get(word) != value:
                raise OperandError(
                    f"{op.field.name} L{value} needs bit 0 of the next number to be {value >> 2}"
                )
        return word

    def _check_modified(self, texts: Sequence[str], values: Sequence[int]) -> None:
        """Check each ``bymod`` number against the ``mod`` after it."""
        for at, op in enumerate(self.written):
            if op.kind is not Kind.BYMOD:
                continue
            place, mod = self._modifier(at)
            number = values[at]
            if mod.zero >> values[place] & 1 and number != 0:
                allowed = "0"
            # A hexadecimal number is the bits as the disassembler prints them, sign and all.
            elif mod.signed and number >= op.limit >> 1 and "x" not in texts[at].lower():
                allowed = f"from {-(op.limit >> 1)} to {(op.limit >> 1) - 1}"
            elif not mod.signed and number < 0:
                allowed = f"from 0 to {op.limit - 1}"
            else:
                continue
            raise OperandError(
                f"{op.field.name} is {shorten(texts[at])}, "
                f"but must be {allowed} with {mod.field.name} {values[place]}"
            )

    def _modifier(self, at: int) -> tuple[int, Operand]:
        """Return the place of the ``mod`` after an operand, and the ``mod``."""
        return next(
            (place, op)
            for place, op in enumerate(self.written)
            if place > at and op.kind is Kind.MOD
        )

    def disassemble(self, word: int) -> str | None:
        """Write a word's operands, or return None if they cannot carry all of the word."""
        if word & self.fixed_bits != self.match & self.fixed_bits:
            return None
        values = [op.get(word) for op in self.written]
        for at, (op, value) in enumerate(zip(self.written, values, strict=True)):
            if not op.takes(value):
                return None
            if op.kind is Kind.BYMOD:
                place, mod = self._modifier(at)
                if mod.zero >> values[place] & 1 and value != 0:
                    return None
        return ",".join(op.show(value) for op, value in zip(self.written, values, strict=True))
