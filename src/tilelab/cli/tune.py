"""``tilelab tune``: the best of many candidates."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.markup import escape

from tilelab.build.compilers import find_compiler
from tilelab.cli.console import progress_line, stderr, stdout
from tilelab.cli.streams import print_json
from tilelab.cli.tables import Rows
from tilelab.cli.usage import COMPILER, JSON, MAX_CYCLES, Only, argument, command, option
from tilelab.score.apart import limits_of, scored_on
from tilelab.score.table import best, error_of, read, unit, write
from tilelab.score.table import picture as drawn
from tilelab.score.tune import Rate, Row, candidates, halved, here
from tilelab.sim.files import check_writable, write_whole
from tilelab.sim.host import cores

VERSION = 1
SHOWN = 20


@command(rules=(Only("seconds memory jobs", "cluster", without=True),))
def tune(
    target: Path = argument("TARGET", "A kernel.toml, or its folder."),
    define: list[str] | None = option(
        "-D NAME=VALUES", "Try these values: 1,2,4 or 1..8; repeatable."
    ),
    source: list[Path] | None = option("FILE", "Try this C++ file; repeatable."),
    fidelity: list[str] | None = option(
        "NAME", "Try this math_fidelity: LoFi, HiFi2, HiFi3, HiFi4; repeatable."
    ),
    output: Path | None = option("-o FILE", "Keep the rows in this CSV file, and go on from it."),
    picture: Path | None = option("FILE", "Draw cycles against error, as SVG."),
    schedules: int = option(
        "N", "Of the best, also run so many schedules.", default=0, min=0, max=100_000
    ),
    max_cycles: int = MAX_CYCLES,
    seconds: float = option("S", "The time that one candidate may take.", default=60.0),
    memory: int = option("MIB", "The memory that one candidate may take.", default=4096, min=1),
    jobs: int | None = option("N", "Score so many at once; as many as there are cores.", min=1),
    cluster: str | None = option("ADDRESS", "Score on a Dask cluster that sees the same files."),
    compiler: str = COMPILER,
    json: bool = JSON,
) -> int:
    """Find the quickest right one of many candidates; exit 1 if none is right.

    Each is run once; the quicker half of the right ones is asked every number, of these the quicker
    half is scored whole. Several options that name values are tried in all combinations.
    """
    limits = limits_of(seconds, memory)
    given = define or (), source or (), fidelity or ()
    found = candidates(target, *given, schedules, max_cycles, compiler)
    find_compiler(compiler)
    for path in output, picture:
        check_writable(path)
    known = read(output) if output is not None else {}
    rate: Rate = here(limits, jobs or cores())
    if cluster is not None:
        rate = partial(scored_on, cluster)
    kept: dict[str, Row] = {}
    with progress_line(stderr) as show:

        def each(row: Row) -> None:
            kept[row["key"]] = row
            if output is not None:
                write(output, list(kept.values()))

        def tick(running: Sequence[str]) -> None:
            show(f"{len(kept)} of {len(found)} tried, running: {', '.join(running)}")

        rows = halved(found, rate, known, each, tick)
    if output is not None:
        write(output, rows)
    if picture is not None:
        write_whole(picture, drawn(rows, f"{target}: {len(rows)} candidates"))
    if json:
        front = [row["name"] for row in best(rows)]
        print_json({"version": VERSION, "tried": rows, "best": front})
    else:
        _print(rows)
    return 0 if rows[0]["right"] else 1


def _print(rows: Sequence[Row]) -> None:
    column = unit(rows)
    heads = ("", ">cycles", f">{column.replace('_', ' ')}", ">code", "asked", "what is wrong")
    table = Rows(heads)
    front = best(rows)
    for row in rows[:SHOWN]:
        error = error_of(row, column)
        cells: list[Any] = [
            "[bold green]best[/]" if row is rows[0] and row["right"] else "",
            f"{row['cycles']:,}" if row["cycles"] else "",
            "" if error is None else f"{error:.4g}",
            f"{row['code_bytes']:,}" if row["code_bytes"] else "",
            row["asked"],
            escape(f"{row['category']}: {row['message']}") if row["category"] else "",
        ]
        mark = "*" if row in front and row is not rows[0] else ""
        cells[0] = f"{escape(row['name'])}{mark and ' ' + mark} {cells[0]}".strip()
        table.add(*cells)
    stdout.print(table)
    if len(rows) > SHOWN:
        stdout.print(f"and {len(rows) - SHOWN:,} more")
    right = sum(bool(row["right"]) for row in rows)
    starred = "; *: no other is both quicker and more exact" if len(front) > 1 else ""
    stdout.print(f"{len(rows):,} tried, {right:,} right{starred}", highlight=False)
