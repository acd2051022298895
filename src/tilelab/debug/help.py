"""What the debugger's commands are called for short, and what its help says."""

from typing import Final

from tilelab.debug.breakpoints import offered_catches
from tilelab.sim.texts import text_of

ALIASES: Final = {
    "c": "continue",
    "rc": "reverse-continue",
    "s": "step",
    "n": "next",
    "rs": "reverse-step",
    "rn": "reverse-next",
    "si": "stepi",
    "rsi": "reverse-stepi",
    "b": "break",
    "p": "print",
    "x": "examine",
    "bt": "backtrace",
    "where": "backtrace",
    "l": "list",
    "i": "info",
    "q": "quit",
    "exit": "quit",
    "d": "delete",
    "fin": "finish",
    "h": "help",
    "EOF": "quit",
}
HELP: Final = text_of(__package__, "help.txt", catches=offered_catches()).rstrip()
