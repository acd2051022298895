"""Which values are alive where, and which therefore cannot share a register."""

from collections.abc import Iterable

from tilelab.build.vector.code import (
    COPY,
    FIRST_VALUE,
    KEEP,
    LREGS,
    NO_VALUE,
    RAW,
    Block,
    Function,
    Op,
    Text,
    VectorError,
)
from tilelab.build.vector.indices import INDICES, indexed
from tilelab.build.vector.raw import may_issue


def _tracked(registers: Iterable[int]) -> set[int]:
    return {r for r in registers if r < LREGS or r >= 16}


def given_away(function: Function) -> set[int]:
    """LRegs that the source sets by number: whoever comes after may read them.

    Unless it says up to where a value is needed.
    """
    written = {d for op in function.ops() if op.name == COPY for d in op.outs.values()}
    kept = {n for op in function.ops() if op.name == KEEP for n in op.ins.values()}
    return {d for d in written - kept if d < LREGS}


def replays_set(function: Function, kept: set[int]) -> None:
    """Let words that run others set the LRegs that only the source's words use.

    A macro, or a word that is made at run time, still reads what words that are seen have set.
    """
    own = function.own_lregs() | kept
    seen = {n for op in function.ops() if op.name == RAW and not op.runs_others for n in op.writes}
    for op in function.ops():
        if op.runs_others:
            stays = own | seen if op.ins else own
            op.ins = {field: n for field, n in op.ins.items() if n in stays}
            op.outs = {f"ran{n}": n for n in range(LREGS) if n not in stays}


def callers_leave_nothing(function: Function, _kept: set[int]) -> None:
    """Let no LReg be alive for words where nothing in the function can have set it yet."""
    named = {n for op in function.ops() if op.name != RAW for n in op.ins.values()}
    for block, known in zip(function.blocks, _set_at_starts(function), strict=True):
        nodes: list[Op | Text] = []
        for node in block.nodes:
            nodes.append(node)
            known |= _may_set(node)
            unset = {f"unset{n}": n for n in range(LREGS) if n not in known | named}
            if isinstance(node, Op) and node.name != RAW and unset:
                nodes.append(Op(NO_VALUE, unset, place=node.place))
        block.nodes = nodes


def _set_at_starts(function: Function) -> list[set[int]]:
    """The LRegs that may have been set in the function, where each of its blocks begins."""
    starts: list[set[int]] = [set() for _ in function.blocks]
    work = [*range(len(function.blocks))]
    while work:
        block = function.blocks[i := work.pop()]
        known = starts[i].union(*map(_may_set, block.nodes))
        for n in block.next:
            if not known <= starts[n]:
                starts[n] |= known
                work.append(n)
    return starts


def _may_set(node: Op | Text) -> set[int]:
    if isinstance(node, Text):
        return set(range(LREGS)) if node.call or may_issue(node.text) else set()
    return {n for n in node.writes if n < LREGS} | node.clobbers


def live_out(function: Function, kept: set[int]) -> list[set[int]]:
    """The registers alive at each block's end; ``kept`` are alive where the function ends."""
    ends: list[set[int]] = [set() for _ in function.blocks]
    changed = True
    starts = [set[int]() for _ in function.blocks]
    while changed:
        changed = False
        for i in reversed(range(len(function.blocks))):
            block = function.blocks[i]
            live = set(kept) if block.leaves else set()
            for n in block.next:
                live |= starts[n]
            ends[i] = set(live)
            for node in reversed(block.nodes):
                step_back(node, live, kept)
            if live != starts[i]:
                starts[i] = live
                changed = True
    return ends


def step_back(node: Op | Text, live: set[int], kept: set[int]) -> None:
    """From the registers alive after a node to those before it."""
    if isinstance(node, Op):
        idle = {r for group in node.moves if not group & live for r in group}
        live -= node.writes
        live |= _tracked(node.reads - idle)
    elif node.call:
        live |= kept


class Interference:
    """The graph: which registers are alive together; and the copies that could go."""

    def __init__(self, function: Function, kept: set[int]) -> None:
        self.neighbours: dict[int, set[int]] = {n: set() for n in range(LREGS)}
        self.copies: list[tuple[int, int]] = []
        self.places: dict[int, Op] = {}
        self.most: tuple[int, Op | None, set[int]] = (0, None, set())
        self.crowds: list[set[int]] = []
        """More registers than there are LRegs, all alive at one operation."""
        self.crowded: list[list[Op]] = []
        """Where that is so: operations of one block that follow each other, the last first."""
        self._relaxed = True
        self.kept = kept
        self.indexed = indexed(function)
        self.first: dict[int, int] = {}
        """The operation, by its number in the program's order, that first writes a register."""
        for number, op in enumerate(function.ops()):
            for d in op.writes:
                self.first.setdefault(d, number)
        for block, live in zip(function.blocks, live_out(function, kept), strict=True):
            self._block(block, set(live))

    def _block(self, block: Block, live: set[int]) -> None:
        self._relaxed = True
        for node in reversed(block.nodes):
            if isinstance(node, Text):
                if node.call and (over := {r for r in live if r >= 16}):
                    raise VectorError(
                        node.place,
                        f"{len(over)} vector value(s) are needed after a call of {node.call}, "
                        "which may use any LReg; let it be inlined",
                    )
            else:
                self._operation(node, live)
            step_back(node, live, self.kept)

    def _operation(self, op: Op, live: set[int]) -> None:
        for d in _tracked(op.writes):
            self.neighbours.setdefault(d, set())
            self.places.setdefault(d, op)
            if op.name == NO_VALUE:
                continue
            for other in live | _tracked(op.writes):
                if other != d and not (op.name == COPY and other in op.ins.values()):
                    self._add(d, other)
        for r in _tracked(op.reads):
            self.neighbours.setdefault(r, set())
        for n in op.clobbers:
            for other in live - op.writes:
                if other != n:
                    self._add(n, other)
        if op in self.indexed:
            for value in live | op.writes:
                for n in INDICES if value >= FIRST_VALUE else ():
                    self._add(n, value)
        if op.name == COPY:
            d, s = op.outs["d"], op.ins["s"]
            if s < LREGS or s >= 16:
                self.copies.append((d, s))
        crowd = live | _tracked(op.writes) | op.clobbers if op.name != NO_VALUE else set()
        together = len(crowd)
        if together > LREGS:
            self.crowds.append(crowd)
            if self._relaxed:
                self.crowded.append([])
            self.crowded[-1].append(op)
        self._relaxed = together <= LREGS
        if together > self.most[0]:
            self.most = (together, op, crowd)

    def _add(self, a: int, b: int) -> None:
        self.neighbours.setdefault(a, set()).add(b)
        self.neighbours.setdefault(b, set()).add(a)
