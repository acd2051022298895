"""``tilelab bench``: how fast the simulators at hand are, on the same work."""

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Table

from tilelab.bench.measure import Row, backends, measure
from tilelab.bench.start import measure_start
from tilelab.bench.work import chosen
from tilelab.cli.console import print_json, stderr, stdout
from tilelab.sim.errors import BadInputError


def bench(
    names: Annotated[list[str] | None, typer.Argument(help="Benchmarks; default all.")] = None,
    runs: Annotated[int, typer.Option(help="Measured runs of each.")] = 5,
    size: Annotated[
        list[int] | None, typer.Option(help="Length of a run; several may be given.")
    ] = None,
    tiny: Annotated[bool, typer.Option("--tiny", help="Runs as short as can be.")] = False,
    start: Annotated[bool, typer.Option("--start", help="Also cold and warm starts.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Measure the engines, and other simulators where they are installed, side by side."""
    sizes = size or [1]
    if runs < 1 or min(sizes) < 1:
        raise BadInputError("--runs and --size are 1 or more")
    works = chosen(names or [])
    simulators, missing = backends()
    rows = []
    for work in works:
        for length in sizes:
            if stderr.is_terminal:
                stderr.print(f"  {work.name}, size {length}")
            rows.append(measure(work, simulators, runs, length, tiny))
    starts = measure_start(runs) if start else None
    if json:
        print_json(
            {"benchmarks": [_document(row) for row in rows], "missing": missing, "start": starts}
        )
        return
    stdout.print(_table(rows, [backend.name for backend in simulators]))
    for name, why in missing.items():
        stdout.print(f"not measured: {name}: {why}")
    for row in rows:
        for name, why in row.skipped.items():
            stdout.print(f"{row.name}: not on {name}: {why}")
    for name, value in (starts or {}).items():
        stdout.print(f"{name.replace('_', ' ')}: {value:.3f}")


def _document(row: Row) -> dict[str, Any]:
    return {**asdict(row), "ratios": row.ratios()}


def _table(rows: list[Row], names: list[str]) -> Table:
    """Millions of units a second: median, and lowest to highest; how often as fast `fast` is."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in ("benchmark", "size", "M/s of", *names):
        table.add_column(head)
    for row in rows:
        ratios, cells = row.ratios(), []
        for name in names:
            rate = row.rates.get(name)
            if rate is None:
                cells.append("-")
                continue
            cell = f"{rate.median / 1e6:.4g} ({rate.low / 1e6:.3g} .. {rate.high / 1e6:.3g})"
            cells.append(cell + (f" x{ratios[name]:.3g}" if name in ratios else ""))
        table.add_row(row.name, str(row.size), row.unit, *cells)
    return table
