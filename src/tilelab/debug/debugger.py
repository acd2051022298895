"""A tile that runs forwards and backwards, from stop to stop.

Going back is running: the last snapshot before is restored and what followed is run again, which
always gives the same. So a step back costs what its stretch of the past costs, some milliseconds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from time import perf_counter
from typing import Any, Final, Protocol

from tilelab.debug.history import History, Snapshot
from tilelab.debug.places import Place, place
from tilelab.debug.stops import Stop, put
from tilelab.sim.errors import MachineError, TilelabError
from tilelab.sim.kernel import OK
from tilelab.sim.record import Record
from tilelab.tensix.run.rounds import STOP_CONDITION, STOP_IDLE, STOP_STUCK
from tilelab.tensix.run.stops import STOP_BREAK, arm
from tilelab.tensix.run.stuck import forget_stuck
from tilelab.tensix.state.stop_notes import RECENT
from tilelab.tensix.tile.tile import Tile

SNAPSHOT_SECONDS: Final = 0.03
"""How much running lies between two snapshots, about."""
FIRST_SPACING: Final = 20_000
FOREVER: Final = 1 << 62


class Why(StrEnum):
    """Why the tile is where it is."""

    STOP = "stopped"
    LIMIT = "as far as it was to go"
    DONE = "the kernel is done"
    IDLE = "nothing is left to do"
    DEADLOCK = "deadlock"
    FAILED = "a check failed"
    BEGIN = "the beginning of what was recorded"


@dataclass(frozen=True)
class Halt:
    """Where a run ended: why, and which of the stops it was given were hit (by number)."""

    why: Why
    clock: int
    hits: tuple[int, ...] = ()
    error: TilelabError | None = None

    @property
    def end(self) -> str:
        """Why it can go no further, and the failed check; "" at a stop or a limit."""
        if self.why in (Why.STOP, Why.LIMIT):
            return ""
        return f"{self.why}\n{self.error}" if self.error else str(self.why)


Condition = Callable[[tuple[int, ...]], bool]
"""Asked at a stop, given the numbers of those that were hit: whether it counts."""


class Feed(Protocol):
    """What gives a tile its words from outside, as an assembly program's feeder does."""

    @property
    def pending(self) -> bool:
        """Whether there is anything left to give."""
        return False

    def give(self) -> object:
        """Give what the tile can take before a round."""
        return None

    def mark(self) -> Any:
        """How far it is, for :meth:`reset`."""
        return None

    def reset(self, mark: Any) -> None:
        """Go back to where it was."""
        return


class Nobody(Feed):
    """Gives nothing."""


