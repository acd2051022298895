"""Compiles kernels so that what they do to the state is told to other kernels: a sanitizer's pass.

Who reads and writes what is nowhere listed: it is what the text of the kernels does. A watched
array's reads and writes become calls of a hook before the access, with the number of the row that
is accessed (all indices but the last); a watched buffer's, with the first and last byte. In a loop
an access whose row stays the same, or whose address counts up by one, is told once, before the
loop. A function may also have a hook where it is entered, with its own arguments.

A module that is compiled without this has none of it.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from llvmlite import ir

from tilelab.kernelpy.access import Cell
from tilelab.kernelpy.known import Callee, Place
from tilelab.kernelpy.layout import Array, Buffer, Struct
from tilelab.kernelpy.machine import I64, Layouts, parameters
from tilelab.kernelpy.module import Module
from tilelab.kernelpy.statements import Body
from tilelab.sim.kernel import lanes

Hook = Callable[..., int | None]


@dataclass(frozen=True)
class Watched:
    """How an array is watched: ``reads(s, row)`` and ``writes(s, row)``."""

    reads: Hook | None
    writes: Hook | None
    first: int
    """What is added to the row, so that one hook can tell several arrays apart."""
    whole_rows: bool
    """Whether the last index is left out of the row."""
    with_value: bool = False
    """Whether it is ``writes(s, row, value)``, asked for each number."""


@dataclass
class Watch:
    """What is watched. Hooks are kernels; none of them is watched itself."""

    arrays: dict[str, Watched] = field(default_factory=dict)
    """By path."""
    buffers: dict[int, tuple[Hook | None, Hook | None]] = field(default_factory=dict)
    """By index: ``reads(s, first, last)`` and ``writes(s, first, last)``, in bytes."""
    entries: dict[Callable[..., Any], tuple[Hook, ...]] = field(default_factory=dict)
    """Called where these functions are entered, with their arguments."""
    watched: Callable[[FunctionType], bool] = lambda function: True
    """Whether a kernel's accesses are watched."""


def watched_module(module: Module, watch: Watch) -> Module:
    """Have a module watch the kernels that it compiles from now on."""
    module.body = type("WatchedBody", (WatchedBody,), {"watch": watch})
    return module


