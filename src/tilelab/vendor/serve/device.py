"""What a simulation server serves: one tile, or a chip of some, running in slices.

What a client reads and writes is what the NoC reads and writes: L1 and tile registers.

Not modelled: the chip's other cores (DRAM, Ethernet, ARC, PCIe). The chip that clients are told of
has none, and a request for one is refused.
"""

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Final

from tilelab.chip.chip import Chip
from tilelab.sim.errors import BadInputError, MachineError
from tilelab.sim.kernel import OK
from tilelab.sim.texts import text_of
from tilelab.tensix.arch import Arch
from tilelab.tensix.riscv import debug_bus
from tilelab.tensix.riscv.host_tools import TOOLS
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.tile.tile import Tile

COORDINATE: Final = (1, 1)
"""Where the tile stands (NoC 0)."""
WORD_BYTES: Final = 4
SLICE_SECONDS: Final = 0.004
"""How long the tile runs before clients are looked after again, about."""
FIRST_SLICE: Final = 1000

_DRIVER_NAMES: Final = {"blackhole": "BLACKHOLE", "wormhole": "WORMHOLE_B0"}


def described(arch: Arch, grid: Place, workers: Iterable[Place]) -> str:
    """A chip that has workers alone, as the vendor's driver wants it described (YAML).

    ``grid``: columns and rows; ``workers``: where they stand on NoC 0.
    """
    columns, rows = grid
    held = set(workers)
    places = [(x, y) for y in range(rows) for x in range(columns)]
    return text_of(
        __package__,
        "soc.yaml",
        columns=columns,
        rows=rows,
        workers=", ".join(f"{x}-{y}" for x, y in places if (x, y) in held),
        others=", ".join(f"{x}-{y}" for x, y in places if (x, y) not in held),
        mirrored_x=list(range(columns))[::-1],
        mirrored_y=list(range(rows))[::-1],
        l1_size=arch.l1_size,
        name=_DRIVER_NAMES[arch.name],
    )


class _Slices:
    """Running for a few milliseconds at a time; what ends that is kept."""

    def __init__(self, run: Callable[[int], bool]) -> None:
        self.problem: MachineError | None = None
        """What ended the program, if a check failed; the next write lets it go on."""
        self._run = run
        self._slice = FIRST_SLICE
        self._rests = False

    @property
    def busy(self) -> bool:
        """Whether running would change anything."""
        return not self._rests and self.problem is None

    def woken(self) -> None:
        """Note that something was written."""
        self._rests = False
        self.problem = None

    def run_slice(self) -> None:
        """Run for a few milliseconds; a failed check is kept in ``problem``."""
        started = perf_counter()
        try:
            self._rests = self._run(self._slice)
        except MachineError as error:
            self.problem = error
        spent = perf_counter() - started
        if not self._rests:
            wanted = self._slice * SLICE_SECONDS / max(spent, 1e-6)
            self._slice = int(min(max(wanted, 1), 2 * self._slice, 1 << 24))


class TileDevice(_Slices):
    """A tile as the only worker of a chip.

    A program that a failed check has ended stays to be looked at; a write to any tile register or
    to L1 lets it go on.
    """

    def __init__(self, tile: Tile) -> None:
        super().__init__(tile.settle)
        tile.set_policy("ebreak", "off")  # the core halts, and whoever debugs sees it
        tile.state.s.engine.find_polls = 1
        self.tile = tile

    @property
    def arch(self) -> str:
        """The chip's name."""
        return self.tile.arch.name

    @property
    def soc_descriptor(self) -> str:
        """The chip as the vendor's driver wants it described (YAML)."""
        return described(self.tile.arch, (2, 2), [COORDINATE])

    def read(self, x: int, y: int, address: int, size: int) -> bytes:
        """Read as the NoC does; BadInputError for what is not there."""
        self._check_coordinate(x, y)
        return self.tile.read(address, size)

    def write(self, x: int, y: int, address: int, data: bytes) -> None:
        """Write as the NoC does; BadInputError for what is not there."""
        self._check_coordinate(x, y)
        self.woken()
        self.tile.write(address, data)

    def _check_coordinate(self, x: int, y: int) -> None:
        if (x, y) != COORDINATE:
            raise BadInputError(
                f"there is nothing at {x}-{y}: the tile is at {COORDINATE[0]}-{COORDINATE[1]}"
            )


class ChipDevice(_Slices):
    """The Tensix tiles of a chip, where they stand on NoC 0."""

    def __init__(self, chip: Chip) -> None:
        super().__init__(chip.run)
        layout = chip.arch.layout
        self.chip = chip
        self._places = {(layout.columns[x], layout.rows[y]): (x, y) for x, y in chip.tiles}
        for tile in chip.tiles.values():
            tile.set_policy("ebreak", "off")

    @property
    def arch(self) -> str:
        """The chip's name."""
        return self.chip.arch.name

    @property
    def soc_descriptor(self) -> str:
        """The chip as the vendor's driver wants it described (YAML)."""
        return described(self.chip.arch, self.chip.arch.soc.grid, self._places)

    def _tile(self, x: int, y: int) -> Place:
        if (x, y) not in self._places:
            raise BadInputError(f"there is no tile at {x}-{y}")
        return self._places[x, y]

    def read(self, x: int, y: int, address: int, size: int) -> bytes:
        """Read as the NoC does; BadInputError for what is not there."""
        place = self._tile(x, y)
        if address in TOOLS and size == WORD_BYTES:
            return self.chip.tiles[place].read(address, size)
        return self.chip.read(place, address, size)

    def write(self, x: int, y: int, address: int, data: bytes) -> None:
        """Write as the NoC does; BadInputError for what is not there."""
        place = self._tile(x, y)
        self.woken()
        if address not in TOOLS or len(data) != WORD_BYTES:
            self.chip.write(place, address, data)
            return
        tile = self.chip.tiles[place]
        value = int.from_bytes(data, "little")
        if address == debug_bus.L1_MODE:
            code = debug_bus.write_sampling(tile.state.s, value, self.chip.run)
            if code != OK:
                raise tile.refused(code)
        else:
            tile.reg_write(address, value)
            self.chip.wake(place)
