"""``tilelab serve``: a tile behind a socket, to which the vendor's driver and debugger attach."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import typer

from tilelab.chip.chip import Chip
from tilelab.cli.console import stderr
from tilelab.cli.prepared import single, start
from tilelab.cli.streams import one_line
from tilelab.cli.usage import ARCH, CLOCK, ENGINE, Only, argument, command, option
from tilelab.runs.job import arch_of
from tilelab.runs.targets import DEFAULT_ARCH
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import Program
from tilelab.vendor.serve import ChipDevice, Server, TileDevice

ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


@command(rules=(Only("clock", "grid", without=True),))
def serve(
    targets: list[str] | None = argument(
        "[TARGET...]",
        "Start with this kernel.toml, folder or ELFs loaded and running.",
        default=None,
    ),
    arch: str | None = ARCH,
    engine: str = ENGINE,
    clock: str = CLOCK,
    folder: Path | None = option("DIR", "Make the socket here, not in the temporary folder."),
    grid: str | None = option("COLUMNSxROWS", "Serve so many tiles of a chip, with NCRISC."),
) -> int:
    """Serve a tile, or a chip of some, to the vendor's driver and debugger, until interrupted.

    The socket's path goes to stdout, messages to stderr; nothing is left behind.
    """
    target = single(targets, arch, "serve") if targets else None
    if isinstance(target, Program):
        raise BadInputError(f"{target.file}: an assembly program has no cores to serve; give ELFs")
    if grid is not None:
        if target is not None:
            raise BadInputError("--grid serves empty tiles: leave the target away")
        return _serve(ChipDevice(_chip(grid, arch or DEFAULT_ARCH, engine)), folder)
    tile = Tile(arch_of(target, arch) if target else arch or DEFAULT_ARCH, engine, clock)
    if target is not None:
        start(target, tile)
    return _serve(TileDevice(tile), folder)


def _serve(device: TileDevice | ChipDevice, folder: Path | None) -> int:
    with Server(device, folder, _tell) as server, _ended_by_signals(server):
        typer.echo(server.path)
        server.run()
    return 0


def _chip(grid: str, arch: str, engine: str) -> Chip:
    """A chip with the tiles of its first columns and rows."""
    layout = arch_named(arch).layout
    columns, rows = list(layout.columns), list(layout.rows)
    width, by, height = grid.partition("x")
    wide = int(width) if width.isdecimal() else 0
    high = int(height) if height.isdecimal() else 0
    if not by or not 1 <= wide <= len(columns) or not 1 <= high <= len(rows):
        most = f"{len(columns)}x{len(rows)}"
        raise BadInputError(f"--grid {grid}: columns and rows, from 1x1 to {most}")
    return Chip(arch, [(x, y) for y in rows[:high] for x in columns[:wide]], engine)


def _tell(line: str) -> None:
    first, *rest = line.splitlines()
    stderr.print("\n".join([one_line(first), *rest]), markup=False)


@contextmanager
def _ended_by_signals(server: Server) -> Iterator[None]:
    """End the server in an orderly way when it is interrupted, terminated or left alone."""

    def end(number: int, frame: FrameType | None) -> None:
        server.stop()

    before = {number: signal.signal(number, end) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
