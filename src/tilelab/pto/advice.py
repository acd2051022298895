"""What a program could do better: rings that are too deep or too shallow, barriers, missing splits.

Each is tried: the program again with another depth of one ring, or its trace read again by the
clock without the barriers, or with half the tile in every pop. Rings keep the program's protocol.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tilelab.pto.cluster import Cluster
from tilelab.pto.cycles.clock import clock
from tilelab.pto.cycles.figures import figures
from tilelab.pto.program import Program
from tilelab.pto.prove import once
from tilelab.pto.ring import Ring
from tilelab.pto.trace import Result, Work
from tilelab.sim.errors import TilelabError

FAST = 1.02  # of the time as it is: no slower than that
DEEPEST = 15  # free signals that a counter of four bits holds


@dataclass(frozen=True)
class Advice:
    """``kind``: deep, shallow, barrier or split; ``cycles`` and ``bytes`` that it gains; what was
    changed, in words.
    """

    kind: str
    what: str
    cycles: int
    bytes: int
    text: str


class _Trial:
    """A program as it is, and again with changes."""

    def __init__(self, program: Program, given: list[str] | None) -> None:
        self.program = program
        self.given = given
        self.cluster, failed = self._run()
        self.ran = failed is None
        self.result = self.cluster.result()
        self.total = self.again(self.result.works)

    def _run(self, **changes: object) -> tuple[Cluster, TilelabError | None]:
        """Run the program with other options, and why it failed."""
        options = self.program.options | {"cycles": True} | changes
        cluster, _, failed = once(replace(self.program, options=options))
        return cluster, failed

    def _time(self, cluster: Cluster, result: Result) -> float:
        table = figures(cluster.arch.name, self.given)
        return clock(result, cluster.arch, cluster.vec, table).total

    def again(self, works: dict[int, Work]) -> float:
        """The time of the same trace, with other work at its events."""
        return self._time(self.cluster, replace(self.result, works=works))

    def with_depth(self, flag: int, depth: int) -> float | None:
        """The time with so many slots in the rings of one flag; None where that goes wrong."""
        try:
            cluster, failed = self._run(slots={flag: depth})
        except TilelabError:
            return None
        result = cluster.result()
        if failed is not None or any(one.code == "E6" for one in result.findings):
            return None
        return self._time(cluster, result)


def advise(program: Program, given: list[str] | None = None) -> list[Advice]:
    """What could be better, the largest gain first; nothing where the program fails."""
    trial = _Trial(program, given)
    if not trial.ran:
        return []
    found = [*_rings(trial), *_barriers(trial), *_splits(trial)]
    return sorted(found, key=lambda one: (-one.cycles, -one.bytes))


def _first(low: int, high: int, fine: Callable[[int], bool]) -> int:
    """The smallest number from ``low`` on that is fine; ``high`` is."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fine(middle) else (middle + 1, high)
    return low


def _rings(trial: _Trial) -> Iterator[Advice]:
    by_flag: dict[int, list[Ring]] = {}
    for rings in trial.cluster.rings.values():
        for ring in rings:
            by_flag.setdefault(ring.pipe.flag_id, []).append(ring)
    for flag, rings in by_flag.items():
        yield from _depth(trial, flag, rings)


def _depth(trial: _Trial, flag: int, rings: list[Ring]) -> Iterator[Advice]:
    depth, total = rings[0].slot_num, trial.total
    name = " and ".join(ring.name for ring in rings)
    slot = sum(ring.stride for ring in rings)
    times: dict[int, float | None] = {depth: total}

    def within(limit: float, number: int) -> bool:
        if number not in times:
            times[number] = trial.with_depth(flag, number)
        time = times[number]
        return time is not None and time <= limit

    least = _first(1, depth, lambda number: within(FAST * total, number))
    if least < depth:
        saved = (depth - least) * slot
        text = (
            f"{name}: {least} of its {depth} slots are as fast: {saved:,} bytes of {_where(rings)}"
        )
        yield Advice("deep", name, 0, saved, text)
    more = min(2 * depth, DEEPEST)
    if more > depth and within(total / FAST, more):
        best = times[more] or total
        least = _first(depth + 1, more, lambda number: within(FAST * best, number))
        gain = round(total - (times[least] or total))
        text = f"{name}: {least} slots instead of {depth} save {gain:,} cycles ({gain / total:.0%})"
        yield Advice("shallow", name, gain, -(least - depth) * slot, text)


def _where(rings: list[Ring]) -> str:
    return " and ".join(
        dict.fromkeys("L1" if r.path.medium == "MAT" else r.path.medium for r in rings)
    )


def _barriers(trial: _Trial) -> Iterator[Advice]:
    """All barriers of one kind on one core: here nothing but bytes orders a core's pipes."""
    groups: dict[tuple[str, str], set[int]] = {}
    for index, work in trial.result.works.items():
        if work.op == "BARRIER":
            groups.setdefault((trial.result.raw[index][0].core, work.pipe), set()).add(index)
    for (core, pipe), events in groups.items():
        left = {index: work for index, work in trial.result.works.items() if index not in events}
        gain = round(trial.total - trial.again(left))
        if gain > 0:
            many = f"{len(events)} pipe_barrier(PIPE_{pipe})"
            text = f"{core}: without its {many}, but with flags where bytes depend, {gain:,} cycles"
            text += f" less ({gain / trial.total:.0%})"
            yield Advice("barrier", f"{core} PIPE_{pipe}", gain, 0, text)


def _splits(trial: _Trial) -> Iterator[Advice]:
    """Rings from which two Vector cores each take whole tiles."""
    pops: dict[str, dict[int, Work]] = {}
    takers: dict[str, set[str]] = {}
    pushed: dict[str, tuple[int, int]] = {}
    for index, work in trial.result.works.items():
        step = trial.result.raw[index][0]
        if step.op == "TPUSH":
            pushed[step.ring] = work.shape
        elif step.op == "TPOP" and step.core != "cube":
            pops.setdefault(step.ring, {})[index] = work
            takers.setdefault(step.ring, set()).add(step.core)
    for ring, taken in pops.items():
        rows, cols = pushed.get(ring, (1, 1))
        whole = all(work.shape == (rows, cols) for work in taken.values())
        if len(takers[ring]) < 2 or not whole or rows % 2:
            continue
        half = {at: work._replace(shape=(rows // 2, cols)) for at, work in taken.items()}
        gain = round(trial.total - trial.again(trial.result.works | half))
        text = (
            f"{ring}: both Vector cores take whole tiles; with TILE_UP_DOWN their loads alone take"
        )
        text += f" {gain:,} cycles less ({gain / trial.total:.0%})"
        if gain > 0:
            yield Advice("split", ring, gain, 0, text)
