"""One core's place in a cluster: its name and lane, what it waits for, what it has open, and how it
writes in the journal.
"""

from collections.abc import Callable
from typing import NamedTuple

from tilelab.pto.config import Pipe, TileType
from tilelab.pto.errors import Finding, HazardError, OverrunHazard
from tilelab.pto.flags import Counter
from tilelab.pto.landing import LocalRing
from tilelab.pto.memory import Memory
from tilelab.pto.ring import Ring
from tilelab.pto.shared import Shared
from tilelab.pto.trace import Reach, Step
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
