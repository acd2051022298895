"""``tilelab sfpi``."""

from pathlib import Path

import typer

from tilelab.build.standin.layout import lay_out
from tilelab.cli.streams import print_json
from tilelab.sim.files import check_folder


def sfpi(folder: Path, compiler: str, json: bool) -> None:
    """Lay out a stand-in for the vendor's compiler, for programs that call it by its path."""
    check_folder(folder)
    made = lay_out(folder, compiler)
    if json:
        print_json({"compiler": made.version, "files": [str(path) for path in made.files]})
    else:
        for path in made.files:
            typer.echo(path)
