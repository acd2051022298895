"""What ``tilelab ttnn`` shows of a chip that was recorded, under the checker too."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from tilelab.check.run import Checked
from tilelab.cli.check_chip import check_one, document
from tilelab.cli.check_chip import show as show_checked
from tilelab.cli.chip_look import Look
from tilelab.cli.chip_view import look_at
from tilelab.cli.streams import print_json
from tilelab.traffic.calls import CallLog
from tilelab.traffic.recording import TrafficRecording


def replayed(
    recording: TrafficRecording | CallLog,
    name: str,
    look: Look,
    roots: Iterable[Path] = (),
    json: bool = False,
) -> int:
    """Replay a recording: under the checker, if asked to, and as :func:`look_at`.

    1 if either says so. ``roots``, ``json``: as there.
    """
    run: Checked | None = None
    failed = False
    if look.check:
        run, failed = check_one(recording, late=look.late)
        run = replace(run, name=name)
        if not json:
            show_checked(run)
    if not look.timed:
        if json and run is not None:
            print_json({"version": 1, "runs": [document(run)]})
        return int(failed)
    return max(look_at(recording, name, look, roots, json, run), int(failed))
