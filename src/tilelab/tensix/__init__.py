"""One Tenstorrent Tensix tile."""

from tilelab.tensix.frontend.expand import expand
from tilelab.tensix.tile import StopReason, Tile

__all__ = ["StopReason", "Tile", "expand"]
