"""Instruction words by the names that LLK authors know: ``TT_OP_MVMUL(clear_dvalid, …)``.

    from tilelab.tensix.ops import TT_OP_MVMUL, TT_OP_SETRWC
    TT_OP_MVMUL(0, 0, 3, 16)                 # as the C macro: high bits first
    TT_OP_MVMUL(addr_mode=3, dst=16)         # the same; what is not given is 0

The parameters are those of the C macros in the chip's ``ckernel_ops.h`` (column ``macro`` of the
instruction table), including the ones that the hardware does not read. The module's own names are
Blackhole's; ``WORMHOLE.TT_OP_x`` are Wormhole's. Instructions without operands are called too:
``TT_OP_NOP()``.

``TT_x(stream, …)`` and ``TTI_x(stream, …)`` push the word into a stream (see
:mod:`tilelab.tensix.ckernel`). In C++ the first stores a word made at run time and the second is
an instruction in the program; here they do the same, and ``TTI_x`` refuses a word that no RISC-V
program can contain (opcodes from 0xC0 on).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from tilelab.isa.instruction import Instruction, InstructionSet
from tilelab.tensix.chips.blackhole.rows import INSTRUCTIONS as BLACKHOLE_ROWS
from tilelab.tensix.chips.wormhole.rows import INSTRUCTIONS as WORMHOLE_ROWS
from tilelab.tensix.words.ttinsn import to_ttinsn

PREFIX = "TT_OP_"
PUSH, PUSH_IMMEDIATE = "TT_", "TTI_"


class Sink(Protocol):
    """What takes pushed words."""

    def push(self, word: int) -> None:
        """Push an instruction word."""


@dataclass(frozen=True)
class Op:
    """Makes the words of one instruction."""

    row: Instruction

    def __call__(self, *values: int, **named: int) -> int:
        """Return the 32-bit word.

        Values may be negative, as two's complement of their parameter's width. TypeError for
        parameters that the macro does not have or that come twice, ValueError for a value that
        does not fit.
        """
        parameters = {field.name: field for field in self.row.macro}
        if len(values) > len(parameters):
            raise TypeError(f"{self} takes {len(parameters)} values, not {len(values)}")
        given = dict(zip(parameters, values, strict=False))
        if wrong := sorted(named.keys() - parameters.keys()):
            raise TypeError(f"{self} has no parameter {', '.join(wrong)}")
        if twice := sorted(named.keys() & given.keys()):
            raise TypeError(f"{self} got {', '.join(twice)} twice")
        word = self.row.opcode << 24
        for name, value in (given | named).items():
            field = parameters[name]
            if not -(field.max + 1 >> 1) <= value <= field.max:
                raise ValueError(f"{self}: {name}={value} does not fit {field.width} bits")
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


BLACKHOLE = Ops(BLACKHOLE_ROWS)
WORMHOLE = Ops(WORMHOLE_ROWS)


def __getattr__(name: str) -> Any:
    if not name.startswith((PUSH, PUSH_IMMEDIATE)):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return BLACKHOLE.__getattr__(name)


def __dir__() -> list[str]:
    return [*globals(), *dir(BLACKHOLE)]
