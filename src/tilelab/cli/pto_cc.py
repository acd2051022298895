"""``tilelab pto cc``: real PTO kernels in C++, compiled and checked."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from tilelab.cli.options import with_settings
from tilelab.cli.pto_show import Shown, print_document
from tilelab.pto import schedules as ways
from tilelab.pto.native.job import Kernel
from tilelab.sim.errors import ProgramError

NAMES = {
    "kernel": typer.Argument(metavar="KERNEL.cpp"),
    "define": typer.Option("-D"),
    "include": typer.Option("-I"),
}
"""How the fields of a ``Kernel`` are written where not as their names are."""

Order = Annotated[str, typer.Option(help="rr, cube_first, vec_first, a seed, or a schedule file.")]
Replay = Annotated[Path | None, typer.Option(help="Run a kept schedule again.")]
Schedules = Annotated[int, typer.Option(min=1, help="Run so many different schedules.")]
Save = Annotated[
    Path | None, typer.Option("--save-schedule", help="Keep the schedule of the first failure.")
]
Redundant = Annotated[
    bool, typer.Option("--redundant", help="Tell barriers and flags that order nothing, too.")
]


@with_settings(**NAMES)
def cc(
    kernel: Kernel,
    shown: Shown,
    schedule: Order = "rr",
    replay: Replay = None,
    schedules: Schedules = 1,
    save_schedule: Save = None,
    redundant: Redundant = False,
) -> None:
    """Compile a C++ PTO kernel, unmodified, and run it checked: every byte, flag and wait."""
    first = ways.chooser(ways.replay(ways.load(replay)) if replay else ways.parse(schedule))
    with kernel.built() as job:
        outcome = job.runs(first, schedules)
        if redundant:
            job.add_redundant(outcome)
    failure = outcome.failure
    if save_schedule is not None and outcome.failing is not None:
        order, why = outcome.failing
        ways.save(save_schedule, order, str(kernel.kernel), why)
    result, error, findings = outcome.result, outcome.error, outcome.findings
    shown.write(result, kernel.kernel.name, error)
    if shown.json:
        print_document(
            result, error, not failure, findings, status=outcome.status,
            blocks=len(outcome.results), schedules=schedules, output=outcome.output,
        )  # fmt: skip
    else:
        if outcome.output.strip():
            print(outcome.output.rstrip())
        shown.rings(result)
        for (code, text), times in Counter((one.code, one.message) for one in findings).items():
            print(f"{code}: {text}" + (f" ({times} times)" if times > 1 else ""))
    if error is not None:
        raise error
    if failure:
        count = len(outcome.hard)
        host = f"the host's program returned {outcome.status}"
        raise ProgramError(f"{kernel.kernel}: {f'{count} finding(s)' if count else host}")
