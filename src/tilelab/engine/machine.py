"""What the compiler of kernel Python knows about a machine and its kernels."""

import ast
import inspect
import textwrap
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, get_args, get_origin

from llvmlite import ir

from tilelab.engine.layout import Array, Struct
from tilelab.sim.kernel import WORD_BITS

I64 = ir.IntType(64)
WORDS = {bits: ir.IntType(bits) for bits in (16, 32, 64)}
BOOL = ir.IntType(1)
BYTE = ir.IntType(8)
POINTER = ir.PointerType()


class KernelError(TypeError):
    """A kernel is not kernel Python."""


class OutsideError(IndexError):
    """A kernel compiled with bounds checks used an index that its array does not have."""


@dataclass(frozen=True)
class Buffer:
    """Memory outside the record, e.g. L1: its address stands in the context at an index."""

    index: int
    itemsize: int
    length: int


@dataclass(frozen=True)
class Constant:
    """A Python object that kernels may take constants from by attribute."""

    value: Any


@dataclass
class Machine:
    """What ``s`` means: a record, buffers and constants, by attribute name."""

    record: Struct
    buffers: dict[str, Buffer] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Place:
    """A record or array at a run-time address."""

    what: Struct | Array | Buffer
    pointer: ir.Value


def returns(function: FunctionType) -> int:
    """How many integers a kernel returns, by its annotation; one without any returns one."""
    annotation = function.__annotations__.get("return", int)
    origin: Any = get_origin(annotation)
    return len(get_args(annotation)) if origin is tuple else 1


def word_of(function: FunctionType) -> ir.IntType:
    """The type of a kernel's integers: 64 bits wide, unless it is marked as narrow."""
    return WORDS[getattr(function, "kernel_bits", WORD_BITS)]


def parsed(function: FunctionType) -> ast.FunctionDef:
    """The kernel's syntax tree."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tree
