"""A chip whose tiles are all under the checker: the chip's kernels, compiled with it in them."""

from collections.abc import Iterable
from functools import partial

from tilelab.check import noc
from tilelab.check.chip.arrivals import arrives, fetched, host_tells
from tilelab.check.engine import CheckedTile, checked_module, machine, watch
from tilelab.check.view import Checking
from tilelab.chip import answers as places
from tilelab.chip import compiled, network
from tilelab.chip.chip import Chip
from tilelab.chip.engine import ChipEngine
from tilelab.chip.state import ChipState
from tilelab.kernelpy.module import Module
from tilelab.sim.kernel import kernel
from tilelab.tensix.arch import Arch
from tilelab.tensix.run.speed import fast
from tilelab.tensix.state.records import Request
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.tile.junk import FIRMWARE_SCRATCH, FIRMWARE_SCRATCH_BYTES


@kernel
def lands(c: ChipState, s: Checking, r: Request, i: int) -> None:
    """A tile's read is carried out: what is stored next is what it brings."""
    s.shadow.landing = 1


@kernel
def stored(c: ChipState, s: Checking, place: int, address: int, count: int) -> None:
    """A tile is written to; a read's data are told of when they are there."""
    if s.shadow.landing:
        return
    if address + count <= s.arch.l1_size:
        noc.comes(s, address, count, 0 if c.settling else 1)
    if c.settling:
        arrives(c, s, c.tile[c.turn], place, address, count)
        return
    host_tells(c, s)


def module(arch: Arch, quick: bool = False) -> Module:
    """Everything that runs a chip, checked."""
    watched = watch()
    watched.entries |= {network.read: (lands,), places.store_tile: (stored,)}
    watched.entries |= {places.read_tile: (fetched,)}
    made = checked_module(arch, compiled.machine(arch, machine(arch)), watched, quick=quick)
    return compiled.add_kernels(made, arch)


class CheckedChip(Chip):
    """A chip of some of its tiles, all under the checker, which runs ahead of its host."""

    def __init__(self, arch: str, tiles: Iterable[Place]) -> None:
        super().__init__(arch, tiles)
        self.checked: dict[Place, CheckedTile] = {}
        """Its tiles, by place."""
        for place, tile in self.tiles.items():
            assert isinstance(tile, CheckedTile)
            tile.engine.written(FIRMWARE_SCRATCH, FIRMWARE_SCRATCH_BYTES)
            self.checked[place] = tile

    def _make_tile(self) -> CheckedTile:
        return CheckedTile(self.arch.name)

    def _make_engine(self) -> ChipEngine:
        engines = [tile.engine for _name, tile in self.running]
        code = fast.variant(self.arch, "checked chip", partial(module, self.arch))
        return compiled.FastChip(self.memory, engines, code)
