"""Turns comparisons and their combinations into the instructions that set lane flags.

A comparison is evaluated where a condition asks for it. Flags only ever narrow: a conjunction sets
them one after the other; what a disjunction excludes is what its opposite leaves, and SFPCOMPC
gives the rest of the lanes that were enabled when the condition began. Where that is no longer
known (a disjunction behind another condition of the same level), it is computed into a value first.
"""

from dataclasses import dataclass, replace

from tilelab.build.vector.code import (
    AS_VALUE,
    COMPARE,
    CONDITION,
    CONST,
    COPY,
    LOGIC,
    Block,
    Function,
    Op,
    Text,
    VectorError,
)

LT, GE, EQ, NE, GT, LE = range(6)
OPPOSITE = {LT: GE, GE: LT, EQ: NE, NE: EQ, GT: LE, LE: GT}
SWAPPED = {LT: GT, GT: LT, GE: LE, LE: GE, EQ: EQ, NE: NE}
UINT, INT, SMAG, FLOAT = range(4)
AND, OR, NOT = range(3)
SETCC = {LT: 0, NE: 2, GE: 4, EQ: 6}
NEGATIVE_ONE = 11
SIGN = 0x80000000


@dataclass(frozen=True)
class Compare:
    """A comparison of a value with another, or with a constant."""

    how: int
    kind: int
    a: int
    b: int | None
    constant: int
    op: Op


@dataclass(frozen=True)
class Both:
    """All of some conditions, or (``any``) one of them."""

    parts: tuple["Condition", ...]
    any: bool


Condition = Compare | Both


def negated(condition: Condition) -> Condition:
    """What holds where the condition does not."""
    if isinstance(condition, Both):
        return Both(tuple(negated(part) for part in condition.parts), not condition.any)
    return replace(condition, how=OPPOSITE[condition.how])


