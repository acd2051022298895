"""What a simulation server serves: one tile on an otherwise empty chip, running in slices.

What a client reads and writes is what the NoC reads and writes: L1 and tile registers, through
``Tile.read`` and ``Tile.write``.

Not modelled: every other core of the chip (DRAM, Ethernet, ARC, PCIe, further workers): the
chip that clients are told of has none, and a request for one is refused.
"""

from time import perf_counter
from typing import Final

from tilelab.sim.errors import BadInputError, MachineError
from tilelab.tensix.tile import Tile

COORDINATE: Final = (1, 1)
"""Where the tile stands (NoC 0)."""
SLICE_SECONDS: Final = 0.004
"""How long the tile runs before clients are looked after again, about."""
FIRST_SLICE: Final = 1000

_DESCRIPTOR: Final = """\
grid:
  x_size: 2
  y_size: 2
arc: []
pcie: []
dram: []
eth: []
functional_workers: [{x}-{y}]
router_only: [0-0, 1-0, 0-1]
noc0_x_to_noc1_x: [1, 0]
noc0_y_to_noc1_y: [1, 0]
worker_l1_size: {l1_size}
dram_bank_size: 0
eth_l1_size: 0
arch_name: {name}
features:
  unpacker:
    version: 1
    inline_srca_trans_without_srca_trans_instr: False
  math:
    dst_size_alignment: 32768
  packer:
    version: 1
  overlay:
    version: 1
"""
_DRIVER_NAMES: Final = {"blackhole": "BLACKHOLE", "wormhole": "WORMHOLE_B0"}


class TileDevice:
    """A tile as the only worker of a chip.

    ``problem`` is what ended its program, if a check failed. It stays to be looked at; a write to
    any tile register or to L1 lets it go on.
    """

    def __init__(self, tile: Tile) -> None:
        tile.set_policy("ebreak", "off")  # the core halts, and whoever debugs sees it
        self.tile = tile
        self.problem: MachineError | None = None
        self._slice = FIRST_SLICE
        self._rests = False

    @property
    def arch(self) -> str:
        """The chip's name."""
        return self.tile.arch.name

    @property
    def soc_descriptor(self) -> str:
        """The chip as the vendor's driver wants it described (YAML)."""
        x, y = COORDINATE
        return _DESCRIPTOR.format(
            x=x, y=y, l1_size=self.tile.arch.l1_size, name=_DRIVER_NAMES[self.arch]
        )

    def read(self, x: int, y: int, address: int, size: int) -> bytes:
        """Read as the NoC does; BadInputError for what is not there."""
        self._check_coordinate(x, y)
        return self.tile.read(address, size)

    def write(self, x: int, y: int, address: int, data: bytes) -> None:
        """Write as the NoC does; BadInputError for what is not there."""
        self._check_coordinate(x, y)
        self._rests = False
        self.problem = None
        self.tile.write(address, data)

    def _check_coordinate(self, x: int, y: int) -> None:
        if (x, y) != COORDINATE:
            raise BadInputError(
                f"there is nothing at {x}-{y}: the tile is at {COORDINATE[0]}-{COORDINATE[1]}"
            )

    @property
    def busy(self) -> bool:
        """Whether running would change anything."""
        return not self._rests and self.problem is None

    def run_slice(self) -> None:
        """Run the tile for a few milliseconds; a failed check is kept in ``problem``."""
        started = perf_counter()
        try:
            self._rests = self.tile.settle(self._slice)
        except MachineError as error:
            self.problem = error
        spent = perf_counter() - started
        if not self._rests:
            wanted = self._slice * SLICE_SECONDS / max(spent, 1e-6)
            self._slice = int(min(max(wanted, 1), 2 * self._slice, 1 << 24))
