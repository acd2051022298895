"""Moves an operation forward that frees LRegs, to before the place where too many are needed."""

import re

from tilelab.build.vector.code import COPY, LREGS, Block, Function, Op, Text, is_pure

FAR = 48
"""How many lines ahead one is looked for."""
_HARMLESS = re.compile(r"^\s*(?:\.loc\s.*|#.*|[.\w$]+:.*)?$")
"""Lines for debuggers; a label within a block is one."""


def make_room(function: Function, crowded: Op, ends: list[set[int]]) -> bool:
    """Move one operation to before ``crowded``; whether there was one.

    It frees more values than it makes, and depends on nothing that it passes. ``ends``: what is
    alive at each block's end.
    """
    for block, alive in zip(function.blocks, ends, strict=True):
        if crowded in block.nodes:
            return _in_block(block, block.nodes.index(crowded), alive)
    return False


def _in_block(block: Block, at: int, alive: set[int]) -> bool:
    passed: list[Op] = []
    for i, node in enumerate(block.nodes[at : at + FAR], start=at):
        if isinstance(node, Text):
            if not _HARMLESS.match(node.text):
                return False
            continue
        if not _plain(node):
            return False
        if passed and _independent(node, passed) and _frees(block, node, i, passed, alive):
            block.nodes.insert(at, block.nodes.pop(i))
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


def _independent(op: Op, passed: list[Op]) -> bool:
    written = {r for each in passed for r in each.writes}
    read = {r for each in passed for r in each.reads}
    return not (op.reads & written or op.writes & (written | read))


def _frees(block: Block, op: Op, at: int, passed: list[Op], alive: set[int]) -> bool:
    later = [node for node in block.nodes[at + 1 :] if isinstance(node, Op)]
    needed = {r for each in (*passed, *later) for r in each.reads} | alive
    ends = {r for r in op.reads if r >= 16 and r not in needed}
    return len(ends) > len(op.writes - op.reads)
