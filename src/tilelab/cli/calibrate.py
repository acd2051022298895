"""``tilelab calibrate``: published figures of silicon beside the cycle clock's."""

from contextlib import nullcontext
from pathlib import Path

from rich.markup import escape

from tilelab.calibrate.checkouts import open_kernels
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.picture import picture as drawn
from tilelab.calibrate.programs import Builder, probe_compiler
from tilelab.calibrate.raw import raw_rows
from tilelab.calibrate.results import LIMITS, Result, compare, group_and_chip, summaries
from tilelab.calibrate.rows import read_rows
from tilelab.cli.console import progress_line, stderr, stdout
from tilelab.cli.streams import print_json, printing
from tilelab.cli.tables import Rows
from tilelab.sim.files import writing


def calibrate(
    rows: Path,
    kernels: list[Path] | None,
    split: str | None,
    raw: bool,
    picture: Path | None,
    compiler: str,
    json: bool,
) -> None:
    """Compare the cycle clock with published silicon figures, by running the same programs."""
    asked = read_rows(rows, split)
    checkouts = open_kernels(kernels or [])
    if raw:
        asked += raw_rows(checkouts)
    bench = Perfbench(checkouts, lambda: Builder(probe_compiler(compiler)))
    with writing(picture) if picture else nullcontext() as at:
        with progress_line(stderr) as show:
            results = compare(bench, asked, show)
        if at is not None:
            at.write_text(drawn(results), encoding="utf-8")
    if json:
        print_json({"rows": [result.document() for result in results]})
    else:
        printing.goes_on = True
        _print(results)


def _print(results: list[Result]) -> None:
    table = Rows(("row", "chip", ">silicon", ">predicted", ">error", "mechanism", "what"))
    for result in results:
        answer, error = result.answer, result.error
        predicted = "" if answer.predicted is None else f"{answer.predicted:,.3f}"
        table.add(
            escape(result.row.id),
            escape(result.row.chip),
            escape(result.row.value),
            predicted,
            "" if error is None else f"{error:+.1f}%",
            escape(answer.mechanism.name),
            escape(result.row.what)
            + (f" (not run: {escape(answer.reason)})" * bool(answer.reason)),
        )
    stdout.print(table)
    stdout.print("")
    heads = ("", ">rows", ">predicted", ">median", *(f">within {n}%" for n in LIMITS))
    table = Rows((*heads, ">in interval"))
    for summary in summaries(results, group_and_chip):
        cells = [escape(summary.name), str(summary.rows), str(len(summary.errors))]
        if summary.errors:
            within = (str(summary.within(limit)) for limit in LIMITS)
            cells += [f"{summary.median:.1f}%", *within, str(summary.inside)]
        table.add(*cells)
    stdout.print(table)
