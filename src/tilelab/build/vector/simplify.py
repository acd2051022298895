"""Rewrites before registers are given: what shortens code, and what instructions ask for.

Multiplications that only feed an addition become SFPMAD, constants operands; what is assigned under
a condition is computed in place where that is possible. What nothing reads is dropped.
"""

from tilelab.build.vector.code import (
    ASSIGN,
    CONST,
    COPY,
    FIRST_VALUE,
    KNOWN_CONSTANTS,
    NO_VALUE,
    RAW,
    Block,
    Function,
    Op,
)
from tilelab.build.vector.configured import read_in_place
from tilelab.build.vector.regions import ROOT, Regions, find_regions

ALL_LANES = 2
SIGN = 1 << 31
PRODUCTS = ("SFPMAD", "SFPMUL")
NEGATE, NEGATE_VC = 1, 2
IMMEDIATE = {
    "SFPADD": ("SFPADDI", ("lreg_src_b", "lreg_src_c"), {"lreg_src_a": 10, "instr_mod1": 0}),
    "SFPMUL": ("SFPMULI", ("lreg_src_a", "lreg_src_b"), {"lreg_src_c": 9, "instr_mod1": 0}),
}
"""Instructions with a form that has a BF16 for an operand: that, both operands, the rest."""
_EFFECTS = ("SFPSTORE", "SFPCONFIG", "write")


def has_effect(op: Op) -> bool:
    """Whether it does something beside writing its results."""
    return (
        op.name in (*_EFFECTS, RAW)
        or op.sets_flags
        or not op.writes
        or bool(op.runtime and not op.outs)
    )


def drop_unread(function: Function) -> None:
    """Remove operations whose results nothing reads."""
    while True:
        read = {register for op in function.ops() for register in op.reads}
        dead = {
            op
            for op in function.ops()
            if not has_effect(op)
            and not op.runtime
            and not op.writes & read
            and all(w >= 16 for w in op.writes)
        }
        # a value that only its own next definition reads: x = f(x) at the end of a loop
        if not dead:
            return
        for block in function.blocks:
            block.nodes = [n for n in block.nodes if n not in dead]


