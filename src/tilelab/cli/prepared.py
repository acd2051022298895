"""A target put into a tile and started, for commands that decide themselves how it runs."""

from tilelab.cli.streams import read_text
from tilelab.kernels.assembly_run import start_elfs
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.kernels.moment import Moment
from tilelab.kernels.run import load
from tilelab.runs.targets import ElfSet, Target, Unreadable, resolve
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tile.tile import Tile


def single(names: list[str], arch: str | None, command: str) -> Target:
    """The one target that some names mean; BadInputError if it is not one, or unreadable."""
    found = resolve(names, arch, read_text("-") if "-" in names else None)
    if len(found) != 1:
        raise BadInputError(f"{len(found)} kernels: {command} takes one; name it")
    if isinstance(found[0], Unreadable):
        raise found[0].error
    return found[0]


def start(target: KernelFile | ElfSet | Moment, tile: Tile) -> dict[int, int]:
    """Load a kernel or ELFs into a fresh tile and start its cores; or make it what it was.

    Returns the words of L1 that say that it is done, by address; none for bare ELFs.
    """
    if isinstance(target, Moment):
        target.put(tile)
        return dict(target.done)
    if isinstance(target, ElfSet):
        start_elfs(target.elfs, tile)
        return {}
    load(tile, target)
    return dict.fromkeys(target.done.mailboxes.values(), target.done.value)
