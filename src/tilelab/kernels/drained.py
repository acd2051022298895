"""What the host would find in an output's circular buffer: only what somebody has pushed."""

from tilelab.kernels.kernel_toml.file import KernelFile, Output
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS
from tilelab.tensix.tile.tile import Tile

COUNTERS = 8
"""Bytes of a circular buffer's two counters: tiles received, and acknowledged."""


def not_pushed(tile: Tile, kernel: KernelFile, output: Output) -> str:
    """Why the host would not get all of an output that is checked; "" if it would.

    Asked of kernels with a source of their own, whose start-up sets the counters, and of buffers
    that no core drains.
    """
    number = output.buffer
    if number is None or not kernel.build or not output.checked:
        return ""
    received, acknowledged = counters(tile, kernel, number)
    if acknowledged or received == output.capacity:
        return ""
    count = "no tile" if not received else f"{received:,}"
    return (
        f"c_{number}: {count} of {output.capacity:,} pushed, so the host does not get "
        f"{'any' if not received else 'them all'}: cb_push_back counts tiles"
    )


def counters(tile: Tile, kernel: KernelFile, number: int) -> tuple[int, int]:
    """Tiles received and acknowledged, wherever the kernel's headers count them."""
    if kernel.build and kernel.build.headers:
        noc = tile.state.s.noc
        return int(noc.stream_size[number]), int(noc.stream_start[number])
    raw = tile.read(CIRCULAR_BUFFERS.start + COUNTERS * number, COUNTERS)
    received, acknowledged = (int.from_bytes(raw[at : at + 4], "little") for at in (0, 4))
    return received, acknowledged
