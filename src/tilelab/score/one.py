"""One kernel's score: built, run, compared, checked, explored and timed, in this process."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from typing import Final

from tilelab.build.compilers import find_compiler
from tilelab.build.fresh import build_variant, stale
from tilelab.check.run import checked_kernel
from tilelab.explore.prepare import kernel_explorer
from tilelab.explore.schedule import lines
from tilelab.explore.search import explore
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.kernels.result import KernelResult, category
from tilelab.kernels.run import DEFAULT_MAX_CYCLES, run_kernel
from tilelab.report.placements import PLACEMENTS, place
from tilelab.score.result import Cycles, Score
from tilelab.score.sweep import swept
from tilelab.score.used import Used
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.sim.files import folder_meanwhile, from_here
from tilelab.tensix.riscv.elf import load_elf
from tilelab.tensix.tile.tile import Tile

BUILD: Final = "Build"
WRONG: Final = "WrongResult"
INEXACT: Final = "Inexact"
FINDING: Final = "Finding"
SCHEDULE: Final = "ScheduleDependent"
LONGEST: Final = 400
"""Characters of a message, so that it fits a prompt."""
DEPTH: Final = 2
"""Of the schedules by priorities: as ``tilelab check`` has it."""
TILE: Final = 1024


class Depth(IntEnum):
    """How much is asked of a kernel: each asks what the one before asks, too."""

    RUN = 0
    """Its outputs, and its cycles in one placement."""
    NUMBERS = 1
    """Every number of an input."""
    WHOLE = 2
    """Findings, all placements, schedules."""


@dataclass(frozen=True)
class Wanted:
    """What is to be scored, and how.

    ``source`` takes the place of the kernel's own, ``constants`` and ``fidelity`` those that its
    kernel.toml gives.
    """

    path: Path
    name: str
    source: Path | None = None
    schedules: int = 0
    max_cycles: int = DEFAULT_MAX_CYCLES
    compiler: str = ""
    constants: tuple[tuple[str, int], ...] = ()
    fidelity: str = ""
    depth: Depth = Depth.WHOLE
    explains: bool = False
    """Whether its score brings the timed run, for a comparison."""


Say = Callable[[str], None]


def failed(name: str, error: TilelabError, build: bool = False) -> Score:
    """The score of what cannot be built, or does not run to its end."""
    kind = BUILD if build else category(error)
    text = error.summary.removeprefix(f"{kind}: ")
    return Score(name, False, kind, text, error.exit_code)


def short(text: str) -> str:
    """The first line of a text, cut to the length of a message."""
    line = (text.strip().splitlines() or [""])[0]
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def score_one(wanted: Wanted, say: Say = lambda text: None) -> Score:
    """Score a kernel; what is wrong with it is in the score, never an exception.

    Messages name files as they lie in the kernel's folder, wherever that is.
    """
    score = _whole(wanted, say)
    message = score.message
    folders = [wanted.path.parent, from_here(wanted.path.parent)]
    if wanted.source is not None:
        folders.append(wanted.source.parent)
    for folder in folders:
        message = message.replace(f"{folder}/", "")
    return replace(score, message=short(message))


def _whole(wanted: Wanted, say: Say) -> Score:
    with folder_meanwhile("tilelab-") as folder:
        try:
            kernel = read_kernel_file(wanted.path, elfs_exist=False)
        except BadInputError as error:
            return failed(wanted.name, error)
        try:
            say("building")
            kernel = built(kernel, wanted, folder)
        except BadInputError as error:
            return failed(wanted.name, error, build=True)
        try:
            return _judged(_scored(kernel, wanted, folder, say))
        except TilelabError as error:
            return failed(wanted.name, error)
        except MemoryError:
            return Score(wanted.name, False, "MemoryLimit", "it needs more memory", 1)


def built(kernel: KernelFile, wanted: Wanted, folder: Path) -> KernelFile:
    """The kernel, built into a folder of ours if its ELFs are not of its source; BadInputError."""
    as_it_is = wanted.source is None and not wanted.constants and not wanted.fidelity
    if as_it_is and not stale(kernel):
        return read_kernel_file(wanted.path)
    if kernel.build is None:
        raise BadInputError(f"{kernel.shown}: has no [build] table to put a source into")
    if wanted.source is not None:
        kernel = replace(kernel, build=replace(kernel.build, source=wanted.source.absolute()))
    into = folder / "elfs"
    into.mkdir()
    tool = find_compiler(wanted.compiler)
    constants = dict(wanted.constants)
    return build_variant(kernel, constants, into, tool, lambda note: None, wanted.fidelity)


def _scored(kernel: KernelFile, wanted: Wanted, folder: Path, say: Say) -> Score:
    """All that is measured of a kernel that is built."""
    say("running")
    used = Used(kernel.arch)
    tile = Tile(kernel.arch)
    tile.observe(used)
    result = run_kernel(kernel, tile, wanted.max_cycles)
    programs = {core: load_elf(path) for core, path in kernel.elfs.items()}
    score = Score(
        wanted.name,
        correct=result.passed and any(output.checked for output in kernel.outputs),
        outputs=tuple(result.outputs),
        code={core: sum(map(len, program.code)) for core, program in programs.items()},
        lregs=used.lregs,
        replay_slots=used.replay_slots,
        baseline=kernel.scoring.baseline if kernel.scoring else None,
    )
    scoring = kernel.scoring
    if scoring is not None and scoring.sweep and wanted.depth >= Depth.NUMBERS:
        say("every number")
        errors = swept(kernel, folder, wanted.max_cycles)
        score = replace(score, ulp=errors, correct=score.correct and not errors.beyond)
    if wanted.depth >= Depth.WHOLE:
        say("checking")
        checked = checked_kernel(kernel, (), wanted.max_cycles)
        score = replace(score, findings=checked.findings)
    say("timing")
    placements = len(PLACEMENTS) if wanted.depth >= Depth.WHOLE else 1
    cycles, first = timed(kernel, wanted.max_cycles, placements)
    score = replace(score, cycles=cycles, run=first if wanted.explains else None)
    explores = wanted.schedules and wanted.depth >= Depth.WHOLE
    return _explored(kernel, wanted, score, say) if explores else score


def timed(
    kernel: KernelFile, max_cycles: int, placements: int = len(PLACEMENTS)
) -> tuple[Cycles, KernelResult]:
    """A kernel's cycles, in so many placements; and its run in the first."""
    cycles: list[int] = []
    around: list[tuple[float, float]] = []
    for number in range(placements):
        tile = Tile(kernel.arch, clock="cycle")
        place(tile, number)
        result = run_kernel(kernel, tile, max_cycles)
        assert result.breakdown is not None
        interval = result.breakdown.interval
        if not number:
            run, first = result, result.breakdown
        cycles.append(result.cycles)
        around.append((interval.low, interval.high))
    made = Cycles(
        value=cycles[0],
        low=round(min(low for low, _ in around)),
        high=round(max(high for _, high in around)),
        tiles=sum(-(-output.elements // TILE) for output in result.outputs),
        placements=tuple(cycles),
        weakest=first.interval.weakest,
        bound=first.bound,
    )
    return made, run


def _explored(kernel: KernelFile, wanted: Wanted, score: Score, say: Say) -> Score:
    """The score, with what so many schedules show; the first that differs is its fault."""
    explorer = kernel_explorer(kernel, Tile(kernel.arch), wanted.max_cycles)
    found = explore(explorer, wanted.schedules, DEPTH, progress=lambda n: say(f"{n} schedules"))
    score = replace(score, schedules=found.schedules)
    if found.found is None or found.outcome is None:
        return score
    where = "; ".join(lines(found.found))
    text = f"under another schedule it ends with: {found.outcome.kind}: {where}"
    return replace(score, category=SCHEDULE, message=text, exit_code=1)


def _judged(score: Score) -> Score:
    """The score, with the worst that is wrong with it: its result, errors, findings, schedules."""
    said = _fault(score)
    if said is None:
        return score  # or a schedule's fault
    kind, text = said
    return replace(score, category=kind, message=text, exit_code=1)


def _fault(score: Score) -> tuple[str, str] | None:
    wrong = next((output for output in score.outputs if not output.passed), None)
    if wrong is not None:
        return WRONG, "; ".join(wrong.lines()[:3])
    if score.ulp is not None and score.ulp.beyond:
        errors, worst = score.ulp, score.ulp.worst
        limit = "finite" if errors.limit is None else f"within {errors.limit:g} ulp"
        return INEXACT, (
            f"{errors.beyond:,} of {errors.judged:,} numbers are not {limit}: of {worst.input:g} "
            f"it gives {worst.got:g}, exact is {worst.expected:g}"
        )
    if not score.correct:
        return WRONG, "no output has anything to compare with: give it an expect"
    if score.findings:
        first = score.findings[0]
        line = next((party.line for party in first.parties if party.line), "")
        return FINDING, f"{f'{line}: ' if line else ''}{first.check}: {first.message}"
    return None
