"""Values of the command line that need no conversion: then what converts is not even imported.

Typer converts each value by a library (Pydantic) that takes a sixth of a warm start to import.
"""

from collections.abc import Callable
from typing import Any, Literal, get_origin


class Sparing:
    """Converts a parameter's values as Typer does; takes what is plain as it is."""

    def __init__(self, annotation: object, converter: Callable[[], Any]) -> None:
        self.annotation = annotation
        self.converter = converter

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value as the command gets it; Typer's error for one that it refuses."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if self.annotation == list[str] and isinstance(value, list | tuple):
            if all(isinstance(item, str) for item in value):
                return list(value)
        if self._is_own(value) and value == param.default:
            return value
        return self.converter().coerce(value, param=param, ctx=ctx)

    def _is_own(self, value: Any) -> bool:
        """Whether a default is of the parameter's own type, as those are that are declared so."""
        if get_origin(self.annotation) is Literal:
            return isinstance(value, str)
        return self.annotation in (str, int) and type(value) is self.annotation


def spare(parameter: Any) -> None:
    """Have a parameter of Typer's take plain values as they are, where Typer can be told so."""
    converter = getattr(parameter, "get_runtime_param", None)
    descriptor = getattr(parameter, "type_descriptor", None)
    if converter is None or descriptor is None:
        return
    sparing = Sparing(descriptor.annotation, converter)
    parameter.get_runtime_param = lambda: sparing
