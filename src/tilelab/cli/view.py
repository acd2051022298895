"""``tilelab view``: run one kernel or program under the cycle clock and draw what happened."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilelab.check.findings import Finding
from tilelab.cli.check import check_one
from tilelab.cli.console import progress_line, stderr
from tilelab.cli.prepared import single
from tilelab.cli.rebuild import build_stale
from tilelab.cli.report import warned
from tilelab.cli.run import watching
from tilelab.cli.streams import complain, complain_of, print_json
from tilelab.cli.usage import (
    ARCH,
    ENGINE,
    JSON,
    MAX_CYCLES,
    ONE_TARGET,
    Only,
    command,
    flag,
    option,
)
from tilelab.kernels.result import KernelResult, breakdown_document
from tilelab.report.breakdown import breakdown
from tilelab.runs.job import arch_of, name_of, readings_of, run_target
from tilelab.runs.targets import Target
from tilelab.sim.errors import BadInputError, MachineError, TilelabError
from tilelab.sim.files import writing
from tilelab.tensix.tile.tile import Tile
from tilelab.trace.page import page
from tilelab.trace.page.follow import follow, following
from tilelab.trace.recording import Recording


@command(rules=(Only("json", "watch", without=True),))
def view(
    targets: list[str] = ONE_TARGET,
    output: Path = option(
        "--page --output -o PAGE", "The page to write; - is stdout.", default=Path("report.html")
    ),
    arch: str | None = ARCH,
    engine: str = ENGINE,
    max_cycles: int = MAX_CYCLES,
    check: bool = flag("Also run it under the checker, and mark what it finds."),
    watch: bool = flag("Build, run and draw again at each change; the page follows."),
    json: bool = JSON,
) -> int:
    """Write one HTML page that shows a run: timeline, sources, bubbles, registers, heat maps.

    With --check what the checker finds is marked there. A run that fails is shown up to there; exit
    1 then, 2 if it cannot be run.
    """
    if str(output) == "-" and (json or watch):
        raise BadInputError("--page - is the page itself on stdout: no --json, no --watch")

    def once() -> int:
        if watch:
            build_stale(targets, "")
        return _view(targets, output, arch, engine, max_cycles, check=check, json=json, watch=watch)

    if not watch:
        return once()
    with following(output):
        return watching(targets, once)


def _view(
    targets: list[str], output: Path, arch: str | None, engine: str, max_cycles: int,
    *, check: bool, json: bool, watch: bool,
) -> int:  # fmt: skip
    target = single(targets, arch, "a page")
    tile = Tile(arch_of(target, arch), engine, "cycle", **readings_of(target))
    found_by_checker = check_one(target, arch, max_cycles, ())[0].findings if check else ()
    if str(output) == "-":
        made = _draw(target, tile, max_cycles, found_by_checker)
        sys.stdout.flush()
        sys.stdout.buffer.write(made.text.encode(errors="replace"))
    else:
        with writing(output) as at:
            made = _draw(target, tile, max_cycles, found_by_checker)
            text = follow(made.text, output) if watch else made.text
            at.write_text(text, encoding="utf-8", errors="replace")
        recording = made.recording
        stderr.print(f"{output}: {len(recording.events):,} events, {recording.end:,} cycles")
    for note in (*made.warnings, *(f"note: {note}" for note in tile.sources.notes)):
        stderr.print(note, markup=False, highlight=False)
    if made.error is not None:
        complain_of(made.error)
    elif made.wrong:
        complain(*made.wrong)
    failed = made.error is not None or bool(made.wrong)
    if json:
        document = {"page": str(output), "events": len(made.recording.events), "passed": not failed}
        print_json(document | made.document)
    return int(failed)


@dataclass(frozen=True)
class _Page:
    """A page, and what came of the run that it shows: what ended it, or what is wrong."""

    text: str
    recording: Recording
    error: TilelabError | None
    wrong: tuple[str, str] | None
    warnings: list[str]
    document: dict[str, Any]
    """What ``--json`` says of it: the breakdown, and what the checker found."""


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
            assert result.breakdown is not None  # the clock is the cycle clock
            report = breakdown_document(result.breakdown, result)
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
        said = {name: one for name, one in report.items() if name != "results"}
        return _Page(page(recording, report), recording, error, wrong, warnings, said)


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
