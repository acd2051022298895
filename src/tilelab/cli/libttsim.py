"""``tilelab libttsim``: lay out a drop-in library for the vendor's host software."""

from pathlib import Path

import typer

from tilelab.cli.streams import print_json
from tilelab.cli.usage import (
    BOARD,
    CHIP,
    JSON,
    LATE,
    ONE_TILE,
    SEVERAL,
    WHICH,
    Only,
    argument,
    command,
    flag,
)
from tilelab.sim.files import check_folder
from tilelab.tensix.arch import arch as arch_named
from tilelab.vendor.library.folder import lay_out, part_of


@command(rules=(Only("ahead", "late", without=True), WHICH))
def libttsim(
    folder: Path = argument("DIR", "Where to put it."),
    arch: str = CHIP,
    one: bool = ONE_TILE,
    board: str | None = BOARD,
    late: bool = LATE,
    ahead: bool = flag(
        "Run ahead of a host that polls, instead of a clock for each of its clocks."
    ),
    chips: int = SEVERAL,
    json: bool = JSON,
) -> int:
    """Lay out libttsim.so and soc_descriptor.yaml: a simulated chip for tt-metal and ttnn."""
    check_folder(folder)
    arch, tiles, views, _ = part_of(arch, one, board)
    in_step = not (ahead or late)
    library = lay_out(folder, arch, tiles, late, in_step, chips, views)
    if json:
        count = len(tiles or arch_named(arch).layout.tensix)
        print_json({"library": str(library), "arch": arch, "tiles": count, "chips": chips})
    else:
        typer.echo(library)
    return 0
