"""A whole chip: its Tensix tiles, DRAM, and everything else that answers on its NoC.

Tiles run one after the other, a slice of rounds each, in a fixed order; one in which nothing can
change until somebody writes to it sleeps and costs nothing. Runs repeat exactly.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.chip.network import Network
from tilelab.tensix.chip.places import (
    Answering,
    DramPlace,
    EthernetPlace,
    NoSuchPlaceError,
    TensixPlace,
    WordsPlace,
)
from tilelab.tensix.run.rounds import STOP_IDLE, STOP_NOC, STOP_STUCK
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.tile import Tile
from tilelab.tensix.words.origin import CORE_NAMES

SLICE: Final = 4096
"""Rounds that a tile runs before the next one has its turn."""
TRANSLATED: Final = 1 << 14
"""NIU_CFG_0: coordinates are translated."""
X_FIRST: Final = 1 << 28
"""NOC_NODE_ID: the NoC moves packets along x first."""


class Chip:
    """A chip with some or all of its Tensix tiles; DRAM, ARC and Ethernet tiles are all there.

    ``tiles``: the coordinates of those that exist, as programs and hosts use them; all by default.
    ``engine``: as :class:`tilelab.tensix.Tile`. BadInputError for a place that is no Tensix tile.
    """

    def __init__(
        self, arch: str = "blackhole", tiles: Iterable[Place] | None = None, engine: str = "fast"
    ) -> None:
        self.arch = arch_named(arch)
        layout = self.arch.layout
        chosen = layout.tensix if tiles is None else tuple(tiles)
        for place in chosen:
            if place not in layout.tensix:
                raise BadInputError(f"{arch} has no Tensix tile at {place[0]},{place[1]}")
        self.engine = engine
        self.tiles: dict[Place, Tile] = {}
        self._awake: dict[Place, TensixPlace] = {}
        self.places: dict[Place, Answering] = {}
        for place in chosen:
            self._add_tile(place)
        banks: dict[int, DramPlace] = {}
        alignment = self.arch.noc.read_alignment
        for place, bank in layout.dram.items():
            if bank not in banks:
                banks[bank] = DramPlace(bank, layout.dram_bytes, alignment)
            self.places[place] = banks[bank]
        for place in layout.ethernet.places:
            self.places[place] = EthernetPlace(place, layout.ethernet)
        self.places[layout.arc] = WordsPlace("the ARC tile", layout.arc_words)
        self.network = Network(self.arch, self.places)
        self.time = 0
        """Rounds that have passed at the tile that has run longest."""

    def _add_tile(self, place: Place) -> None:
        tile = Tile(self.arch.name, engine=self.engine)
        layout, registers = self.arch.layout, self.arch.noc
        x, y = layout.columns[place[0]], layout.rows[place[1]]
        noc = tile.state.record["noc"]
        noc["connected"] = 1
        mirrored = registers.width - 1 - x, registers.height - 1 - y
        for niu, (px, py) in enumerate(((x, y), mirrored)):
            size = registers.width << 12 | registers.height << 19
            noc["node_id"][niu] = px | py << 6 | size | (0 if niu else X_FIRST)
            noc["config"][niu][0] = TRANSLATED
            noc["config"][niu][registers.logical_id - 0x100 >> 2] = place[0] | place[1] << 6
        found = TensixPlace(place, tile, partial(self._wake, place))
        self.tiles[place] = tile
        self.places[place] = found

    def _wake(self, place: Place) -> None:
        if place not in self._awake:
            found = self.places[place]
            assert isinstance(found, TensixPlace)
            s = found.tile.state.s
            s.clock = max(int(s.clock), self.time)
            self._awake[place] = found

    def read(self, place: Place, address: int, count: int) -> bytes:
        """Read bytes at a place of the NoC, as the host does.

        UnimplementedFunctionalityError where nothing that is modelled answers.
        """
        try:
            return self.network.at(0, place).read(address, count)
        except NoSuchPlaceError as problem:
            raise self._unknown("reads", place, address, count, problem) from problem

    def write(self, place: Place, address: int, data: bytes) -> None:
        """Write bytes at a place of the NoC, as the host does; errors as :meth:`read`."""
        try:
            self.network.at(0, place).write(address, data)
        except NoSuchPlaceError as problem:
            raise self._unknown("writes", place, address, len(data), problem) from problem

    def _unknown(
        self, does: str, place: Place, address: int, count: int, problem: Exception
    ) -> BadInputError:
        where = f"{count} bytes at {address:#x} of {place[0]},{place[1]}"
        return BadInputError(f"the host {does} {where}: {problem}")

    @property
    def asleep(self) -> bool:
        """Whether nothing can change any more without the host."""
        return not self._awake

    def report(self) -> dict[str, Any]:
        """What ran so far: of each tile that ran at all, instructions by core and of the Tensix."""
        tiles = []
        for place, tile in self.tiles.items():
            retired = tile.state.record["riscv"]["retired"].tolist()
            if any(retired):
                issued = int(tile.state.record["frontend"]["issued"].sum())
                counts = {CORE_NAMES[core]: count for core, count in enumerate(retired) if count}
                tiles.append({"place": place, "retired": counts, "tensix_instructions": issued})
        return {
            "arch": self.arch.name,
            "rounds": self.time,
            "noc_requests": self.network.requests,
            "tiles": tiles,
        }

    def run(self, rounds: int) -> bool:
        """Run every tile by at most so many rounds; True as soon as :attr:`asleep`.

        A failed check raises, naming the tile.
        """
        end = self.time + rounds
        while self._awake and self.time < end:
            for place, tile in sorted(self._awake.items()):
                self._slice(place, tile, min(SLICE, end - self.time))
            if self._awake:
                self.time += SLICE
        return self.asleep

    def _slice(self, place: Place, found: TensixPlace, rounds: int) -> None:
        s = found.tile.state.s
        end = self.time + rounds
        while (left := end - int(s.clock)) > 0:
            try:
                code = found.tile.engine.run(left)
            except Exception as error:
                error.add_note(f"in {found.name}")
                raise
            if code == STOP_NOC:
                self.network.deliver(found)
            elif code in (STOP_IDLE, STOP_STUCK):
                self._awake.pop(place, None)
                return
