"""How results of runs are shown: text for people, a document for programs."""

from typing import Any

from rich.markup import escape

from tilelab.cli.console import stdout
from tilelab.cli.tables import Rows
from tilelab.kernels.result import KernelResult, category, chain, failed, where
from tilelab.report.parts import THREAD_NAMES
from tilelab.sim.errors import TilelabError


def print_result(result: KernelResult) -> None:
    """Show one run."""
    verdict = "[bold green]PASS[/]" if result.passed else "[bold red]FAIL[/]"
    checked = result.outputs or None
    stdout.print(
        f"{verdict if checked else '[bold]RAN[/]'}  {result.name}  {result.cycles:,} cycles"
    )
    for output in result.outputs:
        for line in output.lines():
            stdout.print(f"  {line}")
    for text in result.prints:
        stdout.print(f"  {text}", markup=False)
    for site, tally in sorted(result.expansions.sites.items(), key=lambda kv: -kv[1].issued)[:6]:
        place = where(site, escape(result.line_of(site.core, site.pc)))
        stdout.print(f"  {place}: {chain(tally)}   ({tally.runs:,} times)")
    stdout.print(_thread_table(result))
    cores = ", ".join(f"{core} {count:,}" for core, count in result.retired.items())
    if cores:
        stdout.print(f"  RISC-V instructions: {cores}")
    for warning in result.warnings:
        stdout.print(f"  [yellow]warning[/] {escape(warning)}")


def warned(result: KernelResult) -> list[str]:
    """What a run warned of, a line each."""
    return [f"warning {line}" for line in result.warnings]


def _thread_table(result: KernelResult) -> Rows:
    table = Rows(("  thread", ">pushed", ">expanded", ">issued", ">held", "by unit"))
    for name, counts in zip(THREAD_NAMES, result.threads, strict=True):
        units = ", ".join(f"{unit} {count:,}" for unit, count in counts.units.items())
        numbers = (counts.pushed, counts.expanded, counts.issued, counts.stalled)
        table.add(f"  {name}", *(f"{n:,}" for n in numbers), units)
    return table


def print_summary(outcomes: list[tuple[str, KernelResult | TilelabError]]) -> None:
    """Show a sweep's verdicts, one line each."""
    rows = [(escape(name), *_row(outcome)) for name, outcome in outcomes]
    wrong = ("what is wrong",) if any(what for *_, what in rows) else ()
    table = Rows(("kernel", "verdict", ">cycles", *wrong), folds=False)
    for row in rows:
        table.add(*row[: len(table.heads)])
    passed = sum(isinstance(o, KernelResult) and o.passed for _, o in outcomes)
    stdout.print(table)
    stdout.print(f"{passed} of {len(outcomes)} passed")


def _row(outcome: KernelResult | TilelabError) -> tuple[str, str, str]:
    """Verdict, cycles, and what is wrong."""
    if isinstance(outcome, TilelabError):
        return f"[red]{category(outcome)}[/]", "", escape(outcome.summary)
    if outcome.passed:
        return "[green]pass[/]", f"{outcome.cycles:,}", ""
    wrong = [output for output in outcome.outputs if not output.passed]
    lines = [line for output in wrong for line in output.lines()]
    return "[red]FAIL[/]", f"{outcome.cycles:,}", escape(lines[0])


def document(outcomes: list[tuple[str, KernelResult | TilelabError]]) -> dict[str, Any]:
    """The JSON document of a run; docs/cli/run.md describes it."""
    return {"kernels": [_entry(name, outcome) for name, outcome in outcomes]}


def _entry(name: str, outcome: KernelResult | TilelabError) -> dict[str, Any]:
    if isinstance(outcome, TilelabError):
        return failed(name, outcome)
    return {**outcome.to_dict(), "name": name}
