"""Exploring a program: its own loops, pipes and cores, in every order in which these can go on.

A core runs from one synchronisation to the next; where several can, each is tried. A state is how
far each core is, every flag, and what every slot holds; a state that was seen is not gone through
again. What the payload's values decide is assumed to be the same whenever the state is: a program
whose data race is reported before that matters. The search ends when no order is left, or at a
bound, which the verdict states.
"""

import heapq
import itertools
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tilelab.pto.cluster import Cluster
from tilelab.pto.errors import Bad, Finding, PtoWarning
from tilelab.sim.errors import ProgramError, TilelabError

HARMLESS = ("E4", "E5", "E6")  # told on the way; no order makes them come or go


class SeenBeforeError(TilelabError):
    """The run has reached a state that was gone through: it need not go on."""


@dataclass
class Verdict:
    """What a search found; ``complete``: every order was tried, else the bound was reached."""

    states: int = 0
    runs: int = 0
    complete: bool = True
    found: list[Bad] = field(default_factory=list)

    @property
    def safe(self) -> bool:
        """Whether nothing can go wrong, as far as was looked."""
        return not self.found

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "safe": self.safe, "complete": self.complete, "states": self.states, "runs": self.runs,
            "found": [vars(bad) for bad in self.found],
        }  # fmt: skip


class Path:
    """A run's choices: a prefix, then the first core that can; what else could be is kept."""

    def __init__(self, prefix: tuple[str, ...], seen: set[int]) -> None:
        self.prefix = prefix
        self.seen = seen
        self.fresh: list[int] = []
        self.names: list[str] = []
        self.others: list[tuple[str, ...]] = []
        self._cluster: Cluster | None = None
        self._launch = 0
        self._steps: dict[str, int] = {}

    def attach(self, cluster: Cluster) -> None:
        """A cluster starts to run under these choices."""
        self._cluster = cluster
        self._launch += 1
        self._steps = {}

    def forget(self) -> None:
        """Keep only what another process needs."""
        self._cluster = None
        self.seen = set()

    def __call__(self, ready: list[str]) -> int:
        """Which of the cores that can go on does."""
        at = len(self.names)
        if at < len(self.prefix):
            name = self.prefix[at]
            if name not in ready:
                raise ProgramError(
                    f"the program is not deterministic: {name} could run at step {at + 1} before"
                )
        else:
            key = self._key()
            if key in self.seen:
                raise SeenBeforeError("seen")
            self.seen.add(key)
            self.fresh.append(key)
            name = ready[0]
            self.others += [(*self.names, other) for other in ready[1:]]
        self.names.append(name)
        self._steps[name] = self._steps.get(name, 0) + 1
        return ready.index(name)

    def _key(self) -> int:
        cluster = self._cluster
        assert cluster is not None
        flags = cluster.flags
        rings = tuple(
            (
                ring.name, tuple(ring.recorded), ring.skipped_frees, ring.skipped_records,
                tuple((slot.tile, slot.writers, slot.holders, slot.laid_by) for slot in ring.slots),
            )
            for rings in cluster.rings.values()
            for ring in rings
        )  # fmt: skip
        return hash(
            (
                self._launch, tuple(sorted(self._steps.items())), tuple(flags.cube),
                tuple(map(tuple, flags.vec)), tuple(map(tuple, flags.arrived)), rings,
                len(cluster.findings),
            )
        )  # fmt: skip


@dataclass
class Ran:
    """What one run gave: its findings and the error that ended it, and its path as it was left."""

    findings: list[Finding]
    error: TilelabError | None
    path: Any
    cluster: Cluster | None = None


def of_cluster(start: Callable[[Any, Callable[[Cluster], None]], Any]) -> Callable[[Any], Ran]:
    """A program as what ``search`` runs; ``start`` runs it and tells which cluster it made."""

    def once(path: Any) -> Ran:
        kept: list[Cluster] = []
        error: TilelabError | None = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PtoWarning)
            try:
                start(path, kept.append)
            except TilelabError as caught:
                error = caught
        return Ran(kept[-1].findings if kept else [], error, path, kept[-1] if kept else None)

    return once


def search(run: Callable[[Path], Ran], max_states: int = 20_000) -> Verdict:
    """Try every order; ``run`` runs the program once under a path."""
    verdict = Verdict()
    seen: set[int] = set()
    counter = itertools.count()
    front: list[tuple[int, int, tuple[str, ...]]] = [(0, next(counter), ())]
    while front:
        _, _, prefix = heapq.heappop(front)
        ran = run(Path(prefix, seen))
        verdict.runs += 1
        seen.update(ran.path.fresh)
        for other in ran.path.others:
            heapq.heappush(front, (len(other), next(counter), other))
        if ran.error is not None and not isinstance(ran.error, SeenBeforeError):
            if ran.error.exit_code == 2:
                raise ran.error
            _note(verdict, ran.error.code or "error", ran.error.summary, ran.error.detail, ran)
        for finding in ran.findings:
            if finding.code not in HARMLESS:
                _note(verdict, finding.code, finding.message, "", ran)
        if len(seen) > max_states:
            verdict.complete = False
            break
    verdict.states = len(seen)
    return verdict


def _note(verdict: Verdict, code: str, message: str, detail: str, ran: Ran) -> None:
    """One report for each kind of fault: of messages that differ in numbers, the first."""
    same = [message, *(bad.message for bad in verdict.found if bad.code == code)]
    kind, *known = (re.sub(r"\d", "", one) for one in same)
    if kind not in known:
        verdict.found.append(Bad(code, message, detail, list(ran.path.names)))
