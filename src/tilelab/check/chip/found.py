"""What is found on a chip's tiles, gathered whenever it comes to rest.

Then the programs that its cores ran still lie in L1, so that words and program counters have their
source lines; the next ones may be written over them.
"""

from dataclasses import replace

from tilelab.check.chip.engine import CheckedChip
from tilelab.check.ended import left_outstanding, outstanding
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, findings, party
from tilelab.check.shadow import (
    ACTOR_MASK,
    ARRIVALS,
    NOC_LAND_PIPE,
    NOC_LOG,
    NOC_READ_PIPE,
    OTHER_ACTOR,
)
from tilelab.check.view import epoch_of
from tilelab.chip.programs import Finder
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.tables.noc_registers import NIUS
from tilelab.tensix.words.origin import HOST, pushed_at, pusher

Key = tuple[object, ...]


class Gathered:
    """The findings of all tiles of a chip, those of the same places as one."""

    def __init__(self, chip: CheckedChip) -> None:
        self.chip = chip
        self.lost = 0
        """How many were not kept."""
        self._found: dict[Key, Finding] = {}
        self._finder = Finder()
        chip.at_rest.append(self.gather)

    @property
    def findings(self) -> list[Finding]:
        """What has been found so far, in the order of the first time."""
        self.gather()
        return list(self._found.values())

    def gather(self) -> None:
        """Take what the tiles have noted since the last time."""
        for place, tile in self.chip.checked.items():
            noted = tile.engine.shadow
            if not int(noted["found"]):
                continue
            some = noted["finding"][: int(noted["found"])]
            names = ("origin", "other_origin", "let_on_origin")
            self.name_origins(tile, {int(one) for name in names for one in some[name]})
            # before findings are merged, so that each still has what was noted of it
            for finding, one in zip(findings(tile, apart=True), some, strict=True):
                self._add(self.with_sender(finding, tile, int(one["other_mark"])), place)
            self.lost += int(noted["lost"])
            noted["found"] = noted["lost"] = 0

    def gather_left(self) -> None:
        """Take what the tiles' last programs have asked of the NoC and not waited for."""
        self.gather()
        said = {side.origin for finding in self._found.values() for side in finding.parties}
        for place, tile in self.chip.checked.items():
            self.name_origins(tile, {one.origin for one in outstanding(tile)})
            for finding in left_outstanding(tile):
                if finding.parties[0].origin not in said:
                    self._add(finding, place)

    def name_origins(self, tile: CheckedTile, origins: set[int]) -> None:
        """Find the programs that words or requests come from, as the tile's memory is now."""
        counters: dict[int, set[int]] = {}
        for origin in origins - {0}:
            if pusher(origin) != HOST:
                counters.setdefault(pusher(origin), set()).add(pushed_at(origin))
        found = self._finder.sources(tile, {core: sorted(pcs) for core, pcs in counters.items()})
        tile.programs.clear()
        tile.programs.update(found.programs)

    def with_sender(self, finding: Finding, tile: CheckedTile, mark: int) -> Finding:
        """Name the request of another tile that a finding's other party is, if it is one."""
        if mark & ACTOR_MASK != OTHER_ACTOR:
            return finding
        noted = tile.engine.shadow
        at = epoch_of(mark) & (ARRIVALS - 1)
        place, sender = list(self.chip.checked.items())[int(noted["from_tile"][at]) - 1]
        origin = int(sender.engine.shadow["noc_origin"][int(noted["from_epoch"][at]) & NOC_LOG - 1])
        self.name_origins(sender, {origin})
        niu = int(noted["from_niu"][at])
        actor = (NOC_LAND_PIPE if niu < NIUS else NOC_READ_PIPE) * 4 + niu % NIUS
        made = party(sender, actor, 0, origin)
        side = replace(made, actor=f"{made.actor} of tile {place[0]},{place[1]}")
        return replace(finding, parties=(finding.parties[0], side))

    def _add(self, finding: Finding, place: Place) -> None:
        places = ((party.actor, party.place) for party in finding.parties)
        key = finding.check, *places
        known = self._found.get(key)
        if known is None:
            self._found[key] = replace(finding, tiles=(place,))
            return
        tiles = known.tiles if place in known.tiles else (*known.tiles, place)
        self._found[key] = replace(known, count=known.count + finding.count, tiles=tiles)