class _Simplifier:
    def __init__(self, function: Function, arch: str) -> None:
        self.function = function
        self.negates = arch != "wormhole"
        self.regions: Regions = find_regions(function)
        self.refresh()

    def refresh(self) -> None:
        self.definitions = self.function.definitions()
        self.users = self.function.users()

    def only(self, value: int) -> Op | None:
        """The one operation that sets a value."""
        made = self.definitions.get(value, [])
        return made[0] if len(made) == 1 else None

    def unchanged(self, block: Block, first: Op, last: Op, values: set[int]) -> bool:
        """Whether nothing between two operations of a block writes the values."""
        nodes = block.nodes
        if first not in nodes:
            return False
        between = nodes[nodes.index(first) + 1 : nodes.index(last)]
        return not any(isinstance(n, Op) and (n.writes | set(n.clobbers)) & values for n in between)

    def feeds_only(self, block: Block, op: Op, user: Op) -> bool:
        """Whether an operation's one result is read by ``user`` alone, in the same lanes."""
        (result,) = op.writes
        return (
            self.users.get(result) == [user]
            and list(user.ins.values()).count(result) == 1
            and len(self.definitions[result]) == 1
            and not op.runtime
            and self.regions.before[op] == self.regions.before[user]
            and op in block.nodes
        )

    def fuse(self) -> None:
        """(a × b) + c in one instruction, and differences without a negation."""
        for block in self.function.blocks:
            for op in list(block.ops()):
                if op.name == "SFPADD" and op.imm.get("instr_mod1", 0) == 0 and len(op.ins) == 2:
                    self._fuse_addition(block, op)
            self.refresh()

    def _fuse_addition(self, block: Block, op: Op) -> None:
        b, c = op.ins["lreg_src_b"], op.ins["lreg_src_c"]
        for x, other in ((b, c), (c, b)):
            made = self.only(x)
            if (
                made is not None
                and made.name == "SFPMUL"
                and made.imm.get("instr_mod1", 0) == 0
                and self.feeds_only(block, made, op)
                and self.unchanged(block, made, op, made.reads)
            ):
                op.name = "SFPMAD"
                del op.imm["lreg_src_a"]
                op.ins = {**made.ins, "lreg_src_c": other}
                block.nodes.remove(made)
                self.refresh()
                break
        self._fuse_negation(block, op)

    def _fuse_negation(self, block: Block, op: Op) -> None:
        """x - y: the negation becomes a modifier, or on Wormhole a factor of -1."""
        if op.name == "SFPADD":
            for name, other in (("lreg_src_c", "lreg_src_b"), ("lreg_src_b", "lreg_src_c")):
                made = self.only(op.ins[name])
                if made is not None and self._is_negation(block, made, op):
                    op.name = "SFPMAD"
                    del op.imm["lreg_src_a"]
                    op.ins = {
                        "lreg_src_a": 11,
                        "lreg_src_b": made.ins["lreg_c"],
                        "lreg_src_c": op.ins[other],
                    }
                    block.nodes.remove(made)
                    self.refresh()
                    return
        elif self.negates:
            made = self.only(op.ins["lreg_src_c"])
            if made is not None and self._is_negation(block, made, op):
                op.ins["lreg_src_c"] = made.ins["lreg_c"]
                op.imm["instr_mod1"] = op.imm.get("instr_mod1", 0) ^ NEGATE_VC
                block.nodes.remove(made)
                self.refresh()

    def _is_negation(self, block: Block, made: Op, op: Op) -> bool:
        return (
            made.name == "SFPMOV"
            and made.imm.get("instr_mod1") == NEGATE
            and self.feeds_only(block, made, op)
            and self.unchanged(block, made, op, made.reads)
        )

    def negate_constants(self) -> None:
        """(-x) × c is x × (-c), where c is a constant of such products alone."""
        for block in self.function.blocks:
            for op in list(block.ops()):
                if op.name == CONST and not op.ins and len(op.writes) == 1:
                    self._negate_constant(op)

    def _negate_constant(self, constant: Op) -> None:
        (c,) = constant.writes
        products = [
            (user, field, made)
            for user in self.users.get(c, [])
            for field, made in [self._negated_factor(user, c)]
            if made is not None
        ]
        if products and len(products) == len(self.users[c]) and self.only(c) is constant:
            constant.imm["value"] ^= SIGN
            for user, field, made in products:
                user.ins[field] = made.ins["lreg_c"]
            self.refresh()

    def _negated_factor(self, op: Op, c: int) -> tuple[str, Op | None]:
        """The factor beside c that a product has negated, and what negates it for that alone."""
        factors = ("lreg_src_a", "lreg_src_b")
        if op.name in PRODUCTS and not op.imm.get("instr_mod1") and {*factors} <= {*op.ins}:
            for field, other in (factors, factors[::-1]):
                made = self.only(op.ins[field])
                block = next(b for b in self.function.blocks if op in b.nodes)
                alone = op.ins[other] == c and c not in (op.ins[field], op.ins.get("lreg_src_c"))
                if alone and made is not None and self._is_negation(block, made, op):
                    return field, made
        return "", None

    def fold_assignments(self) -> None:
        """x = f(…) under a condition: f writes x's register itself, in the enabled lanes."""
        for block in self.function.blocks:
            for op in list(block.ops()):
                if op.name == ASSIGN:
                    self._fold(block, op)

    def _fold(self, block: Block, op: Op) -> None:
        old, new, d = op.ins["old"], op.ins["new"], op.outs["d"]
        before = self.only(old)
        if self.regions.before[op] == ROOT or (before is not None and before.name == NO_VALUE):
            op.name, op.ins, op.outs = COPY, {"s": new}, {"d": d}
            self.refresh()
            return
        made = self.only(new)
        if made is None or not self._can_write_into(block, made, op, old):
            op.name, op.imm = "SFPMOV", {"instr_mod1": 0}
            op.ins, op.outs = {"lreg_c": new, "merge": old}, {"lreg_dest": d}
            return
        field = next(iter(made.outs))
        made.outs = {field: d}
        made.ins["merge" if field not in made.ins else field] = old
        made.keeps_lanes = True
        if field in made.ins and made.ins.get("merge") == old:
            made.ins[field] = made.ins.pop("merge")
        block.nodes.remove(op)
        self.refresh()

    def _can_write_into(self, block: Block, made: Op, op: Op, old: int) -> bool:
        if (
            len(made.outs) != 1
            or made.fixed_out
            or made.sets_flags
            or made.name in (COPY, NO_VALUE)
        ):
            return False
        field, result = next(iter(made.outs.items()))
        if made.ins.get(field, old) != old or "merge" in made.ins:
            return False  # it has to overwrite another value
        if made.name == "SFPMOV" and made.imm.get("instr_mod1") == ALL_LANES:
            return False
        if not (self.feeds_only(block, made, op) or self._runtime_feeds(block, made, op)):
            return False
        nodes = block.nodes
        between = nodes[nodes.index(made) + 1 : nodes.index(op)]
        return not any(
            (isinstance(n, Op) and old in (n.reads | n.writes))
            or (isinstance(n, Op) and result in n.reads)
            for n in between
        )

    def _runtime_feeds(self, block: Block, made: Op, op: Op) -> bool:
        runtime, made.runtime = made.runtime, ()
        try:
            return self.feeds_only(block, made, op)
        finally:
            made.runtime = runtime

    def constants(self) -> None:
        """Read what LReg[8..11] hold from there."""
        for op in list(self.function.ops()):
            if op.name != CONST or op.ins:
                continue
            (d,) = op.writes
            known = KNOWN_CONSTANTS.get(op.imm["value"] & 0xFFFFFFFF)
            if known is None or len(self.definitions[d]) != 1:
                continue
            for user in self.users.get(d, []):
                self._read_constant(user, d, known)
        self.refresh()

    def _read_constant(self, user: Op, value: int, known: int) -> None:
        tied = set(user.tied) | {"old", "s" if user.name == COPY else ""}
        if user.name == COPY:
            tied = set()
        for field, register in user.ins.items():
            readable = field not in tied and field != "lreg_dest"
            if register == value and readable:
                user.ins[field] = known


