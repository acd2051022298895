"""The ``tilelab`` command."""

import re
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import typer
from typer.main import get_command

from tilelab import __version__
from tilelab.cli.plain_values import spare
from tilelab.cli.streams import complain, complain_of, drop, end_output, open_streams, printing
from tilelab.cli.usage import called, table
from tilelab.sim.errors import BadInputError, TilelabError, unforeseen

COMMANDS = tuple(dict.fromkeys(name.split()[0] for name in table()))
GROUPS = {
    "pto": "PTO's TPUSH and TPOP over ring FIFOs: run programs, prove credit schemes.",
    "pto explore": "Search every interleaving: prove a pipe or a program safe, or not.",
    "tilext": "The RISC-V Tile Extension: reference, programs and exports.",
}
"""What help says of commands that have further ones."""
FOREIGN = ("ttnn", "import")
"""Commands that hand arguments on to a program."""

INTERRUPTED = 130
HELP = ["-h", "--help"]
WIDTH = 100
"""Columns of help, where the terminal has as many."""
KINDS = {"int": "N", "int range": "N", "float": "N", "str": "TEXT", "path": "PATH"}
KINDS |= {f"list[{kind}]": name for kind, name in KINDS.items()}
"""What stands for a value in help, where the option does not say."""


def application(commands: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command line with these commands; what they do is imported when they are called."""
    made = typer.Typer(
        name="tilelab",
        help="Simulates Tenstorrent's Tensix cores bit for bit: run, time, check, debug kernels.",
        add_completion=commands is COMMANDS,  # what they read would take long to import
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": HELP, "max_content_width": WIDTH},
    )
    made.callback(invoke_without_command=True)(_options)
    groups = {"": made}
    for name, kept in table().items():
        above, _, last = name.rpartition(" ")
        if name.split()[0] in commands:
            _group(groups, above).command(last)(called(kept))
    return made


def _group(groups: dict[str, typer.Typer], name: str) -> typer.Typer:
    """The commands of a group, which is made where it is new."""
    if name not in groups:
        above, _, last = name.rpartition(" ")
        cls = import_module("tilelab.cli.pto_kinds").ByKind if name == "pto explore" else None
        groups[name] = typer.Typer(cls=cls, help=GROUPS[name], rich_markup_mode=None)
        if not above:
            groups[name].callback(invoke_without_command=True)(_help_without_command)
        _group(groups, above).add_typer(groups[name], name=last)
    return groups[name]


def prepared(application: typer.Typer) -> Any:
    """The command line, ready to be called: its help in plain words, its old names taken."""
    command = get_command(application)
    _prepare(command)
    return command


def _prepare(command: Any) -> None:
    """Have the help show what is typed, not types; have old names work in silence."""
    context = command.context_class(command, help_option_names=HELP)
    old = getattr(command.callback, "old", {})
    for parameter in command.get_params(context):
        spare(parameter)
        if parameter.param_type_name == "argument":
            _name(parameter)
        elif getattr(parameter, "is_flag", False):
            parameter.metavar = ""
            parameter.default = bool(parameter.default)  # else a library would be asked what it is
        elif parameter.metavar is None:
            parameter.metavar = KINDS.get(
                (parameter.display_type_rich(ctx=context) or "").strip("<>")
            )
        if names := [flag for flag, name in old.items() if name == parameter.name]:
            _take(parameter, names)
    for inner in getattr(command, "commands", {}).values():
        _prepare(inner)


def _name(argument: Any) -> None:
    """Have an argument shown by its name alone: in brackets if it may be left out."""
    name = (argument.metavar or argument.name.upper()).strip("[]")
    argument.make_metavar = lambda ctx: name if argument.required else f"[{name}]"
    argument.get_usage_pieces = lambda ctx: [argument.make_metavar(ctx)]
    argument.display_type_rich = lambda ctx: ""


def _take(parameter: Any, names: list[str]) -> None:
    """Have an option work by other names, too, which no help shows."""
    shown = list(parameter.opts)

    def add_to_parser(parser: Any, context: Any) -> None:
        parameter.opts = [*shown, *names]
        type(parameter).add_to_parser(parameter, parser, context)
        parameter.opts = shown

    parameter.add_to_parser = add_to_parser


def _needed(arguments: list[str]) -> Iterable[str]:
    """The one command that is called; all of them where that is not plain, as for help."""
    first = arguments[0] if arguments else ""
    return [first] if first in COMMANDS else COMMANDS


def _refuse_empty(arguments: list[str]) -> None:
    """BadInputError for an empty argument: as a path it would mean the current folder.

    What follows ttnn may be another program's own.
    """
    if arguments and arguments[0] in FOREIGN:
        return
    for argument in arguments:
        if not argument or (argument.startswith("--") and argument.endswith("=")):
            which = f" of {argument.rstrip('=')}" if argument else ""
            raise BadInputError(f"an argument{which} is empty: is a shell variable not set?")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tilelab {__version__}")
        raise typer.Exit


def _help_without_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)


def _options(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_version, is_eager=True
    ),
) -> None:
    _help_without_command(context)


def main(arguments: list[str] | None = None, ready: Callable[[], object] = lambda: None) -> int:
    """Run the command line; returns the exit code (0 good, 1 a failed check, 2 bad input).

    ``ready`` is called when the command's modules are imported, before it runs.
    """
    open_streams()
    printing.goes_on = False
    try:
        arguments = sys.argv[1:] if arguments is None else arguments
        _refuse_empty(arguments)
        command = prepared(application(_needed(arguments)))
        result = command.main(arguments, prog_name="tilelab", standalone_mode=False, obj=ready)
        end_output()
        if result == INTERRUPTED:  # what Typer makes of Ctrl-C, in silence
            raise KeyboardInterrupt
    except (typer.Abort, KeyboardInterrupt):
        complain("interrupted")
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):  # Rich and Typer make the second of the first
        drop(sys.stdout)  # whoever read it is gone: nothing to say, nobody to tell
        return 0
    except Exception as error:
        return _explain(error)
    return result if isinstance(result, int) else 0


PHRASES = {
    r"Value error, ": "",
    r"Input should be a valid integer, unable to .*": "it is not a whole number",
    r"Unable to parse input string as an integer, .*": "it is not a whole number of this size",
    r"Input should be a valid number, unable to .*": "it is not a number",
    r"Input should be greater than or equal to (\S+)": r"it must be \1 or more",
    r"Input should be less than or equal to (\S+)": r"it must be \1 or less",
}
"""What the library that reads arguments says, in other words."""


def _plainly(error: typer.TyperException) -> str:
    """What is wrong with the arguments; of a missing one also where the help is."""
    text = " ".join(error.format_message().split())
    for theirs, ours in PHRASES.items():
        text = re.sub(theirs, ours, text)
    context = getattr(error, "ctx", None)
    if text.startswith("Missing argument") and context is not None:
        text = f"{text.rstrip('.')}: see {context.command_path} --help"
    return text


def _of_a_library(error: OSError) -> str:
    """Why a library could not be loaded, as who loads said first: others only guess."""
    while isinstance(error.__context__, OSError):
        error = error.__context__
    said = str(error).partition("\n")[0]
    memory = "there is not enough memory for this: " if "failed to map segment" in said else ""
    return memory + said


def _explain(error: Exception) -> int:
    """Say what ended a command; returns the exit code."""
    if isinstance(error, TilelabError):
        complain_of(error)
        return error.exit_code
    if isinstance(error, typer.TyperException):
        complain(_plainly(error))
    elif isinstance(error, OSError):
        if error.errno is None:  # not the system's: of a library that could not be loaded
            complain(_of_a_library(error))
        else:
            drop(sys.stdout)
            place = error.filename if error.filename is not None else "cannot write the output"
            complain(f"{place}: {error.strerror or error}")
    elif isinstance(error, MemoryError):
        complain("there is not enough memory for this")
    else:
        complain_of(unforeseen(error))
    return 2


if __name__ == "__main__":
    sys.exit(main())
