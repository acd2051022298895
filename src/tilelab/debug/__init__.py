"""A debugger that goes backwards: ``Debugger(tile)`` runs a tile from stop to stop, either way.

What the command line, the GDB stub and the DAP server do is done by :class:`Debugger`;
``docs/debug.md`` shows it.
"""

from tilelab.debug.debugger import Debugger, Feed, Halt, Why
from tilelab.debug.places import Place, place
from tilelab.debug.stops import Stop, arrive, becomes, changed, leave, reached

__all__ = [
    "Debugger",
    "Feed",
    "Halt",
    "Place",
    "Stop",
    "Why",
    "arrive",
    "becomes",
    "changed",
    "leave",
    "place",
    "reached",
]
