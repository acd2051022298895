"""How commands are declared, and what is made of that.

A command is a function in a file of ``cli/``. It parses, calls and prints; each of its parameters
has a row for its default, which is written as help shows it::

    @command(old={"--dir": "output"})
    def build(output: Path | None = option("-o DIR", "Put the ELFs here."), json: bool = JSON): ...

An option's long flag is its parameter's name, unless the row spells one. All that is kept in
``commands.json``, which ``tools/commands_table.py`` writes and of which the command line is made:
help and mistyped options import nothing that a command does.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

from tilelab.sim.errors import BadInputError

TABLE = Path(__file__).with_name("commands.json")
MOST_ROUNDS = 20_000_000
"""As ``tilelab.kernels.run.DEFAULT_MAX_CYCLES``, which takes long to import."""
REQUIRED: Any = ...
KINDS = {
    **{kind.__name__: kind for kind in (str, int, float, bool, Path)},
    **{f"list[{kind.__name__}]": list[kind] for kind in (str, int, Path)},  # type: ignore[valid-type]
}
"""Types that parameters have, None apart."""


@dataclass(frozen=True)
class Row:
    """An argument or an option, of a parameter that has this for its default."""

    spelt: str
    """Its flags, and then what stands for its value."""
    said: str
    default: Any = None
    choices: tuple[str, ...] = ()
    argument: bool = False
    more: tuple[tuple[str, Any], ...] = ()
    """For Typer."""


def option(*told: str, default: Any = None, choices: tuple[str, ...] = (), **more: Any) -> Any:
    """An option: its flags and what stands for its value, if need be; and what help says."""
    spelt, said = ("", *told)[-2:]
    return Row(spelt, said, default, choices, more=tuple(more.items()))


def flag(*told: str) -> Any:
    """An option without a value: whether it is given."""
    return option(*told, default=False)


def argument(
    metavar: str,
    said: str,
    default: Any = REQUIRED,
    choices: tuple[str, ...] = (),
    **more: Any,
) -> Any:
    """An argument, and what stands for it; with a default it may be left out."""
    return Row(metavar, said, default, choices, argument=True, more=tuple(more.items()))


@dataclass(frozen=True)
class Together:
    """Rows of which a command gets one record."""

    kind: type
    rows: dict[str, Row]
    """By the record's fields."""


def together(kind: type, **rows: Row) -> Any:
    """Rows that become one parameter, a record of this kind."""
    return Together(kind, rows)


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
class Declared:
    """A command: what carries it out, and what its rows do not say."""

    function: Callable[..., Any]
    rules: tuple[Only, ...]
    old: dict[str, str]


DECLARED: dict[str, Declared] = {}
"""The commands of the modules that have been imported, by what is typed."""
Function = TypeVar("Function", bound=Callable[..., Any])


def command(
    group: str = "", *, rules: tuple[Only, ...] = (), old: dict[str, str] | None = None
) -> Callable[[Function], Function]:
    """A function as a command of its name, among a group's; help says its docstring.

    ``rules``: which options mean nothing together. ``old``: names that parameters had, which still
    work and no help shows.
    """

    def declared(function: Function) -> Function:
        name = function.__name__.strip("_").replace("_", "-")
        DECLARED[f"{group} {name}".strip()] = Declared(function, rules, old or {})
        return function

    return declared


def compilers(incomplete: str) -> list[str]:
    """Names of compilers, for a shell that completes one."""
    return [name for name in ("zig", "gcc") if name.startswith(incomplete)]


def example_names(incomplete: str) -> list[str]:
    """Names of the examples, likewise."""
    from tilelab.kernels.examples import examples  # noqa: PLC0415  for completion alone

    return [name for name in examples() if name.startswith(incomplete)]


CHIPS = ("blackhole", "wormhole")
BOARDS = ("p100a", "p150a", "n150", "n300")
ENGINES = ("fast", "reference")
CLOCKS = ("functional", "cycle")

