"""Runs a program under schedules from one snapshot, and shrinks one whose result differs.

A schedule is the machine's own order of rounds with a few delays put in, each at a *point*: before
a core's access outside of its own RAM (a polling loop's once), or before a word of the sync unit,
unpackers, packers, scalar unit, configuration unit or mover. Or it says whose turn it is
(:mod:`.turns`). What is run, and in which order, is :mod:`.search` and :mod:`.orders`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from tilelab.explore.engine import ExploringEngine
from tilelab.explore.held import plan_schedule
from tilelab.explore.plan import (
    ACCESSES,
    FIRST_RESULT,
    PAGE_SHIFT,
    POINTS,
    REACHES_MEMORY,
    THREAD_ACTOR,
    TURNING,
    UNTIL_REST,
)
from tilelab.explore.schedule import (
    DOCUMENTED,
    ISA_ONLY,
    AnySchedule,
    Delay,
    Priorities,
    Schedule,
    shorter,
)
from tilelab.explore.steps import late_unit
from tilelab.explore.view import Exploring
from tilelab.sim.errors import BadInputError, MachineError
from tilelab.tensix.run.rounds import STOP_CONDITION, STOP_IDLE, STOP_STUCK
from tilelab.tensix.state import HEADER_BYTES
from tilelab.tensix.tables.figures import MATRIX_PIPE, SCALAR_PIPE
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import disassemble
from tilelab.tensix.words.origin import by_expander, pushed_at, pusher

LATEST: Final = 1 << 12
"""Rounds by which results of the scalar unit, unpackers and packers are late, if nobody waits."""
MORE_ROUNDS: Final = 20
"""How many times the rounds of the undisturbed run a schedule may take, beside its delays."""
MARGIN: Final = 20_000
LONG: Final = 1 << 13
"""A delay until rest may take so many rounds, or as many as the undisturbed run if that is more."""
TURNS: Final = 400
"""As much again, where only one goes on at a time and those that poll are asked in vain."""
FORGOTTEN: Final = (
    *(
        "count",
        "actors",
        "late_word",
        "late_left",
        "put_off",
        "behind",
        "dirty",
        "passed",
        "seen_pc",
        "seen",
        "next",
        "wait_at",
        "points",
        "accesses",
        "prioritised",
    ),
    *("turning", "holding", "rounds_late", "made", "turns_late", "turns", "not_owned"),
    *("waited", "resting", "rested", "rest_at", "gave_up"),
    *("asked", "blocked", "vain", "steps", "changes", "streak", "lost_last", "losses"),
)
"""What of the plan begins anew with each run."""
FEWEST: Final = 3
"""So many delays at most stand for priorities."""
SHORT: Final = 1 << 12
"""Rounds that are tried first for a delay until rest."""
CANDIDATES: Final = 5000
"""So many sets of delays are tried for that."""

Outputs = Callable[[Tile], bytes]
"""What of a tile is the result of a run."""


@dataclass(frozen=True)
class Outcome:
    """How a run under a schedule ended: ``done``, ``hang``, ``limit`` or a failed check's name."""

    kind: str
    result: bytes
    detail: str = ""

    def differs(self, other: "Outcome") -> bool:
        """Whether it is not the same end with the same result."""
        return (self.kind, self.result) != (other.kind, other.result)


