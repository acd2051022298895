"""A tile behind a socket, for the vendor's driver (tt-umd) and debugger (tt-exalens).

``with serving(TileDevice(Tile("blackhole"))) as server:`` and the unmodified packages find it;
``docs/debug-tools.md`` says how.
"""

from tilelab.vendor.serve.device import ChipDevice, TileDevice
from tilelab.vendor.serve.server import Server, own_folder, serving

__all__ = ["ChipDevice", "Server", "TileDevice", "own_folder", "serving"]
