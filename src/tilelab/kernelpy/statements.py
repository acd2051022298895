"""Compiles the statements of kernel Python."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir

from tilelab.kernelpy.expressions import Expressions
from tilelab.kernelpy.known import Callee, Number, Place, Table
from tilelab.kernelpy.machine import I64, VOID, Layouts, at_once, parameters
from tilelab.sim.kernel import lanes

SWITCH_CASES = 8
"""From how many equal tests of one variable on a choice is compiled as one jump."""
LOOP_CASES = 64
"""From how many on, in a loop, every alternative gets its own jump to the next one."""
TABLE_SIZE = 256


class Body(Expressions):
    """One kernel's body: visiting a statement compiles it where the builder stands."""

    def compile(self, layouts: Layouts) -> None:
        """Fill the LLVM function, for parameters that lie so."""
        self._loops: list[tuple[ir.Block, ir.Block]] = []
        self._outer: frozenset[str] = frozenset()
        self._records: set[str] = set()
        names = parameters(self.function)
        for name, value, layout in zip(names, self.llvm.args, layouts, strict=True):
            if layout is not None:
                self._name_record(name, Place(layout, value))
            else:
                self._declare(name, I64)
                self.builder.store(value, self.locals[name])
        self._block(self.tree.body)
        if self._goes_on():
            if self.llvm.function_type.return_type != VOID:
                self.refuse(self.tree, "it may end without a return")
            self.builder.ret_void()
        if not self.builder.block.is_terminated:
            self.builder.unreachable()

    def _goes_on(self) -> bool:
        """Whether anything leads to where the builder stands."""
        here = self.builder.block
        if here.is_terminated:
            return False
        return here is self.llvm.blocks[0] or any(
            here in getattr(block.terminator, "operands", ()) for block in self.llvm.blocks
        )

    def _declare(self, name: str, kind: ir.IntType) -> None:
        if name not in self.locals:
            with self.builder.goto_entry_block():
                self.locals[name] = self.builder.alloca(kind)
            self.kinds[name] = kind

    def _put(self, name: str, value: ir.Value) -> None:
        self.builder.store(self.fitted(value, self.kinds[name]), self.locals[name])

    def _name_record(self, name: str, place: Place) -> None:
        self.places[name] = place
        self._records.add(name)

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if self.builder.block.is_terminated:
                return
            self.visit(statement)

    @contextmanager
    def _inner(self) -> Iterator[None]:
        """A block that may not run: names for records that it gives end with it."""
        places, outer = dict(self.places), self._outer
        self._outer = frozenset(places)
        yield
        self.places, self._outer = places, outer

    # ------------------------------------------------------------------ simple statements

    def visit_Pass(self, node: ast.Pass) -> None:
        pass

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.call(node.value)
        elif not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
            self.refuse(node, "an expression without effect")

    def visit_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) != 1:
            self.refuse(node, "more than one target")
        target = node.targets[0]
        if isinstance(target, ast.Tuple):
            values = self._several(node.value)
            if len(values) != len(target.elts):
                self.refuse(node, f"{len(values)} integers for {len(target.elts)} names")
            for part, value in zip(target.elts, values, strict=True):
                self._set(part, value)
            return
        place = self._record(node.value)
        if place is None:
            self._set(target, self.integer(node.value))
            return
        if not isinstance(target, ast.Name):
            self.refuse(node, f"{place.what.described}, cannot be assigned")
        if target.id in self.locals:
            self.refuse(target, f"{target.id} names an integer already")
        if target.id in self._outer:
            self.refuse(target, f"{target.id} names another record outside of this block")
        self._name_record(target.id, place)

    def _record(self, node: ast.expr) -> Place | None:
        """The record or array that an expression names; None if it is an integer."""
        if isinstance(node, ast.Name) and node.id not in self.places:
            return None
        if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            return None
        known = self.known(node)
        return known if isinstance(known, Place) and not known.is_number else None

    def _several(self, node: ast.expr) -> list[ir.Value]:
        if isinstance(node, ast.Tuple):
            return [self.integer(element) for element in node.elts]
        if isinstance(node, ast.Call):
            value = self.call(node)
            if isinstance(value.type, ir.LiteralStructType):
                count = len(value.type.elements)
                return [self.builder.extract_value(value, i) for i in range(count)]
        self.refuse(node, "only a tuple, or a call that returns one, can be unpacked")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            self.refuse(node, "a declaration without a value")
        self._set(node.target, self.integer(node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            value = self.integer(node.target)
            self._set(node.target, self.binary(node.op, value, self.integer(node.value), node))
            return
        owner = self.known(
            node.target.value if isinstance(node.target, ast.Subscript) else node.target
        )
        if not isinstance(owner, Place):
            self.refuse(node, f"cannot assign to {ast.unparse(node.target)}")
        cell = self.cell(owner, node.target)
        value = self.load(cell, node.target)
        self.store(cell, self.binary(node.op, value, self.integer(node.value), node))

    def _set(self, target: ast.expr, value: ir.Value) -> None:
        if isinstance(target, ast.Name):
            if target.id in self._records:
                self.refuse(target, f"{target.id} names a record already")
            self._declare(target.id, self.word)
            self._put(target.id, value)
            return
        if not isinstance(target, ast.Attribute | ast.Subscript):
            self.refuse(target, f"cannot assign to {ast.unparse(target)}")
        owner = self.known(target.value if isinstance(target, ast.Subscript) else target)
        if not isinstance(owner, Place):
            self.refuse(target, f"cannot assign to {ast.unparse(target)}")
        self.store(self.cell(owner, target), value)

    def visit_Return(self, node: ast.Return) -> None:
        result = self.llvm.function_type.return_type
        count = len(result.elements) if isinstance(result, ir.LiteralStructType) else 1
        match node.value:
            case None if result == VOID:
                self.builder.ret_void()
            case None:
                self.refuse(node, "return without a value")
            case _ if result == VOID:
                self.refuse(node, "a value where none is declared")
            case ast.Tuple(elts=elements):
                if len(elements) != count or count == 1:
                    self.refuse(node, f"{len(elements)} integers where {count} are declared")
                values = ir.Constant(result, ir.Undefined)
                for i, element in enumerate(elements):
                    part = self.fitted(self.integer(element), I64)
                    values = self.builder.insert_value(values, part, i)
                self.builder.ret(values)
            case ast.Call() if count > 1:
                value = self.call(node.value)
                if value.type != result:
                    self.refuse(node, f"the call does not return {count} integers")
                self.builder.ret(value)
            case _ if count > 1:
                self.refuse(node, "several integers come from a tuple or a call")
            case _:
                self.builder.ret(self.fitted(self.integer(node.value), I64))

    # ------------------------------------------------------------------ control flow

    def visit_If(self, node: ast.If) -> None:
        if self._switch(node):
            return
        yes, no, done = (self.llvm.append_basic_block() for _ in range(3))
        self.builder.cbranch(self.condition(node.test), yes, no)
        for block, body in ((yes, node.body), (no, node.orelse)):
            self._arm(block, body, done)
        self.builder.position_at_end(done)

    def _case(self, node: ast.stmt) -> tuple[str, int] | None:
        """Name and value of an ``if name == constant``, or None for anything else."""
        match node:
            case ast.If(
                test=ast.Compare(left=ast.Name(id=name), ops=[ast.Eq()], comparators=[right])
            ) if name in self.locals:
                if isinstance(right, ast.Constant) and isinstance(right.value, int):
                    return name, int(right.value)
                if isinstance(right, ast.Name) and right.id not in self.locals:
                    known = self.known(right)
                    return (name, int(known.value)) if isinstance(known, Number) else None
        return None

    def _switch(self, node: ast.If) -> bool:
        """Compile a long chain of ``if name == constant`` to one jump; False if it is none.

        Left to itself LLVM may split such a chain into several jumps, which processors predict
        badly.
        """
        cases: list[tuple[int, list[ast.stmt]]] = []
        first = self._case(node)
        rest: list[ast.stmt] = [node]
        while first and len(rest) == 1 and isinstance(rest[0], ast.If):
            case = self._case(rest[0])
            if case is None or case[0] != first[0]:
                break
            cases.append((case[1], rest[0].body))
            rest = rest[0].orelse
        if first is None or len(cases) < SWITCH_CASES:
            return False
        default, done = self.llvm.append_basic_block(), self.llvm.append_basic_block()
        name = first[0]
        value = self.fitted(self.builder.load(self.locals[name], typ=self.kinds[name]), I64)
        blocks = [self.llvm.append_basic_block() for _ in cases]
        jumps: dict[int, ir.Block] = {}
        for (number, _), block in zip(cases, blocks, strict=True):
            jumps.setdefault(number, block)
        if self._loops and len(cases) >= LOOP_CASES:
            self._jump_through_table(value, jumps, default)
        else:
            switch = self.builder.switch(value, default)
            for number, block in jumps.items():
                switch.add_case(ir.Constant(I64, number), block)
        for (_, body), block in zip(cases, blocks, strict=True):
            self._arm(block, body, done)
        self._arm(default, rest, done)
        self.builder.position_at_end(done)
        return True

    def _jump_through_table(
        self, value: ir.Value, blocks: dict[int, ir.Block], default: ir.Block
    ) -> None:
        """Jump by address, so that LLVM gives each alternative a jump to the next one of its own.

        An interpreter's one shared jump is what processors predict worst.
        """
        llvm = self.context.llvm
        kind = ir.ArrayType(ir.PointerType(), TABLE_SIZE)
        table = ir.GlobalVariable(llvm, kind, llvm.get_unique_name("jumps"))
        targets = [blocks.get(i, default) for i in range(TABLE_SIZE)]
        table.initializer = ir.Constant(kind, [ir.BlockAddress(self.llvm, b) for b in targets])
        table.global_constant, table.linkage = True, "internal"
        inside = self.llvm.append_basic_block()
        limit = ir.Constant(I64, TABLE_SIZE)
        self.builder.cbranch(self.builder.icmp_unsigned("<", value, limit), inside, default)
        self.builder.position_at_end(inside)
        slot = self.builder.gep(table, [ir.Constant(I64, 0), value], source_etype=kind)
        jump = self.builder.branch_indirect(self.builder.load(slot, typ=ir.PointerType()))
        for block in dict.fromkeys(targets):
            jump.add_destination(block)

    def _arm(self, block: ir.Block, body: list[ast.stmt], done: ir.Block) -> None:
        """One alternative of a choice, which goes on at ``done``."""
        self.builder.position_at_end(block)
        with self._inner():
            self._block(body)
        if not self.builder.block.is_terminated:
            self.builder.branch(done)

    def visit_While(self, node: ast.While) -> None:
        if node.orelse:
            self.refuse(node, "a loop has no else")
        test, body, done = (self.llvm.append_basic_block() for _ in range(3))
        self.builder.branch(test)
        self.builder.position_at_end(test)
        if isinstance(node.test, ast.Constant) and node.test.value:
            self.builder.branch(body)
        else:
            self.builder.cbranch(self.condition(node.test), body, done)
        self.builder.position_at_end(body)
        self._loop_body(node.body, test, done)
        self.builder.position_at_end(done)

    def _loop_body(self, body: list[ast.stmt], again: ir.Block, done: ir.Block) -> None:
        self._loops.append((again, done))
        with self._inner():
            self._block(body)
        self._loops.pop()
        if not self.builder.block.is_terminated:
            self.builder.branch(again)

    def visit_For(self, node: ast.For) -> None:
        if node.orelse:
            self.refuse(node, "a loop has no else")
        if not isinstance(node.target, ast.Name):
            self.refuse(node, "a for loop sets one name")
        name = node.target.id
        if name in self._records:
            self.refuse(node, f"{name} names a record already")
        self._declare(name, I64)
        if isinstance(node.iter, ast.Name | ast.Attribute):
            known = self.known(node.iter)
            if isinstance(known, Table):
                self._unroll(name, node.body, known.values)
                return
        if not isinstance(node.iter, ast.Call) or node.iter.keywords:
            self.refuse(node, "a for loop runs over range(...), lanes(...) or a tuple of constants")
        runs_over = self.known(node.iter.func)
        if runs_over not in (Callee(range), Callee(lanes)):
            self.refuse(node, f"{ast.unparse(node.iter.func)} is neither range nor lanes")
        latch = self._count(name, node)
        if runs_over == Callee(lanes) and self.vectorises():
            latch.set_metadata("llvm.loop", self.context.vectorised(at_once(self.function)))

    def vectorises(self) -> bool:
        """Whether the loop just compiled may become vector instructions."""
        return not self.context.checked

    def _bounds(self, call: ast.Call) -> tuple[ir.Value, ir.Value, ir.Value]:
        """Start, end and step of a range; one that is not a constant counts up."""
        if not 1 <= len(call.args) <= 3:
            self.refuse(call, "a range has one to three numbers")
        with self.wide():
            bounds = [self.integer(argument) for argument in call.args]
        start, end = bounds[:2] if len(bounds) > 1 else (ir.Constant(I64, 0), bounds[0])
        step = bounds[2] if len(bounds) > 2 else ir.Constant(I64, 1)
        if isinstance(step, ir.Constant) and step.constant == 0:
            self.refuse(call, "a range's step is not 0")
        return start, end, step

    def _count(self, name: str, node: ast.For) -> ir.Instruction:
        """A loop over a range; returns the jump that closes it."""
        assert isinstance(node.iter, ast.Call)
        start, end, step = self._bounds(node.iter)
        with self.builder.goto_entry_block():
            counter = self.builder.alloca(I64)
        self.builder.store(start, counter)
        test, body, again, done = (self.llvm.append_basic_block() for _ in range(4))
        self.builder.branch(test)
        self.builder.position_at_end(test)
        now = self.builder.load(counter, typ=I64)
        down = isinstance(step, ir.Constant) and int(step.constant) < 0
        sign = ">" if down else "<"
        self.builder.cbranch(self.builder.icmp_signed(sign, now, end), body, done)
        self.builder.position_at_end(body)
        self._put(name, now)
        self._loop_body(node.body, again, done)
        self.builder.position_at_end(again)
        self.builder.store(self.builder.add(now, step), counter)
        latch = self.builder.branch(test)
        self.builder.position_at_end(done)
        return latch

    def _unroll(self, name: str, body: list[ast.stmt], values: tuple[int, ...]) -> None:
        done = self.llvm.append_basic_block()
        for value in values:
            again = self.llvm.append_basic_block()
            self._put(name, ir.Constant(I64, int(value)))
            self._loop_body(body, again, done)
            self.builder.position_at_end(again)
        self.builder.branch(done)
        self.builder.position_at_end(done)

    def visit_Break(self, node: ast.Break) -> None:
        self.builder.branch(self._loops[-1][1])

    def visit_Continue(self, node: ast.Continue) -> None:
        self.builder.branch(self._loops[-1][0])
