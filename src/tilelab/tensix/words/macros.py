"""Makes and pushes words as the C macros do; :mod:`tilelab.tensix.ops` has one for each row."""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import index
from typing import Any, Protocol, SupportsIndex

from tilelab.isa.instruction import Instruction, InstructionSet
from tilelab.sim.errors import BadInputError
from tilelab.tensix.words.ttinsn import to_ttinsn

PREFIX = "TT_OP_"
PUSH, PUSH_IMMEDIATE = "TT_", "TTI_"


class Sink(Protocol):
    """What takes pushed words."""

    def push(self, word: int) -> None:
        """Push an instruction word."""


class OperandError(BadInputError, TypeError, ValueError):
    """A macro was called with parameters that it does not have, twice, or that do not fit."""


@dataclass(frozen=True)
class Op:
    """Makes the words of one instruction."""

    row: Instruction

    def __call__(self, *values: int, **named: int) -> int:
        """Return the 32-bit word.

        Values may be negative, as two's complement of their parameter's width. What is
        not given is 0. OperandError for parameters that the macro does not have or that come
        twice, and for a value that does not fit or is no integer.
        """
        parameters = {field.name: field for field in self.row.macro}
        if len(values) > len(parameters):
            raise OperandError(f"{self} takes {len(parameters)} values, not {len(values)}")
        given = dict(zip(parameters, values, strict=False))
        if wrong := sorted(named.keys() - parameters.keys()):
            raise OperandError(f"{self} has no parameter {', '.join(wrong)}")
        if twice := sorted(named.keys() & given.keys()):
            raise OperandError(f"{self} got {', '.join(twice)} twice")
        word = self.row.opcode << 24
        for name, value in (given | named).items():
            field = parameters[name]
            if not isinstance(value, SupportsIndex):
                raise OperandError(f"{self}: {name}={value!r} is no integer")
            value = index(value)
            if not -(field.max + 1 >> 1) <= value <= field.max:
                raise OperandError(f"{self}: {name}={value} does not fit {field.width} bits")
            word |= field.put(value & field.max)
        return word

    def __str__(self) -> str:
        return f"{PREFIX}{self.row.name}({', '.join(field.name for field in self.row.macro)})"


@dataclass(frozen=True)
class Push:
    """Pushes the words of one instruction into a stream."""

    op: Op
    immediate: bool

    def __call__(self, stream: Sink, *values: int, **named: int) -> None:
        """Push the word that ``TT_OP_x`` makes of the values; its errors."""
        word = self.op(*values, **named)
        if self.immediate:
            to_ttinsn(word)
        stream.push(word)


class Ops:
    """The ``TT_OP_x``, ``TT_x`` and ``TTI_x`` of one chip, as attributes."""

    def __init__(self, instructions: InstructionSet) -> None:
        self._ops: dict[str, Any] = {}
        for name, row in instructions.items():
            op = self._ops[f"{PREFIX}{name}"] = Op(row)
            self._ops[f"{PUSH}{name}"] = Push(op, immediate=False)
            self._ops[f"{PUSH_IMMEDIATE}{name}"] = Push(op, immediate=True)
        self._chip = instructions.chip

    def __getattr__(self, name: str) -> Any:
        try:
            return self._ops[name]
        except KeyError:
            raise AttributeError(f"{self._chip} has no {name}") from None

    def __dir__(self) -> Iterator[str]:
        return iter(self._ops)
