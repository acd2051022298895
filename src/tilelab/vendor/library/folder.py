"""Lays out the folder that ``TT_METAL_SIMULATOR`` points into: the library and its description."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tilelab.sim.files import telling, write_whole
from tilelab.tensix.arch import ARCHES, Arch
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.tables.soc import soc_description
from tilelab.vendor.library.recorder import lay_out_recorder
from tilelab.vendor.library.shim import NAME, shared_library

DESCRIPTION = "soc_descriptor.yaml"
INNER = "chip"
"""The folder with the library that a recorder calls."""


def one_tile(arch: Arch) -> tuple[Place, ...]:
    """The first Tensix tile: a chip of it alone is enough for many programs, and starts fastest."""
    return arch.layout.tensix[:1]


class Part(NamedTuple):
    """A chip, and what exists of it: Tensix tiles, DRAM views; None: all."""

    arch: str
    tiles: tuple[Place, ...] | None = None
    views: int | None = None
    grid: Place | None = None
    """On how many columns and rows programs compute, where tt-metal has to be told."""


def part_of(arch: str, one: bool, board: str | None) -> Part:
    """One tile of a chip, the chip of a board, or all of it; BadInputError: there is no chip."""
    for name, profile in ARCHES.items():
        found = profile.soc.boards.get(board or "")
        if found:
            columns = list(profile.layout.columns)[: found.tiles[0]]
            rows = list(profile.layout.rows)[: found.tiles[1]]
            tiles = tuple((x, y) for y in rows for x in columns)
            return Part(name, tiles, found.views, found.grid)
    profile = arch_named(arch)
    return Part(arch, one_tile(profile), None, (1, 1)) if one else Part(arch)


def lay_out(
    folder: Path,
    arch: str,
    tiles: Iterable[Place] | None = None,
    late: bool = False,
    in_step: bool = False,
    chips: int = 1,
    views: int | None = None,
) -> Path:
    """Write the library and the description of a chip; returns the library's path.

    ``tiles``: the Tensix tiles that exist, ``views``: how many of the DRAM views, both all by
    default; ``chips``: how many chips. ``late``, ``in_step``: as :class:`Chip` says. The chip's
    machine code is compiled now, so that no program waits for that. BadInputError where a file
    cannot be written.
    """
    profile = arch_named(arch)
    chosen = None if tiles is None else list(tiles)
    data = shared_library(profile, chosen, late=late, in_step=in_step, chips=chips)
    with telling(folder):
        folder.mkdir(parents=True, exist_ok=True)
    existing = profile.layout.tensix if chosen is None else chosen
    text = soc_description(profile.soc, profile.layout, existing, profile.l1_size, views)
    if (folder / NAME).is_symlink():
        (folder / NAME).unlink()  # another simulator's library stays as it is
    write_whole(folder / NAME, data)
    write_whole(folder / DESCRIPTION, text)
    return (folder / NAME).resolve()


def lay_out_recorded(
    folder: Path,
    arch: str,
    tiles: Iterable[Place] | None,
    log: Path,
    chips: int = 1,
    views: int | None = None,
) -> Path:
    """The same for a chip in step, with a recorder before it that writes the host's calls down."""
    library = lay_out(folder / INNER, arch, tiles, in_step=True, chips=chips, views=views)
    (folder / INNER / DESCRIPTION).rename(folder / DESCRIPTION)
    return lay_out_recorder(folder, library, log)
