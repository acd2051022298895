"""Two runs' cycles compared, by what a thread did more or less of.

Each cycle of a thread is spent issuing or is a bubble with one cause; so the difference of two
runs' lengths is the sum of the differences of these, exactly, for every thread.
"""

from dataclasses import dataclass

from tilelab.report.breakdown import Breakdown
from tilelab.report.parts import PartTime

ACTIVE = {"thread": "issuing", "core": "executing"}


@dataclass(frozen=True)
class Change:
    """A count in both runs."""

    name: str
    before: int
    after: int

    @property
    def by(self) -> int:
        """How much more the second has."""
        return self.after - self.before


@dataclass(frozen=True)
class PartChange:
    """One thread or core: what its cycles were spent on, largest change first."""

    name: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Difference:
    """Two runs. The parts' changes each add up to the change of ``cycles``."""

    cycles: Change
    threads: tuple[PartChange, ...]
    cores: tuple[PartChange, ...]
    """Those that executed anything in either run."""
    units: tuple[Change, ...]
    """Cycles in which each unit was busy."""
    bound: tuple[str, str]
    """What bounds each run."""

    @property
    def speedup(self) -> float:
        """How many times as fast the second is."""
        return self.cycles.before / self.cycles.after if self.cycles.after else 1.0

    @property
    def leading(self) -> PartChange:
        """The thread that says most: whose issued words changed most, else that issued most."""
        return max(self.threads, key=_issuing)

    def explanation(self) -> str:
        """Why the second run takes more or fewer cycles, in one sentence."""
        if not self.cycles.by:
            return "both take the same number of cycles"
        part = self.leading
        terms = ", ".join(f"{change.by:+,} {change.name}" for change in part.changes if change.by)
        return f"{part.name}: {terms} = {self.cycles.by:+,} cycles"


def _issuing(part: PartChange) -> tuple[int, int]:
    """How much a thread's issuing changed, and how much it was."""
    change = next(change for change in part.changes if change.name == ACTIVE["thread"])
    return abs(change.by), change.before


def difference(before: Breakdown, after: Breakdown) -> Difference:
    """Compare where the time of two runs went."""
    units = {unit.name: unit.busy for unit in before.units}
    cores = zip(before.cores, after.cores, strict=True)
    later = {unit.name: unit.busy for unit in after.units}
    return Difference(
        Change("cycles", before.cycles, after.cycles),
        tuple(map(_part, before.threads, after.threads)),
        tuple(_core(*pair) for pair in cores if pair[0].active or pair[1].active),
        _changes(units, later),
        (before.bound, after.bound),
    )


def _part(before: PartTime, after: PartTime, kind: str = "thread") -> PartChange:
    counts = [{ACTIVE[kind]: part.active, **part.idle} for part in (before, after)]
    return PartChange(before.name, _changes(*counts))


def _core(before: PartTime, after: PartTime) -> PartChange:
    return _part(before, after, "core")


def _changes(before: dict[str, int], after: dict[str, int]) -> tuple[Change, ...]:
    names = dict.fromkeys([*before, *after])
    made = [Change(name, before.get(name, 0), after.get(name, 0)) for name in names]
    return tuple(sorted(made, key=lambda change: -abs(change.by)))
