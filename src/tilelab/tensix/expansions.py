"""Keeps count of what each pushed word became: MOP to REPLAYs to issued instructions."""

from collections import Counter
from dataclasses import dataclass, field

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


class ExpansionTally:
    """An observer that groups issued instructions by where they were pushed."""

    def __init__(self) -> None:
        self.sites: dict[PushSite, SiteTally] = {}
        self._last: dict[PushSite, tuple[int, int]] = {}

    def __call__(self, clock: int, thread: int, word: int, origin: int) -> None:
        """Count one issued instruction."""
        where = unpack_origin(origin)
        if where.mop_step is None and where.replay_slot is None:
            return
        site = PushSite(thread, where.core, where.pc)
        tally = self.sites.get(site)
        if tally is None:
            tally = self.sites[site] = SiteTally()
        step = where.mop_step if where.mop_step is not None else 0
        slot = where.replay_slot if where.replay_slot is not None else -1
        last = self._last.get(site)
        if last is None or step < last[0] or (step == last[0] and slot <= last[1]):
            tally.runs += 1
        self._last[site] = (step, slot)
        tally.issued += 1
        tally.steps = max(tally.steps, step + 1)
        tally.played += slot >= 0
        tally.opcodes[word >> 24] += 1
        if tally.runs == 1 and len(tally.first) < KEPT:
            tally.first.append((word, origin))

    def _repr_html_(self) -> str:
        """For notebooks."""
        from tilelab.tensix.display import tally_html  # noqa: PLC0415 - display knows all of them

        return tally_html(self)

    def largest(self) -> tuple[PushSite, SiteTally] | None:
        """The site whose words became the most instructions."""
        if not self.sites:
            return None
        return max(self.sites.items(), key=lambda item: item[1].issued)
