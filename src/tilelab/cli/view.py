"""``tilelab view``: run one kernel or program under the cycle clock and draw what happened."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tilelab.check.findings import Finding
from tilelab.cli.check import check_one
from tilelab.cli.console import complain, complain_of, progress_line, read_text, stderr
from tilelab.cli.cycles import breakdown_document
from tilelab.cli.job import arch_of, name_of, run_target
from tilelab.cli.options import Arch, Engine, MaxCycles
from tilelab.cli.report import warned
from tilelab.cli.targets import Target, Unreadable, resolve
from tilelab.kernels.run import DEFAULT_MAX_CYCLES, KernelResult
from tilelab.report.breakdown import breakdown
from tilelab.sim.errors import BadInputError, MachineError, TilelabError
from tilelab.sim.files import writing
from tilelab.tensix.tile.tile import Tile
from tilelab.trace.page import page
from tilelab.trace.recording import Recording

Targets = Annotated[
    list[str],
    typer.Argument(
        metavar="TARGET...", help="A kernel.toml or its folder, ELFs, assembly, - for stdin: one."
    ),
]
Check = Annotated[
    bool, typer.Option("--check", help="Also run it under the checker, and mark what it finds.")
]
Output = Annotated[Path, typer.Option("--output", "-o", help="The page to write; - is stdout.")]


def view(
    targets: Targets,
    output: Output = Path("report.html"),
    arch: Arch = None,
    engine: Engine = "fast",
    max_cycles: MaxCycles = DEFAULT_MAX_CYCLES,
    check: Check = False,
) -> int:
    """Write one HTML page that shows a run: timeline, sources, bubbles, registers, heat maps.

    With --check what the checker finds is marked there. A run that fails is shown up to there; exit
    1 then, 2 if it cannot be run.
    """
    found = resolve(targets, arch, read_text("-") if "-" in targets else None)
    if len(found) != 1:
        raise BadInputError(f"{len(found)} kernels: a page shows one; name it")
    target = found[0]
    if isinstance(target, Unreadable):
        raise target.error
    tile = Tile(arch_of(target, arch), engine, "cycle")
    found_by_checker = check_one(target, arch, max_cycles, ())[0].findings if check else ()
    if str(output) == "-":
        made = _draw(target, tile, max_cycles, found_by_checker)
        sys.stdout.flush()
        sys.stdout.buffer.write(made.text.encode(errors="replace"))
    else:
        with writing(output) as at:
            made = _draw(target, tile, max_cycles, found_by_checker)
            at.write_text(made.text, encoding="utf-8", errors="replace")
        recording = made.recording
        stderr.print(f"{output}: {len(recording.events):,} events, {recording.end:,} cycles")
    for note in (*made.warnings, *(f"note: {note}" for note in tile.sources.notes)):
        stderr.print(note, markup=False, highlight=False)
    if made.error is not None:
        complain_of(made.error)
    elif made.wrong:
        complain(*made.wrong)
    return 1 if made.error is not None or made.wrong else 0


@dataclass(frozen=True)
class _Page:
    """A page, and what came of the run that it shows: what ended it, or what is wrong."""

    text: str
    recording: Recording
    error: TilelabError | None
    wrong: tuple[str, str] | None
    warnings: list[str]


def _draw(target: Target, tile: Tile, max_cycles: int, found: Sequence[Finding]) -> _Page:
    """Run a target and draw it, and what a checker found; BadInputError if it cannot be run."""
    name = name_of(target)
    recording = Recording(tile, name)
    error: TilelabError | None = None
    wrong = None
    warnings: list[str] = []
    with progress_line(stderr) as show:
        show(f"{name}: running")
        try:
            result = run_target(
                target, tile, max_cycles, lambda cycles: show(f"{name}: {cycles:,} cycles")
            )
            report = breakdown_document(breakdown(tile.state), result)
            said, wrong = verdict(result)
            report |= said
            warnings = warned(result)
        except BadInputError:
            raise
        except TilelabError as problem:
            error = problem
            kind = error.category if isinstance(error, MachineError) else "error"
            report = breakdown_document(breakdown(tile.state), None)
            report |= {"verdict": kind, "problem": error.summary, "detail": error.detail}
        report["findings"] = [{**one.as_dict(), "relation": one.relation} for one in found]
        show(f"{name}: drawing {len(recording.events):,} events")
        return _Page(page(recording, report), recording, error, wrong, warnings)


def verdict(result: KernelResult) -> tuple[dict[str, Any], tuple[str, str] | None]:
    """What a page says of a run's outputs, and what is wrong: a line, and more of them."""
    found: dict[str, Any] = {
        "results": result.outputs,
        "outputs": [
            *(line for output in result.outputs for line in output.lines()),
            *(f"printed: {line}" for line in result.prints),
        ],
        "warnings": warned(result),
    }
    if result.passed:
        return found | ({"verdict": "PASS"} if result.outputs else {}), None
    wrong = [output.lines() for output in result.outputs if not output.passed]
    problem = "; ".join(lines[0] for lines in wrong)
    more = "\n".join(f"  {line}" for lines in wrong for line in lines[1:])
    return found | {"verdict": "FAIL", "problem": problem}, (f"FAIL {problem}", more)
