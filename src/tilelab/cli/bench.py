"""``tilelab bench``: how fast the simulators at hand are, on the same work."""

from tilelab.bench.backends import UnableError
from tilelab.bench.llk import LlkSet, kernels
from tilelab.bench.measure import Rate, Row, Spread
from tilelab.bench.report import SECTIONS, Plan, Results, everything
from tilelab.bench.traffic import TrafficRow
from tilelab.bench.work import chosen
from tilelab.cli.console import progress_line, stderr, stdout
from tilelab.cli.streams import print_json
from tilelab.cli.tables import Rows
from tilelab.cli.usage import JSON, argument, command, flag, option
from tilelab.sim.errors import BadInputError


@command()
def bench(
    names: list[str] | None = argument(
        "NAME...",
        "Beginnings of benchmarks' names, or llk, chip, check, growth, history, "
        "schedules, start, sweep.",
        default=None,
    ),
    runs: int = option("Measured runs of each.", default=5, min=1),
    size: list[int] | None = option("Length of a run; several may be given.", min=1),
    tiny: bool = flag("Runs as short as can be."),
    json: bool = JSON,
) -> None:
    """Measure the engines, and other simulators where they are installed, side by side."""
    sizes = size or [1]
    if runs < 1 or min(sizes) < 1:
        raise BadInputError("--runs and --size are 1 or more")
    asked = names or []
    sections = [name for name in SECTIONS if not asked or name in asked]
    others = [name for name in asked if name not in SECTIONS]
    if "llk" in asked:
        kernels()  # what is missing is said before anything is measured
    works = [] if asked and not others else chosen(others, SECTIONS)
    with progress_line(stderr) as show:
        results = everything(Plan(works, sections, runs, sizes, tiny), show)
    for name in asked:
        if name in results.missing:
            raise UnableError(f"{name}: {results.missing[name]}")
    if json:
        print_json(results.document())
    else:
        _show(results)


def _show_chip(rows: list[TrafficRow]) -> None:
    titles = (
        *("recording", ">accesses", "one processor, ms", "all, ms", "vendor's, ms"),
        *("times as fast", "with all", "all against one", ">MiB"),
    )
    table = Rows(titles)
    for played in rows:
        taken = (played.ours, played.together, played.vendors)
        times = (played.ratio, played.ratio_together, played.gain)
        used = f"{played.memory.gained:.0f}"
        table.add(played.name, f"{played.accesses:,}", *map(_spread, taken + times), used)
    stdout.print(table)


def _show(results: Results) -> None:
    if results.rows:
        stdout.print("millions of units a second of processor time: median (lowest .. highest),")
        stdout.print(
            "xN how many times as fast the fast engine is; memory beyond what imports take"
        )
        _show_rates(results.rows)
    for name, why in results.missing.items():
        stdout.print(f"not measured: {name}: {why}")
    for row in results.rows:
        for name, why in row.skipped.items():
            stdout.print(f"{row.name}: not on {name}: {why}")
    if results.llk:
        _show_llk(results.llk)
    if results.chip:
        _show_chip(results.chip)
    if results.check:
        table = Rows(("example", "plain, us", "checked, us", "times as long"))
        for pair in results.check:
            table.add(pair.name, *map(_spread, (pair.plain, pair.checked, pair.ratio)))
        stdout.print(table)
    if results.length:
        _show_rates(results.length)
    if results.tiles:
        table = Rows(("tiles", "ms each", ">memory, MiB"))
        for tile_row in results.tiles:
            gained = f"{tile_row.memory.gained:.0f}"
            table.add(str(tile_row.tiles), _spread(tile_row.milliseconds_each), gained)
        stdout.print(table)
    if results.history:
        heads = (
            "recorded, cycles",
            ">times as long",
            "step back, ms",
            "last change, ms",
            "snapshots",
        )
        table = Rows(heads)
        for past in results.history:
            spreads = (past.recording, past.step_back, past.last_change)
            table.add(f"{past.cycles:,}", *map(_spread, spreads), str(past.snapshots))
        stdout.print(table)
    if results.schedules:
        table = Rows(("explored", ">rounds", "schedules a second"))
        for found in results.schedules:
            table.add(found.kernel, f"{found.rounds:,}", _spread(found.rate))
        stdout.print(table)
    if results.start:
        for name, value in vars(results.start).items():
            stdout.print(f"start, {name.replace('_', ' ')}: {_spread(value)} s")
    if results.sweep:
        for name, value in vars(results.sweep).items():
            unit = "times as fast" if name.endswith("gain") else "s"
            stdout.print(f"sweep, {name.replace('_', ' ')}: {_spread(value)} {unit}")


def _spread(value: Spread) -> str:
    return f"{value.median:.3g} ({value.low:.3g} .. {value.high:.3g})"


def _rate(row: Row, name: str) -> str:
    rate: Rate | None = row.rates.get(name)
    if rate is None:
        return "-"
    cell = f"{rate.median / 1e6:.4g} ({rate.low / 1e6:.3g} .. {rate.high / 1e6:.3g})"
    ratios = row.ratios()
    return cell + (f" x{ratios[name]:.3g}" if name in ratios else "")


def _show_rates(rows: list[Row]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in (*row.rates, *row.skipped)))
    memory = f"MiB of {', '.join(names)}"
    table = Rows(("benchmark", ">size", "M/s of", *names, memory), folds=False)
    for row in rows:
        used = ", ".join(
            f"{row.memory[name].gained:.0f}" if name in row.memory else "-" for name in names
        )
        cells = [_rate(row, name) for name in names]
        table.add(row.name, str(row.size), row.unit, *cells, used)
    stdout.print(table)


def _show_llk(found: LlkSet) -> None:
    names = list(found.total.milliseconds)
    heads = "LLK family", ">kernels", *(f"{name}, ms" for name in names), "ratio"
    table = Rows(heads, folds=False)
    for times in (*found.families, *([found.cold] if found.cold else []), found.total):
        cells = [_spread(times.milliseconds[name]) for name in names]
        ratio = f"x{_spread(times.ratio)}" if times.ratio else "-"
        table.add(times.name, str(times.kernels), *cells, ratio)
    stdout.print(table)
    if found.worst and found.worst.ratio:
        stdout.print(f"the least ahead: {found.worst.name}, x{_spread(found.worst.ratio)}")
