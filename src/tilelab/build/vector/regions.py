"""Which lanes are enabled where, as a tree: a region's lanes are among those of its parent.

The root is all lanes. Setting flags by a comparison begins a child of the region, SFPCOMPC a child
of the region that the flag stack's top holds, SFPPOPC returns to that region.
"""

from dataclasses import dataclass

from tilelab.build.vector.code import RAW, Function, Op, VectorError

ROOT = 0
_POP, _PUSH, _COMPLEMENT, _ENABLE = 0x88, 0x87, 0x8B, 0x8A

State = tuple[int, tuple[int, ...]]
"""The region, and the regions on the flag stack."""


@dataclass
class Regions:
    """The region before and after each operation."""

    parents: list[int]
    before: dict[Op, int]

    def within(self, inner: int, outer: int) -> bool:
        """Whether the lanes of one region are all enabled in the other."""
        while inner != outer:
            if inner == ROOT:
                return False
            inner = self.parents[inner]
        return True


class _Finder:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.parents = [ROOT]
        self.begun: dict[object, int] = {}
        self.before: dict[Op, int] = {}

    def _child(self, key: object, parent: int) -> int:
        if key not in self.begun:
            self.parents.append(parent)
            self.begun[key] = len(self.parents) - 1
        region = self.begun[key]
        self.parents[region] = parent
        return region

    def _after(self, op: Op, state: State) -> State:
        region, stack = state
        if not op.sets_flags:
            return state
        name = _raw_name(op) if op.name == RAW else op.name
        plain = (op.word & 15 if op.name == RAW else op.imm.get("instr_mod1", 0)) == 0
        if name == "SFPPUSHC" and plain:
            return region, (*stack, region)
        if name == "SFPPOPC" and plain:
            return (stack[-1], stack[:-1]) if stack else (ROOT, ())
        if name == "SFPENCC":
            return ROOT, stack
        if name == "SFPCOMPC":
            return self._child(op, stack[-1] if stack else ROOT), stack
        if name in ("SFPPUSHC", "SFPPOPC"):
            return self._child(op, ROOT), stack
        return self._child(op, region), stack

    def find(self) -> Regions:
        blocks = self.function.blocks
        starts: list[State | None] = [None] * len(blocks)
        work = [0] if blocks else []
        starts[:1] = [(ROOT, ())]
        for _ in range(50 * len(blocks) + 50):
            if not work:
                break
            i = work.pop()
            state = starts[i]
            assert state is not None
            for op in blocks[i].ops():
                self.before[op] = state[0]
                state = self._after(op, state)
            for n in blocks[i].next:
                merged = self._merged(n, starts[n], state)
                if merged != starts[n]:
                    starts[n] = merged
                    work.append(n)
        return Regions(self.parents, self.before)

    def _merged(self, n: int, old: State | None, new: State) -> State:
        if old is None or old == new:
            return new
        if len(old[1]) != len(new[1]):
            op = next(self.function.blocks[n].ops(), None) or next(self.function.ops())
            raise VectorError(
                op.place, "control flow meets here with different v_if nesting on its ways"
            )
        pairs = zip((old[0], *old[1]), (new[0], *new[1]), strict=True)
        region, *stack = (self._meet(n, i, a, b) for i, (a, b) in enumerate(pairs))
        return region, tuple(stack)

    def _meet(self, n: int, i: int, a: int, b: int) -> int:
        """A region of which only is known that it is within what both ways are within."""
        own = self.begun.get((n, i))
        if a == b or b == own:
            return a
        above = set()
        x = a
        while True:
            above.add(x)
            if x == ROOT:
                break
            x = self.parents[x]
        while b not in above:
            b = self.parents[b]
        if b == own:
            b = self.parents[b]
        return self._child((n, i), b)


def _raw_name(op: Op) -> str:
    names = {_POP: "SFPPOPC", _PUSH: "SFPPUSHC", _COMPLEMENT: "SFPCOMPC", _ENABLE: "SFPENCC"}
    return names.get(op.word >> 24, "")


def find_regions(function: Function) -> Regions:
    """The regions of a function; all lanes are enabled where it begins.

    VectorError where control flow meets with different nesting.
    """
    return _Finder(function).find()
