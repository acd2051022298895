"""One thing to run, as data that can be sent to another process, and what came of it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from tilelab.kernels.assembly_run import run_elfs, run_program
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.kernels.moment import Moment, run_moment
from tilelab.kernels.outputs import OutputResult
from tilelab.kernels.result import KernelResult
from tilelab.kernels.run import run_kernel
from tilelab.kernels.throttle import set_flag
from tilelab.report.placements import PLACEMENTS, Levels, levels, place
from tilelab.report.what_if import Supposed, WhatIf, suppose
from tilelab.runs.targets import DEFAULT_ARCH, ElfSet, Target, Unreadable
from tilelab.sim.errors import TilelabError, unforeseen
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import Program


@dataclass(frozen=True)
class Settings:
    """How to run: the options of ``tilelab run``."""

    engine: str
    max_cycles: int
    policies: tuple[tuple[str, str], ...]
    cycles: bool
    throttled: bool
    clock: str = "functional"
    junk: int | None = None
    placement: int | None = None
    """None: as it is, and where ``cycles`` are asked for, in all other placements after that."""


@dataclass(frozen=True)
class Variant:
    """A kernel built with other constants than its kernel.toml gives: its ELFs, its constants.

    ``changed``: those that differ, as ``(name, value here, value in kernel.toml)``.
    """

    elfs: tuple[tuple[str, Path], ...]
    constants: tuple[tuple[str, int], ...]
    changed: tuple[tuple[str, int, int], ...] = ()

    @property
    def reason(self) -> str:
        """What a failure may come of: the arrays are those of other constants; "" if of these."""
        if not self.changed:
            return ""
        here = ", ".join(f"{name} = {value}" for name, value, _ in self.changed)
        there = ", ".join(f"{name} = {value}" for name, _, value in self.changed)
        return f"built with {here}; kernel.toml's arrays are compared as they are, for {there}"

    def of(self, kernel: KernelFile) -> KernelFile:
        """The kernel, so built."""
        assert kernel.build is not None
        build = replace(kernel.build, constants=MappingProxyType(dict(self.constants)))
        return replace(kernel, elfs=MappingProxyType(dict(self.elfs)), build=build)


@dataclass(frozen=True)
class Job:
    """A target for another process. A kernel is the path of its file, absolute."""

    name: str
    arch: str
    what: Path | ElfSet | Program | Moment
    settings: Settings
    variant: Variant | None = None
    what_ifs: tuple[tuple[WhatIf, Variant | None], ...] = ()
    """What to run again, supposing that; with what is built for it, if anything is."""


@dataclass(frozen=True)
class Ran:
    """What came of a job.

    ``notice`` is what was set before it ran, for people; ``cycles``: whether its breakdown is
    wanted; ``constants``: what it was to be built with.
    """

    name: str
    outcome: KernelResult | TilelabError
    notice: str = ""
    cycles: bool = False
    constants: tuple[tuple[str, int], ...] = ()
    supposed: tuple[Supposed, ...] = ()
    levels: Levels | None = None


def name_of(target: Target) -> str:
    """What reports call a target."""
    if isinstance(target, Program):
        return target.file
    if isinstance(target, ElfSet):
        return " ".join(str(program.path) for program in target.elfs.values())
    return target.path.stem if isinstance(target, Moment) else target.path.parent.name


def arch_of(target: Target, given: str | None) -> str:
    """The chip that a target is for; ``given``, or the default, if it names none."""
    return given or DEFAULT_ARCH if isinstance(target, ElfSet) else target.arch


def readings_of(target: Target | Path | None) -> Mapping[str, int]:
    """The readings of the documents that a target's tile is made with."""
    return target.options if isinstance(target, Moment) else {}


def job_of(target: Target, arch: str | None, settings: Settings) -> Job:
    """The job of running a target; ``arch`` is for targets that name no chip."""
    what = target.path if isinstance(target, KernelFile) else target
    return Job(name_of(target), arch_of(target, arch), what, settings)


def jobs_of(
    found: Iterable[Target | Unreadable], arch: str | None, settings: Settings
) -> list[Job | Ran]:
    """What is to be run of some targets, and what came of those that cannot be.

    Kernels in folders of the same name are named by as much of their paths as tells them apart.
    """
    items = [
        Ran(one.name, one.error) if isinstance(one, Unreadable) else job_of(one, arch, settings)
        for one in found
    ]
    jobs = [item for item in items if isinstance(item, Job)]
    paths = [job.what.parent.parts for job in jobs if isinstance(job.what, Path)]
    return [
        replace(item, name=_tail(item.what.parent.parts, paths))
        if isinstance(item, Job) and isinstance(item.what, Path)
        else item
        for item in items
    ]


