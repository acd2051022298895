"""Packages that can be called: a room named for what its one function does."""

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any


def make_callable(room: str, place: str, name: str) -> None:
    """Have calls of a package be calls of a function in a module below it.

    The module is imported when it is first called: importing the package stays quick.
    """

    class Room(ModuleType):
        def __call__(self, *given: Any, **named: Any) -> Any:
            function: Callable[..., Any] = getattr(import_module(place), name)
            return function(*given, **named)

    sys.modules[room].__class__ = Room
