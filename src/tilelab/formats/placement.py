"""Where an array of a kernel lies in a tile's L1."""

from dataclasses import dataclass
from math import prod

from tilelab.formats.l1 import l1_size
from tilelab.formats.layout import TILE


@dataclass(frozen=True)
class Placement:
    """An array in L1.

    ``format`` and ``layout`` are as in :mod:`tilelab.formats.l1`. ``tiles`` are the numbers
    (row-major) of the array's tiles in the order in which they lie in L1; it is () for
    ``row_major``. ``buffer`` is the number of the circular buffer that this is, or None.
    """

    address: int
    shape: tuple[int, ...]
    format: str
    layout: str
    tiles: tuple[int, ...]
    buffer: int | None

    @property
    def size(self) -> int:
        """Bytes in L1."""
        if self.tiles:
            return len(self.tiles) * l1_size((TILE, TILE), self.format)
        return l1_size(self.shape, self.format, self.layout)

    @property
    def capacity(self) -> int:
        """Tiles that it has room for; a row-major array is counted by as many data."""
        return len(self.tiles) or prod(self.shape) // TILE**2

    @property
    def extent(self) -> range:
        """The addresses it covers."""
        return range(self.address, self.address + self.size)
