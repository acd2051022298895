"""The best of many candidates, by successive halving: what is slow or wrong is asked little.

Each candidate is run once under the cycle clock. The quicker half of those that are right is asked
for every number, and the quicker half of these is scored whole. Where all that were asked turn out
wrong, the next ones are.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any, Final

from tilelab.build.fresh import MOST_VARIANTS, variants
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.kernels.result import number
from tilelab.kernels.run import DEFAULT_MAX_CYCLES
from tilelab.runs.processes import Limits
from tilelab.score.apart import MEBIBYTES, SECONDS, limits_of, scored, wanted_of
from tilelab.score.one import Depth, Wanted
from tilelab.score.result import Score
from tilelab.score.service import content
from tilelab.sim.errors import BadInputError
from tilelab.sim.host import how_many

FIDELITIES: Final = ("LoFi", "HiFi2", "HiFi3", "HiFi4")
Row = dict[str, Any]
Each = Callable[[Row], None]
Tick = Callable[[list[str]], None]
Rate = Callable[[Sequence[Wanted], Tick], Generator[Score, None, None]]
"""Scores candidates, in their order, and says meanwhile which of them run."""


@dataclass(frozen=True)
class Candidate:
    """One of the kernels that are compared, and what it has otherwise than the folder's."""

    wanted: Wanted
    choice: Mapping[str, int | str]
    key: str
    """What its score depends on."""


def tune(
    target: str | PathLike[str],
    *,
    constants: Sequence[str] = (),
    sources: Sequence[str | PathLike[str]] = (),
    fidelities: Sequence[str] = (),
    schedules: int = 0,
    max_cycles: int = DEFAULT_MAX_CYCLES,
    seconds: float = SECONDS,
    memory: int = MEBIBYTES,
    jobs: int | None = None,
    compiler: str = "",
) -> list[Row]:
    """Try all combinations of constants, sources and fidelities of a kernel; the best comes first.

    ``constants``: ``"block=1,2,4"`` or ``"block=1..8"`` each. ``sources``: C++ files to build
    instead of the kernel's own. ``fidelities``: LoFi, HiFi2, HiFi3, HiFi4. Rows are flat, for a
    data frame; ``asked`` says how much was asked of it: run, numbers, whole. The other arguments
    are those of :func:`tilelab.score`. BadInputError for arguments that mean nothing.
    """
    found = candidates(target, constants, sources, fidelities, schedules, max_cycles, compiler)
    limits = limits_of(seconds, memory)
    rate = here(limits, how_many(jobs))
    return halved(found, rate, {}, lambda row: None, lambda names: None)


def here(limits: Limits, processes: int) -> Rate:
    """Scores on this machine, within limits."""
    return lambda wanted, tick: scored(wanted, limits, processes, tick)


def candidates(
    target: str | PathLike[str],
    constants: Sequence[str],
    sources: Sequence[str | PathLike[str]],
    fidelities: Sequence[str],
    schedules: int,
    max_cycles: int,
    compiler: str,
) -> list[Candidate]:
    """Every combination of what is to be tried; BadInputError for what means nothing."""
    asked = wanted_of(target, None, schedules, max_cycles, compiler)
    if len(asked) != 1:
        raise BadInputError(f"{target}: {len(asked)} kernels: name one")
    kernel = read_kernel_file(asked[0].path, elfs_exist=False)
    chosen = list(variants(list(constants)))
    _check(kernel, list(chosen[0]), sources, fidelities)
    files: list[Path | None] = [Path(one).absolute() for one in sources] or [None]
    count = len(chosen) * len(files) * max(1, len(fidelities))
    if count > MOST_VARIANTS:
        raise BadInputError(f"{count:,} candidates; there may be {MOST_VARIANTS:,}")
    made = []
    for own, source, fidelity in product(chosen, files, fidelities or [""]):
        choice: dict[str, int | str] = dict(own)
        if source is not None:
            choice["source"] = source.name
        if fidelity:
            choice["fidelity"] = fidelity
        name = " ".join(f"{key}={value}" for key, value in choice.items()) or asked[0].name
        wanted = replace(
            asked[0], name=name, source=source, constants=tuple(own.items()), fidelity=fidelity
        )
        made.append(Candidate(wanted, choice, _key(wanted)))
    return made


