"""The race explorer's part of ``tilelab check``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilelab.cli.console import progress_line, stderr, stdout
from tilelab.cli.job import arch_of, name_of
from tilelab.cli.targets import ElfSet, Target
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import writing
from tilelab.tensix.explore.explorer import Exploration, Explorer, Outcome
from tilelab.tensix.explore.prepare import (
    elf_explorer,
    kernel_explorer,
    moment_explorer,
    program_explorer,
)
from tilelab.tensix.explore.schedule import (
    DOCUMENTED,
    ISA_ONLY,
    Schedule,
    reachable,
    read_schedule,
    write_schedule,
)
from tilelab.tensix.programs.moment import Moment
from tilelab.tensix.tile import Tile
from tilelab.tensix.words.assembly import Program

EXHAUSTIVE = "exhaustive"


@dataclass(frozen=True)
class Wanted:
    """What the options ask for; ``count`` is None for all schedules."""

    count: int | None
    bound: int
    seed: int
    replay: Path | None
    save: Path | None

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
    replayed: tuple[Schedule, Outcome] | None = None

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
        for name, one in self.classes.items():
            found = one.found is not None and one.outcome is not None
            made[name] = {
                "schedules": one.schedules,
                "points": one.points,
                "bound": one.bound,
                "complete": one.complete,
                "covered": one.covered(),
                "found": [d.as_dict() for d in one.found or ()] if found else None,
                "outcome": one.outcome.kind if one.outcome is not None else None,
            }
        if self.replayed is not None:
            schedule, outcome = self.replayed
            made["replayed"] = {
                "delays": [delay.as_dict() for delay in schedule],
                "outcome": outcome.kind,
                "differs": outcome.differs(self.base),
            }
        return made


def number_of(text: str) -> int | None:
    """How many schedules ``--schedules`` asks for, None for all; BadInputError."""
    if text == EXHAUSTIVE:
        return None
    if not text.isdecimal():
        raise BadInputError(f"--schedules {text}: give a number, or {EXHAUSTIVE}")
    return int(text)


def explorer_of(target: Target, arch: str, max_cycles: int) -> Explorer:
    """An explorer of whatever a target is."""
    tile = Tile(arch_of(target, arch))
    if isinstance(target, Program):
        return program_explorer(target, tile, max_cycles)
    if isinstance(target, Moment):
        return moment_explorer(target, tile, max_cycles)
    if isinstance(target, ElfSet):
        return elf_explorer(target.elfs, tile, max_cycles)
    return kernel_explorer(target, tile, max_cycles)


def explore(target: Target, arch: str, max_cycles: int, wanted: Wanted) -> Explored:
    """Run a program's schedules: those that the documented timing allows, then the others."""
    name = name_of(target)
    explorer = explorer_of(target, arch, max_cycles)
    if wanted.replay is not None:
        schedule = read_schedule(wanted.replay)
        return Explored(name, explorer.base, {}, (schedule, explorer.run(schedule)))
    if explorer.base.kind != "done":
        return Explored(name, explorer.base, {})
    classes: dict[str, Exploration] = {}
    for kind in (DOCUMENTED, ISA_ONLY):
        with progress_line(stderr) as show:
            made = explorer.explore(
                wanted.count,
                wanted.bound,
                wanted.seed,
                kind,
                lambda done: show(f"{name}: {done:,} schedules"),
            )
        classes[kind] = made
        if made.found is not None:
            if wanted.save is not None:
                with writing(wanted.save) as at:
                    write_schedule(at, name, made.found)
            break
        if len(explorer.at(DOCUMENTED)) == len(explorer.points):
            break  # there are no others
    return Explored(name, explorer.base, classes)


def show_explored(explored: Explored) -> None:
    """Print what exploring a program gave."""
    lines = []
    if explored.replayed is not None:
        schedule, outcome = explored.replayed
        differs = "differs" if outcome.differs(explored.base) else "as undisturbed"
        lines += [f"schedule replayed: {outcome.kind}, {differs}", *map(str, schedule)]
        lines += outcome.detail.splitlines()
    elif not explored.classes:
        lines.append(f"no schedules: undisturbed, the run ends with: {explored.base.kind}")
    for kind, one in explored.classes.items():
        lines.append(f"schedules, {kind}: {one.covered()}")
        if one.found is not None and one.outcome is not None:
            lines.append(f"  reachable under: {reachable(one.found)}")
            lines += [f"  {delay}" for delay in one.found]
            lines.append(f"  ends with: {one.outcome.kind}")
            lines += [f"    {line}" for line in one.outcome.detail.splitlines()]
    for line in lines:
        stdout.print(f"  {line}", markup=False)
