"""Moves an operation forward that frees LRegs, to before the place where too many are needed."""

import re

from tilelab.build.vector.code import COPY, LREGS, Block, Function, Op, Text, is_pure

FAR = 48
"""How many lines ahead one is looked for."""
HARMLESS = re.compile(r"^\s*(?:\.loc\s.*|#.*|[.\w$]+:.*)?$")
"""Lines for debuggers; a label within a block is one."""


def make_room(
    function: Function, crowded: list[Op], ends: list[set[int]], settled: set[Op]
) -> bool:
    """Move an operation to before one of ``crowded``, with those it follows from; whether it could.

    They free more values than they make, and depend on nothing else that they pass. ``ends``: what
    is alive at each block's end. ``settled`` are those that have been moved for their own sake:
    they stay, and this one joins them.
    """
    for block, alive in zip(function.blocks, ends, strict=True):
        if crowded[0] in block.nodes:
            places = [block.nodes.index(op) for op in crowded]
            return any(_in_block(block, at, alive, settled) for at in places)
    return False


def _in_block(block: Block, at: int, alive: set[int], settled: set[Op]) -> bool:
    passed: list[Op] = []
    for i, node in enumerate(block.nodes[at : at + FAR], start=at):
        if isinstance(node, Text):
            if not HARMLESS.match(node.text):
                return False
            continue
        if not _plain(node):
            return False
        moved = _with_sources(node, passed)
        able = passed and node not in settled and moved[0] is not passed[0]
        if able and _frees(block, moved, i, passed, alive):
            for op in moved:
                block.nodes.remove(op)
            block.nodes[at:at] = moved
            settled.add(node)
            return True
        passed.append(node)
    return False


def _plain(op: Op) -> bool:
    """Whether it does nothing but compute values, in lanes that it leaves as they are."""
    touched = op.reads | op.writes | set(op.clobbers)
    named = any(r < LREGS for r in touched)
    return (is_pure(op) or op.name in (COPY, "const")) and not (
        named or op.sets_flags or op.runtime
    )


def _with_sources(op: Op, passed: list[Op]) -> list[Op]:
    """An operation behind those of ``passed`` that have to move with it, in their order.

    They are what it follows from, and what else is between: a value that is written twice keeps
    its order.
    """
    moved = [op]
    for each in reversed(passed):
        reads = {r for one in moved for r in one.reads}
        writes = {r for one in moved for r in one.writes}
        if each.writes & (reads | writes) or each.reads & writes:
            moved.insert(0, each)
    return moved


def _frees(block: Block, moved: list[Op], at: int, passed: list[Op], alive: set[int]) -> bool:
    later = [node for node in block.nodes[at + 1 :] if isinstance(node, Op)]
    others = [op for op in passed if op not in moved]
    needed = {r for each in (*others, *later) for r in each.reads} | alive
    reads = {r for op in moved for r in op.reads if r >= 16}
    writes = {r for op in moved for r in op.writes}
    return len(reads - writes - needed) > len((writes & needed) - reads)
