"""The race explorer's part of ``tilelab check``."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from tilelab.cli.console import progress_line, stderr, stdout
from tilelab.explore.drawn import picture
from tilelab.explore.explorer import Explorer, Outcome
from tilelab.explore.orders import explore_orders
from tilelab.explore.prepare import elf_explorer, kernel_explorer, moment_explorer, program_explorer
from tilelab.explore.schedule import (
    DOCUMENTED,
    ISA_ONLY,
    AnySchedule,
    Delay,
    Priorities,
    lines,
    reachable,
    write_schedule,
)
from tilelab.explore.search import Exploration, places
from tilelab.explore.search import explore as explore_some
from tilelab.kernels.moment import Moment
from tilelab.runs.job import arch_of, name_of, readings_of
from tilelab.runs.targets import ElfSet, Target
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import writing
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import Program

EXHAUSTIVE = "exhaustive"
MOST_DIGITS = 9
MOST_PLACES = 12


@dataclass(frozen=True)
class Wanted:
    """What the options ask for; ``count`` is None for all schedules."""

    count: int | None
    bound: int
    seed: int
    replay: AnySchedule | None
    save: Path | None
    places: bool = False
    """Whether to go on and say where else one delay makes a difference."""
    drawn: bool = False
    """Whether to draw the schedule that differs, or is replayed."""
    overtaking: bool = True
    """Whether a SETDMAREG may be overtaken, as check ``setdmareg-overtaken`` has it."""

    @property
    def any(self) -> bool:
        """Whether anything is asked for."""
        return self.count != 0 or self.replay is not None


@dataclass(frozen=True)
class Explored:
    """What exploring a program gave, by class; or how one schedule ended."""

    name: str
    base: Outcome
    classes: dict[str, Exploration]
    replayed: tuple[AnySchedule, Outcome] | None = None
    places: tuple[tuple[Delay, Outcome], ...] = ()
    picture: str = ""
    """HTML, if it was wanted and there is a schedule to draw."""

    @property
    def serious(self) -> bool:
        """Whether a schedule differs that the documented timing allows, or the one replayed."""
        if self.replayed is not None:
            return self.replayed[1].differs(self.base)
        found = self.classes.get(DOCUMENTED)
        return self.base.kind != "done" or (found is not None and found.found is not None)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        made: dict[str, Any] = {"undisturbed": self.base.kind}
        made |= {name: one.as_dict() for name, one in self.classes.items()}
        if self.places:
            made["places"] = [{**d.as_dict(), "outcome": end.kind} for d, end in self.places]
        if self.replayed is not None:
            schedule, outcome = self.replayed
            made["replayed"] = {
                **replayed_as_dict(schedule),
                "outcome": outcome.kind,
                "differs": outcome.differs(self.base),
            }
        return made


def replayed_as_dict(schedule: AnySchedule) -> dict[str, Any]:
    """A schedule that was replayed, for JSON."""
    if isinstance(schedule, Priorities):
        return {"priorities": schedule.as_dict()}
    return {"delays": [delay.as_dict() for delay in schedule]}


def number_of(text: str) -> int | None:
    """How many schedules ``--schedules`` asks for, None for all; BadInputError."""
    if text == EXHAUSTIVE:
        return None
    if not text.isdecimal() or len(text) > MOST_DIGITS:
        raise BadInputError(
            f"--schedules {text}: give a number of up to {MOST_DIGITS} digits, or {EXHAUSTIVE}"
        )
    return int(text)


def explorer_of(
    target: Target, arch: str | None, max_cycles: int, ordered: bool = False
) -> Explorer:
    """An explorer of whatever a target is; ``ordered``: as :class:`.Explorer` takes it."""
    tile = Tile(arch_of(target, arch), "fast", "functional", **readings_of(target))
    if isinstance(target, Program):
        return program_explorer(target, tile, max_cycles, ordered)
    if isinstance(target, Moment):
        return moment_explorer(target, tile, max_cycles, ordered)
    if isinstance(target, ElfSet):
        return elf_explorer(target.elfs, tile, max_cycles, ordered)
    return kernel_explorer(target, tile, max_cycles, ordered)


def explore(target: Target, arch: str | None, max_cycles: int, wanted: Wanted) -> Explored:
    """Run a program's schedules: those that the documented timing allows, then the others."""
    name = name_of(target)
    ordered = wanted.count is None and wanted.replay is None
    explorer = explorer_of(target, arch, max_cycles, ordered)
    if not wanted.overtaking:
        late = explorer.late
        explorer.late = [one for one in late if not one.where.startswith("ttsetdmareg")]
    if wanted.replay is not None:
        drawn = picture(explorer, wanted.replay) if wanted.drawn else ""
        replayed = wanted.replay, explorer.run(wanted.replay)
        return Explored(name, explorer.base, {}, replayed, picture=drawn)
    if explorer.base.kind != "done":
        return Explored(name, explorer.base, {})
    classes: dict[str, Exploration] = {}
    elsewhere: list[tuple[Delay, Outcome]] = []
    drawn = ""
    for kind in (DOCUMENTED, ISA_ONLY):
        with progress_line(stderr) as show:

            def progress(done: int) -> None:
                show(f"{name}: {done:,} schedules")

            made = one_class(explorer, wanted, kind, progress)
            if made.found is not None and wanted.places:
                known = None if isinstance(made.found, Priorities) else next(iter(made.found), None)
                elsewhere = places(explorer, kind, progress, known)
        classes[kind] = made
        if made.found is not None:
            if wanted.save is not None:
                with writing(wanted.save) as at:
                    write_schedule(at, name, made.found)
            if wanted.drawn:
                said = f"<p class='bad'>schedules, {kind}: {escape(made.covered())}</p>"
                drawn = said + picture(explorer, made.found)
            break
        others = explorer.points + explorer.late
        if all(one.reachable == DOCUMENTED for one in others) and not explorer.turns(ISA_ONLY):
            break  # there are none
    return Explored(name, explorer.base, classes, places=tuple(elsewhere), picture=drawn)


def one_class(
    explorer: Explorer, wanted: Wanted, kind: str, progress: Callable[[int], None]
) -> Exploration:
    """Run the schedules of one class."""
    if wanted.count is None:
        return explore_orders(explorer, wanted.bound, kind, progress)
    return explore_some(explorer, wanted.count, wanted.bound, wanted.seed, kind, progress)


def show_explored(explored: Explored) -> None:
    """Print what exploring a program gave."""
    said = []
    if explored.replayed is not None:
        schedule, outcome = explored.replayed
        differs = "differs" if outcome.differs(explored.base) else "as undisturbed"
        said += [f"schedule replayed: {outcome.kind}, {differs}", *lines(schedule)]
        said += outcome.detail.splitlines()
    elif not explored.classes:
        said.append(f"no schedules: undisturbed, the run ends with: {explored.base.kind}")
    for kind, one in explored.classes.items():
        said.append(f"schedules, {kind}: {one.covered()}")
        if one.found is not None and one.outcome is not None:
            said.append(f"  reachable under: {reachable(one.found)}")
            said += [f"  {line}" for line in lines(one.found)]
            said.append(f"  ends with: {one.outcome.kind}")
            said += [f"    {line}" for line in one.outcome.detail.splitlines()]
    if explored.places:
        said.append(f"one delay at each of {len(explored.places)} places differs, the shortest:")
        shown = explored.places[:MOST_PLACES]
        said += [f"  {delay}: {end.kind}" for delay, end in shown]
        if len(shown) < len(explored.places):
            said.append("  … (--json has them all)")
    for line in said:
        stdout.print(f"  {line}", markup=False)
