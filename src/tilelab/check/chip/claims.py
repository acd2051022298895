"""Claims about data movement, answered from a recording: who waited for what a line asked.

A line asks the NoC for something each time that it makes a request. The checker notes who first
looked at a counter that tells of it. A claim holds if the checker finds it in the recording, or if
a program ends and nobody has looked. If each request was looked for before the other line made its
next one, that is what orders the two.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tilelab.check.chip.found import Gathered
from tilelab.check.ended import requests
from tilelab.explore.claim_lists import Claim
from tilelab.explore.claims import BOUND, ORDERED, REPRODUCER, Answer
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.words.origin import pushed_at, pusher

LEFT = "noc-left-outstanding"
UNUSED = "; nothing in this recording uses them too early"


@dataclass(frozen=True)
class Asked:
    """One request: of which tile, when, and who saw first that it was over."""

    tile: Place
    at: int
    seen: str
    """A line; "" if the program ended before anybody looked."""
    seen_at: int


class Requests:
    """What the lines of claims ask of the NoC while a recording is replayed."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        places = {place for claim in claims for place in (claim.first, claim.second)}
        self.files = {file_of(place) for place in places} - {""}
        self.made: dict[str, list[Asked]] = defaultdict(list)
        self._done: dict[Place, int] = {}

    def follow(self, gathered: Gathered) -> None:
        """Note what is asked from now on, whenever the chip comes to rest."""
        gathered.chip.at_rest.append(lambda: self._gather(gathered))

    def _gather(self, gathered: Gathered) -> None:
        for place, tile in gathered.chip.checked.items():
            made = list(requests(tile, self._done.get(place, 0)))
            self._done[place] = int(tile.engine.shadow["noc_now"])
            gathered.name_origins(tile, {one for each in made for one in (each.origin, *each.seen)})
            for one in made:
                core, pc = pusher(one.origin), pushed_at(one.origin)
                frames = tile.sources.frames(core, pc)
                places = {frame.place for frame in frames} | {tile.sources.line(core, pc)}
                by = pusher(one.seen[-1]), pushed_at(one.seen[-1])
                seen = (tile.sources.line(*by) or tile.sources.describe_pc(*by)) if by[1] else ""
                for line in {each.rpartition("/")[2] for each in places}:
                    if file_of(line) in self.files:
                        self.made[line].append(Asked(place, one.number, seen, one.seen_at))

    def answer(self, claim: Claim, findings: tuple[str, ...] = ()) -> Answer:
        """What this recording says of a claim; ``findings``: the checks that name its lines."""
        first, second = (self.made.get(one, []) for one in (claim.first, claim.second))
        line, other = claim.first, claim.second
        if not first:
            first, second, line, other = second, first, other, line
        kind, said = BOUND, self._silent(claim)
        if findings:
            kind, said = REPRODUCER, "the checker finds it in this recording"
        elif first:
            kind, said = self._waited(line, other, first, second)
            findings = (LEFT,) if kind == REPRODUCER else ()
        return Answer(claim, kind, said, findings=findings)

    def _silent(self, claim: Claim) -> str:
        """No line of a claim asks for anything: which lines of these files do?"""
        places = [one for one in (claim.first, claim.second) if one]
        said = f"{' and '.join(places)} ask{'' if places[1:] else 's'} the NoC for nothing here"
        files = {file_of(place) for place in places}
        others = sorted((line for line in self.made if file_of(line) in files), key=_number)
        return said + (f"; {', '.join(others)} ask" if others else "")

    def _waited(
        self, line: str, other: str, first: Sequence[Asked], second: Sequence[Asked]
    ) -> tuple[str, str]:
        """Whether each request is waited for, before the other line's next one."""
        count = f"{len(first)} requests of {line}"
        if left := [one for one in first if not one.seen]:
            said = f"for {len(left)} of {count} nobody has waited when the program ends"
            return (BOUND, said + UNUSED) if other else (REPRODUCER, said)
        early = [one for one in first if _next(one, second) <= one.seen_at]
        if early:
            said = f"{other} makes a request before anybody has waited for {len(early)} of {count}"
            return BOUND, said + UNUSED
        seen = Counter(one.seen for one in first)
        said = f"all {count} are waited for: {', '.join(seen)}"
        silent = f"; {other} asks for nothing, and no finding is about the two"
        return ORDERED, said + (silent if other and not second else "")


def _number(place: str) -> int:
    return int(place.rpartition(":")[2])


def file_of(place: str) -> str:
    """The file of a place."""
    return place.rpartition(":")[0]


def _next(one: Asked, others: Sequence[Asked]) -> float:
    """When the other line makes its next request on the same tile."""
    later = [other.at for other in others if other.tile == one.tile and other.at > one.at]
    return min(later, default=float("inf"))
