"""What every tile of a chip did, piece by piece, and what they asked of the NoC."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.chip.chip import REQUEST_NOTE, Chip
from tilelab.chip.programs import Finder, kernels
from tilelab.report.breakdown import Breakdown, breakdown
from tilelab.sim.errors import BadInputError
from tilelab.sim.record import Record
from tilelab.tensix.cycle import events
from tilelab.tensix.cycle.looks import IN_STREAMS
from tilelab.tensix.riscv.sources import Sources
from tilelab.tensix.state import CORES, TensixState
from tilelab.tensix.state.cycle_record import BUFFERS
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.origin import origin_of, push_site, pushed_at, pusher
from tilelab.trace.chip.ways_used import WaysUsed
from tilelab.trace.recorded import Recorded

Numbers = npt.NDArray[Any]
Counts = dict[str, Any]
PC_EVENTS: Final = (events.CORE, events.PUSH)
"""Kinds whose part is a core and whose extra is its program counter."""
ACCOUNTS: Final = (
    "thread_cycles", "wait_unit", "wait_semaphore", "busy_with", "port_cycles", "fetch_cycles",
    "fetched", "pack_cycles", "packed", "stage_stalled", "core_cycles",
)  # fmt: skip
"""What the cycle clock counts from the start; a piece's share is the difference."""
MOST_REQUESTS: Final = 300_000
"""Requests that are kept; of more it is said how many there were."""


class Piece(Recorded):
    """What one tile did for some time, from ``start`` on; clocks count from there.

    A piece ends where the chip comes to rest after kernels ran on the tile.
    """

    def __init__(
        self,
        tile: Tile,
        name: str,
        found: Numbers,
        start: int,
        end: int,
        sources: Sources,
        issued: int,
    ) -> None:
        self.tile = tile
        self.name = name
        self.start = start
        self.issued = issued
        """Tensix instructions."""
        self.kernels = kernels(sources)
        self.report: Breakdown | None = None
        self._length = end - start
        self._sources = sources
        self._final = tile.state.record
        moved = found.copy()
        moved["clock"] -= start
        self._batches = [moved]
        self._links = None
        self.frames = []

    def keep(self, record: Record, report: Breakdown) -> None:
        """Keep what the tile's registers hold now, and where the time went."""
        self._final, self.report = record, report
        self.frames = [(self.end, record)]

    @property
    def end(self) -> int:
        """Its length in cycles."""
        return self._length

    @property
    def final(self) -> Record:
        """The tile's state after it."""
        return self._final

    @property
    def sources(self) -> Sources:
        """Where program counters were in the source at that time."""
        return self._sources

    @property
    def label(self) -> str:
        """Its kernels, in a few words."""
        return ", ".join(self.kernels) or "firmware"


@dataclass
class _Log:
    """One tile's events that belong to no piece yet."""

    tile: Tile
    place: Place
    whole: bool
    """Whether every event is kept, or what tells which programs ran."""
    seen: int = 0
    """How many of them had been looked at when the chip last came to rest, and its clock then."""
    seen_clock: int = 0
    seen_counts: Counts | None = None
    counts: Counts | None = None
    """What the cycle clock had counted at the end of the last piece."""

    def __post_init__(self) -> None:
        self.batches: list[Numbers] = []
        self.pieces: list[Piece] = []

    def __call__(self, events: Numbers) -> None:
        if self.whole:
            self.batches.append(events)
        elif len(self.batches) > 1:  # the first may end a piece
            self.batches[-1] = _gist(np.concatenate([self.batches[-1], events]))
        else:
            self.batches.append(_gist(events))

    def all(self) -> Numbers:
        if len(self.batches) != 1:
            self.batches = [np.concatenate([np.empty(0, events.EVENT), *self.batches])]
        return self.batches[0]


