"""``tilelab check RECORDING`` and ``tilelab ttnn --check``: a whole chip under the checker."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilelab.check.chip.claims import Requests
from tilelab.check.chip.run import Ended, Recording, checked_recording
from tilelab.check.run import Checked
from tilelab.cli.check_claims import named, show_answers, with_answers
from tilelab.cli.console import progress_line, stderr
from tilelab.cli.findings import show_findings, write_files
from tilelab.cli.streams import print_json
from tilelab.explore.claim_lists import Claim
from tilelab.explore.claims import Answer
from tilelab.traffic.calls import read_any

Policies = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Reports:
    """Where else than on the terminal findings go."""

    sarif: Path | None = None
    page: Path | None = None
    json: bool = False


def check_recordings(
    targets: list[str],
    policies: Policies,
    reports: Reports,
    late: bool = False,
    claims: Sequence[Claim] = (),
) -> int:
    """Replay recordings under the checker; exit 1 if anything is found or a reply differs."""
    recordings = [read_any(target) for target in targets]
    code = 0
    done: list[Checked] = []
    answered: list[list[Answer]] = []
    for recording in recordings:
        requests = Requests(claims) if claims else None
        run, failed = check_one(recording, policies, late, requests)
        done.append(run)
        code = max(code, int(failed))
        if not reports.json:
            show(run)
        if requests is not None:  # whatever the policies say
            found = check_one(recording)[0].findings if policies else run.findings
            answered.append([requests.answer(claim, named(claim, found)) for claim in claims])
            code = max(code, show_answers(answered[-1], quiet=reports.json))
    write_files(done, reports.sarif, reports.page)
    if reports.json:
        print_json({"version": 1, "runs": with_answers(map(document, done), answered)})
    return code


def check_one(
    recording: Recording,
    policies: Policies = (),
    late: bool = False,
    requests: Requests | None = None,
) -> tuple[Checked, bool]:
    """Replay one; also whether that is a failure: a finding that is no warning, or a reply."""
    with progress_line(stderr) as progress:
        run, warned = checked_recording(recording, policies, progress, late, requests)
    return run, run.failed(warned)


def show(run: Checked) -> None:
    """Print what came of one."""
    result = run.result
    if not isinstance(result, Ended):
        show_findings(run, "did not end")
        return
    made = result.replayed
    tiles = "1 tile" if made.tiles == 1 else f"{made.tiles} tiles"
    ended = f"{made.arch}, {tiles}, {made.replies:,} replies, {result.cycles:,} rounds"
    wrong = "" if made.passed else f"not as recorded: {made.differences[0]}"
    show_findings(run, ended, wrong)


def document(run: Checked) -> dict[str, Any]:
    """For JSON: as of one tile, and what was replayed."""
    made = run.result.replayed if isinstance(run.result, Ended) else None
    return run.as_dict() | {
        "arch": made.arch if made else None,
        "tiles": made.tiles if made else None,
        "replies": made.replies if made else None,
        "noc_requests": made.requests if made else None,
        "difference": str(made.differences[0]) if made and made.differences else None,
    }
