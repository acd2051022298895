"""One Tenstorrent Tensix tile."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilelab.tensix.frontend.expand_words import expand
    from tilelab.tensix.numerics import explain_matmul, matmul_errors
    from tilelab.tensix.run.stop_reason import StopReason
    from tilelab.tensix.tile import Tile

__all__ = ["StopReason", "Tile", "expand", "explain_matmul", "matmul_errors"]

_PLACES = {
    "expand": "frontend.expand_words",
    "explain_matmul": "numerics",
    "matmul_errors": "numerics",
    "StopReason": "run.stop_reason",
    "Tile": "tile",
}


def __getattr__(name: str) -> Any:
    """A name of the package: whoever wants tables alone is spared the machine and its engine."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
