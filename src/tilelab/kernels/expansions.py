"""Keeps count of what each pushed word became: MOP to REPLAYs to issued instructions."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.tensix.report.html import SHOWN, table
from tilelab.tensix.words.origin import (
    by_expander,
    mop_ordinal,
    push_site,
    slot_ordinal,
    unpack_origin,
)


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
TOGETHER = 1 << 14
"""How many instructions are counted at once, so that arrays are worth their overhead."""
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
        words, origins, threads = (
            np.concatenate([issued[name] for issued in self._waiting])
            for name in ("word", "origin", "thread")
        )
        self._waiting, self._count = [], 0
        expanded = np.flatnonzero(by_expander(origins))
        if not len(expanded):
            return
        words, origins, threads = words[expanded], origins[expanded], threads[expanded]
        keys = push_site(origins) | threads.astype(np.uint64) << THREAD_SHIFT
        order = np.argsort(keys, kind="stable")
        changes = np.flatnonzero(np.diff(keys[order])) + 1
        for found in sorted(np.split(order, changes), key=lambda indices: int(indices[0])):
            where = unpack_origin(int(origins[found[0]]))
            site = PushSite(int(threads[found[0]]), where.core, where.pc)
            self._count_site(site, words[found], origins[found].astype(np.int64))

    def _count_site(
        self, site: PushSite, words: npt.NDArray[np.uint32], origins: npt.NDArray[np.int64]
    ) -> None:
        """Count instructions of one site."""
        tally = self._sites.setdefault(site, SiteTally())
        steps = np.maximum(mop_ordinal(origins), 1)
        slots = slot_ordinal(origins)
        places = steps << 6 | slots
        begins = np.flatnonzero(np.diff(places, prepend=self._last.get(site, BEFORE_ALL)) <= 0)
        self._last[site] = int(places[-1])
        if tally.runs < 2:  # the first expansion goes on to where the second begins
            later = begins[1 - tally.runs :]
            end = int(later[0]) if len(later) else len(words)
            kept = slice(min(end, KEPT - len(tally.first)))
            tally.first += zip(words[kept].tolist(), origins[kept].tolist(), strict=True)
        tally.runs += len(begins)
        tally.issued += len(words)
        tally.steps = max(tally.steps, int(steps.max()))
        tally.played += int(np.count_nonzero(slots))
        # opcodes of equal count are reported in the order in which they were first issued
        opcodes, at, counts = np.unique(
            (words >> 24).astype(np.uint8), return_index=True, return_counts=True
        )
        for i in np.argsort(at):
            tally.opcodes[int(opcodes[i])] += int(counts[i])

    def _repr_html_(self) -> str:
        """For notebooks."""
        return tally_html(self)

    def largest(self) -> tuple[PushSite, SiteTally] | None:
        """The site whose words became the most instructions."""
        if not self.sites:
            return None
        return max(self.sites.items(), key=lambda item: item[1].issued)


def tally_html(
    tally: ExpansionTally, line_of: Callable[[int, int], str] = lambda core, pc: ""
) -> str:
    """What pushed words became, the largest first; ``line_of`` names source lines."""
    ordered = sorted(tally.sites.items(), key=lambda item: -item[1].issued)[:SHOWN]
    rows = [
        [f"T{site.thread}", _pushed_at(site, line_of), found.runs, found.issued]
        for site, found in ordered
    ]
    return table(("thread", "pushed at", "times", "issued"), rows, "expansions") if rows else ""


def _pushed_at(site: PushSite, line_of: Callable[[int, int], str]) -> str:
    line = line_of(site.core, site.pc)
    return f"{line} ({site.pc:#x})" if line else f"{site.pc:#x}"
