"""Compiles the expressions of kernel Python."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

from llvmlite import ir

from tilelab.engine.layout import Array, Struct
from tilelab.engine.machine import (
    BOOL,
    BYTE,
    I64,
    Constant,
    KernelError,
    Place,
    parsed,
    word_of,
)
from tilelab.sim.kernel import bit_length, signed32

if TYPE_CHECKING:
    from tilelab.engine.module import Module

BINARY = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "ashr",
    ast.FloorDiv: "sdiv",
    ast.Mod: "srem",
}
COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


class Expressions:
    """One kernel's expressions. Integers are LLVM values; everything else is known now."""

    def __init__(self, module: "Module", function: FunctionType, llvm: ir.Function) -> None:
        self.module = module
        self.function = function
        self.llvm = llvm
        self.word = word_of(function)
        """Type of the integers being computed; indices are 64 bits wide in any kernel."""
        self.tree = parsed(function)
        self.builder = ir.IRBuilder(llvm.append_basic_block("entry"))
        self.locals: dict[str, ir.Value] = {}
        self.kinds: dict[str, ir.IntType] = {}
        self.places: dict[str, Any] = {}

    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        """Report what is not kernel Python, with its place in the source."""
        raise KernelError(f"{self.where(node)}: {why}")

    def where(self, node: ast.AST) -> str:
        """File, line and function of a node."""
        code = self.function.__code__
        line = code.co_firstlineno + getattr(node, "lineno", 1) - 1
        return f"{code.co_filename}:{line}: {self.function.__name__}"

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
        return ir.Constant(self.word, value)

    # ------------------------------------------------------------------ things known now

    def known(self, node: ast.expr) -> Any:
        """What a name or attribute stands for, if that is not a local integer; else None."""
        if isinstance(node, ast.Name):
            if node.id in self.places:
                return self.places[node.id]
            if node.id in self.locals:
                return None
            return self._global(node)
        if isinstance(node, ast.Attribute):
            owner = self.known(node.value)
            return None if owner is None else self._attribute(owner, node)
        if isinstance(node, ast.Subscript):
            owner = self.known(node.value)
            if owner is None:
                return None
            if isinstance(owner, Place) and isinstance(owner.what, Struct):
                return self._element(owner, node)
        return None

    def _global(self, node: ast.Name) -> Any:
        value = self.function.__globals__.get(node.id)
        if value is None:
            value = {"range": range, "min": min, "max": max, "abs": abs}.get(node.id)
        if value is None:
            self.refuse(node, f"{node.id} is not known")
        return value if isinstance(value, int | tuple | FunctionType) else Constant(value)

    def _attribute(self, owner: Any, node: ast.Attribute) -> Any:
        if isinstance(owner, Place):
            return self._member(owner, node)
        if isinstance(owner, Constant):
            value = getattr(owner.value, node.attr, None)
            if value is None:
                self.refuse(node, f"no constant {node.attr}")
            return value if isinstance(value, int | tuple | FunctionType) else Constant(value)
        self.refuse(node, f"cannot take .{node.attr} here")

    def _member(self, owner: Place, node: ast.Attribute) -> Any:
        machine = self.module.machine
        if owner.what is machine.record:
            if node.attr in machine.constants:
                value = machine.constants[node.attr]
                return value if isinstance(value, int | tuple) else Constant(value)
            if node.attr in machine.buffers:
                buffer = machine.buffers[node.attr]
                before = ir.Constant(I64, -8 * (buffer.index + 1))
                slot = self.builder.gep(owner.pointer, [before], source_etype=BYTE)
                pointer = self.builder.load(slot, typ=ir.PointerType())
                pointer.set_metadata("invariant.load", self.module.llvm.add_metadata([]))
                return Place(buffer, pointer)
        if not isinstance(owner.what, Struct):
            self.refuse(node, f"an array has no .{node.attr}")
        try:
            what = owner.what.field(node.attr)
        except KeyError:
            self.refuse(node, f"the state has no {owner.what.path}.{node.attr}")
        offset = ir.Constant(I64, what.offset)
        pointer = self.builder.gep(owner.pointer, [offset], source_etype=BYTE)
        return Place(what, pointer)

    def _element(self, owner: Place, node: ast.Subscript) -> Place:
        """A record of an array of records."""
        what = owner.what
        assert isinstance(what, Struct)
        if not what.shape:
            self.refuse(node, "a record cannot be indexed")
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
        return self.module.check_index(self.builder, value, length, site)

    def address(self, place: Place, node: ast.expr) -> tuple[ir.Value, int, bool, str]:
        """Address, size, signedness and name of one number in memory."""
        what = place.what
        parts: list[ast.expr] = []
        if isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(what, Array):
            strides, lengths, path = what.strides, what.shape, what.path
            size, signed = what.itemsize, what.signed
        elif isinstance(what, Struct):
            self.refuse(node, f"{what.path} is a record, not a number")
        else:
            strides, lengths, path = (what.itemsize,), (what.length,), f"buffer {what.index}"
            size, signed = what.itemsize, False
        if len(parts) != len(strides):
            self.refuse(node, f"{path} takes {len(strides)} indices, not {len(parts)}")
        pointer = place.pointer
        for part, stride, length in zip(parts, strides, lengths, strict=True):
            index = self.index(part, length, path)
            if isinstance(what, Array):
                offset = self.builder.mul(index, ir.Constant(I64, stride))
                pointer = self.builder.gep(pointer, [offset], source_etype=BYTE)
            else:
                # addresses are often shifted right for an index; folded with a product, that
                # would hide that a loop's accesses are contiguous
                kind = ir.IntType(8 * what.itemsize)
                pointer = self.builder.gep(pointer, [index], source_etype=kind)
        return pointer, size, signed, path

    def load(self, place: Place, node: ast.expr, as_signed: bool = False) -> ir.Value:
        """Read one number."""
        pointer, size, signed, path = self.address(place, node)
        kind = ir.IntType(8 * size)
        signed = signed or as_signed
        if self.word is not I64 and kind.width + (not signed) > self.word.width:
            self.refuse(node, f"{path} does not fit a signed word of {self.word.width} bits")
        value = self.builder.load(pointer, typ=kind)
        value.set_metadata("tbaa", self.module.tag(path))
        if kind.width == self.word.width:
            return value
        extend = self.builder.sext if signed else self.builder.zext
        return extend(value, self.word)

    def store(self, place: Place, node: ast.expr, value: ir.Value) -> None:
        """Write one number, which fits."""
        pointer, size, _, path = self.address(place, node)
        stored = self.builder.store(self.fitted(value, ir.IntType(8 * size)), pointer)
        stored.set_metadata("tbaa", self.module.tag(path))

    # ------------------------------------------------------------------ integers

    def integer(self, node: ast.expr) -> ir.Value:
        """Compile an expression to an integer of the kernel's word."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return self.constant(node, int(node.value))
        if isinstance(node, ast.Name) and node.id in self.locals:
            return self.fitted(self.builder.load(self.locals[node.id], typ=self.kinds[node.id]))
        if isinstance(node, ast.BinOp):
            return self._binary(node.op, self.integer(node.left), self.integer(node.right), node)
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.Compare):
            return self.builder.zext(self.condition(node), self.word)
        if isinstance(node, ast.BoolOp):
            return self._choose(node, self.word)
        if isinstance(node, ast.IfExp):
            return self._conditional(node)
        if isinstance(node, ast.Call):
            return self.fitted(self.call(node))
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        known = self.known(node)
        if isinstance(known, Place):
            return self.load(known, node)
        if isinstance(known, int | IntEnum):
            return self.constant(node, int(known))
        self.refuse(node, f"{ast.unparse(node)} is not an integer")

    def _subscript(self, node: ast.Subscript) -> ir.Value:
        owner = self.known(node.value)
        if isinstance(owner, Place):
            return self.load(owner, node)
        if isinstance(owner, tuple):
            index = self.index(node.slice, len(owner), ast.unparse(node.value))
            if isinstance(index, ir.Constant):
                return self.constant(node, int(owner[index.constant]))
            table = self.module.table(tuple(int(value) for value in owner))
            at = [ir.Constant(I64, 0), index]
            slot = self.builder.gep(table, at, source_etype=table.value_type)
            return self.fitted(self.builder.load(slot, typ=I64))
        self.refuse(node, f"{ast.unparse(node.value)} cannot be indexed")

    def _binary(self, op: ast.operator, left: ir.Value, right: ir.Value, node: ast.AST) -> ir.Value:
        name = BINARY.get(type(op))
        if name is None:
            self.refuse(node, f"operator {type(op).__name__}")
        made: ir.Value = getattr(self.builder, name)(left, right)
        return made

    def _unary(self, node: ast.UnaryOp) -> ir.Value:
        if isinstance(node.op, ast.Not):
            return self.builder.zext(self.condition(node), self.word)
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            if isinstance(node.operand.value, int):
                return self.constant(node, -node.operand.value)
        value = self.integer(node.operand)
        if isinstance(node.op, ast.Invert):
            return self.builder.not_(value)
        if isinstance(node.op, ast.USub):
            return self.builder.neg(value)
        return value

    def condition(self, node: ast.expr) -> ir.Value:
        """Compile an expression to a truth value."""
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.builder.not_(self.condition(node.operand))
        if isinstance(node, ast.BoolOp):
            return self._choose(node, BOOL)
        value = self.integer(node)
        return self.builder.icmp_signed("!=", value, ir.Constant(value.type, 0))

    def _comparison(self, node: ast.Compare) -> ir.Value:
        left = self.integer(node.left)
        result = None
        for op, other in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn):
                assert isinstance(other, ast.Tuple)
                equal = [self.builder.icmp_signed("==", left, self.integer(e)) for e in other.elts]
                test = equal[0]
                for more in equal[1:]:
                    test = self.builder.or_(test, more)
                test = self.builder.not_(test) if isinstance(op, ast.NotIn) else test
            else:
                right = self.integer(other)
                test = self.builder.icmp_signed(COMPARE[type(op)], left, right)
                left = right
            result = test if result is None else self.builder.and_(result, test)
        return result

    def _choose(self, node: ast.BoolOp, kind: ir.Type) -> ir.Value:
        """``and`` and ``or``, of truths or of numbers, evaluating no more than Python does."""
        compile_one = self.condition if kind is BOOL else self.integer
        stop_on = isinstance(node.op, ast.Or)
        done = self.llvm.append_basic_block()
        incoming = []
        for operand in node.values[:-1]:
            value = compile_one(operand)
            test = value
            if kind is not BOOL:
                test = self.builder.icmp_signed("!=", value, ir.Constant(kind, 0))
            more = self.llvm.append_basic_block()
            incoming.append((value, self.builder.block))
            self.builder.cbranch(test, *((done, more) if stop_on else (more, done)))
            self.builder.position_at_end(more)
        incoming.append((compile_one(node.values[-1]), self.builder.block))
        return self._join(done, incoming, kind)

    def _conditional(self, node: ast.IfExp) -> ir.Value:
        yes, no, done = (self.llvm.append_basic_block() for _ in range(3))
        self.builder.cbranch(self.condition(node.test), yes, no)
        incoming = []
        for block, value in ((yes, node.body), (no, node.orelse)):
            self.builder.position_at_end(block)
            number = self.integer(value)
            incoming.append((number, self.builder.block))
            if block is yes:
                self.builder.branch(done)
        return self._join(done, incoming, self.word)

    def _join(self, done: ir.Block, incoming: list[Any], kind: ir.Type) -> ir.Value:
        self.builder.branch(done)
        self.builder.position_at_end(done)
        phi = self.builder.phi(kind)
        for value, block in incoming:
            phi.add_incoming(value, block)
        return phi

    # ------------------------------------------------------------------ calls

    def call(self, node: ast.Call) -> ir.Value:
        """Call another kernel, or min, max, abs, bit_length, signed32.

        A kernel's arguments and results are 64 bits wide, whatever its word is.
        """
        target = self.known(node.func)
        if target is bit_length:
            value = self.integer(node.args[0])
            zeros = self.builder.ctlz(value, ir.Constant(BOOL, 0))
            return self.builder.sub(ir.Constant(value.type, value.type.width), zeros)
        if target is signed32:
            return self._signed32(node.args[0])
        if isinstance(target, Constant) and target.value in (min, max, abs):
            return self._builtin(target.value, [self.integer(a) for a in node.args])
        if not isinstance(target, FunctionType):
            self.refuse(node, f"{ast.unparse(node.func)} is not a kernel")
        made = self.module.declare(target)
        arguments = []
        for kind, argument in zip(made.function_type.args, node.args, strict=True):
            if isinstance(kind, ir.PointerType):
                place = self.known(argument)
                arguments.append(place.pointer)
            else:
                arguments.append(self.fitted(self.integer(argument), I64))
        return self.builder.call(made, arguments)

    def _signed32(self, node: ast.expr) -> ir.Value:
        owner = self.known(node.value if isinstance(node, ast.Subscript) else node)
        if not isinstance(owner, Place):
            self.refuse(node, "signed32 takes a word of state")
        return self.load(owner, node, as_signed=True)

    def _builtin(self, what: Any, values: list[ir.Value]) -> ir.Value:
        if what is abs:
            values = [values[0], self.builder.neg(values[0])]
        sign = "<" if what is min else ">"
        result = values[0]
        for value in values[1:]:
            test = self.builder.icmp_signed(sign, result, value)
            result = self.builder.select(test, result, value)
        return result
