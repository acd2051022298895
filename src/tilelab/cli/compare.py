"""``tilelab compare``: two runs beside each other, and what makes the difference."""

from collections import Counter
from dataclasses import asdict
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape

from tilelab.cli.console import print_json, progress_line, stderr, stdout
from tilelab.cli.job import Ran, Settings, job_of, run_on, tile_for, told_apart
from tilelab.cli.options import Arch, Engine, Json, MaxCycles
from tilelab.cli.report import document
from tilelab.cli.tables import Rows
from tilelab.cli.targets import Unreadable, resolve
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.tensix.programs.run import DEFAULT_MAX_CYCLES, KernelResult
from tilelab.tensix.report.difference import Change, Difference, difference

Target = Annotated[str, typer.Argument(help="A kernel.toml or its folder, or assembly.")]
LINES = 12
"""Source lines that are shown, those that changed most."""


def compare(
    before: Target,
    after: Target,
    arch: Arch = "blackhole",
    engine: Engine = "fast",
    max_cycles: MaxCycles = DEFAULT_MAX_CYCLES,
    json: Json = False,
) -> int:
    """Run two kernels under the cycle clock and explain how they differ; exit 1 if one fails."""
    settings = Settings(engine, max_cycles, (), True, False, "cycle")
    ran = [_run(name, arch, settings) for name in (before, after)]
    for one in ran:
        if isinstance(one.outcome, TilelabError):
            raise one.outcome
    first, second = ran
    assert isinstance(first.outcome, KernelResult)
    assert isinstance(second.outcome, KernelResult)
    assert first.breakdown is not None
    assert second.breakdown is not None
    found = difference(first.breakdown, second.breakdown)
    lines = changed_lines(first.outcome, second.outcome)
    outputs = compared_outputs(first.outcome, second.outcome)
    if json:
        made = document([(before, first.outcome), (after, second.outcome)])
        told = {"explanation": found.explanation(), "speedup": found.speedup, **asdict(found)}
        told |= {"lines": [asdict(line) for line in lines], "outputs": outputs}
        print_json({**made, "difference": told})
    else:
        _print((before, after), (first.outcome, second.outcome), found, lines, outputs)
    return 0 if first.outcome.passed and second.outcome.passed else 1


def _run(name: str, arch: str, settings: Settings) -> Ran:
    found = resolve([name], arch, None)
    if len(found) != 1:
        raise BadInputError(f"{name}: {len(found)} kernels: name one")
    if isinstance(found[0], Unreadable):
        raise found[0].error
    job = job_of(found[0], arch, settings)
    told_apart([job])
    with progress_line(stderr) as show:
        show(f"{name}: running")
        tile = tile_for(job.arch, settings)
        return run_on(tile, job, lambda cycles: show(f"{name}: {cycles:,} cycles"))


def changed_lines(before: KernelResult, after: KernelResult) -> list[Change]:
    """Issued instructions by thread and source line, where they differ; largest change first."""
    counts = [_lines(before), _lines(after)]
    names = dict.fromkeys([*counts[0], *counts[1]])
    made = [Change(name, counts[0][name], counts[1][name]) for name in names]
    return sorted((c for c in made if c.by), key=lambda change: -abs(change.by))


def _lines(result: KernelResult) -> Counter[str]:
    found: Counter[str] = Counter()
    for site, tally in result.expansions.sites.items():
        line = result.line_of(site.core, site.pc) or f"{site.pc:#x}"
        found[f"T{site.thread} {line}"] += tally.issued
    return found


def compared_outputs(before: KernelResult, after: KernelResult) -> list[dict[str, Any]]:
    """Outputs of both runs, in the order of kernel.toml: how many elements differ."""
    rows = []
    for number, (one, other) in enumerate(zip(before.outputs, after.outputs, strict=False)):
        alike = one.values.shape == other.values.shape
        differ = None
        if alike:
            same = (one.values == other.values) | (np.isnan(one.values) & np.isnan(other.values))
            differ = int((~same).sum())
        rows.append({"output": number, "elements": one.elements, "differ": differ})
    return rows


def _print(
    names: tuple[str, str], results: tuple[KernelResult, KernelResult], found: Difference,
    lines: list[Change], outputs: list[dict[str, Any]],
) -> None:  # fmt: skip
    cycles = found.cycles
    share = f"{cycles.by / cycles.before:+.1%}" if cycles.before else ""
    table = Rows(("", ">before", ">after", ">change", ""))
    verdicts = ["PASS" if r.passed else "FAIL" for r in results]
    table.add("", *map(escape, names))
    table.add(
        "verdict", *(v if r.outputs else "RAN" for v, r in zip(verdicts, results, strict=True))
    )
    table.add("cycles", f"{cycles.before:,}", f"{cycles.after:,}", f"{cycles.by:+,}", share)
    for part in (*found.threads, *found.cores):
        _add(table, part.name, [change for change in part.changes if change.by])
    _add(table, "busy", [change for change in found.units if change.by])
    _add(table, "issued of line", lines[:LINES])
    stdout.print(table)
    for row in outputs:
        differ = row["differ"]
        said = "of another shape" if differ is None else f"{differ} of {row['elements']} differ"
        stdout.print(f"output {row['output']}: {said if differ != 0 else 'the same'}")
    stdout.print(f"because {found.explanation()}", markup=False)
    if found.bound[0] != found.bound[1]:
        stdout.print(f"bound before by {found.bound[0]}", markup=False)
        stdout.print(f"bound after by {found.bound[1]}", markup=False)
    else:
        stdout.print(f"bound by {found.bound[0]}", markup=False)


def _add(table: Rows, title: str, changes: list[Change]) -> None:
    """Rows of what changed, under a title."""
    for number, change in enumerate(changes):
        numbers = (f"{change.before:,}", f"{change.after:,}", f"{change.by:+,}")
        table.add(title if not number else "", *numbers, escape(change.name))
