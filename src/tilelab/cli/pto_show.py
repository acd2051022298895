"""What the ``pto`` commands share: how a run is shown."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilelab.cli.streams import print_json
from tilelab.pto import Result
from tilelab.pto import report as report_page
from tilelab.pto import timeline as timelines
from tilelab.pto.cycles import text as told
from tilelab.pto.cycles.clock import Timed, clock
from tilelab.pto.cycles.figures import figures as figures_of
from tilelab.pto.paths import Arch
from tilelab.sim.errors import BadInputError, DeadlockError, TilelabError
from tilelab.sim.files import write_whole


@dataclass(frozen=True)
class Shown:
    """How a run is shown."""

    timeline: bool
    trace: Path | None
    page: Path | None
    json: bool
    cycles: bool = False
    figures: list[str] = field(default_factory=list)

    def timed(self, result: Result, arch: Arch, vec: int) -> Timed | None:
        """The time of a run, if it is asked for; BadInputError where a figure is not one."""
        if self.figures and not self.cycles:
            raise BadInputError("--set is for --cycles")
        return (
            clock(result, arch, vec, figures_of(arch.name, self.figures)) if self.cycles else None
        )


def write_files(
    shown: Shown,
    result: Result,
    name: str,
    error: TilelabError | None,
    timed: Timed | None = None,
) -> None:
    """Write the files that were asked for; BadInputError where that cannot be done."""
    if shown.trace is not None:
        trace = timelines.perfetto(result) if timed is None else told.perfetto(result, timed)
        write_whole(shown.trace, json.dumps(trace))
    if shown.page is not None:
        write_whole(shown.page, report_page.html(result, f"PTO: {name}", error, timed))


def print_rings(shown: Shown, result: Result, timed: Timed | None = None) -> None:
    """Print the timeline, if wanted, a line for each ring, and the time, if wanted."""
    if shown.timeline:
        print(timelines.text(result), end="")
    for ring, row in result.summary().items():
        print(
            f"{ring}: {row['pushes']} pushes, {row['pops']} pops, {row['free_waits']} waits "
            f"for a free slot, {row['free_signals']} free signals, {row['drained']} drained, "
            f"{row['bytes']} bytes"
        )
    if timed is not None:
        print(told.text(timed), end="")


def print_document(
    result: Result, error: TilelabError | None, ok: bool, findings: list[Any], **more: Any
) -> None:
    """Print the one JSON document of a run."""
    said = None
    if error is not None:
        said = {"kind": type(error).__name__, "code": error.code}
        said |= {"summary": error.summary, "detail": error.detail}
    document = {
        "ok": ok,
        "error": said,
        "deadlock": error.report.as_dict() if isinstance(error, DeadlockError) else None,
        "rings": result.summary(),
        "findings": [vars(finding) for finding in findings],
        "flags": {f"{core} {flag}": count for (core, flag), count in result.flags.items()},
    }
    print_json(document | more)
