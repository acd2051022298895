"""Compiles kernel Python (see :mod:`tilelab.sim.kernel`) to machine code through LLVM.

Every local is a signed 64-bit integer; state is memory at fixed offsets from one pointer; what is
constant for a chip (``s.arch``, ``s.f``, tables) becomes a constant. A kernel that uses anything
else is refused with its file and line, so that the language stays what its definition says.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from llvmlite import ir

from tilelab.engine.layout import Array, Struct

I64 = ir.IntType(64)
BOOL = ir.IntType(1)
BYTE = ir.IntType(8)
POINTER = ir.PointerType()


class KernelError(TypeError):
    """A kernel is not kernel Python."""


@dataclass(frozen=True)
class Buffer:
    """Memory outside the record, e.g. L1: its address stands in the context at an index."""

    index: int
    itemsize: int


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
    """How many integers a kernel returns."""
    tree = parsed(function)
    counts = {
        len(node.value.elts) if isinstance(node.value, ast.Tuple) else 1
        for node in ast.walk(tree)
        if isinstance(node, ast.Return) and node.value is not None
    }
    if len(counts) != 1:
        raise KernelError(
            f"{function.__qualname__} returns different numbers of integers: {counts}"
        )
    return counts.pop()


def parsed(function: FunctionType) -> ast.FunctionDef:
    """The kernel's syntax tree."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tree


class Module:
    """Kernels compiled together for one machine. Kernels called are compiled with their callers."""

    def __init__(self, machine: Machine, name: str = "kernels") -> None:
        self.machine = machine
        self.llvm = ir.Module(name)
        self.functions: dict[FunctionType, ir.Function] = {}
        self._pending: list[FunctionType] = []
        self._tables: dict[tuple[int, ...], ir.GlobalVariable] = {}
        self._root: Any = None
        self._tags: dict[str, Any] = {}

    def add(self, function: Callable[..., Any], exported: str = "") -> ir.Function:
        """Compile a kernel; ``exported`` gives it a symbol that can be called from outside."""
        if not isinstance(function, FunctionType):
            raise KernelError(f"{function!r} is not a plain function")
        declared = self.declare(function)
        while self._pending:
            self._define(self._pending.pop())
        if exported:
            self._export(function, exported)
        return declared

    def declare(self, function: FunctionType) -> ir.Function:
        """The LLVM function of a kernel, to be defined if it is new."""
        if function not in self.functions:
            names = list(inspect.signature(function).parameters)
            count = returns(function)
            result = I64 if count == 1 else ir.LiteralStructType([I64] * count)
            has_state = bool(names) and names[0] == "s"
            arguments = [POINTER] * has_state + [I64] * (len(names) - has_state)
            name = f"{function.__module__}.{function.__qualname__}"
            made = ir.Function(self.llvm, ir.FunctionType(result, arguments), name)
            made.linkage = "internal"
            self.functions[function] = made
            self._pending.append(function)
        return self.functions[function]

    def _define(self, function: FunctionType) -> None:
        from tilelab.engine.statements import Body

        Body(self, function, self.functions[function]).compile()

    def _export(self, function: FunctionType, symbol: str) -> None:
        inner = self.functions[function]
        outer = ir.Function(self.llvm, inner.function_type, symbol)
        builder = ir.IRBuilder(outer.append_basic_block())
        builder.ret(builder.call(inner, outer.args))

    def table(self, values: tuple[int, ...]) -> ir.GlobalVariable:
        """A tuple of integers as constant memory."""
        if values not in self._tables:
            kind = ir.ArrayType(I64, len(values))
            made = ir.GlobalVariable(self.llvm, kind, f"table.{len(self._tables)}")
            made.initializer = ir.Constant(kind, [value & (1 << 64) - 1 for value in values])
            made.global_constant = True
            made.linkage = "internal"
            self._tables[values] = made
        return self._tables[values]

    def tag(self, path: str) -> Any:
        """Alias metadata: memory of different state fields never overlaps."""
        if self._root is None:
            self._root = self.llvm.add_metadata([ir.MetaDataString(self.llvm, "state")])
        if path not in self._tags:
            name = ir.MetaDataString(self.llvm, path)
            kind = self.llvm.add_metadata([name, self._root, ir.Constant(I64, 0)])
            self._tags[path] = self.llvm.add_metadata([kind, kind, ir.Constant(I64, 0)])
        return self._tags[path]
