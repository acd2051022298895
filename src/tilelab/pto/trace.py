"""What a run leaves behind: its events in order, its findings, and the flags still standing."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tilelab.pto.errors import Finding
from tilelab.pto.memory import Memory, Rows

Span = tuple[Memory, Rows]


class Event(NamedTuple):
    """One step of the protocol. Its place in the trace is its logical time.

    ``op``: OPEN TPUSH TALLOC TPOP TFREE CLOSE SYNC or a tile operation. ``phase``: INIT; ALLOCATE
    PUSH RECORD; WAIT POP FREE (RELEASE: freed without a signal); ASSIGN NOTHING DRAIN; BLOCK where
    a core started to wait for a flag that was 0. ``primitive``, ``pipe``, ``flag``: as the hardware
    names them (flag -1: none). ``nbytes``: payload moved.
    """

    core: str
    ring: str
    op: str
    phase: str
    primitive: str
    pipe: str
    flag: int
    tile: int
    slot: int
    nbytes: int

    def __str__(self) -> str:
        where = f" {self.ring} tile {self.tile} slot {self.slot}" if self.ring else ""
        pipe = f"PIPE_{self.pipe}, " if self.pipe else ""
        done = f" {self.primitive}" if self.primitive else ""
        call = f"{done}({pipe}{self.flag})" if self.flag >= 0 else done
        size = f" {self.nbytes} bytes" if self.nbytes else ""
        return f"{self.core:5} {self.op:8} {self.phase:8}{where}{call}{size}"


class Reach(NamedTuple):
    """The bytes that an operation reads and writes, and its line ("file:line: ", or "")."""

    reads: tuple[Span, ...]
    writes: tuple[Span, ...]
    where: str = ""


class Work(NamedTuple):
    """What a clock must know of an instruction, or of a synchronisation of a core's pipes.

    ``op``: the instruction; SET, WAIT and BARRIER are the synchronisations, from ``pipe`` to
    ``target`` by ``event``. ``route``: the memories that it moves between. ``shape``: rows and
    columns, of ``size`` bytes each; ``kind``: NumPy's letter of their type. ``depth``: the inner
    dimension of a product. ``reads`` and ``writes``: first and past-the-last byte, where nothing
    but the bytes orders a core's pipes.
    """

    op: str
    pipe: str
    route: tuple[str, str] = ("", "")
    shape: tuple[int, int] = (1, 1)
    size: int = 1
    kind: str = ""
    depth: int = 0
    copies: int = 1
    halves: bool = False
    reads: tuple[tuple[int, int], ...] = ()
    writes: tuple[tuple[int, int], ...] = ()
    target: str = ""
    event: int = -1


class Step(NamedTuple):
    """What events of one kind on one ring share: see ``Event``. ``slots``: the ring's, 0 for no
    ring.

    A running core makes these once and notes ``(step, tile, nbytes)`` for each event, which is
    cheap.
    """

    core: str
    ring: str
    op: str
    phase: str
    primitive: str
    pipe: str
    flag: int
    slots: int
    reach: Reach | None = None

    @property
    def signals(self) -> bool:
        """Whether another core's counter rises."""
        return self.flag >= 0 and self.phase in ("INIT", "RECORD", "FREE", "SIGNAL")

    @property
    def waits(self) -> bool:
        """Whether a counter of its own core has been waited for."""
        return self.flag >= 0 and self.phase in ("ALLOCATE", "WAIT", "DRAIN")

    def event(self, tile: int, nbytes: int) -> Event:
        """The event of such a step."""
        return Event(*self[:7], tile, tile % self.slots if self.slots else -1, nbytes)


Record = tuple[Step, int, int]


@dataclass
class Result:
    """The outcome of ``Cluster.run``."""

    raw: list[Record]
    findings: list[Finding]
    flags: dict[tuple[str, int], int]
    steps: int
    returned: dict[str, Any] = field(default_factory=dict)
    works: dict[int, Work] = field(default_factory=dict)  # by event, where time is asked for

    @property
    def trace(self) -> list[Event]:
        """All events, in order."""
        return [step.event(tile, nbytes) for step, tile, nbytes in self.raw]

    def events(self, **wanted: object) -> Iterator[Event]:
        """The events whose named fields have the given values."""
        for event in self.trace:
            if all(getattr(event, name) == value for name, value in wanted.items()):
                yield event

    def summary(self) -> dict[str, dict[str, int]]:
        """Per ring: pushes, pops, waits for and signals of a free slot, drained credits, bytes."""
        names = {
            "PUSH": "pushes",
            "ASSIGN": "pushes",
            "POP": "pops",
            "ALLOCATE": "free_waits",
            "FREE": "free_signals",
            "DRAIN": "drained",
            "BLOCK": "blocks",
        }
        rings: dict[str, dict[str, int]] = {}
        for event in self.trace:
            if event.ring and event.phase in names:
                zero = dict.fromkeys([*names.values(), "bytes"], 0)
                row = rings.setdefault(event.ring, zero)
                row[names[event.phase]] += 1
                row["bytes"] += event.nbytes
        return rings
