"""How the cycle clock's breakdown is shown: text for people, a document for programs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tilelab.cli.console import stdout
from tilelab.cli.job import Ran
from tilelab.cli.report import NAMES, where
from tilelab.cli.tables import Rows
from tilelab.kernels.expansions import PushSite
from tilelab.kernels.run import KernelResult
from tilelab.kernels.throttle import explain, recognise
from tilelab.report.breakdown import Breakdown, PartTime
from tilelab.report.what_if import Supposed
from tilelab.sim.errors import TilelabError


def print_breakdown(made: Breakdown, result: KernelResult) -> None:
    """Show where the time went."""
    seconds = made.cycles / made.clock_mhz
    stdout.print(
        f"  {made.cycles:,} cycles {made.interval.text(made.cycles)}, "
        f"{seconds:,.2f} µs at {made.clock_mhz / 1000:g} GHz",
        highlight=False,
    )
    if made.flop:
        stdout.print(
            f"  matrix unit: {made.flops / 1e12:.3f} of {made.peak_flops / 1e12:.3f} TFLOP/s, "
            f"{made.flops / made.peak_flops:.1%} of peak (each fidelity phase counts)"
        )
    if made.vector_flop:
        macros = "; without what SFPLOADMACRO scheduled" if made.macros else ""
        stdout.print(
            f"  vector unit: {made.vector_flops / 1e12:.4f} of "
            f"{made.vector_peak_flops / 1e12:.4f} TFLOP/s, "
            f"{made.vector_flops / made.vector_peak_flops:.1%} of peak (all 32 lanes{macros})"
        )
    stdout.print(_parts("thread", "issued", made.threads, made.stalled_stages))
    for thread in made.threads:
        if thread.waits:
            waits = ", ".join(f"{name}: {n:,}" for name, n in list(thread.waits.items())[:5])
            stdout.print(f"  {thread.name} waited for {waits}")
    stdout.print(_units(made))
    running = [core for core in made.cores if core.active]
    if running:
        stdout.print(_parts("core", "executed", running))
    stdout.print("  bound by")
    for depth, line in enumerate(made.chain):
        stdout.print(f"    {'  ' * depth}{'because ' if depth else ''}{line}")
    for line in throttles(result, firmware=made.firmware_throttle):
        stdout.print(f"  [yellow]{line}[/]")


def throttles(result: KernelResult, *, firmware: bool) -> list[str]:
    """What of a run was a throttled matmul: a line for each thread and level.

    ``firmware``: whether firmware's flag was set.
    """
    found: dict[tuple[int, int], list[PushSite]] = {}
    for site, tally in result.expansions.sites.items():
        level = recognise({NAMES.get(op, ""): count for op, count in tally.opcodes.items()})
        if level is not None:
            found.setdefault((site.thread, level), []).append(site)
    return [
        f"{_place(result, sites[0])}{_and_more(len(sites))} {explain(level, firmware=firmware)}"
        for (_, level), sites in found.items()
    ]


def _place(result: KernelResult, site: PushSite) -> str:
    return where(site, result.line_of(site.core, site.pc))


def _and_more(places: int) -> str:
    return "" if places == 1 else f" and {places - 1} more"


def _parts(
    kind: str, active: str, parts: list[PartTime], stalled: list[tuple[int, int]] | None = None
) -> Rows:
    heads = [f"  {kind}", f">{active}", ">share", "bubbles by cause"]
    if stalled:
        heads.insert(3, ">held: MOP, replay")
    table = Rows(tuple(heads))
    for i, part in enumerate(parts):
        causes = ", ".join(f"{name} {n:,}" for name, n in part.idle.items())
        row = [f"  {part.name}", f"{part.active:,}", f"{part.utilisation:.1%}", causes]
        if stalled:
            row.insert(3, f"{stalled[i][0]:,}, {stalled[i][1]:,}")
        table.add(*row)
    return table


def _units(made: Breakdown) -> Rows:
    table = Rows(("  unit", ">instructions", ">busy", ">share"))
    for unit in made.units:
        table.add(
            f"  {unit.name}", f"{unit.instructions:,}", f"{unit.busy:,}", f"{unit.utilisation:.1%}"
        )
    return table


def breakdown_document(made: Breakdown, result: KernelResult | None) -> dict[str, Any]:
    """The breakdown for ``--json`` and pages; docs/cycles.md describes it."""
    found = throttles(result, firmware=made.firmware_throttle) if result else []
    return {**made.as_dict(), "throttled": found}


def with_breakdowns(
    document: dict[str, Any],
    outcomes: list[tuple[str, KernelResult | TilelabError]],
    ran: Sequence[Ran],
) -> dict[str, Any]:
    """The document of a run, with each kernel's breakdown, and what it was supposed, if any."""
    for entry, (_, outcome), one in zip(document["kernels"], outcomes, ran, strict=True):
        if one.breakdown is not None and isinstance(outcome, KernelResult):
            entry["breakdown"] = breakdown_document(one.breakdown, outcome)
        if one.supposed:
            entry["what_if"] = [asdict(supposed) for supposed in one.supposed]
    return document


def print_supposed(cycles: int, supposed: Sequence[Supposed]) -> None:
    """Show what a run would take if something were faster."""
    if not supposed:
        return
    stdout.print("  what if")
    for one in supposed:
        if one.cycles is None:
            stdout.print(f"    {one.text}: not known: {one.reason}", markup=False)
            continue
        saved = (cycles - one.cycles) / cycles if cycles else 0.0
        change = f"saves {saved:.1%}" if saved >= 0 else f"costs {-saved:.1%}"
        stdout.print(
            f"    {one.text}: {one.cycles:,} cycles, "
            + (change if one.cycles != cycles else "as it is"),
            markup=False,
        )
