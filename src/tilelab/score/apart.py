"""Scores within limits: each kernel in a process that ends with all that it has started."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path

from tilelab.check.engine import CheckedTile
from tilelab.explore.prepare import program_explorer
from tilelab.kernelpy.tiers import stay_quick
from tilelab.kernels.assembly_run import run_program
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import DEFAULT_MAX_CYCLES
from tilelab.runs.cluster import connect, on_cluster
from tilelab.runs.job import Ran
from tilelab.runs.processes import Limits, in_order, sweep
from tilelab.runs.targets import kernel_files
from tilelab.score.one import Wanted, failed, score_one
from tilelab.score.result import Score
from tilelab.sim.errors import BadInputError, TilelabError, unforeseen
from tilelab.sim.host import how_many
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import assemble

SECONDS = 60.0
MEBIBYTES = 4096
MOST_SCHEDULES = 100_000
NOTHING_ROUNDS = 1000


def score(
    targets: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    source: str | PathLike[str] | None = None,
    schedules: int = 0,
    max_cycles: int = DEFAULT_MAX_CYCLES,
    seconds: float = SECONDS,
    memory: int = MEBIBYTES,
    jobs: int | None = None,
    compiler: str = "",
) -> list[Score]:
    """Score kernels: whether they are right, how exact, how fast, and what is wrong with each.

    ``targets``: folders with a kernel.toml, or kernel.toml files. ``source``: a C++ file to build
    instead of the kernel's own. ``schedules``: how many to run. ``seconds`` and ``memory`` (MiB)
    are what one kernel may take, ``jobs`` how many are scored at once. What is wrong with a kernel
    is in its score; BadInputError is for arguments that mean nothing.
    """
    wanted = wanted_of(targets, source, schedules, max_cycles, compiler)
    limits = limits_of(seconds, memory)
    with closing(scored(wanted, limits, how_many(jobs), lambda running: None)) as found:
        return list(found)


def limits_of(seconds: float, memory: int) -> Limits:
    """Limits of a kernel's score; BadInputError for what none can be."""
    if not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
        raise BadInputError(f"seconds is a number above 0, not {seconds!r}")
    if not isinstance(memory, int) or memory < 1:
        raise BadInputError(f"memory is a number of MiB from 1, not {memory!r}")
    return Limits(float(seconds), memory << 20, confined=True)


def wanted_of(
    targets: str | PathLike[str] | Iterable[str | PathLike[str]],
    source: str | PathLike[str] | None,
    schedules: int,
    max_cycles: int,
    compiler: str,
) -> list[Wanted]:
    """What is to be scored; BadInputError for a target that is none."""
    if isinstance(targets, str | PathLike):
        targets = [targets]
    if not isinstance(schedules, int) or not 0 <= schedules <= MOST_SCHEDULES:
        raise BadInputError(
            f"schedules is a number from 0 to {MOST_SCHEDULES:,}, not {schedules!r}"
        )
    own = Path(source) if source is not None else None
    if own is not None and not own.is_file():
        raise BadInputError(f"{own}: no such file")
    found = [path for target in targets for path in _files(Path(target))]
    if own is not None and len(found) > 1:
        raise BadInputError(f"{own}: one source is for one kernel, not for {len(found)}")
    like = Wanted(Path(), "", own, schedules, max_cycles, compiler)
    return [replace(like, path=path, name=path.parent.name) for path in found]


def _files(target: Path) -> list[Path]:
    """The kernel.toml files that a target stands for."""
    found = kernel_files(target)
    if not found:
        raise BadInputError(
            f"{target}: no kernel.toml in it" if target.is_dir() else f"{target}: no such folder"
        )
    return [path.absolute() for path in found]


def scored(
    wanted: Sequence[Wanted], limits: Limits, processes: int, tick: Callable[[list[str]], None]
) -> Generator[Score, None, None]:
    """The scores of kernels, in their order."""
    warm(wanted)
    with closing(sweep(wanted, processes, tick, _safely, limits)) as running:
        for one in in_order(running):
            yield _lost(one) if isinstance(one, Ran) else one


def scored_on(
    address: str, wanted: Sequence[Wanted], tick: Callable[[list[str]], None]
) -> Generator[Score, None, None]:
    """The scores of kernels, in their order, of a Dask cluster's workers; without limits."""
    with closing(on_cluster(connect(address), wanted, tick, _safely)) as running:
        for one in in_order(running):
            yield _lost(one) if isinstance(one, Ran) else one


def warm(wanted: Iterable[Wanted]) -> None:
    """Compile what the kernels run on, so that no kernel's time is spent on it.

    Each engine runs once here: what has earned thorough code gets it now.
    """
    chips: dict[str, int] = {}
    for one in wanted:
        with suppress(BadInputError):  # which its score says
            chip = read_kernel_file(one.path, elfs_exist=False).arch
            chips[chip] = max(chips.get(chip, 0), one.schedules)
    for chip, schedules in sorted(chips.items()):
        nothing = assemble("ttnop", chip, "nothing")
        for tile in Tile(chip), Tile(chip, clock="cycle"), CheckedTile(chip):
            run_program(nothing, tile, NOTHING_ROUNDS)
        if schedules:
            program_explorer(nothing, Tile(chip), NOTHING_ROUNDS)


def _lost(ran: Ran) -> Score:
    assert isinstance(ran.outcome, TilelabError)
    return failed(ran.name, ran.outcome)


def _safely(wanted: Wanted) -> Score:
    """A kernel's score, whatever happens."""
    stay_quick()
    try:
        return score_one(wanted)
    except Exception as error:  # a defect of tilelab must not end a sweep
        return failed(wanted.name, unforeseen(error))
