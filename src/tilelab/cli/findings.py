"""Findings of the checker on a terminal and in files."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tilelab.cli.console import stdout
from tilelab.sim.files import writing
from tilelab.tensix.check.page import page
from tilelab.tensix.check.run import Checked
from tilelab.tensix.check.sarif import sarif
from tilelab.tensix.explore.drawn import STYLE


def show_findings(run: Checked, ended: str, wrong: str = "") -> None:
    """Print what was found; ``ended`` says how it ended, ``wrong`` what came out otherwise."""
    count = len(run.findings)
    said = "nothing found" if not count else f"{count} finding{'s' if count > 1 else ''}"
    _say(f"{run.name}: {said}, {ended}")
    if wrong:
        _say(f"  {wrong}")
    for finding in run.findings:
        for line in finding.lines():
            _say(f"  {line}")
    for note in run.notes:
        _say(f"  note: {note}")


def _say(text: str) -> None:
    stdout.print(text, markup=False)


@contextmanager
def finding_files(
    sarif_file: Path | None, page_file: Path | None
) -> Iterator[Callable[[list[Checked], Mapping[str, str]], None]]:
    """Open files for SARIF and for a page, where wanted; yields what writes findings to them."""
    with ExitStack() as files:
        sarif_at = files.enter_context(writing(sarif_file)) if sarif_file else None
        page_at = files.enter_context(writing(page_file)) if page_file else None

        def write(done: list[Checked], pictures: Mapping[str, str]) -> None:
            if sarif_at:
                sarif_at.write_text(json.dumps(sarif(done), indent=1) + "\n", encoding="utf-8")
            if page_at:
                text = page(done, pictures, STYLE)
                page_at.write_text(text, encoding="utf-8", errors="replace")

        yield write
