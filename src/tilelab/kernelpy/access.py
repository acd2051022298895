"""What a kernel names, and how it reads and writes the state: what its expressions stand on."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import NoReturn

from llvmlite import ir

from tilelab.kernelpy.known import (
    BUILTINS,
    Computed,
    Known,
    Namespace,
    Number,
    Place,
    described,
    meaning,
)
from tilelab.kernelpy.layout import Array, Buffer, Elsewhere, Struct
from tilelab.kernelpy.machine import (
    BYTE,
    I64,
    Context,
    KernelError,
    Machine,
    parsed,
    place_of,
    word_of,
)


@dataclass(frozen=True)
class Cell:
    """One number in memory."""

    pointer: ir.Value
    kind: ir.IntType
    signed: bool
    path: str


class Access(ast.NodeVisitor):
    """One kernel's names and its way to memory. Integers are LLVM values."""

    def __init__(self, context: Context, function: FunctionType, llvm: ir.Function) -> None:
        self.context = context
        self.function = function
        self.llvm = llvm
        self.word = word_of(function)
        """Type of the integers being computed; indices are 64 bits wide in any kernel."""
        self.tree = parsed(function)
        self.builder = ir.IRBuilder(llvm.append_basic_block("entry"))
        self.locals: dict[str, ir.Value] = {}
        self.kinds: dict[str, ir.IntType] = {}
        self.places: dict[str, Place] = {}

    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        """Report what is not kernel Python, with its place in the source."""
        raise KernelError(f"{self.where(node)}: {why}")

    def where(self, node: ast.AST) -> str:
        """File, line and function of a node."""
        return place_of(self.function, getattr(node, "lineno", 0))

    @contextmanager
    def wide(self) -> Iterator[None]:
        """Compute in 64 bits meanwhile, e.g. an index."""
        word, self.word = self.word, I64
        yield
        self.word = word

    def fitted(self, value: ir.Value, kind: ir.IntType | None = None) -> ir.Value:
        """A value that is known to fit, as the kernel's word or as the given type."""
        kind = kind or self.word
        if value.type.width == kind.width:
            return value
        if isinstance(value, ir.Constant):
            return ir.Constant(kind, value.constant)
        if value.type.width < kind.width:
            return self.builder.sext(value, kind)
        return self.builder.trunc(value, kind)

    def constant(self, node: ast.AST, value: int) -> ir.Constant:
        """Make a constant of the kernel's word."""
        limit = 1 << (self.word.width - 1)
        if self.word is not I64 and not -limit <= value < limit:
            self.refuse(node, f"{value} does not fit a signed word of {self.word.width} bits")
        return ir.Constant(self.word, int(value))

    def integer(self, node: ast.expr) -> ir.Value:
        """Compile an expression to an integer of the kernel's word."""
        return self.visit(node)

    # ------------------------------------------------------------------ things known now

    def known(self, node: ast.expr) -> Known:
        """What an expression stands for."""
        match node:
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self._attribute(self.known(node.value), node)
            case ast.Subscript():
                owner = self.known(node.value)
                if isinstance(owner, Place) and isinstance(owner.what, Struct):
                    return self._element(owner, owner.what, node)
                if isinstance(owner, Place) and isinstance(owner.what, Elsewhere):
                    return self._elsewhere(owner, owner.what, node)
        return Computed()

    def _name(self, node: ast.Name) -> Known:
        if node.id in self.places:
            return self.places[node.id]
        if node.id in self.locals:
            return Computed()
        value = self.function.__globals__.get(node.id, BUILTINS.get(node.id))
        if value is None:
            self.refuse(node, f"{node.id} is not known")
        return meaning(value)

    def _attribute(self, owner: Known, node: ast.Attribute) -> Known:
        if isinstance(owner, Place):
            return self._member(owner, node)
        if isinstance(owner, Namespace | Number):
            value = getattr(owner.value, node.attr, None)
            if value is None:
                self.refuse(node, f"no constant {node.attr}")
            return meaning(value)
        self.refuse(node, f"cannot take .{node.attr} of {described(owner)}")

    def _member(self, owner: Place, node: ast.Attribute) -> Known:
        for machine in self.context.machine.all:
            if owner.what == machine.record and (found := self._beside(owner, machine, node.attr)):
                return found
        if not isinstance(owner.what, Struct):
            self.refuse(node, f"{owner.what.described}, has no .{node.attr}")
        try:
            what = owner.what.field(node.attr)
        except KeyError:
            self.refuse(node, f"the state has no {owner.what.path}.{node.attr}")
        offset = ir.Constant(I64, what.offset)
        pointer = self.builder.gep(owner.pointer, [offset], source_etype=BYTE)
        return Place(what, pointer)

    def _beside(self, owner: Place, machine: Machine, name: str) -> Known | None:
        """What a machine has besides its record."""
        if name in machine.constants:
            return meaning(machine.constants[name])
        if name in machine.buffers:
            buffer = machine.buffers[name]
            return Place(buffer, self._outside(owner, buffer.index))
        if name in machine.records:
            index, record = machine.records[name]
            return Place(record, self._outside(owner, index))
        if name in machine.parts:
            array, part = machine.parts[name]
            addresses = machine.record.field(array)
            assert isinstance(addresses, Array)
            return Place(Elsewhere(addresses, part.record), owner.pointer)
        return None

    def _elsewhere(self, owner: Place, what: Elsewhere, node: ast.Subscript) -> Place:
        """The record of another machine, at an address that this one knows."""
        index = self.index(node.slice, what.addresses.shape[0], what.path)
        at = self.builder.add(
            self.builder.mul(index, ir.Constant(I64, what.addresses.strides[0])),
            ir.Constant(I64, what.addresses.offset),
        )
        slot = self.builder.gep(owner.pointer, [at], source_etype=BYTE)
        return Place(what.record, self.builder.load(slot, typ=ir.PointerType()))

    def _outside(self, state: Place, index: int) -> ir.Value:
        """The address of memory outside the state's record."""
        before = ir.Constant(I64, -8 * (index + 1))
        slot = self.builder.gep(state.pointer, [before], source_etype=BYTE)
        pointer = self.builder.load(slot, typ=ir.PointerType())
        pointer.set_metadata("invariant.load", self.context.llvm.add_metadata([]))
        return pointer

    def _element(self, owner: Place, what: Struct, node: ast.Subscript) -> Place:
        """A record of an array of records."""
        if not what.shape:
            self.refuse(node, f"{what.described}, cannot be indexed")
        index = self.index(node.slice, what.shape[0], what.path)
        pointer = self.builder.gep(
            owner.pointer,
            [self.builder.mul(index, ir.Constant(I64, what.strides[0]))],
            source_etype=BYTE,
        )
        inner = Struct(0, what.dtype, what.shape[1:], what.strides[1:], what.path)
        return Place(inner, pointer)

    # ------------------------------------------------------------------ memory

    def index(self, node: ast.expr, length: int, path: str) -> ir.Value:
        """An index; with bounds checks, 0 if the array does not have it."""
        with self.wide():
            value = self.integer(node)
        site = f"{self.where(node)}: {path} has {length} elements, the index is"
        return self.context.check_index(self.builder, value, length, site)

    def cell(self, place: Place, node: ast.expr) -> Cell:
        """One number of a place: ``node`` is the place's own expression, or a subscript of it."""
        what = place.what
        parts: list[ast.expr] = []
        if isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(what, Struct | Elsewhere):
            self.refuse(node, f"{what.described}, is not a number")
        kind = ir.IntType(8 * what.itemsize)
        lengths = what.shape if isinstance(what, Array) else (what.length,)
        if len(parts) != len(lengths):
            self.refuse(node, f"{what.path} takes {len(lengths)} indices, not {len(parts)}")
        if isinstance(what, Buffer):
            # addresses are often shifted right for an index; folded with a product, that
            # would hide that a loop's accesses are contiguous
            index = self.index(parts[0], what.length, what.path)
            pointer = self.builder.gep(place.pointer, [index], source_etype=kind)
            return Cell(pointer, kind, False, what.path)
        pointer = place.pointer
        for part, stride, length in zip(parts, what.strides, lengths, strict=True):
            offset = self.builder.mul(self.index(part, length, what.path), ir.Constant(I64, stride))
            pointer = self.builder.gep(pointer, [offset], source_etype=BYTE)
        return Cell(pointer, kind, what.signed, what.path)

    def load(self, cell: Cell, node: ast.expr, as_signed: bool = False) -> ir.Value:
        """Read one number."""
        signed = cell.signed or as_signed
        if self.word is not I64 and cell.kind.width + (not signed) > self.word.width:
            self.refuse(node, f"{cell.path} does not fit a signed word of {self.word.width} bits")
        value = self.builder.load(cell.pointer, typ=cell.kind)
        self._tag(value, cell)
        if cell.kind.width == self.word.width:
            return value
        extend = self.builder.sext if signed else self.builder.zext
        return extend(value, self.word)

    def store(self, cell: Cell, value: ir.Value) -> None:
        """Write one number, which fits."""
        stored = self.builder.store(self.fitted(value, cell.kind), cell.pointer)
        self._tag(stored, cell)

    def _tag(self, access: ir.Instruction, cell: Cell) -> None:
        """Say what an access cannot meet: any that has another name."""
        if cell.path:
            access.set_metadata("tbaa", self.context.tag(cell.path))
