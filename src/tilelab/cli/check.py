"""``tilelab check``: run programs under the checker and the race explorer."""

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tilelab.cli.check_schedules import Explored, Wanted, explore, number_of, show_explored
from tilelab.cli.console import complain, print_json, read_text, stdout
from tilelab.cli.job import arch_of, name_of, run_target
from tilelab.cli.options import Arch, Json, MaxCycles
from tilelab.cli.run import PolicyTexts, Targets, policies
from tilelab.cli.targets import Target, Unreadable, resolve
from tilelab.sim.files import writing
from tilelab.tensix.check.engine import CheckedTile
from tilelab.tensix.check.kernels import outputs_from_junk
from tilelab.tensix.check.page import page
from tilelab.tensix.check.run import UNWRITTEN, Checked, checked, set_policies
from tilelab.tensix.check.sarif import sarif
from tilelab.tensix.explore.drawn import STYLE
from tilelab.tensix.kernel_toml.file import KernelFile
from tilelab.tensix.programs.moment import Moment
from tilelab.tensix.programs.run import DEFAULT_MAX_CYCLES

Sarif = Annotated[
    Path | None, typer.Option("--sarif", help="Write the findings here as SARIF 2.1.0.")
]
Page = Annotated[
    Path | None, typer.Option("--page", help="Write the findings here as one HTML page.")
]
Schedules = Annotated[
    str, typer.Option(metavar="N|exhaustive", help="Also run so many schedules, or all.")
]
Replay = Annotated[
    Path | None, typer.Option("--schedule", help="Run under the schedule in this file instead.")
]
Save = Annotated[
    Path | None, typer.Option("--save", help="Write a schedule that differs here, for --schedule.")
]
Bound = Annotated[int, typer.Option(min=1, max=16, help="Delays in a schedule, at most.")]
Seed = Annotated[int, typer.Option(min=0, help="Which random schedules.")]
Places = Annotated[
    bool, typer.Option("--places", help="Of a schedule that differs: where else one delay does.")
]

SETDMAREG_OVERTAKEN = "setdmareg-overtaken"


def check(
    targets: Targets,
    arch: Arch = "blackhole",
    max_cycles: MaxCycles = DEFAULT_MAX_CYCLES,
    policy: PolicyTexts = None,
    sarif_file: Sarif = None,
    page_file: Page = None,
    schedules: Schedules = "0",
    bound: Bound = 2,
    seed: Seed = 0,
    schedule: Replay = None,
    save: Save = None,
    places: Places = False,
    json_wanted: Json = False,
) -> int:
    """Run programs under the checker; exit 1 if anything is found, 2 if one cannot be run."""
    chosen = policies(policy or [])
    drawn = page_file is not None
    overtaking = (SETDMAREG_OVERTAKEN, "off") not in chosen
    wanted = Wanted(number_of(schedules), bound, seed, schedule, save, places, drawn, overtaking)
    explored: list[Explored] = []
    text = read_text("-") if "-" in targets else None
    code = 0
    done: list[Checked] = []
    for target in resolve(targets, arch, text):
        if isinstance(target, Unreadable):
            complain(target.error.summary, target.error.detail)
            code = 2
            continue
        run, warned = check_one(target, arch, max_cycles, chosen)
        done.append(run)
        if not json_wanted:
            show(run)
        if wanted.any:
            explored.append(explore(target, arch, max_cycles, wanted))
            if not json_wanted:
                show_explored(explored[-1])
            if explored[-1].serious:
                code = max(code, 1)
        serious = [finding for finding in run.findings if finding.check not in warned]
        if serious or run.result is None or not run.result.passed:
            code = max(code, 1)
    if sarif_file is not None:
        with writing(sarif_file) as at:
            at.write_text(json.dumps(sarif(done), indent=1) + "\n", encoding="utf-8")
    if page_file is not None:
        with writing(page_file) as at:
            pictures = {one.name: f"<section>{one.picture}</section>" for one in explored}
            at.write_text(page(done, pictures, STYLE), encoding="utf-8", errors="replace")
    if json_wanted:
        runs = [run.as_dict() for run in done]
        for made, more in zip(runs, explored, strict=False):
            made["schedules"] = more.as_dict()
        print_json({"version": 1, "runs": runs})
    return code


def check_one(
    target: Target, arch: str, max_cycles: int, chosen: tuple[tuple[str, str], ...]
) -> tuple[Checked, set[str]]:
    """Run one program under the checker; also the names of checks that only warn."""
    tile = CheckedTile(arch_of(target, arch))
    if isinstance(target, Moment):  # what was written before is not known
        chosen = (*((rule, "off") for rule in (*UNWRITTEN, "uninit-private")), *chosen)
    warned = set_policies(tile, chosen)
    result_of = None
    if isinstance(target, KernelFile) and target.outputs:
        result_of = partial(outputs_from_junk, target, max_cycles)
    run = checked(name_of(target), tile, lambda t: run_target(target, t, max_cycles), result_of)
    return run, warned


def show(run: Checked) -> None:
    """Print what came of one program."""
    ended = "did not end" if run.result is None else f"{run.result.cycles:,} cycles"
    count = len(run.findings)
    said = "nothing found" if not count else f"{count} finding{'s' if count > 1 else ''}"
    stdout.print(f"{run.name}: {said}, {ended}", markup=False)
    if run.result is not None and not run.result.passed:
        stdout.print("  an output is wrong", markup=False)
    for finding in run.findings:
        for line in finding.lines():
            stdout.print(f"  {line}", markup=False)
    for note in run.notes:
        stdout.print(f"  note: {note}", markup=False)
