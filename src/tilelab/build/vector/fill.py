"""Puts an independent operation between a multiply-add and what reads its result.

The result is there two cycles later: Wormhole's code has an SFPNOP meanwhile, and Blackhole waits.
Only what depends on its operands alone moves, within a block, over nothing that it depends on, and
never from where it stands between two such operations itself.
"""

from collections.abc import Iterable, Iterator

from tilelab.build.vector.code import COPY, KEEP, LREGS, NO_VALUE, RAW, Function, Op, Text, is_pure
from tilelab.build.vector.emit import MAD_UNIT
from tilelab.build.vector.raw import issues_nothing
from tilelab.build.vector.reorder import HARMLESS
from tilelab.build.vector.replays import UNKNOWN
from tilelab.tensix.chips.opcodes import REPLAY

FAR = 24
"""How many operations away one is looked for."""
_SILENT = (COPY, NO_VALUE, KEEP)
"""What is no word: copies mostly go."""
Nodes = list[Op | Text]


def fill(function: Function) -> bool:
    """Move what can be moved, if anything: nothing where the source records words by number."""
    if any(map(_records, (node for block in function.blocks for node in block.nodes))):
        return False
    found_any = False
    for block in function.blocks:
        nodes = [node for node in block.nodes if not _harmless(node)]
        for late in [op for op in block.ops() if op.name in MAD_UNIT and not op.runtime]:
            at = nodes.index(late)
            reader = _reader(nodes, at)
            if reader is None:
                continue
            if (found := _later(nodes, at, reader)) is None:
                found = _earlier(nodes, at, reader)
            if found is not None:
                found_any, moved = True, nodes[found]
                for each in (nodes, block.nodes):
                    each.remove(moved)
                    each.insert(each.index(late) + 1, moved)
    return found_any


def _records(node: Op | Text) -> bool:
    if isinstance(node, Text):
        return UNKNOWN in node.text
    return node.name == RAW and node.word >> 24 == REPLAY


def _harmless(node: Op | Text) -> bool:
    """Whether a node is a line that does nothing to the vector unit."""
    if isinstance(node, Op) or node.call:
        return False
    return bool(HARMLESS.match(node.text)) or issues_nothing(node.text)


def _reader(nodes: Nodes, at: int) -> int | None:
    """Where the operation stands that follows a multiply-add and has to wait for its result."""
    if not isinstance(late := nodes[at], Op) or late.name not in MAD_UNIT:
        return None
    results = set(late.writes)
    for i, node in enumerate(nodes[at + 1 : at + 1 + FAR], start=at + 1):
        if isinstance(node, Text):
            return None
        if node.name in _SILENT:
            if node.reads & results:
                results |= node.writes
        else:
            return i if node.reads & results and node.name != RAW else None
    return None


def _stops(node: Op | Text) -> bool:
    """Whether nothing may move past a node: what it does is not all known, or it has flags."""
    return isinstance(node, Text) or bool(
        node.name in (RAW, "SFPCONFIG") or node.sets_flags or node.runtime or node.clobbers
    )


def _able(op: Op) -> bool:
    """Whether an operation is a word or two that only make a value."""
    named = any(r < LREGS for r in op.reads | op.writes)
    plain = is_pure(op) or op.name == "const"
    return plain and not (named or op.sets_flags or op.runtime or op.keeps_lanes)


def _apart(op: Op, passed: Iterable[Op]) -> bool:
    """Whether an operation has no part in what others read or write."""
    return not any(
        each.writes & (op.reads | op.writes) or each.reads & op.writes for each in passed
    )


def _ops(nodes: Iterable[Op | Text]) -> Iterator[Op]:
    return (node for node in nodes if isinstance(node, Op))


def _needed(nodes: Nodes, at: int) -> bool:
    """Whether an operation stands where another would have to wait without it."""
    before = nodes[max(at - FAR, 0) : at]
    rest = [*before, *nodes[at + 1 : at + 1 + FAR]]
    words = (i for i in reversed(range(len(before))) if not _silent(before[i]))
    last = next(words, None)
    return last is not None and _reader(rest, last) is not None


def _silent(node: Op | Text) -> bool:
    return isinstance(node, Text) or node.name in _SILENT


def _later(nodes: Nodes, at: int, reader: int) -> int | None:
    """Where the first operation behind the reader stands that may go before it."""
    for i in range(reader + 1, min(reader + 1 + FAR, len(nodes))):
        node = nodes[i]
        if _stops(node):
            return None
        if isinstance(node, Op) and _able(node) and _apart(node, _ops(nodes[at:i])):
            if not _needed(nodes, i):
                return i
    return None


def _earlier(nodes: Nodes, at: int, reader: int) -> int | None:
    """Where the last operation before the multiply-add stands that may go behind it."""
    waits = nodes[reader]
    assert isinstance(waits, Op)
    for i in range(at - 1, max(at - 1 - FAR, -1), -1):
        node = nodes[i]
        if _stops(node):
            return None
        if isinstance(node, Op) and _able(node) and _apart(node, _ops(nodes[i + 1 : at + 1])):
            late = node.name in MAD_UNIT and node.writes & waits.reads
            if not late and not _needed(nodes, i):
                return i
    return None
