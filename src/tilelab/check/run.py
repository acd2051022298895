"""Runs a program under the checker; nothing that the program does ends the process."""

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol

from tilelab.check.contract import broken
from tilelab.check.ended import left_behind, left_outstanding, left_over, swallowed, unplayed
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, findings, machine_finding
from tilelab.check.inits import taken
from tilelab.check.polls import is_held_up
from tilelab.check.rules import Rule
from tilelab.check.wait_graph import explained, sides
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.kernels.result import KernelResult
from tilelab.kernels.run import DEFAULT_MAX_CYCLES, run_kernel
from tilelab.sim.checks import CHECKS, Policy, declared
from tilelab.sim.errors import DeadlockError, MachineError
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.tile.tile import Tile

JUNK_SEEDS = (1, 2)
"""Two beginnings that differ in all that nothing has written."""
UNWRITTEN = tuple(rule.name for rule in declared(Rule) if rule.unwritten)
"""Reads that are findings only if outputs depend on them."""
UNSET = ("uninit-private", "uninit-adc", "uninit-rwc", "uninit-addr-mod")
"""Findings about what a program has not set, which say nothing if it began before the run."""

FUNCTIONS: Final = re.compile(r"(?<=→ )\w+(?= →)|[\w:]+(?=\+0x)")
"""What a place's description names: inlined functions, and the one that they are in."""
ENTRY: Final = re.compile(r"run_kernel$|_main$")

Result = Callable[[int], bytes]
"""Runs a program on a tile that begins with junk of a seed; its outputs."""


class Outcome(Protocol):
    """What a run gave, as far as a report of findings asks."""

    @property
    def passed(self) -> bool:
        """Whether its outputs are right."""

    @property
    def cycles(self) -> int:
        """How long it took."""


Run = Callable[[CheckedTile], KernelResult]
"""Runs a program on a fresh tile, as ``run_kernel`` does."""


@dataclass(frozen=True)
class Checked:
    """What came of a run under the checker; ``result`` is None if the program did not end."""

    name: str
    findings: tuple[Finding, ...]
    result: Outcome | None
    notes: tuple[str, ...] = field(default=())

    @property
    def passed(self) -> bool:
        """Whether it ended, its outputs are right and nothing was found."""
        return self.result is not None and self.result.passed and not self.findings

    def failed(self, warned: Container[str]) -> bool:
        """Whether it did not end as it should, or found anything that does not only warn."""
        serious = any(finding.check not in warned for finding in self.findings)
        return serious or self.result is None or not self.result.passed

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "passed": self.passed,
            "ended": self.result is not None,
            "outputs": None if self.result is None else self.result.passed,
            "cycles": None if self.result is None else self.result.cycles,
            "findings": [finding.as_dict() for finding in self.findings],
            "notes": list(self.notes),
        }


def set_policies(tile: CheckedTile, policies: Iterable[tuple[str, str]]) -> set[str]:
    """Set what is asked for the machine's checks and the checker's; the names that only warn.

    BadInputError for a name that neither has, and for an unknown policy.
    """
    rules = declared(Rule)
    for rule in rules:
        if rule.instead:
            tile.set_policy(rule.instead, "off")
    for name, policy in policies:
        tile.set_policy(name, policy)
    return {rule.name for rule in rules if tile.policy(rule.code) == Policy.WARN}


def used(result: Result) -> bool:
    """Whether a program's outputs depend on what nothing has written."""
    try:
        first, second = map(result, JUNK_SEEDS)
    except MachineError:
        return True
    return first != second


def without_unwritten(
    found: list[Finding], what: str, used: Callable[[], bool]
) -> tuple[list[Finding], tuple[str, ...]]:
    """The findings without reads of what nothing has written, if these are not ``used``; a note."""
    unwritten = [finding for finding in found if finding.check in UNWRITTEN]
    if not unwritten or used():
        return found, ()
    names = ", ".join(sorted({finding.check for finding in unwritten}))
    note = f"{len(unwritten)} reads of what nothing has written change no {what} ({names})"
    return [finding for finding in found if finding.check not in UNWRITTEN], (note,)


def recorded_for(finding: Finding) -> bool:
    """Whether a slot was recorded anew for the MOP that plays it: in one function of the kernel.

    Of a core's program without debugging data nobody knows.
    """
    if finding.check != "replay-clobbered":
        return False
    chains = [set(FUNCTIONS.findall(party.origin)) for party in finding.parties]
    shared = {one for one in set.intersection(*chains) if not ENTRY.search(one)}
    unknown = (
        not names and " pc 0x" in p.origin for names, p in zip(chains, finding.parties, strict=True)
    )
    return bool(shared) or any(unknown)


def checked(name: str, tile: CheckedTile, run: Run, result_of: Result | None = None) -> Checked:
    """Run a program on a fresh checked tile and gather what was found.

    Units read whole rows of which they use a part, so a read of what nothing has written is a
    finding only if the program's outputs depend on it: ``result_of`` tells, by two runs that begin
    with different junk. Without it, every such read is one. BadInputError if the program cannot be
    used; what it does wrong is a finding.
    """
    result = None
    failed: list[Finding] = []
    try:
        result = run(tile)
    except MachineError as error:
        code = int(tile.state.s.fault.code)
        check = CHECKS.get(code)
        by_check = check if check is not None and isinstance(error, check.category) else None
        found_here = machine_finding(tile, error, by_check)
        if isinstance(error, DeadlockError):
            graph = explained(tile)
            detail = (*graph.lines(), *found_here.detail)
            parties = sides(tile, graph)
            found_here = replace(found_here, detail=detail, graph=graph, parties=parties)
        failed.append(found_here)
    notes = tuple(result.warnings) if result is not None else tuple(tile.warnings)
    if lost := int(tile.engine.shadow["lost"]):
        notes += (f"{lost} more findings were not kept",)
    found = [one for one in findings(tile) if not recorded_for(one)]
    if result is not None:
        found += left_over(tile)
        found += (*left_outstanding(tile), *swallowed(tile), *left_behind(tile))
        found += unplayed(tile)
    elif any(one.graph for one in failed):
        found += swallowed(tile, {t for t in range(THREADS) if is_held_up(tile, f"T{t}")})
    found += (*taken(tile), *broken(tile))
    if result_of is not None:
        found, said = without_unwritten(found, "output", partial(used, result_of))
        notes += said
    return Checked(name, (*found, *failed), result, notes)


def checked_kernel(
    kernel: KernelFile,
    policies: Iterable[tuple[str, str]] = (),
    max_cycles: int = DEFAULT_MAX_CYCLES,
) -> Checked:
    """Run a kernel on a fresh checked tile; what it does wrong is a finding, not an exception."""
    tile = CheckedTile(kernel.arch)
    set_policies(tile, policies)
    result_of = partial(outputs_from_junk, kernel, max_cycles) if kernel.outputs else None
    name = kernel.path.parent.name
    return checked(name, tile, lambda fresh: run_kernel(kernel, fresh, max_cycles), result_of)


def outputs_from_junk(kernel: KernelFile, max_cycles: int, seed: int) -> bytes:
    """What a kernel leaves on a tile that begins with junk."""
    tile = Tile(kernel.arch, junk=seed)
    run_kernel(kernel, tile, max_cycles)
    return b"".join(tile.read(output.address, output.size) for output in kernel.outputs)
