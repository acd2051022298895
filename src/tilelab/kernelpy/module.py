"""Compiles kernel Python (see :mod:`tilelab.sim.kernel`) to LLVM.

Every local is a signed integer of 64 bits, or of fewer in a narrow kernel; state is memory at
fixed offsets from one pointer; what is constant for a chip (``s.arch``, ``s.f``, tables) becomes a
constant. A kernel that uses anything else is refused with its file and line, so that the language
stays what its definition says.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any

from llvmlite import ir

from tilelab.kernelpy import bounds
from tilelab.kernelpy.machine import (
    BOOL,
    I64,
    POINTER,
    KernelError,
    Layouts,
    Machine,
    is_kernel,
    parameters,
    place_of,
    returns,
    word_of,
)
from tilelab.kernelpy.statements import Body

VECTOR_BITS = 512


class Module:
    """Kernels compiled together for one machine. Kernels called are compiled with their callers."""

    def __init__(self, machine: Machine, name: str = "kernels", checked: bool = False) -> None:
        self.machine = machine
        self.checked = checked
        """Whether every index is checked; slow, and quick to compile."""
        self.llvm = ir.Module(name)
        self.functions: dict[tuple[FunctionType, Layouts], ir.Function] = {}
        self.instead: dict[Callable[..., Any], Callable[..., Any]] = {}
        """Functions to compile in place of others."""
        self.attributes: dict[Callable[..., Any], str] = {}
        """LLVM attributes for some functions, such as ``alwaysinline`` or ``cold noinline``."""
        self.body: type[Body] = Body
        """What compiles a kernel's body; another one may add to what kernels do."""
        self._pending: list[tuple[FunctionType, Layouts, ir.Function]] = []
        self._tables: dict[tuple[int, ...], ir.GlobalVariable] = {}
        self._root: Any = None
        self._tags: dict[str, Any] = {}
        self._loops = 0
        self._check = bounds.define(self.llvm) if checked else None

    def add(self, function: Callable[..., Any], exported: str = "") -> ir.Function:
        """Compile a kernel; ``exported`` gives it a symbol that can be called from outside.

        A first parameter called ``s`` (``Machine.name``) is its state, the others are integers.
        """
        chosen = self.instead.get(function, function)
        if not isinstance(chosen, FunctionType):
            raise KernelError(f"{chosen!r} is not a plain function")
        layouts: list[Any] = [None] * len(parameters(chosen))
        if parameters(chosen)[:1] == (self.machine.name,):
            layouts[0] = self.machine.record
        declared = self.declare(chosen, tuple(layouts))
        while self._pending:
            kernel, lie, llvm = self._pending.pop()
            self.body(self, kernel, llvm).compile(lie)
        if exported:
            outer = ir.Function(self.llvm, declared.function_type, exported)
            builder = ir.IRBuilder(outer.append_basic_block())
            builder.ret(builder.call(declared, outer.args))
        return declared

    def declare(self, function: FunctionType, layouts: Layouts) -> ir.Function:
        """The LLVM function of a kernel for parameters that lie so, to be defined if it is new.

        KernelError if it is not marked as a kernel.
        """
        attribute = self.attributes.get(function)
        chosen = self.instead.get(function, function)
        assert isinstance(chosen, FunctionType)
        key = chosen, layouts
        if key not in self.functions:
            if not is_kernel(chosen):
                raise KernelError(f"{place_of(chosen)}: not marked with @kernel")
            count = returns(chosen)
            result = I64 if count == 1 else ir.LiteralStructType([I64] * count)
            arguments = [I64 if layout is None else POINTER for layout in layouts]
            parts = [layout.path for layout in layouts if layout and layout.path]
            name = f"{chosen.__module__}.{chosen.__qualname__}" + (
                f"({', '.join(parts)})" if parts else ""
            )
            made = ir.Function(
                self.llvm, ir.FunctionType(result, arguments), self.llvm.get_unique_name(name)
            )
            made.linkage = "internal"
            if attribute:
                for word in attribute.split():
                    made.attributes.add(word)
            elif word_of(chosen) is not I64 and "lanes" not in chosen.__code__.co_names:
                made.attributes.add("alwaysinline")  # it is a part of others' loops
            self.functions[key] = made
            self._pending.append((chosen, layouts, made))
        return self.functions[key]

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

    def check_index(
        self, builder: ir.IRBuilder, index: ir.Value, length: int, site: str
    ) -> ir.Value:
        """The index; with checks, if an array of that length has it, else 0 and a note of it."""
        known = isinstance(index, ir.Constant) and 0 <= index.constant < length
        if known or not self.checked:
            return index
        text = bounds.text(self.llvm, site)
        return builder.call(self._check, [index, ir.Constant(I64, length), text])

    def tag(self, path: str) -> Any:
        """Alias metadata: memory of different state fields never overlaps."""
        if self._root is None:
            self._root = self.llvm.add_metadata([ir.MetaDataString(self.llvm, "state")])
        if path not in self._tags:
            name = ir.MetaDataString(self.llvm, path)
            kind = self.llvm.add_metadata([name, self._root, ir.Constant(I64, 0)])
            self._tags[path] = self.llvm.add_metadata([kind, kind, ir.Constant(I64, 0)])
        return self._tags[path]

    def vectorised(self, bits: int) -> Any:
        """Loop metadata: work on as many numbers of so many bits as 512 bits hold.

        A processor with narrower registers takes several. Each loop needs a node of its own,
        which names itself first.
        """
        i32 = ir.IntType(32)
        options: dict[str, list[ir.Constant]] = {
            "llvm.loop.vectorize.enable": [ir.Constant(BOOL, 1)],
            "llvm.loop.vectorize.width": [ir.Constant(i32, VECTOR_BITS // bits)],
            "llvm.loop.interleave.count": [ir.Constant(i32, 1)],
            "llvm.loop.unroll.disable": [],  # a short loop would be gone before it is vectorised
        }
        nodes = [
            self.llvm.add_metadata([ir.MetaDataString(self.llvm, name), *values])
            for name, values in options.items()
        ]
        self._loops += 1
        unique = ir.MetaDataString(self.llvm, f"lanes.{self._loops}")
        loop = self.llvm.add_metadata([unique, *nodes])
        loop.operands = (loop, *nodes)
        return loop