class WatchedBody(Body):
    """A kernel's body with calls of hooks in it."""

    watch: Watch

    def compile(self, layouts: Layouts) -> None:
        """Fill the LLVM function; first of all call the hook of the function's entry."""
        self._told: set[int] = set()
        self._calls = 0
        self._calls_before: list[int] = []
        self._stores: dict[int, tuple[Place, ir.Value, Cell]] = {}
        nodes = ast.walk(self.tree)
        self._augmented = {id(node.target) for node in nodes if isinstance(node, ast.AugAssign)}
        self._layout = layouts[0] if layouts else None
        self._state = self.llvm.args[0] if parameters(self.function)[:1] == ("s",) else None
        self._is_watched = self._state is not None and self.watch.watched(self.function)
        for hook in self.watch.entries.get(self.function, ()):
            self._call(hook, list(self.llvm.args), layouts)
        super().compile(layouts)

    def _call(self, hook: Hook, values: list[ir.Value], layouts: Layouts) -> None:
        assert isinstance(hook, FunctionType)
        self._calls += 1
        self.builder.call(self.context.declare(hook, layouts), values)

    def _tell(self, place: Place, write: bool, values: list[ir.Value]) -> None:
        """Call the hook of a watched array or buffer."""
        assert self._state is not None
        hook = self._hooks(place)[write]
        if hook is None:
            return
        state = self._layout
        self._call(hook, [self._state, *values], (state, *[None] * len(values)))

    def _hooks(self, place: Place) -> tuple[Hook | None, Hook | None]:
        if isinstance(place.what, Buffer):
            return self.watch.buffers[place.what.index]
        assert isinstance(place.what, Array)
        watched = self.watch.arrays[place.what.path]
        return watched.reads, watched.writes

    def _watches(self, place: Place) -> bool:
        if not self._is_watched:
            return False
        if isinstance(place.what, Buffer):
            return place.what.index in self.watch.buffers
        return isinstance(place.what, Array) and place.what.path in self.watch.arrays

    # ------------------------------------------------------------------ one access

    def cell(self, place: Place, node: ast.expr) -> Cell:
        """One number of a place; a watched one's access is told where it is made."""
        made = super().cell(place, node)
        if id(node) not in self._told and isinstance(node, ast.Subscript) and self._watches(place):
            values = [self._numbers(place, node)]
            if isinstance(place.what, Buffer):
                values.append(self._end(place, values[0]))
            for write in self._kinds(node):
                if write and self._with_value(place):
                    self._stores[id(made)] = place, values[0], made
                else:
                    self._tell(place, write, values)
        return made

    def _with_value(self, place: Place) -> bool:
        what = place.what
        return isinstance(what, Array) and self.watch.arrays[what.path].with_value

    def store(self, cell: Cell, value: ir.Value) -> None:
        """Write one number; a hook that wants the value is told it before."""
        place, row, _ = self._stores.pop(id(cell), (None, None, None))
        if place is not None:
            assert row is not None
            self._tell(place, True, [row, self.fitted(value, I64)])
        super().store(cell, value)

    def _kinds(self, node: ast.Subscript) -> tuple[bool, ...]:
        """Whether an access reads, writes or both."""
        if isinstance(node.ctx, ast.Load):
            return (False,)
        return (False, True) if id(node) in self._augmented else (True,)

    def _numbers(self, place: Place, node: ast.Subscript) -> ir.Value:
        """The row of an array, or the first byte of a buffer's datum."""
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        what = place.what
        with self.wide():
            if isinstance(what, Buffer):
                return self.builder.mul(self.integer(parts[0]), ir.Constant(I64, what.itemsize))
            assert isinstance(what, Array)
            watched = self.watch.arrays[what.path]
            row = self._element_of(place, what)
            kept = parts[:-1] if watched.whole_rows else parts
            for part, length in zip(kept, what.shape, strict=False):
                scaled = self.builder.mul(row, ir.Constant(I64, length))
                row = self.builder.add(scaled, self.integer(part))
            return self.builder.add(row, ir.Constant(I64, watched.first))

    def _element_of(self, place: Place, what: Array) -> ir.Value:
        """Which element of an array of records an array of numbers is in; 0 if it is in none.

        The address says it: a record that was handed to a kernel has no other trace of its index.
        """
        records, _, inner = what.path.rpartition(".")
        if not records:
            return ir.Constant(I64, 0)
        assert isinstance(self._layout, Struct)
        outer = self._layout.field(records)
        assert isinstance(outer, Struct)
        assert len(outer.shape) == 1, what.path
        begin = outer.offset + Struct(0, outer.dtype, (), (), records).field(inner).offset
        addresses = (self.builder.ptrtoint(p, I64) for p in (place.pointer, self._state))
        distance = self.builder.sub(self.builder.sub(*addresses), ir.Constant(I64, begin))
        return self.builder.udiv(distance, ir.Constant(I64, outer.strides[0]))

    def _end(self, place: Place, first: ir.Value) -> ir.Value:
        assert isinstance(place.what, Buffer)
        return self.builder.add(first, ir.Constant(I64, place.what.itemsize - 1))

    # ------------------------------------------------------------------ loops

    def visit_For(self, node: ast.For) -> None:
        """Compile a loop, before which is told what each of its iterations does alike."""
        told: set[int] = set()
        if self._is_watched and isinstance(node.iter, ast.Call):
            if self.known(node.iter.func) in (Callee(range), Callee(lanes)):
                told = self._tell_ahead(node, node.iter)
        self._told |= told
        self._calls_before.append(self._calls)
        super().visit_For(node)
        self._calls_before.pop()
        self._told -= told  # the loop may be compiled again, in an outer one that is unrolled

    def vectorises(self) -> bool:
        """Whether the loop just compiled calls no hook, and may become vector instructions."""
        return self._calls == self._calls_before[-1] and super().vectorises()

    def _tell_ahead(self, node: ast.For, call: ast.Call) -> set[int]:
        """Tell before a loop what each of its iterations does alike; which accesses those are."""
        if len(call.args) > 2 or not isinstance(node.target, ast.Name):
            return set()
        name = node.target.id
        names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
        changed = {n.id for n in names if isinstance(n.ctx, ast.Store)}
        found = [
            (place, access)
            for access in _straight(node.body)
            if id(access) not in self._told
            and (place := self._place_of(access, changed)) is not None
            and self._regular(place, access, name, changed)
        ]
        if not found:
            return set()
        self._declare(name, I64)
        start, end, _ = self._bounds(call)
        inside, after = (self.llvm.append_basic_block() for _ in range(2))
        self.builder.cbranch(self.builder.icmp_signed("<", start, end), inside, after)
        self.builder.position_at_end(inside)
        last = self.builder.sub(end, ir.Constant(I64, 1))
        for place, access in found:
            self._put(name, start)
            values = [self._numbers(place, access)]
            if isinstance(place.what, Buffer):
                self._put(name, last)
                values.append(self._end(place, self._numbers(place, access)))
            for write in self._kinds(access):
                self._tell(place, write, values)
        self.builder.branch(after)
        self.builder.position_at_end(after)
        return {id(access) for _, access in found}

    def _place_of(self, access: ast.Subscript, changed: set[str]) -> Place | None:
        """The watched array or buffer that an access is to, if it can be named before the loop."""
        root: ast.expr = access.value
        if any(isinstance(part, ast.Subscript) for part in ast.walk(root)):
            return None
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id not in self.places or root.id in changed:
            return None
        known = self.known(access.value)
        return known if isinstance(known, Place) and self._watches(known) else None

    def _regular(self, place: Place, access: ast.Subscript, name: str, changed: set[str]) -> bool:
        """Whether an access is told once for the whole loop."""
        parts = access.slice.elts if isinstance(access.slice, ast.Tuple) else [access.slice]
        if isinstance(place.what, Buffer):
            return _counts_up(parts[0], name, changed - {name})
        assert isinstance(place.what, Array)
        if self._with_value(place) and not isinstance(access.ctx, ast.Load):
            return False
        rows = parts[:-1] if self.watch.arrays[place.what.path].whole_rows else parts
        return all(_settled(part, changed | {name}) for part in rows)


