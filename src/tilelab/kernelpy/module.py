"""Compiles kernel Python (see :mod:`tilelab.sim.kernel`) to LLVM.

Every local is a signed integer of 64 bits, or of fewer in a narrow kernel; state is memory at
fixed offsets from one pointer; what is constant for a chip (``s.arch``, ``s.f``, tables) becomes a
constant. A kernel that uses anything else is refused with its file and line, so that the language
stays what its definition says.
"""

from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import Any

from llvmlite import ir

from tilelab.kernelpy import bounds
from tilelab.kernelpy.machine import (
    BOOL,
    I64,
    POINTER,
    VOID,
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


class Module:
    """Kernels compiled together for one machine. Kernels called are compiled with their callers.

    All are in one unit, unless ``homes`` says otherwise: a unit is compiled apart, and calls what
    is at home in another one. Where two modules have the same unit, its code is the same.
    """

    def __init__(self, machine: Machine, name: str = "kernels", checked: bool = False) -> None:
        self.machine = machine
        self.name = name
        self.checked = checked
        """Whether every index is checked; slow, and quick to compile."""
        self.quick = False
        """Whether it is compiled in the least time, and not to run fast."""
        self.twice: frozenset[str] = frozenset()
        """Units whose functions are simplified twice: where loops follow loops over same lanes."""
        self.instead: dict[Callable[..., Any], Callable[..., Any]] = {}
        """Functions to compile in place of others."""
        self.attributes: dict[Callable[..., Any], str] = {}
        """LLVM attributes for some functions, such as ``alwaysinline`` or ``cold noinline``."""
        self.homes: dict[Callable[..., Any], str] = {}
        """The units of some functions, of a state and integers; others go with each caller."""
        self.body: type[Body] = Body
        """What compiles a kernel's body; another one may add to what kernels do."""
        self.units: dict[str, Unit] = {}
        self.pending: list[tuple[Unit, FunctionType, Layouts, ir.Function]] = []

    @property
    def whole(self) -> "Unit":
        """The module's only unit, if nothing is at home elsewhere."""
        (unit,) = self.units.values()
        return unit

    def unit(self, name: str) -> "Unit":
        """A unit by name; a new one has all that is at home there."""
        if name not in self.units:
            unit = self.units[name] = Unit(self, name)
            for function, home in self.homes.items():
                if home == name:
                    unit.declare(function, self.layouts(function))
        return self.units[name]

    def layouts(self, function: Callable[..., Any]) -> Layouts:
        """Where the parameters of a kernel of a state and integers lie."""
        names = parameters(self.chosen(function))
        known = {each.name: each.record for each in self.machine.all}
        return tuple(known.get(name) if i == 0 else None for i, name in enumerate(names))

    def chosen(self, function: Callable[..., Any]) -> FunctionType:
        """What is compiled in place of a function: it, or another one."""
        chosen = self.instead.get(function, function)
        if not isinstance(chosen, FunctionType):
            raise KernelError(f"{chosen!r} is not a plain function")
        return chosen

    def add(self, function: Callable[..., Any], exported: str = "") -> ir.Function:
        """Compile a kernel; ``exported`` gives it a symbol that can be called from outside.

        A first parameter called ``s`` (``Machine.name``) is its state, the others are integers.
        """
        unit = self.unit(self.homes.get(function, self.name))
        declared = unit.declare(function, self.layouts(function))
        while self.pending:
            its_unit, kernel, lie, llvm = self.pending.pop()
            self.body(its_unit, kernel, llvm).compile(lie)
        if exported:
            inner = declared.function_type
            nothing = inner.return_type == VOID
            kind = ir.FunctionType(I64, inner.args) if nothing else inner
            outer = ir.Function(unit.llvm, kind, exported)
            builder = ir.IRBuilder(outer.append_basic_block())
            result = builder.call(declared, outer.args)
            builder.ret(ir.Constant(I64, 0) if nothing else result)
        return declared


class Unit:
    """Some of a module's kernels: what LLVM compiles in one go."""

    def __init__(self, module: Module, name: str) -> None:
        self.module = module
        self.name = name
        self.machine = module.machine
        self.checked = module.checked
        self.quick = module.quick
        self.twice = name in module.twice
        self.llvm = ir.Module(name)
        self.functions: dict[tuple[FunctionType, Layouts], ir.Function] = {}
        self._tables: dict[tuple[int, ...], ir.GlobalVariable] = {}
        self._root: Any = None
        self._tags: dict[str, Any] = {}
        self._loops = 0
        self._check = bounds.define(self.llvm) if self.checked else None

    @cached_property
    def text(self) -> str:
        """All of it in LLVM's assembly; asked for when nothing is added any more."""
        return str(self.llvm)

    def declare(self, function: Callable[..., Any], layouts: Layouts) -> ir.Function:
        """The LLVM function of a kernel for parameters that lie so, to be defined if it is new.

        KernelError if it is not marked as a kernel.
        """
        chosen = self.module.chosen(function)
        key = chosen, layouts
        if key not in self.functions:
            if not is_kernel(chosen):
                raise KernelError(f"{place_of(chosen)}: not marked with @kernel")
            home = self.module.homes.get(function)
            made = self._named(chosen, layouts, home)
            for word in self._attributes(function, chosen):
                made.attributes.add(word)
            self.functions[key] = made
            if home is None or home == self.name:
                self.module.pending.append((self, chosen, layouts, made))
            else:
                self.module.unit(home)
        return self.functions[key]

    def _named(self, chosen: FunctionType, layouts: Layouts, home: str | None) -> ir.Function:
        count = returns(chosen)
        result = (VOID, I64)[count] if count < 2 else ir.LiteralStructType([I64] * count)
        arguments = [I64 if layout is None else POINTER for layout in layouts]
        kind = ir.FunctionType(result, arguments)
        name = f"{chosen.__module__}.{chosen.__qualname__}"
        if home is not None:
            return ir.Function(self.llvm, kind, name)
        if parts := [layout.path for layout in layouts if layout and layout.path]:
            name += f"({', '.join(parts)})"
        made = ir.Function(self.llvm, kind, self.llvm.get_unique_name(name))
        made.linkage = "internal"
        return made

    def _attributes(self, function: Callable[..., Any], chosen: FunctionType) -> list[str]:
        if attributes := self.module.attributes.get(function):
            return attributes.split()
        narrow = word_of(chosen) is not I64 and "lanes" not in chosen.__code__.co_names
        return ["alwaysinline"] if narrow else []  # it is a part of others' loops

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

    def vectorised(self, count: int) -> Any:
        """Loop metadata: work on so many numbers at once.

        A processor with narrower registers takes several. Each loop needs a node of its own,
        which names itself first.
        """
        i32 = ir.IntType(32)
        options: dict[str, list[ir.Constant]] = {
            "llvm.loop.vectorize.enable": [ir.Constant(BOOL, 1)],
            "llvm.loop.vectorize.width": [ir.Constant(i32, count)],
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
