"""One core's place in a cluster: its name and lane, what it waits for, what it has open, and how it
writes in the journal.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from numpy.typing import NDArray

from tilelab.pto.config import Pipe, TileType
from tilelab.pto.errors import Finding, HazardError, OverrunHazard
from tilelab.pto.flags import Counter
from tilelab.pto.landing import LocalRing
from tilelab.pto.memory import Memory
from tilelab.pto.pipes import pipe_of
from tilelab.pto.ring import Ring
from tilelab.pto.shared import Shared
from tilelab.pto.trace import Reach, Step, Work
from tilelab.sim.errors import TilelabError


class Wait(NamedTuple):
    """One wait primitive: the counter, the flag and pipe as written in the program, and how TPUSH
    and TPOP note that they wait for it, and that they have it.
    """

    counter: Counter
    flag: int
    pipe: str
    blocked: Step
    taken: Step


class Signal(NamedTuple):
    """One signal primitive, and how its operation notes it."""

    steps: tuple[Step, ...]
    send: Callable[[], None]


Waiting = tuple[str, str, Ring | None, int, Wait]
"""Operation, phase, ring (None: a raw flag), tile, and the wait itself."""


class Seat:
    """``lane``: -1 on the Cube, the sub-block's number on a Vector core; ``peers``: all cores."""

    def __init__(self, cluster: Shared, name: str, lane: int, peers: list["Seat"]) -> None:
        self.cluster = cluster
        self.name = name
        self.lane = lane
        self.peers = peers
        self.waiting: Waiting | None = None
        self.unstarted = 0
        self.live: list[tuple[Pipe, list[Ring]]] = []  # what it has open
        self.joined: list[Ring] = []  # what it has ever opened
        self.local_rings: list[LocalRing] = []
        # A C++ kernel may protect a slot by flags of its own: its bytes tell of an overrun.
        self.confirms_overruns = False
        self.overrun: Finding | None = None
        self.locate: Callable[[], str] = str  # "file:line: " of what runs, where that is known
        # What happens once a tile is noted in place, where anything is: see ``Step``.
        self.journal = cluster.journal
        self.traced = cluster.journal.tracing
        self.log = cluster.journal.events.append
        self.timed = cluster.journal.timing

    @property
    def subblock(self) -> int:
        """get_subblockid(): 0 or 1 on a Vector core, 0 on the Cube."""
        return max(self.lane, 0)

    def local_memory(self, loc: TileType) -> Memory:
        """The memory behind tiles of a place on this core."""
        return self.cluster.memory(self.name, loc)

    def live_rings(self) -> list[Ring]:
        """Rings of the pipes this core has open."""
        return [ring for _, rings in self.live for ring in rings]

    def step(
        self,
        ring: Ring,
        op: str,
        phase: str,
        primitive: str = "",
        pipe: str = "",
        flag: int = -1,
        reach: Reach | None = None,
    ) -> Step:
        """What events of one kind share."""
        return Step(self.name, ring.name, op, phase, primitive, pipe, flag, ring.slot_num, reach)

    def emit(
        self,
        ring: Ring,
        op: str,
        phase: str,
        primitive: str,
        pipe: str,
        flag: int,
        tile: int,
        nbytes: int,
    ) -> None:
        """Note an event."""
        if self.traced:
            self.log((self.step(ring, op, phase, primitive, pipe, flag), tile, nbytes))

    def charge(
        self,
        op: str,
        route: tuple[str, str],
        reads: Sequence[NDArray[Any]],
        writes: Sequence[NDArray[Any]],
        depth: int = 0,
    ) -> None:
        """Say what the newest event is as work: of the size of what it writes, or else reads.

        A reduction is of the size of what it reads.
        """
        largest = max((*reads[:1], *writes), key=lambda array: array.size)
        of = writes[0] if depth else largest
        rows = of.size // max(of.shape[-1], 1) if of.ndim else 1
        cols = of.shape[-1] if of.ndim else 1
        pipe = "S" if "CTRL" in route else pipe_of(op, [route[0]], route[1]) or "S"
        size, kind = (
            (reads[0].itemsize, reads[0].dtype.kind) if depth else (of.itemsize, of.dtype.kind)
        )
        spans = tuple(tuple(map(_extent, arrays)) for arrays in (reads, writes))
        self.journal.charge(
            Work(op, pipe, route, (rows, cols), size, kind, depth, reads=spans[0], writes=spans[1])
        )

    def hazard(self, error: type[HazardError], ring: Ring, tile: int, message: str) -> None:
        """Report a hazard by its number in the docs."""
        number = error.number or error.code
        text = f"{self.locate()}{self.name} {ring.name}: {message} ({number})"
        finding = self._finding(error.code, number, ring, tile, text)
        if error is OverrunHazard and self.confirms_overruns:
            self.overrun = finding
            return
        self.journal.report("hazard", finding, error)

    def breach(self, error: type[TilelabError], ring: Ring, tile: int, message: str) -> None:
        """Report a disagreement of producer and consumer."""
        text = f"{self.locate()}{self.name} {message}"
        self.journal.report(
            "hazard", self._finding(error.code, error.__name__, ring, tile, text), error
        )

    def _finding(self, code: str, kind: str, ring: Ring, tile: int, text: str) -> Finding:
        slot = tile % ring.slot_num
        return Finding(code, kind, text, self.name, ring.name, tile, slot, self.journal.step)


def _extent(array: NDArray[Any]) -> tuple[int, int]:
    """The first and past-the-last byte of an array, as this process has it."""
    first = array.__array_interface__["data"][0]
    reach = sum((n - 1) * step for n, step in zip(array.shape, array.strides, strict=True))
    return first, first + max(reach, 0) + array.itemsize