class ChipRecorded:
    """Collects what all tiles of a chip under the cycle clock do, from now on.

    ``pieces``: by place, what each tile did, one after the other. ``requests``: an array of
    ``REQUEST_NOTE``; ``dropped``: how many more there were. Without ``whole`` pieces have no
    events, only what was counted: a long program's would fill the memory. BadInputError for a chip
    under the functional clock.
    """

    def __init__(self, chip: Chip, name: str = "program", whole: bool = True) -> None:
        if chip.timing != "cycle":
            raise BadInputError('recording a chip needs the cycle clock: Chip(..., clock="cycle")')
        self.chip = chip
        self.name = name
        self.lines: dict[tuple[int, int], str] = {}
        """The author's line of a request's program counter, by number of the request's batch."""
        self.dropped = 0
        self._requests: list[Numbers] = []
        self._sites: list[Numbers] = []
        self._texts: dict[str, int] = {"": 0}
        self._finder = Finder()
        self._scratch = TensixState(chip.arch)
        self._logs = [_Log(tile, place, whole) for place, tile in chip.tiles.items()]
        for log in self._logs:
            cycle = log.tile.state.s.cycle
            cycle.buffers = (1 << BUFFERS) - 1
            cycle.buffer_counters = IN_STREAMS
            log.tile.trace(log)
        chip.trace_requests(self._take)
        self.ways = WaysUsed(chip, often=whole)
        chip.at_rest.append(self._rest)

    # ------------------------------------------------------------------ what came of it

    @property
    def end(self) -> int:
        """The cycle after the last one of any tile."""
        clocks = (int(log.tile.state.s.clock) for log in self._logs)
        return max(clocks, default=self.chip.time)

    @property
    def pieces(self) -> dict[Place, list[Piece]]:
        """What each tile did; what it has done since the chip last rested is a piece of its own."""
        for log in self._logs:
            self._cut(log, len(log.all()), int(log.tile.state.s.clock))
        return {log.place: log.pieces for log in self._logs if log.pieces}

    @property
    def work(self) -> list[tuple[Place, Piece]]:
        """The pieces in which kernels ran, or all if there is none, by start; with their tiles."""
        found = [(place, piece) for place, pieces in self.pieces.items() for piece in pieces]
        found = [one for one in found if one[1].kernels] or found
        return sorted(found, key=lambda one: one[1].start)

    @property
    def requests(self) -> Numbers:
        """What was asked of the NoC, in the order in which it was carried out."""
        if len(self._requests) != 1:
            self._requests = [np.concatenate([np.empty(0, REQUEST_NOTE), *self._requests])]
        return self._requests[0]

    @property
    def sites(self) -> Numbers:
        """Of each request the number of its text in :attr:`texts`."""
        if len(self._sites) != 1:
            self._sites = [np.concatenate([np.empty(0, np.uint32), *self._sites])]
        return self._sites[0]

    @property
    def texts(self) -> list[str]:
        """Where requests were initiated: source line and function; the first is ""."""
        return list(self._texts)

    # ------------------------------------------------------------------ while it runs

    def _take(self, found: Numbers) -> None:
        room = MOST_REQUESTS - sum(map(len, self._requests))
        self.dropped += max(0, len(found) - room)
        found = found[: max(0, room)]
        self._requests.append(found)
        keys, index = np.unique(found[["tile", "core", "pc"]], return_inverse=True)
        numbers = np.zeros(len(keys), np.uint32)
        for i, (number, core, pc) in enumerate(keys.tolist()):
            part = self._finder.program(self._logs[number].tile, core, pc)
            text = part.source(pc) if part else ""
            numbers[i] = self._texts.setdefault(text, len(self._texts))
        self._sites.append(numbers[index.reshape(-1)])

    def _rest(self) -> None:
        """The chip has come to rest: close the pieces of tiles that ran kernels."""
        for log in self._logs:
            found, clock = log.all(), int(log.tile.state.s.clock)
            if len(found) == log.seen:
                continue
            sources = self._finder.sources(log.tile, _counters(found[log.seen :]))
            if kernels(sources):
                if log.seen:
                    self._cut(log, log.seen, log.seen_clock)
                self._cut(log, len(log.all()), clock, sources)
            else:
                log.seen, log.seen_clock, log.seen_counts = len(found), clock, _counts(log.tile)

    def _cut(self, log: _Log, count: int, clock: int, sources: Sources | None = None) -> None:
        """Make a piece of a tile's first events; they ended at a clock."""
        found = log.all()
        if not count:
            return
        taken, log.batches = found[:count], [found[count:]]
        start = int(taken["clock"][0])
        if sources is None:
            sources = self._finder.sources(log.tile, _counters(taken))
        name = f"{self.name}, tile {log.place[0]},{log.place[1]}"
        earlier = log.seen_counts if len(log.batches[0]) else None
        now = earlier or _counts(log.tile)
        before = log.counts or {name: np.zeros_like(value) for name, value in now.items()}
        log.counts = now
        issued = int(np.sum(now["issued"] - before["issued"]))
        piece = Piece(log.tile, name, taken, start, max(clock, start + 1), sources, issued)
        if not earlier:
            self._account(log.tile, piece, before, now)
        log.pieces.append(piece)
        log.seen = 0

    def _account(self, tile: Tile, piece: Piece, before: Counts, now: Counts) -> None:
        """Note where the time of a piece went that has just ended."""
        scratch = self._scratch.record
        scratch[...] = tile.state.record
        for name in ACCOUNTS:
            scratch["cycle"][name] = now[name] - before[name]
        scratch["engine"]["issued"] = now["issued"] - before["issued"]
        self._scratch.s.clock = piece.end
        piece.keep(scratch.copy(), breakdown(self._scratch))


def _gist(found: Numbers) -> Numbers:
    """The first of a batch of events, and each place where a core was or pushed from, once."""
    if not len(found):
        return found
    own = found[np.isin(found["kind"], PC_EVENTS)]
    pushed = found["extra"][found["kind"] == events.ISSUE]
    were = origin_of(own["part"].astype(np.uint64), own["extra"])
    places = np.unique(np.concatenate([were, push_site(pushed)]))
    made = np.full(1 + len(places), found[0])
    made["kind"][1:], made["part"][1:] = events.CORE, pusher(places)
    made["extra"][1:] = pushed_at(places)
    return made


def _counts(tile: Tile) -> Counts:
    """What the cycle clock has counted so far."""
    cycle, engine = tile.state.record["cycle"], tile.state.record["engine"]
    return {name: cycle[name].copy() for name in ACCOUNTS} | {"issued": engine["issued"].copy()}


def _counters(found: Numbers) -> dict[int, list[int]]:
    """The program counters of events, in order, by core."""
    own = np.isin(found["kind"], PC_EVENTS)
    made: dict[int, set[int]] = {core: set() for core in range(CORES)}
    for core in range(CORES):
        mine = own & (found["part"] == core)
        made[core].update(np.unique(found["extra"][mine]).tolist())
    for packed in np.unique(found["extra"][found["kind"] == events.ISSUE]).tolist():
        if pusher(packed) in made:
            made[pusher(packed)].add(pushed_at(packed))
    return {core: sorted(pcs) for core, pcs in made.items() if pcs}
