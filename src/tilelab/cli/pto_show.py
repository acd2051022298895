"""What the ``pto`` commands share: saying what is wrong, and showing a run."""

import json
from pathlib import Path

import typer

from tilelab.cli.console import complain
from tilelab.pto import Result
from tilelab.pto import report as report_page
from tilelab.pto import timeline as timelines
from tilelab.sim.errors import BadInputError, TilelabError


def fail(error: TilelabError) -> typer.Exit:
    """Say what is wrong on stderr; 2 for bad input, 1 for a program that failed."""
    complain(error.summary, error.detail)
    return typer.Exit(error.exit_code)


def write_pages(
    result: Result, name: str, error: TilelabError | None, trace: Path | None, report: Path | None
) -> None:
    """Perfetto's JSON and the report page, where asked for."""
    try:
        if trace is not None:
            trace.write_text(json.dumps(timelines.perfetto(result)), encoding="utf-8")
        if report is not None:
            report.write_text(report_page.html(result, f"PTO: {name}", error), encoding="utf-8")
    except OSError as problem:
        raise fail(BadInputError(f"{problem.filename}: {problem.strerror}")) from None


def print_rings(result: Result, timeline: bool) -> None:
    """The timeline, if wanted, and a line for each ring."""
    if timeline:
        print(timelines.text(result), end="")
    for ring, row in result.summary().items():
        print(
            f"{ring}: {row['pushes']} pushes, {row['pops']} pops, {row['free_waits']} "
            f"waits for a free slot, {row['free_signals']} free signals, {row['drained']} drained, "
            f"{row['bytes']} bytes"
        )
