"""Options that several commands share."""

from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_type_hints

import typer

KEYWORD = Parameter.KEYWORD_ONLY
DEFAULT_ARCH = "blackhole"

Arch = Annotated[
    str | None,
    typer.Option(
        help=f"For what names no chip: {DEFAULT_ARCH} (the default) or wormhole.",
        show_default=False,
    ),
]
Chip = Annotated[str, typer.Option(help="blackhole or wormhole.")]
Engine = Annotated[str, typer.Option(help="fast or reference.")]
MaxCycles = Annotated[int, typer.Option(min=1, help="Give up after this many cycles.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document.")]


def with_settings(**own: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command of a function whose parameters may be dataclasses: a field is an option.

    A field's type is ``Annotated[TYPE, HELP]``, or Typer's own. ``own`` gives, by a field's name,
    what Typer is to know beyond that: ``typer.Option("-D")``, ``typer.Argument()``.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        parameters: list[Parameter] = []
        groups: dict[str, tuple[type, list[str]]] = {}
        hints = get_type_hints(function, include_extras=True)
        for name, given in signature(function).parameters.items():
            if not is_dataclass(hints[name]):
                parameters.append(given.replace(annotation=hints[name], kind=KEYWORD))
                continue
            types = get_type_hints(hints[name], include_extras=True)
            inner = [_option(f, types[f.name], own.get(f.name)) for f in fields(hints[name])]
            groups[name] = hints[name], [one.name for one in inner]
            parameters += inner

        def command(**given: Any) -> None:
            made = {
                name: kind(**{one: given.pop(one) for one in names})
                for name, (kind, names) in groups.items()
            }
            function(**made, **given)

        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        return command

    return decorate


def _option(field: Field[Any], kind: Any, own: Any) -> Parameter:
    """A field of a settings class as a parameter that Typer makes an option of."""
    plain, *said = get_args(kind)
    flags = ["--" + field.name.replace("_", "-")] if plain is bool else []
    info = copy(own) if own is not None else typer.Option(*flags)
    if isinstance(said[0], str):
        info.help = said[0]
    else:
        info = said[0]
    default = field.default
    if field.default_factory is not MISSING:
        default = field.default_factory()
    return Parameter(
        field.name, KEYWORD, annotation=Annotated[plain, info],
        default=Parameter.empty if default is MISSING else default,
    )  # fmt: skip
