"""``tilelab view``: run one kernel or program under the cycle clock and draw what happened."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tilelab.cli.console import complain, read_text, stderr, stdout
from tilelab.cli.cycles import breakdown_document
from tilelab.cli.job import arch_of, name_of, run_target
from tilelab.cli.targets import Unreadable, resolve
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.tensix.cycle.breakdown import breakdown
from tilelab.tensix.kernel_run import DEFAULT_MAX_CYCLES
from tilelab.tensix.tile import Tile
from tilelab.trace.page import page, write_page
from tilelab.trace.recording import Recording


def view(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET...",
            help="A kernel.toml or its folder, ELFs, assembly, or - for stdin: one run.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The page to write; - is stdout.")
    ] = Path("report.html"),
    arch: Annotated[str, typer.Option(help="blackhole or wormhole (kernel.toml: its own).")] = (
        "blackhole"
    ),
    engine: Annotated[str, typer.Option(help="fast or reference.")] = "fast",
    max_cycles: Annotated[
        int, typer.Option(min=1, help="Give up after this many cycles.")
    ] = DEFAULT_MAX_CYCLES,
) -> int:
    """Write one HTML page that shows a run: timeline, sources, bubbles, registers, heat maps.

    A run that fails is shown up to there; exit 1 then, 2 if it cannot be run.
    """
    found = resolve(targets, arch, read_text("-") if "-" in targets else None)
    if len(found) != 1:
        raise BadInputError(f"{len(found)} kernels: a page shows one; name it")
    target = found[0]
    if isinstance(target, Unreadable):
        raise target.error
    tile = Tile(arch_of(target, arch), engine, "cycle")
    recording = Recording(tile, name_of(target))
    error: TilelabError | None = None
    report: dict[str, Any] = {}
    failed = False
    try:
        result = run_target(target, tile, max_cycles)
        report = breakdown_document(breakdown(tile.state), result)
        failed = not result.passed
        if result.outputs:
            report["verdict"] = "FAIL" if failed else "PASS"
    except TilelabError as problem:
        if isinstance(problem, BadInputError):
            raise
        error = problem
        report = breakdown_document(breakdown(tile.state), None)
        report["error"] = f"{error.summary}\n{error.detail}".strip()
    text = page(recording, report)
    if str(output) == "-":
        stdout.file.write(text)
    else:
        write_page(text, output)
        stderr.print(f"{output}: {len(recording.events):,} events, {recording.end:,} cycles")
    if error is not None:
        complain(error.summary, error.detail)
    return 1 if failed or error is not None else 0
