"""What is taken as it is, is what Typer would make of it: for each parameter of each command."""

from collections.abc import Iterator
from typing import Any

import pytest

from tilelab.cli.main import application, prepared
from tilelab.cli.plain_values import Sparing


def parameters(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    for one in command.params:
        if isinstance(getattr(one, "get_runtime_param", lambda: None)(), Sparing):
            yield f"{path} {one.name}", one
    for name, inner in getattr(command, "commands", {}).items():
        yield from parameters(inner, f"{path} {name}".strip())


KNOWN = dict(parameters(prepared(application()), ""))


@pytest.mark.parametrize("name", KNOWN)
def test_a_plain_value_is_what_typer_makes_of_it(name: str) -> None:
    parameter = KNOWN[name]
    sparing = parameter.get_runtime_param()
    asked: list[Any] = []

    def converter() -> Any:
        asked.append(parameter)
        return real

    real = sparing.converter()
    ours = Sparing(sparing.annotation, converter)
    default = None if callable(parameter.default) else parameter.default
    values = [None, default, "5", ["a", "b"], ("a", ""), []]
    for value in values:
        both = [outcome(each, value, parameter) for each in (ours, real)]
        assert both[0] == both[1]
    assert len(asked) < len(values), "None at least"


def outcome(converter: Any, value: Any, parameter: Any) -> tuple[type, str]:
    """What comes out of it, or how it is refused."""
    try:
        made = converter.coerce(value, param=parameter, ctx=None)
    except Exception as error:
        return type(error), str(error)
    return type(made), repr(made)


def test_most_parameters_are_spared() -> None:
    assert len(KNOWN) > 100