class Explorer:
    """A program on a tile, loaded and ready, to be run under schedules."""

    def __init__(
        self,
        tile: Tile,
        outputs: Outputs,
        watch: dict[int, int],
        max_cycles: int,
        ordered: bool = False,
    ) -> None:
        """Take a loaded and started tile; its engine becomes an exploring one.

        ``ordered``: one that can tell in which order what was touched (:mod:`.orders`), but slower.
        """
        self.tile, self.outputs, self.watch, self.max_cycles = tile, outputs, watch, max_cycles
        self.engine = ExploringEngine(tile.state, tile.sources.describe_pc, ordered)
        tile.engine = self.engine
        self._memory = tile.state.memory[HEADER_BYTES:]
        self._record = self._memory.copy()
        self._pages = tile.state.l1.reshape(-1, 1 << PAGE_SHIFT)
        self._l1 = self._pages.copy()
        self.start = int(tile.state.s.clock)
        """The clock at the snapshot."""
        self.engine.plan["recording"] = 1
        self.engine.plan["logging"] = ordered
        self.engine.plan["slow"] = 0
        self.limit = self.longest = max_cycles
        self.gave_up = 0
        """Delays until rest, of all runs, that ended because they had lasted so long."""
        self._not_owned = True
        self.base = self.run(())
        self._not_owned = bool(self.engine.plan["not_owned"])
        """Whether the undisturbed run does so too: then it is no difference."""
        self._turns = bool(self.engine.plan["turns"])
        self.rounds = int(tile.state.s.clock) - self.start
        self.limit = min(max_cycles, MORE_ROUNDS * self.rounds + MARGIN)
        self.longest = max(LONG, self.rounds)
        """Rounds after which a delay until rest ends even if the others go on."""
        self.engine.plan["longest"] = self.longest
        self.engine.plan["recording"] = self.engine.plan["logging"] = 0
        self.engine.plan["slow"] = 1
        self._by_actor: dict[tuple[int, str], dict[int, Delay]] | None = None
        self.late: list[Delay] = []
        """Words whose results may be late, as delays without a length."""
        self.points = self._points()

    def run(self, schedule: AnySchedule, logging: bool = False) -> Outcome:
        """Run from the snapshot under a schedule; ``logging``: keep who touched what."""
        plan = self.engine.plan
        self._memory[:] = self._record
        dirty = np.flatnonzero(plan["dirty"])
        self._pages[dirty] = self._l1[dirty]
        for name in FORGOTTEN:
            plan[name] = 0
        plan_schedule(plan, schedule)
        if logging:
            plan["logging"] = 1
        self.tile.watch_words(self.watch)
        outcome = self._run(() if isinstance(schedule, Priorities) else schedule)
        if logging:
            plan["logging"] = 0
        return outcome

    def _run(self, schedule: Schedule) -> Outcome:
        limit = self.limit + sum(delay.rounds or self.longest for delay in schedule)
        if self.engine.plan["prioritised"]:
            limit += TURNS * self.rounds
        try:
            code = self.engine.run(limit)
        except MachineError as error:
            return Outcome("failed check", b"", str(error))
        finally:
            self.gave_up += int(self.engine.plan["gave_up"])
        if code == STOP_STUCK or (code == STOP_IDLE and self.watch):
            return Outcome("hang", b"", str(self.tile.deadlock()))
        if code not in (STOP_CONDITION, STOP_IDLE):
            return Outcome("limit", b"", f"not done after {limit} rounds")
        result = self.outputs(self.tile)
        if self.engine.plan["not_owned"] and not self._not_owned:
            return Outcome("failed check", result, self._of_the_unpackers())
        return Outcome("done", result)

    def turns(self, reachable: str) -> bool:
        """Whether the program turns Src banks, and those may be turned later than is documented."""
        return reachable == ISA_ONLY and self._turns

    def _of_the_unpackers(self) -> str:
        """Of a run in which a Src bank was written that was the unpackers'."""
        plan = self.engine.plan
        word, origin = int(plan["not_owned_word"]), int(plan["not_owned_origin"])
        line = self.source(pusher(origin), pushed_at(origin))
        said = disassemble(word, self.tile.arch.name)
        return (
            "src-not-valid: a Src bank is written that the unpackers own\n"
            f"  word   {word:#010x}  {said}\n  from   {line}\n"
            "  cure   STALLWAIT on the matrix unit and on the bank"
        )

    def _points(self) -> list[Delay]:
        """Where the undisturbed run could have been delayed."""
        noted = self.engine.plan
        count = int(noted["points"])
        if count == POINTS:
            raise BadInputError(f"the run has more than {POINTS} points; take a smaller one")
        found: dict[tuple[int, int], Delay] = {}
        for point in noted["point"][:count]:
            actor, at = int(point["actor"]), int(point["at"])
            if actor >= FIRST_RESULT:
                self._late(self._place(actor - FIRST_RESULT + THREAD_ACTOR, at, point), point)
            elif (actor, at) not in found:
                place = found[actor, at] = self._place(actor, at, point)
                if actor >= THREAD_ACTOR:
                    self._late(place, point)
        return list(found.values())

    def _late(self, place: Delay, point: Any) -> None:
        """Keep a word whose result may be late, as late as it may be."""
        arch = self.tile.arch
        row = arch.instructions.find(int(point["word"]))
        pipe = late_unit(cast(Exploring, self.tile.state.s), row.opcode) - 1 if row else -1
        own = int(point["actor"]) >= FIRST_RESULT
        put_off = 0 <= pipe < MATRIX_PIPE
        if row is None or pipe < 0 or own == put_off:
            return
        shuffles = row.late_modes >> (int(point["word"]) & 15) & 1
        least = max(shuffles, min(row.timing.latency.value - 1, arch.timing.dst_read_gap))
        rounds = LATEST if put_off else least
        # of what takes one cycle only a stage before the unit says so (tt-isa-documentation#58);
        # unpackers and packers wait for L1 (L1.md), where a word gets at that
        certain = bool(shuffles) or row.timing.latency.value > 1
        if put_off and pipe != SCALAR_PIPE:
            certain = row.name in REACHES_MEMORY
        kind = DOCUMENTED if certain else ISA_ONLY
        self.late.append(replace(place, rounds=rounds, reachable=kind, late=True))

    def source(self, core: int, pc: int) -> str:
        """The author's line that a core is at, then those inlined into it, innermost last."""
        sources = self.tile.sources
        chain = [frame.place for frame in sources.frames(core, pc)]
        return " → ".join(place for place in chain if place) or sources.line(core, pc)

    def _place(self, actor: int, at: int, point: Any) -> Delay:
        """A point as a delay without a length."""
        origin = int(point["origin"])
        line = self.source(pusher(origin), pushed_at(origin))
        if actor < THREAD_ACTOR:
            return Delay(actor, at, 0, line or f"pc {pushed_at(origin):#x}")
        word = disassemble(int(point["word"]), self.tile.arch.name)
        row = self.tile.arch.instructions.find(int(point["word"]))
        slow = row is not None and row.name in REACHES_MEMORY
        # a word that was pushed by itself may be pushed late, and memory may be slow; between
        # words of an expansion the documents know of no other delay
        certain = slow or not by_expander(origin)
        where = f"{word} ({line})" if line else word
        return Delay(actor, at, 0, where, DOCUMENTED if certain else ISA_ONLY)

    def at(self, reachable: str) -> list[Delay]:
        """The points of a class; the instruction set allows them all."""
        return [p for p in self.points if reachable in (ISA_ONLY, p.reachable)]

    def accesses(self) -> npt.NDArray[Any]:
        """Who touched what in the run before, in order; BadInputError if it was too much."""
        plan = self.engine.plan
        if int(plan["accesses"]) == ACCESSES:
            raise BadInputError(f"the run has more than {ACCESSES} accesses; take a smaller one")
        touched: npt.NDArray[Any] = plan["access"][: int(plan["accesses"])]
        return touched

    # ------------------------------------------------------------------ shrinking

    def as_delays(self, schedule: Priorities) -> Schedule | None:
        """A few delays that make a difference where these priorities do; None if none is found.

        Whoever lost its turn in the run is held where it did, or from its beginning on.
        """
        if not self.run(schedule).differs(self.base):
            return None
        plan = self.engine.plan
        places = [
            (int(plan["lost_actor"][i]), int(plan["lost_at"][i])) for i in range(plan["losses"])
        ]
        first = {point.actor: point for point in reversed(self.points)}
        held = [self.nearest(actor, at, schedule.reachable) for actor, at in places]
        held += [first.get(actor) for actor in reversed(schedule.order)]
        points = list(dict.fromkeys(point for point in held if point is not None))
        candidates = (
            tuple(long(point, UNTIL_REST) for point in chosen)
            for count in range(1, FEWEST + 1)
            for chosen in combinations(points, count)
        )
        for delays in islice(candidates, CANDIDATES):
            if self.run(delays).differs(self.base):
                return self.shrink(delays)
        return None

    def nearest(self, actor: int, at: int, reachable: str) -> Delay | None:
        """The last point of an actor, of this class, that does not lie behind a place.

        The place itself, if the undisturbed run never came there.
        """
        if self._by_actor is None:
            self._by_actor = {}
            for point in sorted(self.points):
                for kind in {ISA_ONLY, point.reachable}:
                    kept = self._by_actor.setdefault((point.actor, kind), {})
                    kept[point.at] = point
        if at not in self._by_actor.get((actor, ISA_ONLY), {}):
            return Delay(actor, at, UNTIL_REST)
        kept = self._by_actor.get((actor, reachable), {})
        if at in kept:
            return kept[at]
        place = max((place for place in kept if place < at), default=None)
        return None if place is None else kept[place]

    def held_back(self, schedule: Schedule) -> Schedule:
        """The delays that held anybody in the last run, which was under this schedule."""
        records = self.engine.plan["delay"]["held"].tolist()
        placed = (delay for delay in schedule if delay.actor != TURNING)
        idle = {d for d, held in zip(placed, records, strict=False) if not held and not d.late}
        return tuple(delay for delay in schedule if delay not in idle)

    def shrink(self, schedule: Schedule) -> Schedule:
        """The same difference with as few delays, and as short ones, as leaving out finds."""
        for delay in schedule:
            fewer = tuple(other for other in schedule if other != delay)
            if self.run(fewer).differs(self.base):
                schedule = fewer
        for which in range(len(schedule)):
            schedule = self._shortest(schedule, which)
        return schedule

    def _shortest(self, schedule: Schedule, which: int) -> Schedule:
        """Shorten one delay as far as halving finds."""
        known = schedule[which].rounds
        for high in (known,) if known else (SHORT, self.longest):
            if self.run(shorter(schedule, which, high)).differs(self.base):
                break
        else:
            return schedule  # it has to last until the others rest
        low = 0
        while high - low > 1:
            middle = (low + high) // 2
            if self.run(shorter(schedule, which, middle)).differs(self.base):
                high = middle
            else:
                low = middle
        return shorter(schedule, which, high)


def long(point: Delay, rounds: int) -> Delay:
    """A delay of a length at a point."""
    return replace(point, rounds=rounds)


def whole_l1(tile: Tile) -> bytes:
    """All of L1 as the result of a run."""
    return np.asarray(tile.state.l1).tobytes()