def _straight(body: list[ast.stmt]) -> Iterator[ast.Subscript]:
    """Subscripts in statements that every iteration executes."""
    for statement in body:
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr):
            nodes = list(ast.walk(statement))
            choices = (n for n in nodes if isinstance(n, ast.IfExp | ast.BoolOp))
            hidden = {id(part) for choice in choices for part in ast.walk(choice)}
            yield from (n for n in nodes if isinstance(n, ast.Subscript) and id(n) not in hidden)
        elif any(isinstance(n, ast.Break | ast.Continue | ast.Return) for n in ast.walk(statement)):
            return


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _settled(node: ast.expr, changed: set[str]) -> bool:
    """Whether an index means the same before a loop as in each of its iterations."""
    parts = list(ast.walk(node))
    if any(isinstance(part, ast.Call | ast.Subscript | ast.Attribute) for part in parts):
        return False
    return not _names(node) & changed


def _counts_up(index: ast.expr, name: str, changed: set[str], parts: bool = False) -> bool:
    """Whether an index is the loop's counter plus what stays the same.

    Or ``parts`` of a datum are counted, several at a time, and shifted down to data.
    """
    if isinstance(index, ast.Name):
        return index.id == name
    if not isinstance(index, ast.BinOp):
        return False
    if isinstance(index.op, ast.RShift):
        down = _settled(index.right, changed | {name})
        return down and _counts_up(index.left, name, changed, parts=True)
    if isinstance(index.op, ast.Add) or (parts and isinstance(index.op, ast.Mult)):
        for counter, rest in ((index.left, index.right), (index.right, index.left)):
            if _counts_up(counter, name, changed, parts) and _settled(rest, changed | {name}):
                return True
    return False
