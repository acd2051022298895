"""Which tile should do whose work: places on the NoC that share links less, for a replay in them.

What a recording's tiles moved is laid over the links; tiles change places, two by two, as long as
that makes the sum of the links' squared bytes smaller. A replay then counts the ways from these
places. Programs see the coordinates that they had, so only times change.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from random import Random
from typing import Final

from tilelab.chip.chip import Chip
from tilelab.chip.ways import ways_between
from tilelab.sim.errors import BadInputError
from tilelab.tensix.noc import niu as n
from tilelab.trace.chip.activity import size_of
from tilelab.trace.chip.recorded import ChipRecorded
from tilelab.trace.chip.waits import target_name

PASSES: Final = 4
"""Over all pairs of tiles, at most."""


@dataclass(frozen=True)
class Flow:
    """Bytes from one place to another, as programs name these; by a NoC."""

    niu: int
    start: int
    end: int
    count: int


def flows(recorded: ChipRecorded) -> list[Flow]:
    """What a recording moved; BadInputError for multicasts, which go to rectangles."""
    found = recorded.requests
    if (found["control"] & n.BROADCAST).any():
        raise BadInputError("it has multicasts, whose targets form rectangles")
    moved: Counter[tuple[int, int, int]] = Counter()
    ends = zip(found["niu"].tolist(), found["from"].tolist(), found["to"].tolist(), strict=True)
    for key, size in zip(ends, size_of(found).tolist(), strict=True):
        moved[key] += int(size)
    return [Flow(*key, size) for key, size in moved.items() if key[0] < 2 and key[1] != key[2]]


class _Placing:
    """Where tiles are, and how many bytes each link then carries."""

    def __init__(self, chip: Chip, what: list[Flow]) -> None:
        self.flows = what
        self.at = {place: int(p) for place, p in enumerate(chip.c.physical_at)}
        self.tiles = [x | y << 6 for x, y in chip.tiles]
        self.of: dict[int, set[int]] = defaultdict(set)
        for k, flow in enumerate(what):
            self.of[flow.start].add(k)
            self.of[flow.end].add(k)
        self.load: Counter[int] = Counter()
        self.ways = cache(partial(ways_between, chip.arch))
        self._add(range(len(what)), self.load, 1)

    def _add(self, which: Iterable[int], load: Counter[int], sign: int) -> None:
        for k in which:
            flow = self.flows[k]
            for way in self.ways(flow.niu, self.at[flow.start], self.at[flow.end]):
                load[way] += sign * flow.count

    def swap(self, a: int, b: int) -> bool:
        """Have two tiles change places if that is better."""
        which = self.of[a] | self.of[b]
        if not which:
            return False
        change: Counter[int] = Counter()
        self._add(which, change, -1)
        self.at[a], self.at[b] = self.at[b], self.at[a]
        self._add(which, change, 1)
        worse = sum(by * (2 * self.load[way] + by) for way, by in change.items() if by)
        if worse >= 0:
            self.at[a], self.at[b] = self.at[b], self.at[a]
            return False
        self.load.update(change)
        return True


def better_places(recorded: ChipRecorded) -> dict[int, int]:
    """Of each tile that is better elsewhere, the physical place; errors as :func:`flows`."""
    placing = _Placing(recorded.chip, flows(recorded))
    before = dict(placing.at)
    for _ in range(PASSES):
        pairs = [(a, b) for i, a in enumerate(placing.tiles) for b in placing.tiles[:i]]
        if not sum(placing.swap(a, b) for a, b in pairs):
            break
    return {tile: placing.at[tile] for tile in placing.tiles if placing.at[tile] != before[tile]}


def shuffled_places(recorded: ChipRecorded, seed: int) -> dict[int, int]:
    """Of each tile that works, a physical place by chance; errors as :func:`flows`."""
    flows(recorded)
    tiles = [x | y << 6 for x, y in recorded.chip.tiles]
    places = [int(recorded.chip.c.physical_at[tile]) for tile in tiles]
    Random(seed).shuffle(places)
    return dict(zip(tiles, places, strict=True))


def move(chip: Chip, places: dict[int, int]) -> None:
    """Have the ways of a fresh chip's tiles be counted from other physical places."""
    for tile, physical in places.items():
        chip.c.physical_at[tile] = physical


def advice(recorded: ChipRecorded, places: dict[int, int]) -> list[str]:
    """Who should work where, those that move most first."""
    chip = recorded.chip
    here = {int(chip.c.physical_at[x | y << 6]): (x, y) for x, y in chip.tiles}
    moved: dict[int, Counter[int]] = defaultdict(Counter)
    for flow in flows(recorded):
        moved[flow.start][flow.end] += flow.count
        moved[flow.end][flow.start] += flow.count
    rows = []
    for tile in sorted(places, key=lambda tile: -moved[tile].total()):
        if not moved[tile]:
            continue
        other = moved[tile].most_common(1)[0][0]
        x, y = here[places[tile]]
        name = target_name(chip, other)
        rows.append(f"the work of tile {tile & 63},{tile >> 6} at {x},{y}: most with {name}")
    return rows
