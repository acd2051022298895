"""What the compiler of kernel Python knows about a machine and its kernels."""

import ast
import inspect
import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from types import FunctionType
from typing import Any, Protocol, TypeAlias, get_args, get_origin

from llvmlite import ir

from tilelab.kernelpy.layout import Array, Buffer, Elsewhere, Struct
from tilelab.sim.kernel import WORD_BITS

I64 = ir.IntType(64)
WORDS = {bits: ir.IntType(bits) for bits in (16, 32, 64)}
BOOL = ir.IntType(1)
F32, F32_BITS = ir.FloatType(), 32
VOID = ir.VoidType()
BYTE = ir.IntType(8)
VECTOR_BITS = 512
POINTER = ir.PointerType()

Layouts: TypeAlias = tuple[Struct | Array | Buffer | Elsewhere | None, ...]
"""For each parameter of a kernel where the state it names lies; None for an integer."""


class KernelError(TypeError):
    """A kernel is not kernel Python."""


class OutsideError(IndexError):
    """A kernel compiled with bounds checks used an index that its array does not have."""


@dataclass
class Machine:
    """What ``s`` means: a record, buffers and constants, by attribute name."""

    record: Struct
    buffers: dict[str, Buffer] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    records: dict[str, tuple[int, Struct]] = field(default_factory=dict)
    """Records outside the state's own: where among the buffers each one's address stands."""
    parts: "dict[str, tuple[str, Machine]]" = field(default_factory=dict)
    """Machines that this one is made of: which array of the record holds their addresses."""
    name: str = "s"
    """What a kernel that is called from outside calls it, its first parameter."""

    @property
    def all(self) -> "Iterator[Machine]":
        """This machine and those that it is made of."""
        yield self
        for _, part in self.parts.values():
            yield part


class Context(Protocol):
    """What a kernel's body asks of the module that it is compiled in."""

    machine: Machine
    llvm: ir.Module
    checked: bool

    def declare(self, function: FunctionType, layouts: Layouts) -> ir.Function:
        """The LLVM function of a kernel for parameters that lie so."""

    def table(self, values: tuple[int, ...]) -> ir.GlobalVariable:
        """A tuple of integers as constant memory."""

    def tag(self, path: str) -> Any:
        """Alias metadata of a part of the state."""

    def check_index(
        self, builder: ir.IRBuilder, index: ir.Value, length: int, site: str
    ) -> ir.Value:
        """The index, checked if the module is."""

    def vectorised(self, count: int) -> Any:
        """Metadata of a loop that works on so many numbers at once."""


def is_kernel(function: Callable[..., Any]) -> bool:
    """Whether a function is marked as kernel Python."""
    return hasattr(function, "kernel_bits")


def place_of(function: Callable[..., Any], line: int = 0) -> str:
    """File, line (of the file; 0: the function's first) and name."""
    code = function.__code__
    return f"{code.co_filename}:{line or code.co_firstlineno}: {function.__name__}"


@cache
def parameters(function: FunctionType) -> tuple[str, ...]:
    """The names of a kernel's parameters; KernelError if they are not plain ones."""
    found = inspect.signature(function).parameters.values()
    for one in found:
        if one.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            raise KernelError(f"{place_of(function)}: {one} is not a plain parameter")
        if one.default is not inspect.Parameter.empty:
            raise KernelError(f"{place_of(function)}: {one.name} has a default")
    return tuple(one.name for one in found)


def returns(function: FunctionType) -> int:
    """How many integers a kernel returns, by its annotation; one without any returns one."""
    annotation = function.__annotations__.get("return", int)
    if annotation is None:
        return 0
    origin: Any = get_origin(annotation)
    return len(get_args(annotation)) if origin is tuple else 1


def word_of(function: FunctionType) -> ir.IntType:
    """The type of a kernel's integers: 64 bits wide, unless it is marked as narrow."""
    return WORDS[getattr(function, "kernel_bits", WORD_BITS)]


def at_once(function: FunctionType) -> int:
    """How many of a kernel's integers a loop over lanes works on at once."""
    register: int = getattr(function, "kernel_register", VECTOR_BITS)
    width: int = word_of(function).width
    return register // width


@cache
def _functions(text: str) -> dict[int, ast.FunctionDef]:
    """A file's functions by the line on which they begin, decorators included."""
    found: dict[int, ast.FunctionDef] = {}
    bodies: list[list[ast.stmt]] = [ast.parse(text).body]
    while bodies:  # statements alone: there are many times as many expressions
        for node in bodies.pop():
            bodies += [getattr(node, part, []) for part in ("body", "orelse", "finalbody")]
            if isinstance(node, ast.FunctionDef):
                found[min([node.lineno, *(d.lineno for d in node.decorator_list)])] = node
    return found


@cache
def parsed(function: FunctionType) -> ast.FunctionDef:
    """The kernel's syntax tree, with the lines of its file."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    tree = _functions("".join(lines)).get(code.co_firstlineno)
    if tree is None:
        raise KernelError(f"{place_of(function)}: a kernel is a function with a name")
    return tree
