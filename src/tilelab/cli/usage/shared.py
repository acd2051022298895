"""Rows of which a command is declared, those that several commands share, and what is made of them.

A row is written as help shows it: ``option("-o --output DIR", "Put the ELFs here.", Path)``. Its
parameter is called as the last long flag is, unless ``name`` says otherwise.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tilelab.sim.errors import BadInputError

MOST_ROUNDS = 20_000_000
"""As ``tilelab.kernels.run.DEFAULT_MAX_CYCLES``, which takes long to import."""
REQUIRED = Parameter.empty

Kind = Any
"""A type, a list of it, or the words that there are."""


def _parameter(name: str, kind: Kind, default: Any, info: Any) -> Parameter:
    plain: Any = Literal.__getitem__(kind) if isinstance(kind, tuple) else kind
    if default is None:
        plain |= None
    known = {"annotation": Annotated[plain, info], "default": default}
    return Parameter(name, Parameter.KEYWORD_ONLY, **known)


def option(
    spelt: str, said: str, kind: Kind = str, default: Any = None, name: str = "", **more: Any
) -> Parameter:
    """An option: its flags, and then what stands for its value; ``more`` goes to Typer."""
    words = spelt.split()
    metavar = None if words[-1].startswith("-") else words.pop()
    long = [word for word in words if word.startswith("--")]
    name = name or long[-1].partition("/")[0].removeprefix("--").replace("-", "_")
    return _parameter(name, kind, default, typer.Option(*words, metavar=metavar, help=said, **more))


def flag(spelt: str, said: str, name: str = "") -> Parameter:
    """An option without a value: whether it is given."""
    return option(spelt, said, bool, False, name)


def argument(
    name: str, metavar: str, said: str, kind: Kind = str, default: Any = REQUIRED, **more: Any
) -> Parameter:
    """An argument, and what stands for it; with a default it may be left out."""
    return _parameter(
        name, kind, default, typer.Argument(metavar=metavar or None, help=said, **more)
    )


def _compilers(incomplete: str) -> list[str]:
    return [name for name in ("zig", "gcc") if name.startswith(incomplete)]


CHIPS = ("blackhole", "wormhole")
BOARDS = ("p100a", "p150a", "n150", "n300")
ENGINES = ("fast", "reference")
CLOCKS = ("functional", "cycle")

ARCH = option(
    "--arch", "The chip of what names none; blackhole unless given.", CHIPS, show_default=False
)
CHIP = option("--arch", "The chip.", CHIPS, "blackhole")
ENGINE = option("--engine", "What runs it.", ENGINES, "fast")
CLOCK = option("--clock", "Count rounds, or time each cycle.", CLOCKS, "functional")
MAX_CYCLES = option("--max-cycles", "Give up after this many cycles.", int, MOST_ROUNDS, min=1)
JSON = flag("--json", "Print one JSON document.")
POLICY = option("--policy CHECK=error|warn|off", "What a failed check does; repeatable.", list[str])
SCHEDULE = option("--schedule FILE", "Run under this schedule (of check --save-schedule).", Path)
TARGETS = argument(
    "targets",
    "TARGET...",
    "A kernel.toml or a folder of them, ELFs, assembly, - for stdin, host recordings.",
    list[str],
)
ONE_TARGET = argument(
    "targets",
    "TARGET...",
    "One: a kernel.toml or its folder, ELFs, assembly, - for stdin.",
    list[str],
)
COMPILER = option(
    "--compiler",
    "zig, gcc or the path of a RISC-V g++; by default what there is.",
    default="",
    autocompletion=_compilers,
    show_default=False,
)


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


@dataclass(frozen=True)
class Together:
    """Rows of which a command gets one record: ``kind``, ``module.Class`` in tilelab."""

    name: str
    kind: str
    rows: tuple[Parameter, ...]

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self.rows)


def command(
    place: str,
    said: str,
    *rows: Parameter | Together,
    rules: tuple[Only, ...] = (),
    old: dict[str, str] | None = None,
) -> Callable[..., Any]:
    """A command of its rows; ``place``, ``module.function`` of the command line, has what it does.

    That is imported when it is called, and gets a parameter for each row. ``rules``: which options
    mean nothing together. ``old``: names that parameters had, which still work and no help shows.
    """

    def made(**given: Any) -> Any:
        context = given.pop("context")
        flags = {param.name: param.opts[0] for param in context.command.params}
        for rule in rules:
            rule.refuse(lambda name: _given(context, name), lambda name: flags[name])
        function = _named(f"cli.{place}")
        for group in rows:
            if isinstance(group, Together):
                values = {row.name: given.pop(row.name) for row in group}
                given[group.name] = _named(group.kind)(**values)
        if context.obj is not None:  # a part of the commands may be called without main()
            context.obj()
        return function(**given)

    flat = [one for row in rows for one in (row if isinstance(row, Together) else (row,))]
    context = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    made.__name__, made.__doc__ = place.rpartition(".")[2], said
    made.__signature__ = Signature([*flat, context])  # type: ignore[attr-defined]
    made.__annotations__ = {one.name: one.annotation for one in (*flat, context)}
    made.old = old or {}  # type: ignore[attr-defined]
    return made


def _named(place: str) -> Any:
    module, _, name = place.rpartition(".")
    return getattr(import_module(f"tilelab.{module}"), name)


def _given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
