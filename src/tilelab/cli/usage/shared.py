"""Options that several commands share, and how a declaration becomes a command."""

from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

import typer

from tilelab.sim.errors import BadInputError

KEYWORD = Parameter.KEYWORD_ONLY
MOST_ROUNDS = 20_000_000
"""As ``tilelab.kernels.run.DEFAULT_MAX_CYCLES``, which takes long to import."""
COMPILERS = "zig, gcc or the path of a RISC-V g++"

Chips = Literal["blackhole", "wormhole"]
Arch = Annotated[
    Chips | None,
    typer.Option(help="The chip of what names none; blackhole unless given.", show_default=False),
]
Chip = Annotated[Chips, typer.Option(help="The chip.")]
Engine = Annotated[Literal["fast", "reference"], typer.Option(help="What runs it.")]
Clock = Annotated[
    Literal["functional", "cycle"], typer.Option(help="Count rounds, or time each cycle.")
]
MaxCycles = Annotated[int, typer.Option(min=1, help="Give up after this many cycles.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Policies = Annotated[
    list[str] | None,
    typer.Option(metavar="CHECK=error|warn|off", help="What a failed check does; repeatable."),
]
Targets = Annotated[
    list[str],
    typer.Argument(
        metavar="TARGET...",
        help="A kernel.toml or a folder of them, ELFs, assembly, - for stdin, host recordings.",
    ),
]
OneTarget = Annotated[
    list[str],
    typer.Argument(
        metavar="TARGET...",
        help="One: a kernel.toml or its folder, ELFs, assembly, - for stdin.",
    ),
]
Page = Annotated[Path | None, typer.Option(metavar="PAGE", help="Also write an HTML page here.")]
Trace = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write what happened: .pftrace (Perfetto), .txt, JSON Lines."
    ),
]
Schedule = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Run under this schedule (of check --save-schedule)."),
]
SaveSchedule = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Keep the first schedule that goes wrong here.")
]


def _compilers(incomplete: str) -> list[str]:
    return [name for name in ("zig", "gcc") if name.startswith(incomplete)]


Compiler = Annotated[
    str,
    typer.Option(
        help=f"{COMPILERS}; by default what there is.",
        autocompletion=_compilers,
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Only:
    """Options that mean something only with another one, or, by ``without``, only without it."""

    options: str
    """Their parameters, blanks between."""
    other: str
    """Its parameter, or several of which one is enough, blanks between."""
    without: bool = False

    def refuse(self, given: Callable[[str], bool], flag: Callable[[str], str]) -> None:
        """BadInputError if one of them is given and would change nothing."""
        others = self.other.split()
        if any(map(given, others)) != self.without:
            return
        for name in self.options.split():
            if given(name):
                named = " or ".join(flag(other) for other in others)
                said = f"excludes {named}" if self.without else f"is for {named}"
                raise BadInputError(f"{flag(name)} {said}")


def carried_out(
    place: str, *rules: Only, old: dict[str, str] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command of a declaration; a module of the command line has what it does.

    That is the function of the declaration's name in ``place``, imported when it is called.
    ``rules``: which options mean nothing together. ``old``: names that parameters had, which still
    work and no help shows.
    """

    def decorate(declared: Callable[..., None]) -> Callable[..., None]:
        own = list(signature(declared).parameters.values())

        @wraps(declared)
        def command(**given: Any) -> Any:
            context = given.pop("context")
            flags = {param.name: param.opts[0] for param in context.command.params}
            for rule in rules:
                rule.refuse(lambda name: _given(context, name), lambda name: flags[name])
            function = getattr(import_module(f"tilelab.cli.{place}"), declared.__name__)
            if context.obj is not None:  # a part of the commands may be called without main()
                context.obj()
            return function(**given)

        context = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
        hints = get_type_hints(declared, include_extras=True)
        params = [one.replace(annotation=hints[one.name], kind=KEYWORD) for one in own]
        command.__signature__ = Signature([*params, context])  # type: ignore[attr-defined]
        command.__annotations__ = {**hints, "context": typer.Context}
        command.old = old or {}  # type: ignore[attr-defined]
        return command

    return decorate


def _given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


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

        def command(**given: Any) -> Any:
            made = {
                name: kind(**{one: given.pop(one) for one in names})
                for name, (kind, names) in groups.items()
            }
            return function(**made, **given)

        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        command.old = getattr(function, "old", {})  # type: ignore[attr-defined]
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
