"""Flags: bounded counters, one bank per waiting core, as A2/A3 and A5 count them.

A2/A3: a signal of the Cube raises the counter of every Vector core; the Cube's counter rises when
every Vector core has signalled (mode 2, a reduce). A5: nothing is broadcast; the Cube sees Vector
core 1's ids at +16. A wait blocks while its counter is 0 and then takes one. Source: seed 002;
pto-isa pipeline-sync pages.
"""

from collections.abc import Callable

IDS = 16
SUBBLOCK_ALIAS = 16  # sub-block 1's id, as the Cube sees it on A5

Counter = tuple[list[int], int]


class FlagBank:
    """All counters of a cluster. ``limit`` is the largest value; ``overflow(core, flag)`` is told
    of a rise past it and the counter wraps, as the A2/A3 manual says.
    """

    def __init__(
        self, reduces: bool, vec: int, limit: int, overflow: Callable[[str, int], None]
    ) -> None:
        self.reduces = reduces
        self.limit = limit
        self._overflow = overflow
        self.cube = [0] * (2 * IDS)
        self.vec = [[0] * IDS for _ in range(vec)]
        self._everyone = tuple(range(vec))
        self.arrived = [[0] * IDS for _ in range(vec)]  # signals that the reduce has not yet joined

    def cube_waits(self, flag: int, lanes: tuple[int, ...]) -> tuple[Counter, ...]:
        """What the Cube must wait for to hear from ``lanes``."""
        if self.reduces:
            return ((self.cube, flag),)
        return tuple((self.cube, flag + SUBBLOCK_ALIAS * lane) for lane in lanes)

    def vec_waits(self, flag: int, lane: int) -> tuple[Counter, ...]:
        """What a Vector core must wait for to hear from the Cube."""
        return ((self.vec[lane], flag),)

    def signal_vec(self, flag: int, lanes: tuple[int, ...], pipe: str = "") -> None:
        """The Cube signals ``lanes`` (A2/A3: all of them), when ``pipe`` has come so far."""
        for lane in self._everyone if self.reduces else lanes:
            counters = self.vec[lane]
            if counters[flag] >= self.limit:
                self._overflow(f"vec{lane}", flag)
                counters[flag] = -1
            counters[flag] += 1

    def signal_cube(self, flag: int, lane: int, pipe: str = "") -> None:
        """A Vector core signals the Cube, when ``pipe`` has come so far."""
        if not self.reduces:
            flag += SUBBLOCK_ALIAS * lane
        else:
            arrived = self.arrived
            if len(arrived) > 1:
                mine = arrived[lane]
                mine[flag] += 1
                if mine[flag] > self.limit:
                    self._overflow(f"vec{lane}", flag)
                    mine[flag] = 0
                if not all(other[flag] for other in arrived):
                    return
                for other in arrived:
                    other[flag] -= 1
        if self.cube[flag] >= self.limit:
            self._overflow("cube", flag)
            self.cube[flag] = -1
        self.cube[flag] += 1

    def missing(self, flag: int) -> list[int]:
        """A2/A3: the Vector cores whose signal the Cube's flag still lacks."""
        if not self.reduces or len(self.arrived) < 2:
            return []
        return [lane for lane, mine in enumerate(self.arrived) if not mine[flag]]

    def standing(self) -> dict[tuple[str, int], int]:
        """Every counter that is not zero, by (core, flag); a half-joined reduce's too."""
        found = {("cube", flag): count for flag, count in enumerate(self.cube) if count}
        for name, banks in (("vec", self.vec), ("unjoined vec", self.arrived)):
            for lane, counters in enumerate(banks):
                found |= {(f"{name}{lane}", f): n for f, n in enumerate(counters) if n}
        return found
