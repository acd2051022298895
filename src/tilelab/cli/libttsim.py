"""``tilelab libttsim``: lay out a drop-in library for the vendor's host software."""

from pathlib import Path
from typing import Annotated

import typer

from tilelab.cli.console import print_json
from tilelab.cli.options import Chip, Json
from tilelab.tensix.arch import arch as arch_named
from tilelab.vendor.library.folder import lay_out, one_tile

OneTile = Annotated[
    bool, typer.Option("--one-tile", help="A chip with one Tensix tile instead of all.")
]
Late = Annotated[
    bool,
    typer.Option(
        "--late", help="What a tile asks of the NoC comes as late as it may; who uses it is told."
    ),
]
Ahead = Annotated[
    bool,
    typer.Option(
        "--ahead", help="Run ahead of a host that polls, instead of a clock for each of its clocks."
    ),
]


def libttsim(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to put it.")],
    arch: Chip = "blackhole",
    one: OneTile = False,
    late: Late = False,
    ahead: Ahead = False,
    json: Json = False,
) -> int:
    """Lay out libttsim.so and soc_descriptor.yaml: a simulated chip for tt-metal and ttnn."""
    profile = arch_named(arch)
    tiles = one_tile(profile) if one else None
    library = lay_out(folder, arch, tiles, late, in_step=not (ahead or late))
    if json:
        count = len(tiles or profile.layout.tensix)
        print_json({"library": str(library), "arch": arch, "tiles": count})
    else:
        typer.echo(library)
    return 0