def _check(
    kernel: KernelFile,
    constants: Sequence[str],
    sources: Sequence[str | PathLike[str]],
    fidelities: Sequence[str],
) -> None:
    if kernel.build is None:
        raise BadInputError(f"{kernel.shown}: has no [build] table, so it is as it is")
    for name in constants:
        if name not in kernel.build.constants:
            known = ", ".join(kernel.build.constants) or "none at all"
            raise BadInputError(f"{kernel.shown}: has no constant {name!r}; it has {known}")
    names = [Path(source).name for source in sources]
    for source in sources:
        if not Path(source).is_file():
            raise BadInputError(f"{source}: no such file")
    for what, some in ("source", names), ("fidelity", fidelities):
        if len(set(some)) < len(some):
            raise BadInputError(f"{what}: {max(some, key=some.count)} comes twice")
    for one in fidelities:
        if one not in FIDELITIES:
            raise BadInputError(f"fidelity: choose of {', '.join(FIDELITIES)}, not {one!r}")
    if fidelities and not kernel.build.math_fidelity:
        raise BadInputError(f"{kernel.shown}: its [build] has no math_fidelity to change")


def _key(wanted: Wanted) -> str:
    told = f"{wanted.name} {content(wanted)}"
    return sha256(told.encode()).hexdigest()[:16]


def halved(
    found: Sequence[Candidate], rate: Rate, known: Mapping[str, Row], each: Each, tick: Tick
) -> list[Row]:
    """A row for each candidate, the best first.

    ``known`` are rows of before, by ``key``: what they were asked is not asked again. ``each`` is
    given every row when it is there, and again when more has been asked.
    """
    rows: dict[str, Row] = {}
    alive = list(found)
    for depth in Depth:
        asked: list[Candidate] = []
        share = len(alive) if depth is Depth.RUN else -(-len(alive) // 2)
        while len(asked) < len(alive) and not any(_right(rows[one.key], depth) for one in asked):
            some = alive[len(asked) : len(asked) + share]
            _ask(some, depth, rate, known, rows, each, tick)
            asked += some
        alive = sorted(
            (one for one in asked if _right(rows[one.key], depth)),
            key=lambda one: rows[one.key]["cycles"],
        )
    return sorted(rows.values(), key=_rank)


def _ask(
    some: Sequence[Candidate],
    depth: Depth,
    rate: Rate,
    known: Mapping[str, Row],
    rows: dict[str, Row],
    each: Each,
    tick: Tick,
) -> None:
    waiting = []
    for one in some:
        before = known.get(one.key)
        if before is not None and _asked(before) >= depth:
            rows[one.key] = before
            each(before)
        else:
            waiting.append(one)
    wanted = [replace(one.wanted, depth=depth) for one in waiting]
    with closing(rate(wanted, tick)) as running:
        for one, score in zip(waiting, running, strict=True):
            rows[one.key] = row_of(one, score, depth)
            each(rows[one.key])


def _asked(row: Row) -> Depth:
    return Depth[str(row["asked"]).upper()]


def _right(row: Row, depth: Depth) -> bool:
    """Whether a candidate was right as far as this: who was asked more, was."""
    return bool(row["right"]) or _asked(row) > depth


def _rank(row: Row) -> tuple[bool, int, float]:
    """The best first: right, asked most, quickest."""
    cycles = row["cycles"]
    least = float("inf") if cycles in (None, "") else float(cycles)
    return not row["right"], -_asked(row), least


def row_of(one: Candidate, score: Score, depth: Depth) -> Row:
    """A candidate's row of the table."""
    cycles, errors = score.cycles, score.ulp
    worst = [output.worst for output in score.outputs if output.worst is not None]
    values: Row = {
        "name": one.wanted.name,
        **one.choice,
        "key": one.key,
        "asked": depth.name.lower(),
        "right": score.correct and not score.category,
        "category": score.category or None,
        "message": score.message or None,
        "cycles": cycles and cycles.value,
        "low": cycles and cycles.low,
        "high": cycles and cycles.high,
        "per_tile": (cycles and cycles.tiles and round(cycles.value / cycles.tiles, 2)) or None,
        "worst_ulp": errors and number(errors.worst.ulp),
        "mean_ulp": errors and number(errors.mean),
        "largest_error": number(max(worst, default=None)),
        "code_bytes": sum(score.code.values()),
        "lregs": score.lregs,
        "replay_slots": score.replay_slots,
        "findings": len(score.findings),
    }
    return values
