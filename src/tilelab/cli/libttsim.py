"""``tilelab libttsim``: lay out a drop-in library for the vendor's host software."""

from pathlib import Path

import typer

from tilelab.cli.streams import print_json
from tilelab.sim.files import check_folder
from tilelab.tensix.arch import arch as arch_named
from tilelab.vendor.library.folder import lay_out, part_of


def libttsim(
    folder: Path,
    arch: str,
    one: bool,
    board: str | None,
    late: bool,
    ahead: bool,
    chips: int,
    json: bool,
) -> int:
    """Lay out libttsim.so and soc_descriptor.yaml: a simulated chip for tt-metal and ttnn."""
    check_folder(folder)
    arch, tiles, views = part_of(arch, one, board)
    in_step = not (ahead or late)
    library = lay_out(folder, arch, tiles, late, in_step, chips, views)
    if json:
        count = len(tiles or arch_named(arch).layout.tensix)
        print_json({"library": str(library), "arch": arch, "tiles": count, "chips": chips})
    else:
        typer.echo(library)
    return 0
