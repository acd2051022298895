"""The ``tilelab`` command."""

import os
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from importlib import import_module

import typer
from typer.main import get_command

from tilelab import __version__
from tilelab.cli.console import complain
from tilelab.sim.errors import TilelabError

COMMANDS = {
    "asm": "asm",
    "disasm": "asm",
    "expand": "expand",
    "run": "run",
    "explain-matmul": "explain_matmul",
    "view": "view",
    "examples": "examples",
    "bench": "bench",
    "pto": "pto",
    "tilext": "tilext",
}
"""The module of each command: it has a function of the command's name, or an ``app`` of its own."""

INTERRUPTED = 130


def application(commands: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command line with these commands; only their modules are imported."""
    made = typer.Typer(
        name="tilelab",
        help="A lab bench for tile processors: assemble, expand, run and check their programs.",
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
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


def _needed(arguments: list[str]) -> Iterable[str]:
    """The one command that is called; all of them where that is not plain, as for help."""
    first = arguments[0] if arguments else ""
    return [first] if first in COMMANDS else COMMANDS


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


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code (0 good, 1 a failed check, 2 bad input)."""
    _open_streams()
    try:
        arguments = sys.argv[1:] if arguments is None else arguments
        command = get_command(application(_needed(arguments)))
        result = command.main(arguments, prog_name="tilelab", standalone_mode=False)
        sys.stdout.flush()
        if result == INTERRUPTED:  # what Typer makes of Ctrl-C, in silence
            raise KeyboardInterrupt
    except TilelabError as error:
        complain(error.summary, error.detail)
        return error.exit_code
    except typer.TyperException as error:
        complain(error.format_message())
        return 2
    except (typer.Abort, KeyboardInterrupt):
        complain("interrupted")
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):  # Rich and Typer make the second of the first
        _drop_output()  # whoever read it is gone: nothing to say, nobody to tell
        return 0
    except OSError as error:
        _drop_output()
        complain(f"cannot write the output: {error.strerror or error}")
        return 2
    return result if isinstance(result, int) else 0


def _open_streams() -> None:
    """Let what the shell has closed (``>&-``) be empty instead of missing."""
    for name, mode in ("stdin", "r"), ("stdout", "w"), ("stderr", "w"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _drop_output() -> None:
    """Send what is still buffered for stdout nowhere, so that nothing fails again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
