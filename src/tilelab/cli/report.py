"""How results of runs are shown: text for people, a document for programs."""

from itertools import groupby
from math import isfinite
from typing import Any

from rich.markup import escape

from tilelab.cli.console import stdout
from tilelab.cli.tables import Rows
from tilelab.kernels.expansions import KEPT, PushSite, SiteTally
from tilelab.kernels.outputs import OutputResult
from tilelab.kernels.run import KernelResult
from tilelab.report.breakdown import THREAD_NAMES
from tilelab.sim.errors import MachineError, TilelabError
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.words.origin import CORE_NAMES, unpack_origin

NAMES = {row.opcode: row.name for row in ARCHES["blackhole"].instructions.values()}
"""Of every opcode; Wormhole's are among Blackhole's, by the same names."""
CORES = range(4)


def chain(tally: SiteTally) -> str:
    """One expansion in a line: ``1 MOP -> 4 REPLAY(16 words) -> 64 MVMUL, 1 SETRWC``."""
    from_mop = any(unpack_origin(origin).mop_step is not None for _, origin in tally.first)
    groups = []
    for _, group in groupby(tally.first, key=lambda item: _emission(item[1])):
        words = list(group)
        played = unpack_origin(words[0][1]).replay_slot is not None
        groups.append(
            f"REPLAY({len(words)} words)" if played else NAMES.get(words[0][0] >> 24, "?")
        )
    issued: dict[str, int] = {}
    for word, _ in tally.first:
        name = NAMES.get(word >> 24, f"opcode {word >> 24:#x}")
        issued[name] = issued.get(name, 0) + 1
    parts = [_counted(groups)] if from_mop else []
    backend = ", ".join(f"{count} {name}" for name, count in issued.items())
    if not from_mop or any(text.startswith("REPLAY") for text in groups):
        parts.append(backend)
    kept = f"   (of its first {KEPT:,} words)" if len(tally.first) >= KEPT else ""
    return " -> ".join(["1 MOP" if from_mop else "1 REPLAY", *parts]) + kept


def _emission(origin: int) -> tuple[int | None, bool]:
    """What tells apart the words that the MOP expander emitted."""
    where = unpack_origin(origin)
    return where.mop_step, where.replay_slot is not None


def _counted(items: list[str]) -> str:
    counts: dict[str, int] = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return ", ".join(f"{count} {item}" for item, count in counts.items())


def where(site: PushSite, line: str = "") -> str:
    """A thread, and who pushed where: the author's line first, if it is known."""
    if site.core not in CORES:
        return f"T{site.thread} {line or f'line {site.pc}'}"
    pushed = f"{CORE_NAMES[site.core]} {site.pc:#x}"
    return f"T{site.thread} {line} ({pushed})" if line else f"T{site.thread} {pushed}"


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
        return f"[red]{_category(outcome)}[/]", "", escape(outcome.summary)
    if outcome.passed:
        return "[green]pass[/]", f"{outcome.cycles:,}", ""
    wrong = [output for output in outcome.outputs if not output.passed]
    lines = [line for output in wrong for line in output.lines()]
    return "[red]FAIL[/]", f"{outcome.cycles:,}", escape(lines[0])


def _category(error: TilelabError) -> str:
    return error.category if isinstance(error, MachineError) else "BadInput"


def document(outcomes: list[tuple[str, KernelResult | TilelabError]]) -> dict[str, Any]:
    """The JSON document of a run; docs/cli/run.md describes it."""
    return {"kernels": [_entry(name, outcome) for name, outcome in outcomes]}


def _entry(name: str, outcome: KernelResult | TilelabError) -> dict[str, Any]:
    if isinstance(outcome, TilelabError):
        return {
            "name": name,
            "passed": False,
            "error": {
                "category": _category(outcome),
                "summary": outcome.summary,
                "detail": outcome.detail,
            },
        }
    return {
        "name": name,
        "passed": outcome.passed,
        "cycles": outcome.cycles,
        "outputs": [_output(output) for output in outcome.outputs],
        "threads": {str(t): vars(counts) for t, counts in enumerate(outcome.threads)},
        "riscv_instructions": outcome.retired,
        "expansions": [
            {
                "thread": site.thread,
                "core": CORE_NAMES.get(site.core, "host"),
                "pc": site.pc,
                "times": tally.runs,
                "issued": tally.issued,
                "chain": chain(tally),
            }
            for site, tally in outcome.expansions.sites.items()
        ],
        "warnings": outcome.warnings,
        "prints": outcome.prints,
    }


def _output(output: OutputResult) -> dict[str, Any]:
    first = output.first
    return {
        "address": output.address,
        "shape": list(output.shape),
        "passed": output.passed,
        "elements": output.elements,
        "wrong": output.wrong,
        "largest_error": None if output.worst is None else number(output.worst),
        "bytes_differ": output.bytes_differ,
        "not_pushed": output.not_pushed or None,
        "first_wrong": None
        if first is None
        else {
            "index": list(first.index),
            "got": number(first.got),
            "expected": number(first.expected),
        },
        "diagnosis": list(output.diagnosis),
    }


def number(value: float) -> float | str:
    """A number for JSON, which has no infinities and NaNs: those become text."""
    return value if isfinite(value) else str(value)
