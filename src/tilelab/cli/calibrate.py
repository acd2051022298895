"""``tilelab calibrate``: published figures of silicon beside the cycle clock's."""

from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.markup import escape

from tilelab.calibrate.checkouts import Kernels, laid_over, open_kernels
from tilelab.calibrate.left_out import left_out
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.picture import picture as drawn
from tilelab.calibrate.programs import Builder, probe_compiler
from tilelab.calibrate.raw import raw_rows
from tilelab.calibrate.results import LIMITS, Result, compare, group_and_chip, summaries
from tilelab.calibrate.rows import read_rows
from tilelab.cli.console import progress_line, stderr, stdout
from tilelab.cli.streams import print_json, printing
from tilelab.cli.tables import Rows
from tilelab.cli.usage import COMPILER, JSON, argument, command, flag, option
from tilelab.sim.files import folder_meanwhile, writing


@command()
def calibrate(
    rows: Path = argument("ROWS.tsv", "Published figures, a row each."),
    kernels: list[Path] | None = option(
        "DIR", "Checkouts with the kernels that the figures come from."
    ),
    split: str | None = option("Only these rows.", choices=("fit", "hold")),
    before: Path | None = option(
        "DIR",
        "Files as before a change, by their paths in a checkout: "
        "rows with two figures get both predictions.",
    ),
    after: Path | None = option("DIR", "The same, files as after a change."),
    raw: bool = flag("Also the cards' raw points that the checkouts have."),
    picture: Path | None = option("FILE.svg", "Also draw predicted against silicon."),
    compiler: str = COMPILER,
    python: str = option("PATH", "A Python that has ttnn installed.", default=""),
    json: bool = JSON,
) -> None:
    """Compare the cycle clock with published silicon figures, by running the same programs."""
    asked = read_rows(rows, split)
    checkouts = open_kernels(kernels or [])
    if raw:
        asked += raw_rows(checkouts)
    with writing(picture) if picture else nullcontext() as at, folder_meanwhile("tilelab-") as own:
        bench = _bench(checkouts, before, after, own, compiler)
        bench.python = python
        with progress_line(stderr) as show:
            results = compare(bench, asked, show)
        if at is not None:
            at.write_text(drawn(_rows(results)), encoding="utf-8")
    if json:
        told = _rows(results)
        print_json({"rows": told, "left_out": [asdict(one) for one in left_out(told)]})
    else:
        printing.goes_on = True
        _print(results)


def _rows(results: list[Result]) -> list[dict[str, Any]]:
    return [result.document() for result in results]


def _bench(
    checkouts: Kernels, before: Path | None, after: Path | None, folder: Path, compiler: str
) -> Perfbench:
    """What asks the kernels, and those before a change if there is one."""

    def bench(changed: Path | None, name: str) -> Perfbench:
        if changed is None:
            return Perfbench(checkouts, lambda: Builder(probe_compiler(compiler)))
        (changed_ones,) = open_kernels([changed], f"--{name}").checkouts
        kernels = laid_over(checkouts, changed_ones.folder, folder / name)
        return Perfbench(kernels, lambda: Builder(probe_compiler(compiler)))

    newer = bench(after, "after")
    newer.older = bench(before, "before") if before or after else None
    return newer


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
            escape(result.row.what) + _why(result),
        )
    stdout.print(table)
    stdout.print("")
    _print_changes(results)
    heads = ("", ">rows", ">predicted", ">median", *(f">within {n}%" for n in LIMITS))
    table = Rows((*heads, ">in interval"))
    for summary in summaries(results, group_and_chip):
        cells = [escape(summary.name), str(summary.rows), str(len(summary.errors))]
        if summary.errors:
            within = (str(summary.within(limit)) for limit in LIMITS)
            cells += [f"{summary.median:.1f}%", *within, str(summary.inside)]
        table.add(*cells)
    stdout.print(table)
    _print_left_out(results)


def _print_left_out(results: list[Result]) -> None:
    """What intervals are worth: each family within what the others of its kind are off by."""
    families = left_out(_rows(results))
    if not families:
        return
    heads = ("left out", "of", ">spread of the others", ">rows", ">within")
    table = Rows(heads)
    for one in families:
        cells = (one.family, one.kind, f"{one.spread:.1f}%", str(one.rows), str(one.inside))
        table.add(*map(escape, cells))
    stdout.print("")
    stdout.print(table)
    inside, rows = (sum(getattr(one, name) for one in families) for name in ("inside", "rows"))
    stdout.print(f"{inside} of {rows} rows are within what other families are off by")


def _why(result: Result) -> str:
    """Why a row is not run, or far off."""
    if not result.reason:
        return ""
    return f" ({'off' if result.error is not None else 'not run'}: {escape(result.reason)})"


def _print_changes(results: list[Result]) -> None:
    """Each change: what silicon and the model say of the kernels before and after it."""
    changes = [result for result in results if result.ranked is not None]
    if not changes:
        return
    table = Rows(("change", ">silicon", ">predicted", "ranked as silicon"))
    for result in changes:
        old, new = result.answer.parts
        table.add(
            escape(result.row.id),
            f"{old.silicon:,.1f} -> {new.silicon:,.1f}",
            f"{old.predicted:,.1f} -> {new.predicted:,.1f}",
            "yes" if result.ranked else "no",
        )
    stdout.print(table)
    right = sum(result.ranked is True for result in changes)
    stdout.print(f"{right} of {len(changes)} changes are ranked as on silicon")
    stdout.print("")
