"""Opcodes by name, as kernels use them: ``word >> 24 == REPLAY``, ``REPLAY.len(word)``.

``from tilelab.tensix.chips.opcodes import REPLAY`` fails for what is no instruction of any chip. A
field can be read by its name where every chip that has it has it at the same bits; what differs
between the chips is read by the row of the chip at hand.
"""

import linecache
from functools import cache
from importlib import import_module
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from tilelab.isa.field import Field
from tilelab.isa.instruction import Instruction, InstructionSet
from tilelab.sim.kernel import kernel
from tilelab.tensix.chips import NAMES

WordT = TypeVar("WordT", int, npt.NDArray[np.uint32])


class Reader(Protocol):
    """A field of an instruction: a kernel that takes a word, or an array of words."""

    def __call__(self, word: WordT) -> WordT:
        """The field's value."""


class Opcode(int):
    """An instruction's opcode, which also reads the fields of its words."""

    _rows: tuple[Instruction, ...]

    def __new__(cls, rows: tuple[Instruction, ...]) -> "Opcode":
        """The opcode that the rows of several chips have in common; ValueError if they have not."""
        codes = {row.opcode for row in rows}
        if len(codes) != 1:
            raise ValueError(f"{rows[0].name} has different opcodes: {sorted(codes)}")
        if hidden := {field.name for row in rows for field in row.fields} & set(dir(int)):
            raise ValueError(f"{rows[0].name}: integers have {sorted(hidden)} already")
        made = super().__new__(cls, codes.pop())
        made._rows = rows
        return made

    def word(self, **values: int) -> int:
        """A word with these fields, the others 0; ValueError if a value does not fit."""
        return self << 24 | sum(self._place(name).put(value) for name, value in values.items())

    def __getattr__(self, name: str) -> Reader:
        """The reader of a field."""
        reader = _reader(self._rows[0].name, self._place(name))
        self.__dict__[name] = reader  # found without this method from now on
        return reader

    def _place(self, name: str) -> Field:
        """Where every chip has a field."""
        places = {f for row in self._rows for f in (*row.fields, *row.registers.named)}
        found = {field for field in places if field.name == name}
        if len(found) != 1:
            why = "has no field" if not found else "has at different bits on different chips"
            raise AttributeError(f"{self._rows[0].name} {why} {name}", name=name, obj=self)
        return found.pop()


def _reader(row: str, field: Field) -> Reader:
    """A plain function that takes a field out of a word, whose text the compiler of kernels finds."""
    name = f"{row}.{field.name}"
    text = f"def read(word: int) -> int:\n    return (word >> {field.lo}) & {field.max:#x}\n"
    file = f"<tilelab field {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, file, "exec"), names)
    read = names["read"]
    read.__qualname__ = name
    read.__doc__ = f"{row}'s field {field}."
    made: Reader = kernel(read)
    return made


CHIPS: tuple[InstructionSet, ...] = tuple(
    import_module(f"tilelab.tensix.chips.{name}.rows").INSTRUCTIONS for name in NAMES
)


@cache
def opcode(name: str) -> Opcode:
    """An instruction by name; KeyError if no chip has it."""
    rows = tuple(chip[name] for chip in CHIPS if name in chip)
    if not rows:
        raise KeyError(name)
    return Opcode(rows)


def __getattr__(name: str) -> Opcode:
    try:
        return opcode(name)
    except KeyError:
        raise AttributeError(f"no chip has an instruction {name}") from None
