"""Computes a value again where it is used, so that no LReg has to hold it in the meantime."""

from tilelab.build.vector.code import CONST, COPY, LREGS, Block, Function, Op, Text
from tilelab.build.vector.constraints import in_enabled_lanes
from tilelab.build.vector.regions import find_regions
from tilelab.build.vector.simplify import set_after

PURE = {
    *("SFPABS", "SFPMOV", "SFPNOT", "SFPEXEXP", "SFPEXMAN", "SFPDIVP2", "SFPSHFT", "SFPSETEXP"),
    *("SFPSETMAN", "SFPSETSGN", "SFPADD", "SFPMUL", "SFPMAD", "SFPCAST", "SFPIADD", "SFPLZ"),
}
"""What gives the same again from the same operands, wherever it stands."""


def recompute(function: Function, alive: set[int], needed: set[int]) -> bool:
    """Compute one of the values ``alive`` again before each of its uses; whether there was one.

    ``needed`` are those that the place reads where so many are alive. What a value is made of must
    be alive there anyway, or be a constant.
    """
    definitions, users = function.definitions(), function.users()
    constants = {
        d
        for d, made in definitions.items()
        if len(made) == 1 and made[0].name == CONST and not made[0].ins
    }
    free = alive | constants | set(range(LREGS, 16))
    best: tuple[int, Op, int] | None = None
    for block in function.blocks:
        for op in block.ops():
            if not (_again(op) and op.reads <= free):
                continue
            (value,) = op.writes
            readers = users.get(value, [])
            if value not in alive - needed or len(definitions[value]) != 1:
                continue
            fixed = all(LREGS <= r < 16 for r in op.reads)
            if fixed and op.reads & set_after(function, block, op):
                continue
            if not _all_after(function, block, op, readers, definitions, fixed):
                continue
            if best is None or len(readers) < best[0]:
                best = len(readers), op, value
    if best is None:
        return False
    _before_each(function, *best[1:])
    return True


def _again(op: Op) -> bool:
    if op.name == COPY:
        return op.ins["s"] >= LREGS and op.ins["s"] < 16
    return (
        op.name in PURE
        and len(op.outs) == 1
        and not (op.tied or op.runtime or op.sets_flags or op.fixed_in or op.fixed_out)
        and "merge" not in op.ins
    )


def _all_after(
    function: Function,
    block: Block,
    op: Op,
    readers: list[Op],
    definitions: dict[int, list[Op]],
    fixed: bool,
) -> bool:
    """Whether all uses are for enabled lanes, and operands stay what they are until then.

    Those that are ``fixed`` do everywhere; others are followed to the end of the block.
    """
    (value,) = op.writes
    regions = find_regions(function)
    if not readers or not all(
        in_enabled_lanes(each, value, regions.before[each]) for each in readers
    ):
        return False
    if fixed:
        return True
    nodes = block.nodes
    after = [node for node in nodes[nodes.index(op) + 1 :] if isinstance(node, Op)]
    if any(reader not in after for reader in readers):
        return False
    last = max(after.index(reader) for reader in readers)
    sources = {r for r in op.reads if r >= 16}
    if any(len(definitions.get(r, ())) != 1 for r in sources):
        return False
    return not any(each.writes & op.reads for each in after[:last])


def _before_each(function: Function, op: Op, value: int) -> None:
    for block in function.blocks:
        nodes: list[Op | Text] = []
        for node in block.nodes:
            if node is op:
                continue
            if isinstance(node, Op) and value in node.reads:
                new = function.new_value()
                (field,) = op.outs
                nodes.append(Op(op.name, {field: new}, dict(op.ins), dict(op.imm), place=op.place))
                node.replace(value, new)
            nodes.append(node)
        block.nodes = nodes