def immediates(function: Function) -> None:
    """x + c and x × c of a c that is a BF16: it is in the instruction, the result in x's register.

    Only where nothing else reads x, which would have to be copied; and never under a condition,
    where the result is another value's in the enabled lanes.
    """
    definitions, users = function.definitions(), function.users()
    for op in function.ops():
        if op.name not in IMMEDIATE or op.runtime or op.keeps_lanes:
            continue
        name, (one, other), fixed = IMMEDIATE[op.name]
        operands = {**op.imm, **op.ins}
        if {**operands, one: 0, other: 0} != {one: 0, other: 0, **fixed}:
            continue  # it has a modifier, or is merged with an older value
        for value, c in ((operands[one], operands[other]), (operands[other], operands[one])):
            bits = _bfloat(definitions.get(c, []))
            alone = value >= FIRST_VALUE and users[value] == [op] and value != c
            if bits is not None and alone and len(definitions[value]) == 1:
                op.name, op.ins = name, {"lreg_dest": value}
                op.imm = {"imm16_math": bits, "instr_mod1": 0}
                break
    drop_unread(function)


def _bfloat(made: list[Op]) -> int | None:
    """The upper half of a constant that is made once, and whose lower half is zero."""
    if len(made) != 1 or made[0].name != CONST or made[0].ins:
        return None
    value = made[0].imm["value"]
    return None if value & 0xFFFF else value >> 16 & 0xFFFF


def words_in_all_lanes(function: Function) -> None:
    """Where all lanes are enabled, a word of the source's own leaves nothing of what VD held."""
    regions = find_regions(function)
    for op in function.ops():
        if op.name == RAW and regions.before.get(op) == ROOT:
            op.ins.pop("merge", None)


def simplify(function: Function, arch: str) -> None:
    """All of it, in order."""
    drop_unread(function)
    work = _Simplifier(function, arch)
    work.fuse()
    work.negate_constants()
    work.constants()
    drop_unread(function)
    work.refresh()
    work.fold_assignments()
    read_in_place(function)
    drop_unread(function)
    immediates(function)
