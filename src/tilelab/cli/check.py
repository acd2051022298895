"""``tilelab check``: run programs under the checker and the race explorer."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tilelab.check.engine import CheckedTile
from tilelab.check.run import UNSET, UNWRITTEN, Checked, checked, outputs_from_junk, set_policies
from tilelab.check.watch import of_file
from tilelab.cli.check_chip import Reports, check_recordings
from tilelab.cli.check_claims import answers, show_answers, with_answers
from tilelab.cli.check_schedules import Explored, Wanted, explore, number_of, show_explored
from tilelab.cli.chip_look import recordings_among
from tilelab.cli.findings import show_findings, write_files
from tilelab.cli.run import policies
from tilelab.cli.streams import complain, print_json, printing, read_text
from tilelab.cli.usage import (
    ARCH,
    JSON,
    JUNK,
    MAX_CYCLES,
    POLICY,
    SCHEDULE,
    TARGETS,
    Only,
    command,
    flag,
    option,
)
from tilelab.explore.claim_lists import Claim, read_claims
from tilelab.explore.claims import Answer
from tilelab.explore.schedule import read_schedule
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.kernels.moment import Moment
from tilelab.kernels.run import DEFAULT_MAX_CYCLES
from tilelab.runs.job import arch_of, name_of, readings_of, run_target
from tilelab.runs.targets import Target, Unreadable, resolve
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import check_writable

DELAYS = 2
SETDMAREG_OVERTAKEN = "setdmareg-overtaken"

BOUND = option(
    "Pairs of accesses turned round, or the depth by priorities.", default=2, min=1, max=16
)
SAVE_SCHEDULE = option("--save-schedule FILE", "Keep a schedule that differs, for --schedule.")
CHECKS = option("FILE", "Also make the checks of this Python file; repeatable.")
CLAIM = option(
    "CLAIM", "Execute 'FILE:LINE races FILE:LINE', or each of a file of such lines; repeatable."
)


@command(rules=(Only("bound seed save places", "schedules schedule"),), old={"--save": "save"})
def check(
    targets: list[str] = TARGETS,
    arch: str | None = ARCH,
    max_cycles: int = MAX_CYCLES,
    policy: list[str] | None = POLICY,
    sarif_file: Path | None = option("--sarif FILE", "Write the findings as SARIF 2.1.0."),
    page_file: Path | None = option("--page PAGE", "Also write an HTML page here."),
    schedules: str = option("N|exhaustive", "Also run so many schedules, or all.", default="0"),
    bound: int = BOUND,
    seed: int = option("Which random schedules.", default=0, min=0),
    schedule: Path | None = SCHEDULE,
    save: Path | None = SAVE_SCHEDULE,
    places: bool = flag("Of a schedule that differs: where else one delay does."),
    checks: list[Path] | None = CHECKS,
    claim: list[str] | None = CLAIM,
    junk: int | None = JUNK,
    late: bool = flag("Of a recording: also let what tiles ask of the NoC come as late as it may."),
    json: bool = JSON,
) -> int:
    """Run programs under the checker; exit 1 if anything is found, 2 if one cannot be run."""
    chosen = policies(policy or [], checker=True)
    for path in sarif_file, page_file, save:
        check_writable(path)
        printing.goes_on |= path is not None
    claims = read_claims(claim or [])
    explores = schedules != "0" or schedule is not None
    details = bool(save or places or bound != DELAYS or seed)
    tile = bool(arch or checks) or max_cycles != DEFAULT_MAX_CYCLES or junk is not None
    if _recorded(targets, explores, details, tile, late):
        reports = Reports(sarif_file, page_file, json)
        return check_recordings(targets, chosen, reports, late, claims)
    overtaking = (SETDMAREG_OVERTAKEN, "off") not in chosen
    replay, drawn = read_schedule(schedule) if schedule else None, page_file is not None
    wanted = Wanted(number_of(schedules), bound, seed, replay, save, places, drawn, overtaking)
    code, done, explored, answered = 0, list[Checked](), list[Explored](), list[list[Answer]]()
    found = resolve(targets, arch, read_text("-") if "-" in targets else None)
    printing.goes_on |= len(found) == 1 and not wanted.any and not claims
    for target in found:
        if isinstance(target, Unreadable):
            complain(target.error.summary, target.error.detail)
            code = 2
            continue
        run, warned = check_one(target, arch, max_cycles, chosen, checks or (), junk)
        done.append(run)
        if not json:
            show(run)
        if wanted.any:
            explored.append(explore(target, arch, max_cycles, wanted))
            if not json:
                show_explored(explored[-1])
            code = max(code, int(explored[-1].serious))
        if claims:
            answered.append(_answers(target, arch, max_cycles, claims, None if chosen else run))
            code = max(code, show_answers(answered[-1], quiet=json))
        code = max(code, int(run.failed(warned)))
    pictures = {one.name: f"<section>{one.picture}</section>" for one in explored}
    write_files(done, sarif_file, page_file, pictures)
    if json:
        print_json(_document(done, explored, answered))
    return code


def _answers(
    target: Target, arch: str | None, max_cycles: int, claims: list[Claim], run: Checked | None
) -> list[Answer]:
    """What is known of claims; ``run``: under the checker, None if that had its own policies."""
    if run is None:
        run, _ = check_one(target, arch, max_cycles, ())
    return answers(target, arch, max_cycles, claims, run.findings)


def _document(
    done: list[Checked], explored: list[Explored], answered: list[list[Answer]]
) -> dict[str, Any]:
    """For JSON: every run, with what its schedules and claims gave."""
    runs = [run.as_dict() for run in done]
    for made, more in zip(runs, explored, strict=False):
        made["schedules"] = more.as_dict()
    return {"version": 1, "runs": with_answers(runs, answered)}


def _recorded(targets: list[str], explores: bool, details: bool, tile: bool, late: bool) -> bool:
    """Whether targets are recordings; BadInputError for options that would change nothing.

    ``details`` are about exploring schedules, ``tile`` about the tile that a program runs on.
    """
    recorded = recordings_among(targets)
    if late and not recorded:
        raise BadInputError("--late is for recordings: a tile by itself has no NoC to be late")
    if recorded and (explores or details):
        raise BadInputError("recordings have no schedules to explore")
    if recorded and tile:
        raise BadInputError(
            "recordings take --policy, --late, --claim, --sarif, --page and --json only"
        )
    return recorded


def check_one(
    target: Target,
    arch: str | None,
    max_cycles: int,
    chosen: tuple[tuple[str, str], ...],
    files: Sequence[Path] = (),
    junk: int | None = None,
) -> tuple[Checked, set[str]]:
    """Run one program under the checker; also the names of checks that only warn."""
    watches = [one for file in files for one in of_file(file)]
    tile = CheckedTile(arch_of(target, arch), junk, watches, **readings_of(target))
    if isinstance(target, Moment):  # what was written before is not known
        chosen = (*((rule, "off") for rule in (*UNWRITTEN, *UNSET)), *chosen)
    warned = set_policies(tile, chosen)
    result_of = None
    if isinstance(target, KernelFile) and target.outputs:
        result_of = partial(outputs_from_junk, target, max_cycles)
    run = checked(name_of(target), tile, lambda t: run_target(target, t, max_cycles), result_of)
    return run, warned


def show(run: Checked) -> None:
    """Print what came of one program."""
    ended = "did not end" if run.result is None else f"{run.result.cycles:,} cycles"
    wrong = "an output is wrong" if run.result is not None and not run.result.passed else ""
    show_findings(run, ended, wrong)
