"""``tilelab sfpi``."""

from pathlib import Path

import typer

from tilelab.build.standin.layout import lay_out
from tilelab.cli.streams import print_json
from tilelab.cli.usage import JSON, argument, command, option
from tilelab.sim.files import check_folder


@command()
def sfpi(
    folder: Path = argument("DIR", "Where the vendor's compiler would be unpacked."),
    compiler: str = option("What it stands on.", choices=("zig", "gcc"), default="zig"),
    json: bool = JSON,
) -> None:
    """Lay out a stand-in for the vendor's compiler, for programs that call it by its path."""
    check_folder(folder)
    made = lay_out(folder, compiler)
    if json:
        print_json({"compiler": made.version, "files": [str(path) for path in made.files]})
    else:
        for path in made.files:
            typer.echo(path)
