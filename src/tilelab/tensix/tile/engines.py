"""A tile's engine and clock, by name."""

from collections.abc import Callable
from importlib import import_module

from tilelab.tensix.run.engine import Engine
from tilelab.tensix.run.reference import ReferenceEngine
from tilelab.tensix.state import TensixState

ENGINES = ("fast", "reference")
CLOCKS = ("functional", "cycle")


def make_engine(name: str, state: TensixState, describe_pc: Callable[[int, int], str]) -> Engine:
    """Make an engine by name. The compiler is only imported if it is needed."""
    if name == "reference":
        return ReferenceEngine(state, describe_pc)
    fast: Engine = import_module("tilelab.tensix.run.speed.fast").FastEngine(state, describe_pc)
    return fast
