"""One Tenstorrent Tensix tile."""

from tilelab.tensix.frontend.expand_words import expand
from tilelab.tensix.numerics import explain_matmul, matmul_errors
from tilelab.tensix.run.stop_reason import StopReason
from tilelab.tensix.tile import Tile

__all__ = ["StopReason", "Tile", "expand", "explain_matmul", "matmul_errors"]
