"""``tilelab sfpi``."""

from pathlib import Path
from typing import Annotated

import typer

from tilelab.cli.console import print_json
from tilelab.vendor.standin.layout import CHOICES, lay_out


def sfpi(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where the vendor's compiler would be unpacked.")
    ],
    compiler: Annotated[str, typer.Option(help=f"What it stands on: {CHOICES}.")] = "zig",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Lay out a stand-in for the vendor's compiler, for programs that call it by its path."""
    made = lay_out(folder, compiler)
    if as_json:
        print_json({"compiler": made.version, "files": [str(path) for path in made.files]})
    else:
        for path in made.files:
            typer.echo(path)
