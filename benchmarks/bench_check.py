"""What the checker costs, and how many schedules a second the explorer runs.

usage: python benchmarks/bench_check.py [KERNEL...]   (folders; default: the examples)
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from tilelab.check.engine import CheckedTile
from tilelab.explore.prepare import kernel_explorer
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.kernels.run import load
from tilelab.tensix.tile.tile import Tile

TIMES = 20
SCHEDULES = 1500
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def seconds(make: Callable[[], Tile], kernel: KernelFile) -> float:
    """The least time of a run, without loading."""
    best = float("inf")
    for _ in range(TIMES):
        tile = make()
        load(tile, kernel)
        done = dict.fromkeys(kernel.done.mailboxes.values(), kernel.done.value)
        began = time.perf_counter()
        tile.run(100_000_000, watch=done)
        best = min(best, time.perf_counter() - began)
    return best


def main(folders: list[Path]) -> None:
    """Print one line for each kernel."""
    for folder in folders:
        kernel = read_kernel_file(folder)
        plain = seconds(lambda: Tile(kernel.arch), kernel)  # noqa: B023 - called at once
        checked = seconds(lambda: CheckedTile(kernel.arch), kernel)  # noqa: B023
        explorer = kernel_explorer(kernel, Tile(kernel.arch), 1_000_000)
        began = time.perf_counter()
        made = explorer.explore(SCHEDULES)
        rate = made.schedules / (time.perf_counter() - began)
        print(
            f"{folder.name}: plain {plain * 1e6:.0f} us, checked {checked * 1e6:.0f} us "
            f"({checked / plain:.1f}x), {rate:,.0f} schedules/s"
        )


if __name__ == "__main__":
    names = [Path(name) for name in sys.argv[1:]]
    main(names or [EXAMPLES / name for name in ("datacopy", "eltwise_add", "matmul")])