class Debugger:
    """Runs a tile forwards and backwards. The tile is the debugger's until it is done with it.

    ``done``: words of L1, by address, that all hold these values once the program is done.
    ``feed``: what gives the tile its words from outside, if anything does.
    """

    def __init__(
        self, tile: Tile, done: Mapping[int, int] | None = None, feed: Feed | None = None
    ) -> None:
        self.tile = tile
        self.state = tile.state
        self.done = dict(done or {})
        self.feed = feed or Nobody()
        self.history = History(tile)
        self._writes = 0
        self.end: Halt | None = None
        self.spacing = FIRST_SPACING
        self._at_end = False
        self._take()

    @property
    def clock(self) -> int:
        """The present, in rounds or cycles."""
        return int(self.state.s.clock)

    @property
    def moment(self) -> tuple[int, int]:
        """Another one if the tile has run, gone back or been written to since."""
        return self.clock, self._writes

    def failed_round(self) -> bool:
        """Whether a check has just failed: the tile is in the middle of that round."""
        return self._at_end and self.end is not None and self.end.why is Why.FAILED

    @property
    def begin(self) -> int:
        """The earliest clock that can be gone back to."""
        return self.history.snapshots[0].clock

    def place(self, text: str) -> Place:
        """A part of the state by its name; BadInputError if there is none."""
        return place(text, self.state)

    def number(self, name: str) -> int:
        """A number of the state by its name."""
        return int(self.place(name).value(self.state))

    def snapshot(self) -> Record:
        """A copy of the registers, for :meth:`changes`."""
        return self.state.snapshot()

    def changes(self, before: Record) -> list[tuple[str, int, int]]:
        """What has changed in the registers since a copy: ``(name, old, new)``."""
        return self.state.diff(before)

    def written(self, change: Callable[[], None]) -> None:
        """Change the tile from outside; what came after this moment is forgotten."""
        change()
        self.history.forget_after(self.clock)
        self._writes += 1
        self.end = None
        self._at_end = False
        forget_stuck(self.state.s)
        self._take()

    # ------------------------------------------------------------------ forwards

    def forward(
        self,
        stops: Sequence[Stop] = (),
        limit: int = FOREVER,
        condition: Condition | None = None,
    ) -> Halt:
        """Run until a stop is hit, the clock reaches ``limit`` or the program ends.

        ``condition`` is asked at a stop, given which were hit; where it says no, the run goes on.
        """
        self._put(stops, note=False)
        try:
            while self.clock < limit:
                halt = self._forward_once(min(limit, self._next_snapshot()))
                if halt is None:
                    continue
                if halt.why is not Why.STOP or condition is None or condition(halt.hits):
                    return halt
            return Halt(Why.LIMIT, self.clock)
        finally:
            put(self.state, ())

    def _next_snapshot(self) -> int:
        return self.history.at_or_before(self.clock).clock + self.spacing

    def _forward_once(self, until: int) -> Halt | None:
        """Run up to the next snapshot at most; None if nothing ended that."""
        if self.end is not None:
            if self._at_end or (self.clock >= self.end.clock and self.end.why is not Why.FAILED):
                self._at_end = True
                return self.end
            until = min(until, max(self.end.clock, self.clock + 1))
        before, started = self.clock, perf_counter()
        try:
            code = self._run(max(1, until - before), self.done)
        except MachineError as error:
            return self._ended(Why.FAILED, error)
        if code == STOP_BREAK:
            return Halt(Why.STOP, self.clock, self._hits())
        if code == STOP_CONDITION:
            return self._ended(Why.DONE)
        if code == STOP_IDLE:
            return self._ended(Why.IDLE)
        if code == STOP_STUCK:
            if self.end is None or self.clock >= self.end.clock:
                return self._ended(Why.DEADLOCK, self.tile.deadlock())
            forget_stuck(self.state.s)
        self._pace(self.clock - before, perf_counter() - started)
        if self.clock >= self._next_snapshot():
            self._take()
        return None

    def _ended(self, why: Why, error: Exception | None = None) -> Halt:
        """Note that the program ends here."""
        if error is not None and not isinstance(error, TilelabError):
            raise error
        self.end = Halt(why, self.clock, error=error)
        self._at_end = True
        return self.end

    def _pace(self, rounds: int, seconds: float) -> None:
        """Let snapshots lie as far apart as a stretch of running that is soon run again."""
        if rounds * 2 >= self.spacing:
            wanted = rounds * SNAPSHOT_SECONDS / max(seconds, 1e-6)
            self.spacing = int(min(max(wanted, self.spacing / 2, 1), self.spacing * 2))

    # ------------------------------------------------------------------ backwards

    def go_to(self, clock: int) -> Halt:
        """Go to a moment, back or forward; short of it where the program begins or ends."""
        if clock > self.clock or (clock == self.clock and not self.failed_round()):
            return self.forward((), clock)
        self.found_again(max(clock, self.begin))
        return Halt(Why.LIMIT if clock >= self.begin else Why.BEGIN, self.clock)

    def found_again(self, clock: int) -> None:
        """Go to a moment that was recorded, whatever has been done to the tile meanwhile."""
        self._restore(self.history.at_or_before(clock))
        self._replay(clock)

    def backward(
        self,
        stops: Sequence[Stop],
        condition: Condition | None = None,
        times: int = 1,
        *,
        now: bool = False,
    ) -> Halt:
        """Go back to the last moment before now at which a stop was hit, or to the beginning.

        ``times``: pass by so many hits but one. ``now``: a hit at the present counts.
        """
        # a round that failed half way has not ended: the moment before it is a past one
        bound = self.clock - (not now and not self.failed_round())
        snapshots = self.history.before(bound + 1)
        while snapshots:
            clocks = self._hits_between(snapshots[0], bound, stops, condition)
            if len(clocks) >= times:
                return self._at_hit(snapshots[0], clocks[-times], stops)
            times -= len(clocks)
            if len(clocks) == RECENT:
                bound = clocks[0] - 1  # there may be more before those that were kept
            else:
                bound = snapshots.pop(0).clock
        self._restore(self.history.snapshots[0])
        return Halt(Why.BEGIN, self.clock)

    def _hits_between(
        self, snapshot: Snapshot, bound: int, stops: Sequence[Stop], condition: Condition | None
    ) -> list[int]:
        """When stops were hit after a snapshot and up to a clock; the last RECENT at most."""
        self._restore(snapshot)
        if condition is None:
            self._put(stops, note=True)
            self._replay(bound)
            hits, kept = int(self.state.s.stops.hits), self.state.record["stops"]["clock"]
            return [int(kept[k % RECENT]) for k in range(max(0, hits - RECENT), hits)]
        self._put(stops, note=False)
        found = []
        while self.clock < bound and self._replay(bound) == STOP_BREAK:
            if condition(self._hits()):
                found.append(self.clock)
        return found[-RECENT:]

    def _at_hit(self, snapshot: Snapshot, clock: int, stops: Sequence[Stop]) -> Halt:
        """Go to a moment after a snapshot at which stops are hit."""
        self._restore(snapshot)
        self._replay(clock - 1)
        self._put(stops, note=False)
        self._replay(clock)
        halt = Halt(Why.STOP, self.clock, self._hits())
        put(self.state, ())
        return halt

    def step(self, what: Stop, times: int = 1) -> Halt:
        """Go on until a stop has been hit so many times; backwards if ``times`` is negative."""
        if times < 0:
            return self.backward((what,), times=-times)
        halt = Halt(Why.LIMIT, self.clock)
        for _ in range(times):
            halt = self.forward((what,))
            if halt.why is not Why.STOP:
                break
        return halt

    # ------------------------------------------------------------------ the tile itself

    def _put(self, stops: Sequence[Stop], *, note: bool) -> None:
        put(self.state, stops)
        arm(self.state.s, int(note))

    def _hits(self) -> tuple[int, ...]:
        hit = self.state.record["stops"]["hit"]
        return tuple(i for i in range(int(self.state.s.stops.count)) if hit[i])

    def _take(self) -> None:
        self.history.take(self.feed.mark())

    def _restore(self, snapshot: Snapshot) -> None:
        snapshot.restore(self.tile)
        self.feed.reset(snapshot.extra)
        self._at_end = False
        put(self.state, ())

    def _run(self, rounds: int, done: Mapping[int, int]) -> int:
        """Run rounds, fed from outside while there is something to feed."""
        self.tile.watch_words(done)
        code = OK
        while self.feed.pending and rounds and code == OK:
            self.feed.give()
            code = self.tile.engine.run(1)
            rounds -= 1
        return self.tile.engine.run(rounds) if rounds and code == OK else code

    def _replay(self, clock: int) -> int:
        """Run what has been run before, up to a clock: OK, STOP_BREAK or STOP_IDLE."""
        while self.clock < clock:
            code = self._run(clock - self.clock, {})
            if code in (STOP_BREAK, STOP_IDLE):
                return code
            if code == STOP_STUCK:
                forget_stuck(self.state.s)
        return OK