class Lowering:
    """Lowers the conditions of one function for a chip."""

    def __init__(self, function: Function, arch: str) -> None:
        self.function = function
        self.compares = arch != "wormhole"
        self.definitions = function.definitions()
        self.out: list[Op | Text] = []
        self.op = Op("")

    def run(self) -> None:
        """Rewrite every block."""
        for block in self.function.blocks:
            self._block(block)
        for block in self.function.blocks:
            block.nodes = [
                node
                for node in block.nodes
                if not (isinstance(node, Op) and node.name in (COMPARE, LOGIC))
            ]

    def _block(self, block: Block) -> None:
        self.out = []
        for node in block.nodes:
            if isinstance(node, Op) and node.name in (CONDITION, AS_VALUE):
                self.op = node
                condition = self._condition(node.ins["c"], block)
                if node.name == CONDITION:
                    self._narrow(condition, self._fresh())
                else:
                    self._as_value(condition, node.outs["d"])
            else:
                self.out.append(node)
        block.nodes = self.out

    def _fresh(self) -> bool:
        """Whether the enabled lanes are those that the flag stack's top holds."""
        for node in reversed(self.out):
            if isinstance(node, Op) and node.sets_flags:
                return node.name == "SFPPUSHC" and node.imm["instr_mod1"] == 0
        return False

    def _condition(self, value: int, block: Block) -> Condition:
        made = self.definitions[value]
        if len(made) != 1 or made[0].name not in (COMPARE, LOGIC, COPY):
            raise VectorError(self.op.place, "which condition holds here depends on control flow")
        op = made[0]
        if op.name == COPY:
            return self._condition(op.ins["s"], block)
        if op.name == LOGIC:
            first = self._condition(op.ins["a"], block)
            if op.imm["how"] == NOT:
                return negated(first)
            return Both((first, self._condition(op.ins["b"], block)), op.imm["how"] == OR)
        self._check_unchanged(op, block)
        how, kind, a, b = op.imm["how"] & 15, op.imm["how"] >> 4, op.ins["a"], op.ins.get("b")
        if b is None:
            return Compare(how, kind, a, None, op.imm["value"], op)
        if (constant := self._constant(b)) is not None:
            return Compare(how, kind, a, None, constant, op)
        if (constant := self._constant(a)) is not None:
            return Compare(SWAPPED[how], kind, b, None, constant, op)
        return Compare(how, kind, a, b, 0, op)

    def _constant(self, value: int) -> int | None:
        """What a value is, if it is the same bits everywhere."""
        made = self.definitions.get(value, [])
        if len(made) == 1 and made[0].name == CONST:
            return made[0].imm["value"] & 0xFFFFFFFF
        return None

    def _check_unchanged(self, op: Op, block: Block) -> None:
        """A comparison's operands must still be what they were where it was written."""
        several = [v for v in op.reads if len(self.definitions.get(v, ())) > 1]
        if not several:
            return
        nodes = block.nodes
        inside = op in nodes and self.op in nodes
        between = nodes[nodes.index(op) : nodes.index(self.op)] if inside else []
        changed = any(isinstance(n, Op) and n.writes & set(several) for n in between)
        if not inside or changed:
            raise VectorError(op.place, "an operand changes before this comparison is used")

    def _emit(self, name: str, flags: bool = False, **parts: int | dict[str, int]) -> Op:
        op = Op(name, place=self.op.place, sets_flags=flags)
        for key, value in parts.items():
            if key in ("outs", "ins") and isinstance(value, dict):
                setattr(op, key, value)
            elif isinstance(value, int):
                op.imm[key] = value
        self.out.append(op)
        return op

    def _narrow(self, condition: Condition, fresh: bool) -> None:
        """Leave only the lanes enabled where the condition holds."""
        if isinstance(condition, Compare):
            if condition.how == LE and self._is_zero(condition):
                either = replace(condition, how=LT), replace(condition, how=EQ)
                self._narrow(Both(either, True), fresh)
            elif condition.how == GT and self._is_zero(condition):
                both = replace(condition, how=GE), replace(condition, how=NE)
                self._narrow(Both(both, False), fresh)
            else:
                self._compare(condition)
        elif not condition.any:
            parts = sorted(condition.parts, key=_has_any, reverse=True)
            flags = [self._flag(p) for p in parts[1 if fresh else 0 :] if _has_any(p)]
            for i, part in enumerate(parts):
                if not _has_any(part) or (i == 0 and fresh):
                    self._narrow(part, fresh and i == 0)
            for flag in flags:
                self._setcc(NE, flag)
        elif fresh:
            self._narrow(negated(condition), True)
            self._emit("SFPCOMPC", flags=True)
        else:
            self._setcc(NE, self._flag(condition))

    def _is_zero(self, c: Compare) -> bool:
        return c.b is None and (c.constant == 0 or (c.kind == FLOAT and c.constant == SIGN))

    def _flag(self, condition: Condition) -> int:
        value = self.function.new_value()
        self._as_value(condition, value)
        return value

    def _as_value(self, condition: Condition, value: int) -> None:
        """1 where the condition holds among the enabled lanes, else 0."""
        zero = self.function.new_value()
        self._emit(CONST, outs={"d": zero}, value=0)
        self._emit("SFPMOV", outs={"lreg_dest": value}, ins={"lreg_c": zero}, instr_mod1=2)
        self._emit("SFPPUSHC", flags=True, instr_mod1=0)
        self._narrow(condition, True)
        ones = {"lreg_ind": value}
        self._emit("SFPLOADI", outs=dict(ones), ins=dict(ones), instr_mod0=2, imm16=1)
        self._emit("SFPPOPC", flags=True, instr_mod1=0)

    def _setcc(self, how: int, value: int) -> None:
        self._emit("SFPSETCC", flags=True, ins={"lreg_c": value}, instr_mod1=SETCC[how])

    def _operand(self, c: Compare) -> int:
        if c.b is not None:
            return c.b
        value = self.function.new_value()
        self._emit(CONST, outs={"d": value}, value=c.constant)
        return value

    def _compare(self, c: Compare) -> None:
        if self._is_zero(c):
            self._setcc(c.how, c.a)
        elif c.how in (EQ, NE):
            self._setcc(c.how, self._difference(c))
        elif c.kind in (FLOAT, SMAG) and self.compares:
            b = self._operand(c)
            name = "SFPGT" if c.how in (GT, LT) else "SFPLE"
            first, second = (c.a, b) if c.how in (GT, LE) else (b, c.a)
            self._emit(name, flags=True, ins={"lreg_dest": first, "lreg_c": second}, instr_mod1=1)
        elif c.kind == FLOAT:
            b = self._operand(c)
            first, second = (c.a, b) if c.how in (LT, GE) else (b, c.a)
            d = self.function.new_value()
            mad = {"lreg_src_a": NEGATIVE_ONE, "lreg_src_b": second, "lreg_src_c": first}
            self._emit("SFPMAD", outs={"lreg_dest": d}, ins=mad, instr_mod1=0)
            self._setcc(LT if c.how in (LT, GT) else GE, d)
        elif c.kind == SMAG:
            raise VectorError(c.op.place, "Wormhole cannot order sign-magnitude integers")
        else:
            self._compare_integers(c)

    def _difference(self, c: Compare) -> int:
        """A value that is zero just where both are the same bits."""
        d = self.function.new_value()
        if c.b is None and c.kind != FLOAT and -2048 <= -_signed(c.constant) < 2048:
            imm12 = -_signed(c.constant) & 0xFFF
            ins = {"lreg_c": c.a}
            self._emit("SFPIADD", outs={"lreg_dest": d}, ins=ins, imm12_math=imm12, instr_mod1=5)
            return d
        ins = {"lreg_dest": c.a, "lreg_c": self._operand(c)}
        self._emit("SFPXOR", outs={"lreg_dest": d}, ins=ins)
        return d

    def _compare_integers(self, c: Compare) -> None:
        """By the sign of a difference, as the vendor's compiler does: it must not overflow."""
        d = self.function.new_value()
        limit = _signed(c.constant) + (c.how in (GT, LE))  # x > 5 is x >= 6
        if c.b is None and -2048 <= -limit < 2048:
            imm12 = -limit & 0xFFF
            mod = 1 | (8 if c.how in (GE, GT) else 0)
            ins = {"lreg_c": c.a}
            outs = {"lreg_dest": d}
            self._emit("SFPIADD", True, outs=outs, ins=ins, instr_mod1=mod, imm12_math=imm12)
            return
        b = self._operand(c)
        first, second = (c.a, b) if c.how in (LT, GE) else (b, c.a)
        mod = 2 | (8 if c.how in (GE, LE) else 0)
        ins = {"lreg_dest": second, "lreg_c": first}
        self._emit("SFPIADD", True, outs={"lreg_dest": d}, ins=ins, instr_mod1=mod)


def _has_any(condition: Condition) -> bool:
    """Whether narrowing to it needs to know the lanes that were enabled before."""
    if isinstance(condition, Compare):
        return condition.how == LE and condition.b is None
    return condition.any or any(_has_any(part) for part in condition.parts)


def _signed(x: int) -> int:
    return x - (1 << 32) if x & SIGN else x


def lower_conditions(function: Function, arch: str) -> None:
    """Replace comparisons, their combinations and conditions by instructions that set flags."""
    Lowering(function, arch).run()
