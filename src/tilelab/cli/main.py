"""The ``tilelab`` command."""

import sys
from contextlib import redirect_stdout

import typer
from typer.main import get_command

from tilelab import __version__
from tilelab.cli import asm, examples, expand, explain_matmul, run
from tilelab.cli.console import complain
from tilelab.sim.errors import TilelabError

app = typer.Typer(
    name="tilelab",
    help="A lab bench for tile processors: assemble, expand, run and check their programs.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("asm")(asm.asm)
app.command("disasm")(asm.disasm)
app.command("expand")(expand.expand)
app.command("run")(run.run)
app.command("explain-matmul")(explain_matmul.explain_matmul)
app.command("examples")(examples.examples)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tilelab {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_version, is_eager=True
    ),
) -> None:
    if context.invoked_subcommand is None:
        with redirect_stdout(sys.stderr):  # typer's help prints itself
            typer.echo(context.get_help(), nl=False)
        raise typer.Exit(2)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code (0 good, 1 a failed check, 2 bad input)."""
    try:
        result = get_command(app).main(arguments, prog_name="tilelab", standalone_mode=False)
    except TilelabError as error:
        complain(error.summary, error.detail)
        return error.exit_code
    except typer.TyperException as error:
        complain(error.format_message())
        return 2
    except (typer.Abort, KeyboardInterrupt):
        complain("interrupted")
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output is gone: nothing to say, nobody to tell
        return 0
    return result if isinstance(result, int) else 0


if __name__ == "__main__":
    sys.exit(main())
