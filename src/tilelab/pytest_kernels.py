"""What the pytest fixture ``tilelab`` gives: kernels under the checker and under schedules.

A kernel is loaded and started once, however many tests ask for it: they go from that snapshot.
Nothing that a kernel does ends the process; what it does wrong is in what is returned.
"""

from collections import OrderedDict
from pathlib import Path
from typing import Final

from tilelab.check.run import Checked, checked_kernel
from tilelab.explore.explorer import Explorer
from tilelab.explore.orders import explore_orders
from tilelab.explore.prepare import kernel_explorer
from tilelab.explore.schedule import DOCUMENTED
from tilelab.explore.search import Exploration, explore
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.kernels.run import DEFAULT_MAX_CYCLES, load
from tilelab.tensix.tile.tile import Tile

MOST: Final = 8
"""Kernels that are kept started."""
Key = tuple[str, tuple[int, ...], bool]
_STARTED: OrderedDict[Key, Explorer] = OrderedDict()


class Kernels:
    """Kernels by their folders, relative to the test's own."""

    def __init__(self, base: Path) -> None:
        self._base = base

    def check(self, folder: Path | str, **policies: str) -> Checked:
        """Run a kernel under the checker: ``findings``, ``passed``.

        ``policies``: a check's name, with ``_`` for ``-``, and ``error``, ``warn`` or ``off``.
        """
        given = [(name.replace("_", "-"), policy) for name, policy in policies.items()]
        return checked_kernel(self._kernel(folder), given)

    def schedules(
        self,
        folder: Path | str,
        count: int = 1000,
        bound: int = 2,
        seed: int = 0,
        reachable: str = DOCUMENTED,
    ) -> Exploration:
        """Run a kernel under ``count`` schedules; ``found`` is the one that differs, or None."""
        return explore(self._started(folder, ordered=False), count, bound, seed, reachable)

    def orders(
        self, folder: Path | str, bound: int = 2, reachable: str = DOCUMENTED
    ) -> Exploration:
        """Run a kernel under every order with at most ``bound`` pairs of accesses turned."""
        return explore_orders(self._started(folder, ordered=True), bound, reachable)

    def booted(self, folder: Path | str) -> Tile:
        """A tile of one's own with a kernel loaded and started, at its first instruction."""
        kernel = self._kernel(folder)
        tile = Tile(kernel.arch)
        load(tile, kernel)
        return tile

    def _kernel(self, folder: Path | str) -> KernelFile:
        return read_kernel_file(self._base / folder)

    def _started(self, folder: Path | str, *, ordered: bool) -> Explorer:
        """The explorer of a kernel, made once for as long as its files stay the same."""
        kernel = self._kernel(folder)
        files = [kernel.path, *kernel.elfs.values(), *(item.file for item in kernel.inputs)]
        times = tuple(path.stat().st_mtime_ns for path in files)
        key = str(kernel.path.resolve()), times, ordered
        if key not in _STARTED:
            tile = Tile(kernel.arch)
            _STARTED[key] = kernel_explorer(kernel, tile, DEFAULT_MAX_CYCLES, ordered)
            while len(_STARTED) > MOST:
                _STARTED.popitem(last=False)
        _STARTED.move_to_end(key)
        return _STARTED[key]
