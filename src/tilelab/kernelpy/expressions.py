"""Compiles the expressions of kernel Python."""

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any

from llvmlite import ir

from tilelab.kernelpy.access import Access
from tilelab.kernelpy.known import Callee, Namespace, Number, Place, Table, described
from tilelab.kernelpy.layout import Array, Buffer, Struct
from tilelab.kernelpy.machine import BOOL, F32, F32_BITS, I64, VOID, KernelError, parameters
from tilelab.sim.kernel import bit_length, fused, lanes, signed32

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
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


class Expressions(Access):
    """One kernel's expressions: visiting one compiles it to an integer of the kernel's word."""

    def generic_visit(self, node: ast.AST) -> Any:
        """Refuse whatever has no method of its own here."""
        what = ast.unparse(node) if isinstance(node, ast.expr) else "this"
        self.refuse(node, f"{what}: {type(node).__name__} is not part of kernel Python")

    def visit_Constant(self, node: ast.Constant) -> ir.Value:
        if not isinstance(node.value, int):
            self.refuse(node, f"{node.value!r} is not an integer")
        return self.constant(node, int(node.value))

    def visit_Name(self, node: ast.Name) -> ir.Value:
        if node.id in self.locals:
            return self.fitted(self.builder.load(self.locals[node.id], typ=self.kinds[node.id]))
        return self._number(node)

    def visit_Attribute(self, node: ast.Attribute) -> ir.Value:
        return self._number(node)

    def _number(self, node: ast.Name | ast.Attribute) -> ir.Value:
        """An integer that has a name: a constant, or a single number of the state."""
        known = self.known(node)
        if isinstance(known, Place):
            return self.load(self.cell(known, node), node)
        if isinstance(known, Number):
            return self.constant(node, known.value)
        self.refuse(node, f"{ast.unparse(node)} is not an integer but {described(known)}")

    def visit_Subscript(self, node: ast.Subscript) -> ir.Value:
        owner = self.known(node.value)
        if isinstance(owner, Place):
            return self.load(self.cell(owner, node), node)
        if not isinstance(owner, Table):
            self.refuse(node, f"{ast.unparse(node.value)} cannot be indexed: {described(owner)}")
        index = self.index(node.slice, len(owner.values), ast.unparse(node.value))
        if isinstance(index, ir.Constant):
            if not 0 <= index.constant < len(owner.values):
                self.refuse(node, f"{ast.unparse(node)} is outside of the tuple")
            return self.constant(node, int(owner.values[index.constant]))
        table = self.context.table(tuple(int(value) for value in owner.values))
        at = [ir.Constant(I64, 0), index]
        slot = self.builder.gep(table, at, source_etype=table.value_type)
        return self.fitted(self.builder.load(slot, typ=I64))

    def visit_BinOp(self, node: ast.BinOp) -> ir.Value:
        return self.binary(node.op, self.integer(node.left), self.integer(node.right), node)

    def binary(self, op: ast.operator, left: ir.Value, right: ir.Value, node: ast.AST) -> ir.Value:
        """Compile an operator."""
        name = BINARY.get(type(op))
        if name is None:
            self.refuse(node, f"operator {type(op).__name__} is not part of kernel Python")
        return getattr(self.builder, name)(left, right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ir.Value:
        if isinstance(node.op, ast.Not):
            return self.builder.zext(self.condition(node), self.word)
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            if isinstance(node.operand.value, int):
                return self.constant(node, -node.operand.value)
        value = self.integer(node.operand)
        if isinstance(node.op, ast.Invert):
            return self.builder.not_(value)
        return self.builder.neg(value) if isinstance(node.op, ast.USub) else value

    def visit_Compare(self, node: ast.Compare) -> ir.Value:
        return self.builder.zext(self._comparison(node), self.word)

    def visit_BoolOp(self, node: ast.BoolOp) -> ir.Value:
        return self._choose(node, self.word, self.integer)

    def condition(self, node: ast.expr) -> ir.Value:
        """Compile an expression to a truth value."""
        match node:
            case ast.Compare():
                return self._comparison(node)
            case ast.UnaryOp(op=ast.Not()):
                return self.builder.not_(self.condition(node.operand))
            case ast.BoolOp():
                return self._choose(node, BOOL, self.condition)
        value = self.integer(node)
        return self.builder.icmp_signed("!=", value, ir.Constant(value.type, 0))

    def _comparison(self, node: ast.Compare) -> ir.Value:
        if any(
            isinstance(part, ast.Call) for other in node.comparators[1:] for part in ast.walk(other)
        ):
            self.refuse(node, "a call late in a chain of comparisons, which Python may not make")
        left = self.integer(node.left)
        result = None
        for op, other in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn):
                test = self._membership(left, op, other)
            else:
                sign = COMPARE.get(type(op))
                if sign is None:
                    self.refuse(
                        node, f"comparison {type(op).__name__} is not part of kernel Python"
                    )
                right = self.integer(other)
                test = self.builder.icmp_signed(sign, left, right)
                left = right
            result = test if result is None else self.builder.and_(result, test)
        return result

    def _membership(self, left: ir.Value, op: ast.cmpop, other: ast.expr) -> ir.Value:
        if isinstance(other, ast.Tuple):
            members = [self.integer(element) for element in other.elts]
        else:
            known = self.known(other)
            if not isinstance(known, Table):
                self.refuse(other, f"{ast.unparse(other)} is not a tuple of constants")
            members = [self.constant(other, int(value)) for value in known.values]
        if not members:
            self.refuse(other, "an empty tuple")
        test = self.builder.icmp_signed("==", left, members[0])
        for member in members[1:]:
            test = self.builder.or_(test, self.builder.icmp_signed("==", left, member))
        return self.builder.not_(test) if isinstance(op, ast.NotIn) else test

    def _choose(
        self, node: ast.BoolOp, kind: ir.Type, compile_one: Callable[[ast.expr], ir.Value]
    ) -> ir.Value:
        """``and`` and ``or``, of truths or of numbers, evaluating no more than Python does."""
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

    def visit_IfExp(self, node: ast.IfExp) -> ir.Value:
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

    def _join(
        self, done: ir.Block, incoming: list[tuple[ir.Value, ir.Block]], kind: ir.Type
    ) -> ir.Value:
        self.builder.branch(done)
        self.builder.position_at_end(done)
        phi = self.builder.phi(kind)
        for value, block in incoming:
            phi.add_incoming(value, block)
        return phi

    # ------------------------------------------------------------------ calls

    def visit_Call(self, node: ast.Call) -> ir.Value:
        value = self.call(node)
        if isinstance(value.type, ir.LiteralStructType):
            self.refuse(node, f"{ast.unparse(node.func)} returns several integers: unpack them")
        if value.type == VOID:
            self.refuse(node, f"{ast.unparse(node.func)} returns nothing")
        return self.fitted(value)

    def call(self, node: ast.Call) -> ir.Value:
        """Call a kernel, or min, max, abs, len, bit_length, signed32, fused.

        A kernel's integers go in and come back 64 bits wide, whatever its word is; a part of the
        state goes in as its address, and the kernel is compiled for where that lies.
        """
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            self.refuse(node, "arguments are passed by position")
        target = self.known(node.func)
        if isinstance(target, Namespace):
            self.refuse(node, f"{ast.unparse(node.func)} is not a kernel")
        if not isinstance(target, Callee) or target.function in (range, lanes):
            self.refuse(node, f"{ast.unparse(node.func)} cannot be called here")
        function = target.function
        if function is bit_length or function is signed32 or function is abs:
            if len(node.args) != 1:
                self.refuse(node, f"{function.__name__} takes one argument")
            return self._one(function, node.args[0])
        if function is min or function is max:
            return self._least(function, node)
        if function is len:
            return self._length(node)
        if function is fused:
            return self._fused(node)
        return self._kernel(function, node)

    def _kernel(self, function: FunctionType, node: ast.Call) -> ir.Value:
        names = parameters(function)
        if len(node.args) != len(names):
            self.refuse(node, f"{function.__name__} takes {len(names)} arguments")
        values, layouts = [], []
        for argument in node.args:
            place = None
            if isinstance(argument, ast.Name | ast.Attribute | ast.Subscript):
                known = self.known(argument)
                place = known if isinstance(known, Place) and not known.is_number else None
            layouts.append(place.what if place else None)
            values.append(place.pointer if place else self.fitted(self.integer(argument), I64))
        try:
            made = self.context.declare(function, tuple(layouts))
        except KernelError as error:
            self.refuse(node, str(error))
        return self.builder.call(made, values)

    def _one(self, function: Any, argument: ast.expr) -> ir.Value:
        """A function of one number."""
        if function is bit_length:
            value = self.integer(argument)
            zeros = self.builder.ctlz(value, ir.Constant(BOOL, 0))
            return self.builder.sub(ir.Constant(value.type, value.type.width), zeros)
        if function is abs:
            value = self.integer(argument)
            return self._greater(">", value, self.builder.neg(value))
        owner = self.known(argument.value if isinstance(argument, ast.Subscript) else argument)
        if not isinstance(owner, Place):
            self.refuse(argument, "signed32 takes a word of state")
        return self.load(self.cell(owner, argument), argument, as_signed=True)

    def _fused(self, node: ast.Call) -> ir.Value:
        """The processor's own multiply-add."""
        if len(node.args) != 3 or self.word.width != F32_BITS:
            self.refuse(node, f"fused takes three numbers of a kernel of {F32_BITS} bits")
        numbers = [self.builder.bitcast(self.integer(argument), F32) for argument in node.args]
        return self.builder.bitcast(self.builder.fma(*numbers), self.word)

    def _length(self, node: ast.Call) -> ir.Value:
        """How many elements an array of the state has: a constant."""
        known = self.known(node.args[0]) if len(node.args) == 1 else None
        match known:
            case Place(Array() | Struct() as what) if what.shape:
                return self.constant(node, what.shape[0])
            case Place(Buffer() as what):
                return self.constant(node, what.length)
        self.refuse(node, "len takes an array of the state")

    def _least(self, function: Any, node: ast.Call) -> ir.Value:
        if len(node.args) < 2:
            self.refuse(node, f"{function.__name__} takes two numbers or more")
        result, *others = (self.integer(argument) for argument in node.args)
        for value in others:
            result = self._greater("<" if function is min else ">", result, value)
        return result

    def _greater(self, sign: str, left: ir.Value, right: ir.Value) -> ir.Value:
        return self.builder.select(self.builder.icmp_signed(sign, left, right), left, right)
