"""``tilelab compare``: two runs beside each other, and what makes the difference."""

from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.markup import escape

from tilelab.cli.console import progress_line, stderr, stdout
from tilelab.cli.report import document, warned
from tilelab.cli.streams import print_json, printing
from tilelab.cli.tables import Rows
from tilelab.cli.usage import ARCH, ENGINE, JSON, MAX_CYCLES, argument, command, option
from tilelab.cli.view import verdict
from tilelab.kernels.result import KernelResult, breakdown_document
from tilelab.report.breakdown import Breakdown
from tilelab.report.difference import Change, difference
from tilelab.runs.job import Settings, job_of, run_on, tile_for
from tilelab.runs.targets import Unreadable, resolve
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.sim.files import writing
from tilelab.trace.page import comparison
from tilelab.trace.recorded import Recorded

LINES = 12
"""Source lines that are shown, those that changed most."""


@dataclass(frozen=True)
class Side:
    """One of the two runs; its recording only if a page is wanted."""

    name: str
    result: KernelResult
    breakdown: Breakdown
    recording: Recorded | None


@command(old={"--output": "output", "-o": "output"})
def compare(
    before: str = argument("TARGET", "A kernel.toml, its folder, assembly."),
    after: str = argument("TARGET", "A kernel.toml, its folder, assembly."),
    arch: str | None = ARCH,
    engine: str = ENGINE,
    max_cycles: int = MAX_CYCLES,
    output: Path | None = option(
        "--page PAGE", "Also write a page: both timelines, and why they differ."
    ),
    json: bool = JSON,
) -> int:
    """Run two kernels under the cycle clock and explain how they differ; exit 1 if one fails."""
    settings = Settings(engine, max_cycles, (), True, False, "cycle")
    with writing(output) if output else nullcontext() as at:
        first, second = (_run(name, arch, settings, output) for name in (before, after))
        found = Compared((first.name, second.name), (first.result, second.result))
        told = found.document()
        if at is not None:
            at.write_text(_page((first, second), told), encoding="utf-8", errors="replace")
    if json:
        made = document([(side.name, side.result) for side in (first, second)])
        print_json({**made, "difference": told})
    else:
        printing.goes_on = True
        found.show()
    return 0 if first.result.passed and second.result.passed else 1


def _run(name: str, arch: str | None, settings: Settings, page: Path | None) -> Side:
    found = resolve([name], arch, None)
    if len(found) != 1:
        raise BadInputError(f"{name}: {len(found)} kernels: name one")
    if isinstance(found[0], Unreadable):
        raise found[0].error
    job = job_of(found[0], arch, settings)
    with progress_line(stderr) as show:
        show(f"{name}: running")
        tile = tile_for(job.arch, settings, job.what)
        recording = Recorded(tile, name) if page else None
        ran = run_on(tile, job, lambda cycles: show(f"{name}: {cycles:,} cycles"))
    if isinstance(ran.outcome, TilelabError):
        raise ran.outcome
    assert ran.outcome.breakdown is not None  # the settings ask for it
    return Side(name, ran.outcome, ran.outcome.breakdown, recording)


def _page(sides: tuple[Side, Side], told: dict[str, Any]) -> str:
    runs = []
    for side in sides:
        assert side.recording is not None
        said, _ = verdict(side.result)
        runs.append((side.recording, breakdown_document(side.breakdown, side.result) | said))
    return comparison(runs, told)


def changed_lines(before: KernelResult, after: KernelResult) -> list[Change]:
    """Words that MOPs and REPLAYs became, by thread and line, where they differ; most first."""
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


class Compared:
    """How the second of two runs under the cycle clock differs from the first."""

    def __init__(self, names: tuple[str, str], runs: tuple[KernelResult, KernelResult]) -> None:
        before, after = (run.breakdown for run in runs)
        assert before is not None
        assert after is not None
        self.names, self.runs = names, runs
        self.found = difference(before, after)
        self.lines = changed_lines(*runs)
        self.outputs = compared_outputs(*runs)

    def document(self) -> dict[str, Any]:
        """The difference as data, of JSON's types."""
        found = self.found
        told = {"explanation": found.explanation(), "speedup": found.speedup, **asdict(found)}
        return told | {"lines": [asdict(line) for line in self.lines], "outputs": self.outputs}

    def show(self) -> None:
        """The difference as text."""
        stdout.print(self._table())
        for row in self.outputs:
            differ = row["differ"]
            said = "of another shape" if differ is None else f"{differ} of {row['elements']} differ"
            stdout.print(f"output {row['output']}: {said if differ != 0 else 'the same'}")
        for name, result in zip(self.names, self.runs, strict=True):
            for line in warned(result):
                stdout.print(f"{name}: {line}", markup=False)
        stdout.print(f"because {self.found.explanation()}", markup=False)
        before, after = self.found.bound
        if before != after:
            stdout.print(f"bound before by {before}", markup=False)
            stdout.print(f"bound after by {after}", markup=False)
        else:
            stdout.print(f"bound by {before}", markup=False)

    def _table(self) -> Rows:
        cycles = self.found.cycles
        share = f"{cycles.by / cycles.before:+.1%}" if cycles.before else ""
        table = Rows(("", ">before", ">after", ">change", ""))
        table.add("", *map(escape, self.names))
        verdicts = [("PASS" if r.passed else "FAIL") if r.outputs else "RAN" for r in self.runs]
        table.add("verdict", *verdicts)
        table.add("cycles", f"{cycles.before:,}", f"{cycles.after:,}", f"{cycles.by:+,}", share)
        for part in (*self.found.threads, *self.found.cores):
            _add(table, part.name, [change for change in part.changes if change.by])
        _add(table, "busy", [change for change in self.found.units if change.by])
        _add(table, "expanded at", self.lines[:LINES])
        return table


def _add(table: Rows, title: str, changes: list[Change]) -> None:
    """Rows of what changed, under a title."""
    for number, change in enumerate(changes):
        numbers = (f"{change.before:,}", f"{change.after:,}", f"{change.by:+,}")
        table.add(title if not number else "", *numbers, escape(change.name))
