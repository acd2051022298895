"""Makes explicit what instructions ask of their registers, by copies that allocation may drop."""

from tilelab.build.vector.code import CONST, COPY, RAW, Function, Op, Text
from tilelab.build.vector.liveness import live_out, step_back
from tilelab.build.vector.regions import ROOT, find_regions


def split_constants(function: Function, everywhere: bool) -> None:
    """Load constants again where they are used.

    Everywhere, or only where the first load reached fewer lanes than the use has enabled.
    """
    definitions, users = function.definitions(), function.users()
    regions = find_regions(function)
    before: dict[Op, list[Op]] = {}
    for op in list(function.ops()):
        if op.name != CONST or op.ins:  # one that is merged with an older value is no constant
            continue
        (d,) = op.writes
        if len(definitions[d]) != 1 or d < 16:
            continue
        for user in users.get(d, []):
            if not in_enabled_lanes(user, d, regions.before[user]):
                continue
            if everywhere or not regions.within(regions.before[user], regions.before[op]):
                value = function.new_value()
                load = Op(CONST, {"d": value}, imm=dict(op.imm), place=user.place)
                before.setdefault(user, []).append(load)
                user.replace(d, value)
    for block in function.blocks:
        nodes: list[Op | Text] = []
        for node in block.nodes:
            if isinstance(node, Op):
                nodes += before.get(node, [])
            nodes.append(node)
        block.nodes = nodes


def in_enabled_lanes(user: Op, value: int, region: int) -> bool:
    """Whether an operation needs a value only in the lanes that are enabled there.

    A copy moves all lanes, and what is merged keeps the others.
    """
    merged = {user.ins.get("merge"), *(user.ins[f] for f in user.tied if user.keeps_lanes)}
    return region == ROOT or (user.name != COPY and value not in merged)


def add_copies(function: Function, kept: set[int]) -> None:
    """Copy operands that must be in a certain LReg, or that an instruction overwrites.

    What the source keeps in such an LReg goes elsewhere meanwhile. ``kept`` are LRegs alive where
    the function ends.
    """
    constants = _loaded_once(function)
    for block, live in zip(function.blocks, live_out(function, kept), strict=True):
        nodes: list[Op | Text] = []
        for node in reversed(block.nodes):
            before: list[Op] = []
            after: list[Op] = []
            if isinstance(node, Op) and node.name != RAW:
                taken = {*node.fixed_in, *node.fixed_out, *node.clobbers} & live
                step_back(node, live, kept)
                before, after = _copies(node, constants)
                for n in sorted(taken):
                    saved, place = function.new_value(), node.place
                    before.insert(0, Op(COPY, {"d": saved}, {"s": n}, place=place))
                    after.append(Op(COPY, {"d": n}, {"s": saved}, place=place))
            else:
                step_back(node, live, kept)
            nodes += reversed([*before, node, *after])
        block.nodes = nodes[::-1]


def _loaded_once(function: Function) -> dict[int, int]:
    found = {}
    for register, made in function.definitions().items():
        if len(made) == 1 and made[0].name == CONST and not made[0].ins and register >= 16:
            found[register] = made[0].imm["value"]
    return found


def _copies(op: Op, constants: dict[int, int]) -> tuple[list[Op], list[Op]]:
    before, after = [], []
    for field, d in op.outs.items():
        source = "merge" if "merge" in op.ins else field
        if source in op.ins and op.ins[source] != d:
            before.append(_moved(d, op.ins[source], constants, op))
            op.ins[source] = d
    for n, value in op.fixed_in.items():
        before.append(_moved(n, value, constants, op))
        op.ins[f"@{n}"] = n
    for n, value in op.fixed_out.items():
        after.append(Op(COPY, {"d": value}, {"s": n}, place=op.place))
        op.outs[f"@{n}"] = n
    op.fixed_in, op.fixed_out = {}, {}
    return before, after


def _moved(d: int, source: int, constants: dict[int, int], op: Op) -> Op:
    if source in constants and "merge" not in op.ins and not op.keeps_lanes:
        return Op(CONST, {"d": d}, imm={"value": constants[source]}, place=op.place)
    return Op(COPY, {"d": d}, {"s": source}, place=op.place)
