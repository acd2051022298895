"""Names that have moved: they work for one more release, and say where they are now."""

import warnings
from collections.abc import Callable
from typing import Any


def renamed(module: str, names: dict[str, type]) -> Callable[[str], Any]:
    """A module's ``__getattr__``: its old names, with a DeprecationWarning."""

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        now = names[name]
        text = f"{module}.{name} is {now.__module__}.{now.__name__} now, and goes in 0.2"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return now

    return find
