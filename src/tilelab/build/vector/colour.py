"""Gives values the eight LRegs: a graph is coloured, after copies have been merged away."""

from collections.abc import Iterable

from tilelab.build.vector.code import LREGS
from tilelab.build.vector.liveness import Interference

STEPS = 20_000
"""How long the thorough search may try."""


class Graph:
    """The interference graph, in which nodes can be merged."""

    def __init__(self, interference: Interference) -> None:
        self.neighbours = {n: set(near) for n, near in interference.neighbours.items()}
        self.merged: dict[int, int] = {}
        self.crowds = interference.crowds
        self.first = interference.first
        for a in range(LREGS):
            self.neighbours[a] |= set(range(LREGS)) - {a}
            for b in range(LREGS):
                if a != b:
                    self.neighbours[b].add(a)

    def find(self, n: int) -> int:
        """The node that a node was merged into."""
        while n in self.merged:
            n = self.merged[n]
        return n

    def merge(self, copies: list[tuple[int, int]], careful: bool) -> None:
        """Merge the two sides of copies that can share a register.

        ``careful``: only where that cannot make the graph harder to colour.
        """
        changed = True
        while changed:
            changed = False
            for d, s in copies:
                a, b = self.find(d), self.find(s)
                if a == b or b in self.neighbours[a]:
                    continue
                if b < LREGS:
                    a, b = b, a
                if careful and not self._harmless(a, b):
                    continue
                self._join(a, b)
                changed = True

    def _harmless(self, a: int, b: int) -> bool:
        near = self.neighbours[a] | self.neighbours[b]
        if a < LREGS:
            return all(
                n in self.neighbours[a] or self._degree(n) < LREGS for n in self.neighbours[b]
            )
        return sum(self._degree(n) >= LREGS for n in near) < LREGS

    def _degree(self, n: int) -> int:
        return len(self.neighbours[n]) if n >= LREGS else 1 << 30

    def _join(self, a: int, b: int) -> None:
        for n in self.neighbours.pop(b):
            self.neighbours[n].discard(b)
            self.neighbours[n].add(a)
            self.neighbours[a].add(n)
        self.merged[b] = a

    def colour(self, thorough: bool) -> dict[int, int] | None:
        """An LReg for each node, or None if none was found, by a ``thorough`` search or without."""
        if self._hopeless():
            return None
        found = self._in_order() or self._greedy() or (self._search() if thorough else None)
        if found is None:
            return None
        for n in self.merged:
            found[n] = found[self.find(n)]
        return found

    def _hopeless(self) -> bool:
        """Whether somewhere more values than there are LRegs all keep each other out."""
        for crowd in self.crowds:
            nodes = {self.find(n) for n in crowd}
            if len(nodes) > LREGS and all(nodes - self.neighbours[n] == {n} for n in nodes):
                return True
        return False

    def _in_order(self) -> dict[int, int] | None:
        """Colour in the program's order, each with the first LReg that is left.

        So repetitions of unrolled code get the same LRegs, and the replay buffer can issue them.
        """
        first = {n: self.first.get(n, -1) for n in self.neighbours if n >= LREGS}
        for n in self.merged:
            if (kept := self.find(n)) in first:
                first[kept] = min(first[kept], self.first.get(n, -1))
        return self._coloured(sorted(first, key=lambda n: (first[n], n)))

    def _greedy(self) -> dict[int, int] | None:
        """Set aside whoever has the fewest neighbours left, then colour in reverse."""
        left = {n: len(near) for n, near in self.neighbours.items() if n >= LREGS}
        order = []
        while left:
            n = min(
                left,
                key=lambda node: (
                    left[node] >= LREGS,
                    -left[node] if left[node] < LREGS else left[node],
                ),
            )
            order.append(n)
            del left[n]
            for other in self.neighbours[n]:
                if other in left:
                    left[other] -= 1
        return self._coloured(reversed(order))

    def _coloured(self, order: Iterable[int]) -> dict[int, int] | None:
        """Each node with the first LReg that its neighbours leave; None if one leaves none."""
        colours = {n: n for n in range(LREGS)}
        for n in order:
            taken = {colours[other] for other in self.neighbours[n] if other in colours}
            free = [c for c in range(LREGS) if c not in taken]
            if not free:
                return None
            colours[n] = free[0]
        return colours

    def _search(self) -> dict[int, int] | None:
        """Colour whoever has the fewest LRegs to choose from, and go back on failure."""
        colours = {n: n for n in range(LREGS)}
        options = {
            n: {c for c in range(LREGS) if c not in near}
            for n, near in self.neighbours.items()
            if n >= LREGS
        }
        steps = 0
        trail: list[tuple[int, list[int], list[int]]] = []
        while options:
            n = min(options, key=lambda node: (len(options[node]), -len(self.neighbours[node])))
            choices = sorted(options[n])
            while True:
                steps += 1
                if steps > STEPS:
                    return None
                if choices:
                    break
                if not trail:
                    return None
                n, choices, told = trail.pop()
                options[n] = self._choices(n, colours)
                for other in told:
                    options[other].add(colours[n])
                del colours[n]
            c = choices.pop(0)
            colours[n] = c
            options.pop(n, None)
            told = [o for o in self.neighbours[n] if o in options and c in options[o]]
            for other in told:
                options[other].discard(c)
            trail.append((n, choices, told))
        return colours

    def _choices(self, n: int, colours: dict[int, int]) -> set[int]:
        taken = {colours[o] for o in self.neighbours[n] if o in colours}
        return set(range(LREGS)) - taken
