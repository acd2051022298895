"""LRegs that hold constants: what SFPCONFIG sets is read from there as long as it stays."""

from tilelab.build.vector.code import CONSTANTS, COPY, KEEP, RAW, Block, Function, Op

SFPCONFIG = 0x91
PROGRAMMED = 12
"""The first LReg that nothing but SFPCONFIG writes."""


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
