"""Moves operations down to where their results are needed, so that fewer values are alive at once.

A compiler that has never heard of eight LRegs computes early. Only what depends on its operands
alone moves, within a block, to just before its first reader, over nothing that writes an operand,
and only where that makes no more values alive than before.
"""

from tilelab.build.vector.code import RAW, Block, Function, Op, Text, is_pure
from tilelab.build.vector.liveness import live_out
from tilelab.build.vector.regions import Regions, find_regions


def sink(function: Function, kept: set[int]) -> None:
    """Move what can be moved; ``kept`` are LRegs alive where the function ends."""
    definitions, regions = function.definitions(), find_regions(function)
    for block, ends in zip(function.blocks, live_out(function, kept), strict=True):
        for op in reversed(list(block.ops())):
            (out,) = op.writes if len(op.writes) == 1 else (-1,)
            if is_pure(op) and not op.runtime and not op.sets_flags:
                if len(definitions.get(out, ())) == 1 and out not in op.reads:
                    _sink(block, op, ends, regions)


def _sink(block: Block, op: Op, ends: set[int], regions: Regions) -> None:
    nodes = block.nodes
    at = nodes.index(op)
    reader = _first_reader(nodes[at + 1 :], op)
    if reader is None or regions.before[op] != regions.before[reader]:
        return
    to = nodes.index(reader)
    behind = [node for node in nodes[to:] if isinstance(node, Op)]
    longer = {
        r
        for r in op.reads
        if r >= 16 and r not in ends and not any(r in node.reads for node in behind)
    }
    if len(longer) <= 1:
        nodes.insert(to, op)
        del nodes[at]


def _first_reader(behind: list[Op | Text], op: Op) -> Op | None:
    """What first reads an operation's result, if the operation may be moved there."""
    (out,) = op.writes
    for node in behind:
        if isinstance(node, Op) and out in node.reads:
            return node
        if not _may_cross(node, op):
            return None
    return None


def _may_cross(node: Op | Text, op: Op) -> bool:
    """Whether an operation gives the same result behind a node as before it."""
    if isinstance(node, Text):
        return not node.call
    if node.name in (RAW, "SFPCONFIG") and any(r < 16 for r in op.reads):
        return False
    return not node.writes & op.reads
