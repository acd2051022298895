"""How the cycle clock's breakdown is shown: text for people, a document for programs."""

from collections.abc import Sequence

from rich.markup import escape

from tilelab.cli.console import stdout
from tilelab.cli.tables import Rows
from tilelab.kernels.result import KernelResult, throttles
from tilelab.report.breakdown import Breakdown
from tilelab.report.parts import PartTime
from tilelab.report.placements import Levels
from tilelab.report.what_if import Supposed

MOST_ADVICE = 12
"""Lines of advice that are shown."""


def print_breakdown(made: Breakdown, result: KernelResult, levels: Levels | None = None) -> None:
    """Show where the time went."""
    seconds = made.cycles / made.clock_mhz
    stdout.print(
        f"  {made.cycles:,} cycles {made.interval.text(made.cycles)}, "
        f"{seconds:,.2f} µs at {made.clock_mhz / 1000:g} GHz",
        highlight=False,
    )
    if levels is not None:
        _print_levels(levels)
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
    _print_waits("waited for", made.threads)
    stdout.print(_units(made))
    running = [core for core in made.cores if core.active]
    if running:
        stdout.print(_parts("core", "executed", running))
        _print_waits("polled", running)
    stdout.print("  bound by")
    for depth, line in enumerate(made.chain):
        stdout.print(f"    {'  ' * depth}{'because ' if depth else ''}{line}")
    for line in made.advice:
        stdout.print(f"    {line}", markup=False)
    for line in throttles(result, firmware=made.firmware_throttle):
        stdout.print(f"  [yellow]{line}[/]")


def _print_levels(levels: Levels) -> None:
    count = len(levels.cycles)
    if levels.low == levels.high:
        found = f"{levels.low:,} cycles in each of {count} placements"
    else:
        found = f"{levels.low:,} to {levels.high:,} cycles in {count} placements"
    stdout.print(f"  {found}: {levels.decided_by()}", highlight=False)
    for one in levels.failed:
        stdout.print(f"  [yellow]{one.text}[/]: {escape(one.reason)}")


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


def _print_waits(what: str, parts: list[PartTime]) -> None:
    for part in parts:
        if part.waits:
            waits = ", ".join(f"{name}: {n:,}" for name, n in list(part.waits.items())[:5])
            stdout.print(f"  {part.name} {what} {waits}")


def _units(made: Breakdown) -> Rows:
    table = Rows(("  unit", ">instructions", ">busy", ">share", "idle by cause"))
    for unit in made.units:
        why = ", ".join(f"{name} {n:,}" for name, n in unit.causes.items())
        numbers = f"{unit.instructions:,}", f"{unit.busy:,}", f"{unit.utilisation:.1%}"
        table.add(f"  {unit.name}", *numbers, why)
    return table


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
        if one.low is not None:
            change += f"; on a card {one.low:,} to {one.high:,}"
        stdout.print(
            f"    {one.text}: {one.cycles:,} cycles, "
            + (change if one.cycles != cycles else "as it is"),
            markup=False,
        )
        for line in one.advice[:MOST_ADVICE]:
            stdout.print(f"      {line}", markup=False)
        if len(one.advice) > MOST_ADVICE:
            stdout.print(f"      and {len(one.advice) - MOST_ADVICE} more")
