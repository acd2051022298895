"""Keeps count of what each pushed word became: MOP to REPLAYs to issued instructions."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.tensix.frontend.origin import unpack_origin


@dataclass(frozen=True)
class PushSite:
    """Where a word is pushed: thread, core, program counter."""

    thread: int
    core: int
    pc: int


@dataclass
class SiteTally:
    """What one push site's words became.

    ``runs``: how often a new expansion began there; ``steps``: how many words its MOP emits;
    ``played``: instructions that came out of the replay buffer; ``opcodes``: what was issued.
    """

    issued: int = 0
    runs: int = 0
    steps: int = 0
    played: int = 0
    opcodes: Counter[int] = field(default_factory=Counter)
    first: list[tuple[int, int]] = field(default_factory=list)
    """(word, origin) of the instructions of the first expansion."""


KEPT = 4096
"""How many instructions of a first expansion are kept."""
TOGETHER = 1 << 15
"""How many instructions are counted at once, so that arrays are worth their overhead."""
PUSHED_AT = 7 << 56 | 0xFFFFFFFF
EXPANDED = 0x3FFFFF << 32
THREAD_SHIFT = 48
"""In the key of a site the thread stands where an origin has the replay slot."""
BEFORE_ALL = np.iinfo(np.int64).max
"""Stands for the last place of a site that has none, so that its first word begins a run."""


class ExpansionTally:
    """An observer that groups issued instructions by where they were pushed."""

    def __init__(self) -> None:
        self._sites: dict[PushSite, SiteTally] = {}
        self._last: dict[PushSite, int] = {}
        self._waiting: list[npt.NDArray[Any]] = []
        self._count = 0

    @property
    def sites(self) -> dict[PushSite, SiteTally]:
        """What the words of each site became, in the order in which sites first issued."""
        if self._waiting:
            self._count_waiting()
        return self._sites

    def batch(self, issued: npt.NDArray[Any]) -> None:
        """Count issued instructions: records of ``reference.ISSUED``, in order."""
        self._waiting.append(issued)
        self._count += len(issued)
        if self._count >= TOGETHER:
            self._count_waiting()

    def _count_waiting(self) -> None:
        issued = np.concatenate(self._waiting)
        self._waiting, self._count = [], 0
        issued = issued[issued["origin"] & EXPANDED != 0]
        if not len(issued):
            return
        keys = issued["origin"] & PUSHED_AT | issued["thread"].astype(np.uint64) << THREAD_SHIFT
        order = np.argsort(keys, kind="stable")
        changes = np.flatnonzero(np.diff(keys[order])) + 1
        for found in sorted(np.split(order, changes), key=lambda indices: int(indices[0])):
            self._count_site(issued[found])

    def _count_site(self, issued: npt.NDArray[Any]) -> None:
        """Count instructions of one site."""
        where = unpack_origin(int(issued["origin"][0]))
        site = PushSite(int(issued["thread"][0]), where.core, where.pc)
        tally = self._sites.setdefault(site, SiteTally())
        origins = issued["origin"].astype(np.int64)
        steps = np.maximum(origins >> 32 & 0xFFFF, 1)
        slots = origins >> 48 & 0x3F
        places = steps << 6 | slots
        begins = np.diff(places, prepend=self._last.get(site, BEFORE_ALL)) <= 0
        self._last[site] = int(places[-1])
        self._keep_first(tally, issued, np.flatnonzero(begins))
        tally.runs += int(begins.sum())
        tally.issued += len(issued)
        tally.steps = max(tally.steps, int(steps.max()))
        tally.played += int(np.count_nonzero(slots))
        # opcodes of equal count are reported in the order in which they were first issued
        opcodes = (issued["word"] >> 24).astype(np.uint8)
        found, at, counts = np.unique(opcodes, return_index=True, return_counts=True)
        for i in np.argsort(at):
            tally.opcodes[int(found[i])] += int(counts[i])

    @staticmethod
    def _keep_first(
        tally: SiteTally, issued: npt.NDArray[Any], begins: npt.NDArray[np.intp]
    ) -> None:
        """Keep what belongs to a site's first expansion; ``begins``: where expansions begin."""
        if tally.runs > 1:
            return
        later = begins[1 - tally.runs :]
        end = int(later[0]) if len(later) else len(issued)
        kept = issued[: min(end, KEPT - len(tally.first))]
        tally.first += zip(kept["word"].tolist(), kept["origin"].tolist(), strict=True)

    def _repr_html_(self) -> str:
        """For notebooks."""
        from tilelab.tensix.display import tally_html  # noqa: PLC0415 - display knows all of them

        return tally_html(self)

    def largest(self) -> tuple[PushSite, SiteTally] | None:
        """The site whose words became the most instructions."""
        if not self.sites:
            return None
        return max(self.sites.items(), key=lambda item: item[1].issued)
