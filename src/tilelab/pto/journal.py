"""What a cluster writes down: its events in order, its findings, and what becomes of a finding."""

import warnings
from collections.abc import Callable
from typing import Any, Literal

from tilelab.pto.errors import ConstraintError, Finding, HazardError, PtoWarning
from tilelab.pto.trace import Reach, Record, Step, Work
from tilelab.sim.errors import TilelabError

Policy = Literal["raise", "warn", "record"]
RECORD: dict[str, Any] = dict.fromkeys(("hazards", "capacity", "constraints", "leaks"), "record")
"""A cluster's policies under which nothing ends a run but an error."""


class Journal:
    """Events and findings of a run; ``policy`` is by family: hazard, capacity, constraint, leak."""

    def __init__(self, policy: dict[str, Policy], tracing: bool, timing: bool = False) -> None:
        self.policy = policy
        self.tracing = tracing or timing
        self.timing = timing  # what each event costs is noted, too
        self.works: dict[int, Work] = {}
        self.events: list[Record] = []
        self.findings: list[Finding] = []
        self.watch: Callable[[], None] | None = None  # called when an operation reached bytes

    def begin(self) -> None:
        """A run begins: on clean pages, the old ones stay with the old run's result."""
        self.events, self.findings, self.works = [], [], {}

    @property
    def step(self) -> int:
        """Events so far."""
        return len(self.events)

    def report(
        self,
        family: str,
        finding: Finding,
        error: type[TilelabError],
        category: type[PtoWarning] = PtoWarning,
    ) -> None:
        """Record a finding; raise or warn as the policy of its family says."""
        self.findings.append(finding)
        policy = self.policy[family]
        text = f"{finding.message} [{finding.code}]"
        if policy == "raise":
            if issubclass(error, HazardError):
                raise error(text, "", finding)
            raise error(text)
        if policy == "warn":
            warnings.warn(text, category, stacklevel=4)

    def constraint(self, core: str, message: str) -> None:
        """A tile operation on a place its constraints exclude; once for each core."""
        text = f"{core}: {message}"
        if all(known.message != text for known in self.findings):
            finding = Finding("E4", "constraint", text, core, step=self.step)
            self.report("constraint", finding, ConstraintError)

    def op(self, core: str, op: str, text: str, reach: Reach | None = None) -> None:
        """Note a tile operation, and the bytes that it reaches."""
        if self.tracing:
            self.events.append((Step(core, "", op, text, "", "", -1, 0, reach), -1, 0))
            if reach is not None and self.watch is not None:
                self.watch()

    def charge(self, work: Work) -> None:
        """Say what the newest event is as work for a pipe."""
        self.works[len(self.events) - 1] = work

    def sync(self, core: str, phase: str, primitive: str, pipe: str, flag: int) -> None:
        """Note a raw synchronisation."""
        if self.tracing:
            self.events.append((Step(core, "", "SYNC", phase, primitive, pipe, flag, 0), -1, 0))
