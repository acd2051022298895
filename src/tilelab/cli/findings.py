"""Findings of the checker on a terminal and in files."""

import json
from collections.abc import Mapping
from pathlib import Path

from tilelab.check.page import page
from tilelab.check.run import Checked
from tilelab.check.sarif import sarif
from tilelab.cli.console import say
from tilelab.explore.drawn import STYLE
from tilelab.sim.files import write_whole


def show_findings(run: Checked, ended: str, wrong: str = "") -> None:
    """Print what was found; ``ended`` says how it ended, ``wrong`` what came out otherwise."""
    count = len(run.findings)
    said = "nothing found" if not count else f"{count} finding{'s' if count > 1 else ''}"
    say(f"{run.name}: {said}, {ended}")
    if wrong:
        say(f"  {wrong}")
    for finding in run.findings:
        for line in finding.lines():
            say(f"  {line}")
    for note in run.notes:
        say(f"  note: {note}")


def write_files(
    done: list[Checked],
    sarif_file: Path | None,
    page_file: Path | None,
    pictures: Mapping[str, str] | None = None,
) -> None:
    """Write findings as SARIF and as a page, where either is wanted."""
    if sarif_file is not None:
        write_whole(sarif_file, json.dumps(sarif(done), indent=1) + "\n")
    if page_file is not None:
        write_whole(page_file, page(done, pictures, STYLE))
