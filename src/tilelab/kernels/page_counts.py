"""Circular buffers when a kernel has ended: whether both sides have counted the same tiles."""

from collections.abc import Iterator
from typing import Final

from tilelab.kernels.drained import counters
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.tensix.tile.tile import Tile

MOST_TILES: Final = 1 << 20
"""A number beyond that is none of tiles: nobody has set the counter up."""


def uneven(buffer: int, capacity: int, received: int, acknowledged: int) -> str:
    """What is wrong about how often a buffer's two sides have counted; "" if nothing is.

    A buffer that one side never counts is right: a tile that all others are combined with is never
    popped, and outputs are the host's to drain. But it was filled as often as it has room.
    """
    if acknowledged and acknowledged != received:
        return f"{received} tiles received of c_{buffer}, {acknowledged} acknowledged"
    if not acknowledged and received % capacity:
        return f"{received} tiles received of c_{buffer}, which is for {capacity}"
    return ""


def pages_left(tile: Tile, kernel: KernelFile) -> Iterator[str]:
    """A line for each buffer of a kernel that has ended whose sides disagree.

    Of kernels with tilelab's headers, which keep the counters in L1.
    """
    if kernel.build is None or kernel.build.headers:
        return
    for area in kernel.circular_buffers:
        assert area.buffer is not None
        received, acknowledged = counters(tile, kernel, area.buffer)
        if max(received, acknowledged) < MOST_TILES:
            if said := uneven(area.buffer, area.capacity, received, acknowledged):
                yield f"cb-pages-left: the program ends with {said}"
