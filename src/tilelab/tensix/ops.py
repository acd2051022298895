"""Instruction words by the names that LLK authors know: ``TT_OP_MVMUL(clear_dvalid, …)``.

    from tilelab.tensix.ops import TT_OP_MVMUL, TT_OP_SETRWC
    TT_OP_MVMUL(0, 0, 3, 16)                 # as the C macro: high bits first
    TT_OP_MVMUL(addr_mode=3, dst=16)         # the same; what is not given is 0

The parameters are those of the C macros in the chip's ``ckernel_ops.h`` (column ``macro`` of the
instruction table), including the ones that the hardware does not read. The module's own names are
Blackhole's; ``WORMHOLE.TT_OP_x`` are Wormhole's. Instructions without operands are called too:
``TT_OP_NOP()``.

Not modelled: ``TT_x`` and ``TTI_x``, which issue the word: see the builders of the tile.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tilelab.isa.instruction import Instruction, InstructionSet
from tilelab.tensix.tables.blackhole import BLACKHOLE as BLACKHOLE_ROWS
from tilelab.tensix.tables.wormhole import WORMHOLE as WORMHOLE_ROWS

PREFIX = "TT_OP_"


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


class Ops:
    """The ``TT_OP_x`` of one chip, as attributes."""

    def __init__(self, instructions: InstructionSet) -> None:
        self._ops = {f"{PREFIX}{name}": Op(row) for name, row in instructions.items()}
        self._chip = instructions.chip

    def __getattr__(self, name: str) -> Op:
        try:
            return self._ops[name]
        except KeyError:
            raise AttributeError(f"{self._chip} has no {name}") from None

    def __dir__(self) -> Iterator[str]:
        return iter(self._ops)


BLACKHOLE = Ops(BLACKHOLE_ROWS)
WORMHOLE = Ops(WORMHOLE_ROWS)


def __getattr__(name: str) -> Op:
    if not name.startswith(PREFIX):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return BLACKHOLE.__getattr__(name)


def __dir__() -> list[str]:
    return [*globals(), *dir(BLACKHOLE)]
