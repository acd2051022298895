"""What an expression stands for while a kernel is compiled: one of a few things, all listed here.

Every name, attribute and subscript of kernel Python is one of :data:`Known`. Only :class:`Computed`
costs anything when the kernel runs, and :class:`Place` an address.
"""

from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeAlias, assert_never

from llvmlite import ir

from tilelab.kernelpy.layout import Array, Buffer, Elsewhere, Struct

BUILTINS = {function.__name__: function for function in (range, min, max, abs, len)}
"""What of Python's own functions kernels may call."""


@dataclass(frozen=True)
class Place:
    """A part of the state at an address that is known when the kernel runs."""

    what: Struct | Array | Buffer | Elsewhere
    pointer: ir.Value

    @property
    def is_number(self) -> bool:
        """Whether it is a single number, not a record or an array."""
        return isinstance(self.what, Array) and not self.what.shape


@dataclass(frozen=True)
class Number:
    """A constant; one of a class that knows more has attributes of its own."""

    value: int


@dataclass(frozen=True)
class Table:
    """A tuple of constants."""

    values: tuple[int, ...]


@dataclass(frozen=True)
class Callee:
    """Something to call: a kernel, or one of the functions that the compiler knows."""

    function: Any


@dataclass(frozen=True)
class Namespace:
    """An object that has constants as attributes: a module, an IntEnum, the chip's profile."""

    value: object


@dataclass(frozen=True)
class Computed:
    """An integer that is computed when the kernel runs, e.g. a local variable."""


Known: TypeAlias = Place | Number | Table | Callee | Namespace | Computed


def meaning(value: object) -> Known:
    """What a Python object that a kernel names stands for."""
    if isinstance(value, int):
        return Number(value)
    if isinstance(value, tuple):
        return Table(value)
    if isinstance(value, FunctionType) or any(value is one for one in BUILTINS.values()):
        return Callee(value)
    return Namespace(value)


def described(known: Known) -> str:
    """What it is, for a message."""
    match known:
        case Place(what):
            return what.described
        case Number(value):
            return f"the constant {value}"
        case Table():
            return "a tuple of constants"
        case Callee():
            return "a function"
        case Namespace(value):
            return f"an object ({type(value).__name__})"
        case Computed():
            return "an integer"
        case _:
            assert_never(known)
