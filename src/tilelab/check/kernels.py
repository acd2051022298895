"""A kernel of a kernel.toml under the checker."""

from collections.abc import Iterable
from functools import partial

from tilelab.check.engine import CheckedTile
from tilelab.check.run import Checked, checked, set_policies
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.kernels.run import DEFAULT_MAX_CYCLES, run_kernel
from tilelab.tensix.tile.tile import Tile


def checked_kernel(
    kernel: KernelFile,
    policies: Iterable[tuple[str, str]] = (),
    max_cycles: int = DEFAULT_MAX_CYCLES,
) -> Checked:
    """Run a kernel on a fresh checked tile; what it does wrong is a finding, not an exception."""
    tile = CheckedTile(kernel.arch)
    set_policies(tile, policies)
    result_of = partial(outputs_from_junk, kernel, max_cycles) if kernel.outputs else None
    name = kernel.path.parent.name
    return checked(name, tile, lambda fresh: run_kernel(kernel, fresh, max_cycles), result_of)


def outputs_from_junk(kernel: KernelFile, max_cycles: int, seed: int) -> bytes:
    """What a kernel leaves on a tile that begins with junk."""
    tile = Tile(kernel.arch, junk=seed)
    run_kernel(kernel, tile, max_cycles)
    return b"".join(tile.read(output.address, output.size) for output in kernel.outputs)
