"""Many kernels, or one with many constants, as one call: a study."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from tilelab.build.fresh import MOST_VARIANTS
from tilelab.kernels.result import KernelResult, category, failed
from tilelab.kernels.run import DEFAULT_MAX_CYCLES
from tilelab.runs.job import Job, Ran, Settings, compiled, jobs_of, run_apart
from tilelab.runs.processes import sweep
from tilelab.runs.targets import resolve
from tilelab.runs.variants import with_variants
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.sim.files import folder_meanwhile
from tilelab.sim.host import how_many
from tilelab.tensix.tile.engines import CLOCKS, ENGINES

Location = str | PathLike[str]
Constants = Mapping[str, int | Iterable[int]]


@dataclass(frozen=True)
class FailedRun:
    """A run that ended in an error; with what :class:`KernelResult` also has."""

    name: str
    error: TilelabError
    constants: Mapping[str, int] = field(default_factory=dict)
    passed: bool = field(default=False, init=False)
    cycles: None = field(default=None, init=False)
    breakdown: None = field(default=None, init=False)

    def to_dict(self) -> dict[str, Any]:
        """The run as data, as ``tilelab run --json`` prints it."""
        made = failed(self.name, self.error)
        return made | ({"constants": dict(self.constants)} if self.constants else {})

    def row(self) -> dict[str, Any]:
        """The run as one row of a table; ``error`` says what went wrong."""
        said = f"{category(self.error)}: {self.error.summary}"
        return {"name": self.name, **self.constants, "passed": False, "error": said}


def run_kernels(
    paths: Location | Iterable[Location],
    *,
    jobs: int | None = None,
    constants: Constants | None = None,
    clock: str = "functional",
    engine: str = "fast",
    max_cycles: int = DEFAULT_MAX_CYCLES,
    compiler: str = "",
) -> list[KernelResult | FailedRun]:
    """Run many kernels, in processes of their own; results in the order of the kernels.

    ``paths``: folders, which stand for all kernels below them, kernel.toml files, assembly.
    ``jobs``: how many at once; as many as there are cores. ``constants``: build each kernel anew
    with these values, one run for each combination of them (``{"num_tiles": [1, 2, 4]}``); the
    arrays stay those of the kernel.toml. ``clock="cycle"`` gives results a breakdown. A run that
    fails is a :class:`FailedRun` among the others. BadInputError for arguments that mean nothing.
    """
    at_once = how_many(jobs)
    if not isinstance(max_cycles, int) or max_cycles < 1:
        raise BadInputError(f"max_cycles is a number from 1, not {max_cycles!r}")
    for name, value, known in ("engine", engine, ENGINES), ("clock", clock, CLOCKS):
        if value not in known:
            raise BadInputError(f"no {name} is called {value!r}: choose {' or '.join(known)}")
    settings = Settings(engine, max_cycles, (), False, False, clock)
    chosen = _choices(constants or {})
    found = resolve(_names(paths), None, None, elfs_exist=not chosen)
    ready = jobs_of(found, None, settings)
    with folder_meanwhile("tilelab-") if chosen else nullcontext(Path()) as folder:
        if chosen:
            ready = with_variants(ready, chosen, folder, compiler)
        return [_outcome(ran) for ran in _run(ready, at_once)]


def _names(paths: Location | Iterable[Location]) -> list[str]:
    some = [paths] if isinstance(paths, str | PathLike) else paths
    if not isinstance(some, Iterable) or isinstance(some, bytes):
        raise BadInputError(f"paths are of files and folders, not {paths!r}")
    names = list(some)
    for name in names:
        if not isinstance(name, str | PathLike) or not str(name) or str(name) == "-":
            raise BadInputError(f"{name!r} is no path of a kernel")
    return [str(name) for name in names]


def _choices(constants: Constants) -> list[str]:
    """Constants as ``-D`` takes them."""
    if not isinstance(constants, Mapping):
        raise BadInputError(f"constants are values by name, not {constants!r}")
    made = []
    for name, given in constants.items():
        values = (
            list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
        )
        if not values or not all(isinstance(value, int) for value in values):
            raise BadInputError(f"constant {name}: {given!r} is neither a number nor some numbers")
        if len(values) > MOST_VARIANTS:
            raise BadInputError(f"constant {name}: more than {MOST_VARIANTS} values")
        made.append(f"{name}={','.join(str(int(value)) for value in values)}")
    return made


def _run(ready: Sequence[Job | Ran], processes: int) -> list[Ran]:
    """Run jobs, here if there is one or they may not be several; the others are what they are."""
    waiting = compiled(ready)
    done: dict[int, Ran] = {}
    if len(waiting) == 1 or processes == 1:
        done = {number: run_apart(job) for number, job in enumerate(waiting)}
    else:
        with closing(sweep(waiting, processes, lambda running: None, run_apart)) as finished:
            done = dict(finished)
    results = iter([done[number] for number in range(len(waiting))])
    return [next(results) if isinstance(item, Job) else item for item in ready]


def _outcome(ran: Ran) -> KernelResult | FailedRun:
    if isinstance(ran.outcome, TilelabError):
        return FailedRun(ran.name, ran.outcome, dict(ran.constants))
    return ran.outcome
