"""``tilelab check --claim``: claims that two lines race, executed."""

from collections.abc import Iterable, Sequence
from typing import Any

from tilelab.check.findings import Finding
from tilelab.cli.check_schedules import explorer_of
from tilelab.cli.console import progress_line, stderr, stdout
from tilelab.explore.claim_lists import Claim
from tilelab.explore.claims import Answer, Claims
from tilelab.runs.targets import Target


def answers(
    target: Target,
    arch: str | None,
    max_cycles: int,
    claims: Sequence[Claim],
    findings: Sequence[Finding],
) -> list[Answer]:
    """What is known of each claim about a program."""
    executed = Claims(explorer_of(target, arch, max_cycles))
    made = []
    with progress_line(stderr) as show:
        for number, claim in enumerate(claims, 1):
            show(f"claim {number} of {len(claims)}")
            made.append(executed.answer(claim, named(claim, findings)))
    return made


def named(claim: Claim, findings: Sequence[Finding]) -> tuple[str, ...]:
    """The findings of which two parties are at a claim's lines, or one of them at its only one."""
    made = []
    for finding in findings:
        sides = (*finding.parties, finding.told_by)
        places = (at for party in sides if party for at in (party.line, *party.called_at))
        lines = {at.rpartition("/")[2] for at in places}
        if {claim.first, claim.second or claim.first} <= lines:
            made.append(finding.check)
    return tuple(made)


def show_answers(made: Sequence[Answer], quiet: bool) -> int:
    """Print answers, unless they are printed as JSON; 1 if a claim holds."""
    for answer in made:
        for line in () if quiet else answer.lines():
            stdout.print(f"  {line}", markup=False)
    return int(any(answer.holds for answer in made))


def with_answers(runs: Iterable[dict[str, Any]], answered: list[list[Answer]]) -> list[Any]:
    """Documents of runs, with the answers that each has, if claims were made."""
    made = list(runs)
    for run, given in zip(made, answered, strict=False):
        run["claims"] = [one.as_dict() for one in given]
    return made
