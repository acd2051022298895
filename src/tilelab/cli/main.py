"""The ``tilelab`` command."""

import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from importlib import import_module
from typing import Any

import typer
from typer.main import get_command

from tilelab import __version__
from tilelab.cli.console import (
    complain,
    complain_of,
    drop,
    end_output,
    open_streams,
    stdout,
    unforeseen,
)
from tilelab.sim.errors import BadInputError, TilelabError

COMMANDS = {
    "asm": "asm",
    "build": "build",
    "check": "check",
    "disasm": "asm",
    "expand": "expand",
    "run": "run",
    "sfpi": "sfpi",
    "serve": "serve",
    "debug": "debug",
    "gdb": "debug",
    "dap": "dap",
    "explain-matmul": "explain_matmul",
    "view": "view",
    "compare": "compare",
    "new": "new",
    "doctor": "doctor",
    "examples": "examples",
    "libttsim": "libttsim",
    "ttnn": "ttnn",
    "bench": "bench",
    "pto": "pto",
    "tilext": "tilext",
}
"""The module of each command: it has a function of the command's name, or an ``app`` of its own."""

FOREIGN = ("ttnn",)
"""Commands that hand arguments on to a program."""

INTERRUPTED = 130
HELP = ["-h", "--help"]


def application(commands: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command line with these commands; only their modules are imported."""
    made = typer.Typer(
        name="tilelab",
        help="A lab bench for tile processors: assemble, expand, run and check their programs.",
        add_completion=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": HELP},
    )
    made.callback(invoke_without_command=True)(_options)
    for name in commands:
        module = import_module(f"tilelab.cli.{COMMANDS[name]}")
        if hasattr(module, "app"):
            module.app.callback(invoke_without_command=True)(_help_without_command)
            made.add_typer(module.app, name=name)
        else:
            made.command(name)(getattr(module, name.replace("-", "_")))
    return made


def _plain_flags(command: Any) -> None:
    """Have the help show flags as they are typed: ``--json``, without a type that they take."""
    context = command.context_class(command, help_option_names=HELP)
    for parameter in command.get_params(context):
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    for inner in getattr(command, "commands", {}).values():
        _plain_flags(inner)


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
        with redirect_stdout(sys.stderr):  # with Rich, get_help prints on its own
            typer.echo(context.get_help())
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
    stdout.goes_on = False
    try:
        arguments = sys.argv[1:] if arguments is None else arguments
        _refuse_empty(arguments)
        command = get_command(application(_needed(arguments)))
        _plain_flags(command)
        ready()
        result = command.main(arguments, prog_name="tilelab", standalone_mode=False)
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


def _explain(error: Exception) -> int:
    """Say what ended a command; returns the exit code."""
    if isinstance(error, TilelabError):
        complain_of(error)
        return error.exit_code
    if isinstance(error, typer.TyperException):
        complain(error.format_message())
    elif isinstance(error, OSError):
        if error.errno is None:  # not the system's: of a library that could not be loaded
            complain(str(error).partition("\n")[0])
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