ARCH = option(
    "The chip of what names none; blackhole unless given.", choices=CHIPS, show_default=False
)
CHIP = option("The chip.", choices=CHIPS, default="blackhole")
ENGINE = option("What runs it.", choices=ENGINES, default="fast")
CLOCK = option("Count rounds, or time each cycle.", choices=CLOCKS, default="functional")
MAX_CYCLES = option("Give up after this many cycles.", default=MOST_ROUNDS, min=1)
JSON = flag("Print one JSON document.")
POLICY = option("CHECK=error|warn|off", "What a failed check does; repeatable.")
SCHEDULE = option("FILE", "Run under this schedule (of check --save-schedule).")
TARGETS = argument(
    "TARGET...", "A kernel.toml or a folder of them, ELFs, assembly, - for stdin, host recordings."
)
ONE_TARGET = argument("TARGET...", "One: a kernel.toml or its folder, ELFs, assembly, - for stdin.")
COMPILER = option(
    "zig, gcc or the path of a RISC-V g++; by default what there is.",
    default="",
    autocompletion=compilers,
    show_default=False,
)
JUNK = option(
    "SEED",
    "Registers and L1 begin as junk, not as zeros; the seed says which.",
    min=0,
    max=(1 << 64) - 1,
)
ONE_TILE = flag("--one-tile", "A chip with one Tensix tile instead of all.")
BOARD = option("A chip as this board has it, with its tiles and DRAM.", choices=BOARDS)
WHICH = Only("board", "arch one chips", without=True)
LATE = flag("What a tile asks of the NoC comes as late as it may; who uses it is told.")
SEVERAL = option("How many chips, wired as on the vendor's boards.", default=1, min=1, max=32)


@cache
def table() -> dict[str, dict[str, Any]]:
    """All commands, as they are kept."""
    read: dict[str, dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return read


def called(kept: dict[str, Any]) -> Callable[..., Any]:
    """What Typer makes a kept command of; what carries it out is imported when it is called."""

    def made(**given: Any) -> Any:
        context = given.pop("context")
        flags = {param.name: param.opts[0] for param in context.command.params}
        for rule in kept["rules"]:
            Only(*rule).refuse(lambda name: _given(context, name), lambda name: flags[name])
        function = _named(kept["place"])
        for group, kind in kept["groups"].items():
            names = [row["name"] for row in kept["rows"] if row.get("group") == group]
            given[group] = _named(kind)(**{name: given.pop(name) for name in names})
        if context.obj is not None:  # a part of the commands may be called without main()
            context.obj()
        return function(**given)

    context = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    flat = [*map(_parameter, kept["rows"]), context]
    made.__name__, made.__doc__ = kept["place"].rpartition(":")[2], kept["help"]
    made.__signature__ = Signature(flat)  # type: ignore[attr-defined]
    made.__annotations__ = {one.name: one.annotation for one in flat}
    made.old = kept["old"]  # type: ignore[attr-defined]
    return made


def _parameter(row: dict[str, Any]) -> Parameter:
    """A kept row as Typer wants it."""
    kind: Any = KINDS[row["kind"]]
    default = row.get("default", Parameter.empty)
    if kind is Path and isinstance(default, str):
        default = Path(default)
    if "choices" in row:
        kind = Literal.__getitem__(tuple(row["choices"]))
    if default is None:
        kind |= None
    told = dict(row["told"])
    if "autocompletion" in told:
        told["autocompletion"] = _named(told["autocompletion"])
    flags = row.get("flags")
    info = typer.Argument(**told) if flags is None else typer.Option(*flags, **told)
    kept = {"annotation": Annotated[kind, info], "default": default}
    return Parameter(row["name"], Parameter.KEYWORD_ONLY, **kept)


def _named(place: str) -> Any:
    module, _, name = place.rpartition(":")
    return getattr(import_module(module), name)


def _given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
