"""Rewrites before registers are given: what shortens code, and what instructions ask for.

Multiplications that only feed an addition become SFPMAD, constants operands; what is assigned under
a condition is computed in place where that is possible. What nothing reads is dropped.
"""

from tilelab.build.vector.code import (
    ASSIGN,
    CONST,
    CONSTANTS,
    COPY,
    FIRST_VALUE,
    KEEP,
    KNOWN_CONSTANTS,
    NO_VALUE,
    RAW,
    Block,
    Function,
    Op,
)
from tilelab.build.vector.regions import ROOT, Regions, find_regions

SFPCONFIG = 0x91
PROGRAMMED = 12
"""The first LReg that nothing but SFPCONFIG writes."""
ALL_LANES = 2
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


def programmable_constants(function: Function) -> None:
    """``read`` and ``write`` of an LReg by its number become copies; see :func:`read_in_place`."""
    for op in function.ops():
        if op.name == "read":
            op.name, op.ins = COPY, {"s": op.imm.pop("n")}
            op.outs = {"d": next(iter(op.writes))}
        elif op.name == "write":
            op.name, op.outs = COPY, {"d": op.imm.pop("n")}
        elif op.name == KEEP:
            n = op.imm.pop("n")
            op.ins = {f"@{n}": n}
    read_in_place(function)


def read_in_place(function: Function) -> None:
    """Operands that are copies of LReg[8..15] are those registers, while nothing sets them."""
    written = {n for op in function.ops() for n in _configured(op)}
    definitions, users = function.definitions(), function.users()
    for block in function.blocks:
        for op in list(block.ops()):
            if op.name != COPY or op.ins["s"] not in CONSTANTS:
                continue
            (d,), n = op.writes, op.ins["s"]
            if d not in users or len(definitions[d]) != 1:
                continue
            for user in users[d]:
                if n not in written or _still_configured(function, block, op, user, n):
                    _read_at(user, d, n)


def _configured(op: Op) -> set[int]:
    """The registers that SFPCONFIG sets here."""
    if op.name == "SFPCONFIG":
        return {op.imm["config_dest"]}
    return {op.word >> 4 & 15} if op.word >> 24 == SFPCONFIG else set()


def _later(function: Function, block: Block, op: Op) -> tuple[list[Op], list[Op]]:
    """What follows an operation in its block, and all that control can come to after that."""
    ops = list(block.ops())
    reached: set[int] = set()
    work = list(block.next)
    while work:
        if (i := work.pop()) not in reached:
            reached.add(i)
            work += function.blocks[i].next
    return ops[ops.index(op) + 1 :], [op for i in reached for op in function.blocks[i].ops()]


def _still_configured(function: Function, block: Block, read: Op, user: Op, n: int) -> bool:
    """Whether ``user`` finds in LReg[n] what an operation of a block found there.

    That is so if nothing that may run between the two sets it.
    """
    after, later = _later(function, block, read)
    if user in after:
        return not any(_may_configure(op, n) for op in after[: after.index(user)])
    return not any(_may_configure(op, n) for op in (*after, *later))


def set_after(function: Function, block: Block, op: Op) -> set[int]:
    """LRegs of constants that may be set where control can come to after an operation."""
    after, later = _later(function, block, op)
    return {n for n in CONSTANTS if any(_may_configure(each, n) for each in (*after, *later))}


def _may_configure(op: Op, n: int) -> bool:
    # what a replayed word sets is not known here
    return n in _configured(op) or (op.name == RAW and bool(op.clobbers))


def _read_at(user: Op, value: int, n: int) -> None:
    """Let operands that may be any register be LReg[n]; SFPSTORE stores none from 12 on."""
    not_at = ("old", "lreg_dest", "lreg_ind") if n >= PROGRAMMED else ("old", "lreg_dest")
    for field, register in user.ins.items():
        if register == value and field not in user.tied and field not in not_at:
            user.ins[field] = n


def simplify(function: Function, arch: str) -> None:
    """All of it, in order."""
    drop_unread(function)
    work = _Simplifier(function, arch)
    work.fuse()
    work.constants()
    drop_unread(function)
    work.refresh()
    work.fold_assignments()
    read_in_place(function)
    drop_unread(function)
    immediates(function)
