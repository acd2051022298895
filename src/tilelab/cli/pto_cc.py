"""``tilelab pto cc``: real PTO kernels in C++, compiled and checked."""

from collections import Counter
from functools import partial
from pathlib import Path

from tilelab.cli.pto_rows import KERNEL, ORDER, SAVE_SCHEDULE, SHOWN
from tilelab.cli.pto_show import Shown, print_document, print_rings, write_files
from tilelab.cli.streams import complain
from tilelab.cli.usage import command, flag, option
from tilelab.pto import schedules as ways
from tilelab.pto.cycles import text as told
from tilelab.pto.native.job import Kernel
from tilelab.pto.native.revision import unknown
from tilelab.pto.native.run import Outcome
from tilelab.pto.paths import find_arch
from tilelab.sim.errors import ProgramError


def _total(shown: Shown, kernel: Kernel, outcome: Outcome) -> float:
    """The cycles of all blocks of a run, one after another."""
    arch = find_arch(kernel.arch)
    timed = (shown.timed(result, arch, 2) for result in outcome.results)
    return sum(one.total for one in timed if one is not None)


@command("pto", old={"--report": "page", "--replay": "schedule"})
def cc(
    kernel: Kernel = KERNEL,
    shown: Shown = SHOWN,
    schedule: str = ORDER,
    schedules: int = option("Run so many different schedules.", default=1, min=1),
    save_schedule: Path | None = SAVE_SCHEDULE,
    redundant: bool = flag("Tell barriers and flags that order nothing, too."),
) -> None:
    """Compile a C++ PTO kernel, unmodified, and run it checked: every byte, flag and wait."""
    first = ways.chooser(ways.parse(schedule))
    if kernel.protocol.startswith("sparse") and (other := unknown(kernel.pto_isa, kernel.arch)):
        complain(f"warning: {other}")
    with kernel.built() as job:
        job.options.cycles = shown.cycles
        outcome = job.runs(first, schedules)
        if redundant:
            job.add_redundant(outcome, partial(_total, shown, kernel) if shown.cycles else None)
    failure = outcome.failure
    if save_schedule is not None and outcome.failing is not None:
        order, why = outcome.failing
        ways.save(save_schedule, order, str(kernel.kernel), why)
    result, error, findings = outcome.result, outcome.error, outcome.findings
    timed = shown.timed(result, find_arch(kernel.arch), 2)
    write_files(shown, result, kernel.kernel.name, error, timed)
    if shown.json:
        print_document(
            result, error, not failure, findings, status=outcome.status,
            blocks=len(outcome.results), schedules=schedules, output=outcome.output,
            **({} if timed is None else {"cycles": told.as_dict(timed)}),
        )  # fmt: skip
    else:
        if outcome.output.strip():
            print(outcome.output.rstrip())
        print_rings(shown, result, timed)
        for (code, text), times in Counter((one.code, one.message) for one in findings).items():
            print(f"{code}: {text}" + (f" ({times} times)" if times > 1 else ""))
    if error is not None:
        raise error
    if failure:
        count = len(outcome.hard)
        host = f"the host's program returned {outcome.status}"
        raise ProgramError(f"{kernel.kernel}: {f'{count} finding(s)' if count else host}")
