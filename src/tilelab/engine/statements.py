"""Compiles the statements of kernel Python."""

import ast
from typing import Any

from llvmlite import ir

from tilelab.engine.expressions import Expressions
from tilelab.engine.machine import I64, Constant, Place
from tilelab.sim.kernel import lanes

SWITCH_CASES = 8
"""From how many equal tests of one variable on a choice is compiled as one jump."""
LOOP_CASES = 64
"""From how many on, in a loop, every alternative gets its own jump to the next one."""
TABLE_SIZE = 256


class Body(Expressions):
    """One kernel's body."""

    def compile(self) -> None:
        """Fill the LLVM function."""
        self._loops: list[tuple[ir.Block, ir.Block]] = []
        entry = self.builder
        for name, value in zip(self._parameters(), self.llvm.args, strict=True):
            if isinstance(value.type, ir.PointerType):
                self.places[name] = Place(self.module.machine.record, value)
            else:
                self._declare(name, I64)
                entry.store(value, self.locals[name])
        self._block(self.tree.body)
        if not self.builder.block.is_terminated:
            self.builder.unreachable()

    def _parameters(self) -> list[str]:
        return [argument.arg for argument in self.tree.args.args]

    def _declare(self, name: str, kind: ir.IntType) -> None:
        if name not in self.locals:
            with self.builder.goto_entry_block():
                self.locals[name] = self.builder.alloca(kind)
            self.kinds[name] = kind

    def _put(self, name: str, value: ir.Value) -> None:
        self.builder.store(self.fitted(value, self.kinds[name]), self.locals[name])

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if self.builder.block.is_terminated:
                return
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is None:
                self.refuse(statement, f"{type(statement).__name__} statement")
            method(statement)

    # ------------------------------------------------------------------ simple statements

    def _pass(self, node: ast.Pass) -> None:
        pass

    def _expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.call(node.value)
        elif not isinstance(node.value, ast.Constant):
            self.refuse(node, "an expression without effect")

    def _assign(self, node: ast.Assign) -> None:
        if len(node.targets) != 1:
            self.refuse(node, "more than one target")
        target = node.targets[0]
        if isinstance(target, ast.Tuple):
            for part, value in zip(target.elts, self._several(node.value), strict=True):
                self._set(part, value)
            return
        if isinstance(target, ast.Name):
            known = None
            if not isinstance(node.value, ast.Call | ast.BinOp):
                known = self.known(node.value) if self._may_be_place(node.value) else None
            if isinstance(known, Place) and not self._is_number(known):
                self.places[target.id] = known
                return
        self._set(target, self.integer(node.value))

    @staticmethod
    def _may_be_place(node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute | ast.Subscript)

    @staticmethod
    def _is_number(place: Place) -> bool:
        what: Any = place.what
        return getattr(what, "shape", None) == () and hasattr(what, "signed")

    def _several(self, node: ast.expr) -> list[ir.Value]:
        if isinstance(node, ast.Tuple):
            return [self.integer(element) for element in node.elts]
        if isinstance(node, ast.Call):
            value = self.call(node)
            count = len(value.type.elements)
            return [self.builder.extract_value(value, i) for i in range(count)]
        self.refuse(node, "only a call or a tuple can be unpacked")

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._set(node.target, self.integer(node.value))

    def _augassign(self, node: ast.AugAssign) -> None:
        value = self._binary(node.op, self.integer(node.target), self.integer(node.value), node)
        self._set(node.target, value)

    def _set(self, target: ast.expr, value: ir.Value) -> None:
        if isinstance(target, ast.Name):
            if target.id in self.places:
                self.refuse(target, f"{target.id} names a record already")
            self._declare(target.id, self.word)
            self._put(target.id, value)
            return
        owner = self.known(target.value if isinstance(target, ast.Subscript) else target)
        if not isinstance(owner, Place):
            self.refuse(target, f"cannot assign to {ast.unparse(target)}")
        self.store(owner, target, value)

    def _return(self, node: ast.Return) -> None:
        if node.value is None:
            self.refuse(node, "return without a value")
        if isinstance(node.value, ast.Tuple):
            result = ir.Constant(self.llvm.function_type.return_type, ir.Undefined)
            for i, element in enumerate(node.value.elts):
                part = self.fitted(self.integer(element), I64)
                result = self.builder.insert_value(result, part, i)
            self.builder.ret(result)
        elif isinstance(self.llvm.function_type.return_type, ir.LiteralStructType):
            if not isinstance(node.value, ast.Call):
                self.refuse(node, "several integers come from a tuple or a call")
            self.builder.ret(self.call(node.value))
        else:
            self.builder.ret(self.fitted(self.integer(node.value), I64))

    # ------------------------------------------------------------------ control flow

    def _if(self, node: ast.If) -> None:
        if self._switch(node):
            return
        yes, no, done = (self.llvm.append_basic_block() for _ in range(3))
        self.builder.cbranch(self.condition(node.test), yes, no)
        for block, body in ((yes, node.body), (no, node.orelse)):
            self._arm(block, body, done)
        self.builder.position_at_end(done)

    def _case(self, node: ast.stmt) -> tuple[str, int] | None:
        """Name and value of an ``if name == constant``, or None for anything else."""
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Compare)):
            return None
        test = node.test
        if not (isinstance(test.left, ast.Name) and test.left.id in self.locals):
            return None
        if len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
            return None
        right = test.comparators[0]
        value = right.value if isinstance(right, ast.Constant) else None
        if isinstance(right, ast.Name) and right.id not in self.locals:
            value = self.known(right)
        return (test.left.id, int(value)) if isinstance(value, int) else None

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
        value = self.builder.load(self.locals[first[0]], typ=I64)
        blocks = {number: self.llvm.append_basic_block() for number, _ in cases}
        if self._loops and len(cases) >= LOOP_CASES:
            self._jump_through_table(value, blocks, default)
        else:
            switch = self.builder.switch(value, default)
            for number, block in blocks.items():
                switch.add_case(ir.Constant(I64, number), block)
        for number, body in cases:
            self._arm(blocks[number], body, done)
        self._arm(default, rest, done)
        self.builder.position_at_end(done)
        return True

    def _jump_through_table(
        self, value: ir.Value, blocks: dict[int, ir.Block], default: ir.Block
    ) -> None:
        """Jump by address, so that LLVM gives each alternative a jump to the next one of its own.

        An interpreter's one shared jump is what processors predict worst.
        """
        kind = ir.ArrayType(ir.PointerType(), TABLE_SIZE)
        table = ir.GlobalVariable(self.module.llvm, kind, self.module.llvm.get_unique_name("jumps"))
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
        places = dict(self.places)
        self._block(body)
        self.places = places
        if not self.builder.block.is_terminated:
            self.builder.branch(done)

    def _while(self, node: ast.While) -> None:
        test, body, done = (self.llvm.append_basic_block() for _ in range(3))
        self.builder.branch(test)
        self.builder.position_at_end(test)
        self.builder.cbranch(self.condition(node.test), body, done)
        self.builder.position_at_end(body)
        self._loop_body(node.body, test, done)
        self.builder.position_at_end(done)

    def _loop_body(self, body: list[ast.stmt], again: ir.Block, done: ir.Block) -> None:
        self._loops.append((again, done))
        self._block(body)
        self._loops.pop()
        if not self.builder.block.is_terminated:
            self.builder.branch(again)

    def _for(self, node: ast.For) -> None:
        call = node.iter
        if isinstance(call, ast.Name | ast.Attribute) and isinstance(self.known(call), tuple):
            self._unroll(node, self.known(call))
            return
        if not (isinstance(call, ast.Call) and isinstance(node.target, ast.Name)):
            self.refuse(node, "a for loop runs over range(...), lanes(...) or a tuple of constants")
        runs_over = self.known(call.func)
        if runs_over is not lanes and runs_over != Constant(range):
            self.refuse(node, f"{ast.unparse(call.func)} is neither range nor lanes")
        with self.wide():
            bounds = [self.integer(argument) for argument in call.args]
        one = ir.Constant(I64, 1)
        start = bounds[0] if len(bounds) > 1 else ir.Constant(I64, 0)
        end = bounds[1] if len(bounds) > 1 else bounds[0]
        step = bounds[2] if len(bounds) > 2 else one
        down = isinstance(step, ir.Constant) and int(step.constant) < 0
        self._declare(node.target.id, I64)
        with self.builder.goto_entry_block():
            counter = self.builder.alloca(I64)
        self.builder.store(start, counter)
        test, body, again, done = (self.llvm.append_basic_block() for _ in range(4))
        self.builder.branch(test)
        self.builder.position_at_end(test)
        now = self.builder.load(counter, typ=I64)
        self.builder.cbranch(self.builder.icmp_signed(">" if down else "<", now, end), body, done)
        self.builder.position_at_end(body)
        self._put(node.target.id, now)
        self._loop_body(node.body, again, done)
        self.builder.position_at_end(again)
        self.builder.store(self.builder.add(now, step), counter)
        latch = self.builder.branch(test)
        if runs_over is lanes and not self.module.checked:
            latch.set_metadata("llvm.loop", self.module.vectorised(self.word.width))
        self.builder.position_at_end(done)

    def _unroll(self, node: ast.For, values: tuple[int, ...]) -> None:
        if not isinstance(node.target, ast.Name):
            self.refuse(node, "a for loop sets one name")
        self._declare(node.target.id, I64)
        done = self.llvm.append_basic_block()
        for value in values:
            again = self.llvm.append_basic_block()
            self._put(node.target.id, ir.Constant(I64, int(value)))
            self._loop_body(node.body, again, done)
            self.builder.position_at_end(again)
        self.builder.branch(done)
        self.builder.position_at_end(done)

    def _break(self, node: ast.Break) -> None:
        self.builder.branch(self._loops[-1][1])

    def _continue(self, node: ast.Continue) -> None:
        self.builder.branch(self._loops[-1][0])
