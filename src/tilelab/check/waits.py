"""One wait of a tile that is stuck: an edge of its wait-for graph."""

from dataclasses import dataclass
from typing import Any, Final

NOBODY: Final = "nobody"
HOST: Final = "host"

# How sure it is that a wait's mistake is the culprit, where several waits end.
PASSIVE, BANK, POST, WORD, BUFFER, ROOM, MUTEX = range(7)


@dataclass(frozen=True)
class Wait:
    """``waiter`` cannot go on before ``holder`` does what ``what`` says."""

    waiter: str
    holder: str
    what: str
    mistake: str = ""
    """What is most likely wrong, if this wait is where it all begins."""
    weight: int = PASSIVE
    buffer: str = ""
    taken: int = 0
    """Of its buffer: how many tiles have been popped."""
    last: tuple[int, ...] = ()
    """What was done last of what it waits for: mark, word and origin."""

    def __str__(self) -> str:
        return f"{self.waiter} waits for {self.holder}: {self.what}"


@dataclass(frozen=True)
class WaitGraph:
    """Who waits for whom; ``circle`` are edges that lead back to where they begin."""

    edges: tuple[Wait, ...]
    circle: tuple[Wait, ...]
    most_likely: str
    """The most likely mistake, "" if there is none to name."""
    begins: Wait | None
    """The wait with that mistake."""

    def lines(self) -> list[str]:
        """The graph as text."""
        lines = [str(edge) for edge in self.edges]
        if self.circle:
            around = [edge.waiter for edge in self.circle]
            lines.append("circle: " + " -> ".join([*around, around[0]]))
        if self.most_likely:
            lines.append(f"most likely: {self.most_likely}")
        return lines

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "edges": [
                {
                    "waiter": edge.waiter,
                    "holder": edge.holder,
                    "what": edge.what,
                    "in_circle": edge in self.circle,
                }
                for edge in self.edges
            ],
            "circle": [edge.waiter for edge in self.circle],
            "most_likely": self.most_likely or None,
        }


def graph_of(edges: list[Wait]) -> WaitGraph:
    """Find the circle, and the mistake that is most likely."""
    around = circle(edges)
    waiters = {edge.waiter for edge in edges}
    ends = [edge for edge in edges if edge.holder not in waiters]
    blamed = [edge for edge in around or ends or edges if edge.mistake]
    if not blamed:
        blamed = [edge for edge in edges if edge.mistake]
    begins = max(blamed, key=lambda edge: (not _starves(edge, blamed), edge.weight), default=None)
    likely = begins.mistake if begins else ""
    if len(around) > 1 and all(edge.weight == MUTEX for edge in around):
        takers = " and ".join(edge.waiter for edge in around)
        likely = f"{takers} take the same mutexes in different orders: take them in the same"
    return WaitGraph(tuple(edges), tuple(around), likely, begins)


def _starves(edge: Wait, others: list[Wait]) -> bool:
    """Whether who should make room waits for other tiles, of which it has taken no more."""
    return edge.weight == ROOM and any(
        other.weight == BUFFER
        and other.waiter == edge.holder
        and other.buffer != edge.buffer
        and other.taken <= edge.taken
        for other in others
    )


def circle(edges: list[Wait]) -> list[Wait]:
    """Edges that lead back to where they begin, as few as possible; none if there is no circle."""
    trails = [[edge] for edge in edges]
    while trails:
        for trail in trails:
            if trail[-1].holder == trail[0].waiter:
                return trail
        trails = [
            [*trail, edge]
            for trail in trails
            for edge in edges
            if edge.waiter == trail[-1].holder and all(edge.waiter != one.waiter for one in trail)
        ]
    return []