def _tail(parts: tuple[str, ...], among: list[tuple[str, ...]]) -> str:
    """The end of a path, no longer than it takes to tell it from the others."""
    others = [other for other in among if other != parts]
    length = 1
    while any(other[-length:] == parts[-length:] for other in others):
        length += 1
    return "/".join(parts[-length:])


def compiled(ready: Iterable[Job | Ran]) -> list[Job]:
    """The jobs among these, compiled once for all of them; BadInputError for wrong settings."""
    jobs = [item for item in ready if isinstance(item, Job)]
    for arch, settings in {(job.arch, job.settings): None for job in jobs}:
        tile_for(arch, settings)
    return jobs


def tile_for(arch: str, settings: Settings, what: Target | Path | None = None) -> Tile:
    """A fresh tile for a target, set as the options say; BadInputError if they are wrong."""
    tile = Tile(arch, settings.engine, settings.clock, settings.junk, **readings_of(what))
    for check, action in settings.policies:
        tile.set_policy(check, action)
    if settings.placement is not None:
        place(tile, settings.placement)
    return tile


def run_on(tile: Tile, job: Job, progress: Callable[[int], None] | None = None) -> Ran:
    """Run a job on a tile of its own; errors of the input and of the program are its outcome."""
    notice = set_flag(tile) if job.settings.throttled else ""
    try:
        result = _result(tile, job, progress)
    except TilelabError as error:
        if job.variant is not None and job.variant.reason:
            error.detail = "\n".join(text for text in (error.detail, job.variant.reason) if text)
        return Ran(job.name, error, notice, constants=job.variant.constants if job.variant else ())
    if job.variant is not None and job.variant.reason:
        result = replace(result, outputs=[_for(job.variant, out) for out in result.outputs])
    constants = job.variant.constants if job.variant else ()
    named = replace(result, name=job.name, constants=dict(constants))
    supposed = tuple(_suppose(job, *one) for one in job.what_ifs)
    found = _levels(job, named) if job.settings.cycles else None
    return Ran(job.name, named, notice, job.settings.cycles, supposed=supposed, levels=found)


def _levels(job: Job, result: KernelResult) -> Levels | None:
    """What a run takes in other placements; None if one was asked for."""
    if job.settings.placement is not None:
        return None
    others = []
    for number in range(1, len(PLACEMENTS)):
        again = replace(job, settings=replace(job.settings, placement=number))
        tile = tile_for(job.arch, again.settings, job.what)
        others.append(_again(f"placement {number}", tile, again, result))
    return levels(result.cycles, others)


def _suppose(job: Job, what_if: WhatIf, variant: Variant | None) -> Supposed:
    """Run a job again on a tile that is faster in some way."""
    tile = tile_for(job.arch, job.settings, job.what)
    suppose(tile, what_if)
    return _again(what_if.text, tile, job if variant is None else replace(job, variant=variant))


def _again(text: str, tile: Tile, job: Job, like: KernelResult | None = None) -> Supposed:
    """Run a job on another tile; it has no cycles if it fails, or where ``like`` did not."""
    if job.settings.throttled:
        set_flag(tile)
    try:
        result = _result(tile, job, None)
    except TilelabError as error:
        return Supposed(text, None, error.summary)
    if like is not None and result.passed != like.passed:
        return Supposed(text, None, "its outputs are not those of placement 0")
    return Supposed(text, result.cycles)


def _for(variant: Variant, output: OutputResult) -> OutputResult:
    """An output's comparison; if it is wrong, with what that may come of."""
    if output.passed:
        return output
    return replace(output, diagnosis=(variant.reason, *output.diagnosis))


def _result(tile: Tile, job: Job, progress: Callable[[int], None] | None) -> KernelResult:
    target: Target
    if not isinstance(job.what, Path):
        target = job.what
    elif job.variant is None:
        target = read_kernel_file(job.what)
    else:
        target = job.variant.of(read_kernel_file(job.what, elfs_exist=False))
    return run_target(target, tile, job.settings.max_cycles, progress)


def run_target(
    target: Target, tile: Tile, max_cycles: int, progress: Callable[[int], None] | None = None
) -> KernelResult:
    """Run whatever a target is on a fresh tile."""
    if isinstance(target, Program):
        return run_program(target, tile, max_cycles, progress)
    if isinstance(target, ElfSet):
        return run_elfs(target.elfs, tile, max_cycles, progress)
    if isinstance(target, Moment):
        return run_moment(target, tile, max_cycles, progress)
    return run_kernel(target, tile, max_cycles, progress)


def run_apart(job: Job) -> Ran:
    """Run a job in a process that others depend on: whatever happens is its outcome."""
    try:
        return run_on(tile_for(job.arch, job.settings, job.what), job)
    except TilelabError as error:
        return Ran(job.name, error)
    except Exception as error:  # a defect of tilelab must not end a sweep
        return Ran(job.name, unforeseen(error))
