"""What the checker costs: a run of an example, checked and not."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from tilelab.bench.measure import Spread, spread
from tilelab.example_kernels import examples_folder
from tilelab.tensix.check.engine import CheckedTile
from tilelab.tensix.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.tensix.programs.run import load
from tilelab.tensix.tile import Tile

KERNELS = ("datacopy", "eltwise_add", "matmul", "matmul_block")
TINY = KERNELS[:1]
RUNS = 10
"""Runs of which the quickest counts, each measured run."""
MAX_CYCLES = 100_000_000


@dataclass(frozen=True)
class CheckRow:
    """Of one example: microseconds of processor time, and the ratio of the two."""

    name: str
    plain: Spread
    """On the fast engine, which has none of the checker."""
    checked: Spread
    ratio: Spread


def _seconds(make: Callable[[str], Tile], kernel: KernelFile) -> float:
    """The least time of some runs, without loading."""
    best = float("inf")
    done = dict.fromkeys(kernel.done.mailboxes.values(), kernel.done.value)
    for _ in range(RUNS):
        tile = make(kernel.arch)
        load(tile, kernel)
        began = time.process_time()
        tile.run(MAX_CYCLES, watch=done)
        best = min(best, time.process_time() - began)
    return best


def measure_check(runs: int, tiny: bool, note: Callable[[str], None]) -> list[CheckRow]:
    """Run examples with and without the checker, in turn."""
    rows = []
    for name in TINY if tiny else KERNELS:
        note(f"check, {name}")
        kernel = read_kernel_file(examples_folder() / name)
        pairs = [(_seconds(Tile, kernel), _seconds(CheckedTile, kernel)) for _ in range(runs)]
        plain, checked = ([1e6 * pair[side] for pair in pairs] for side in (0, 1))
        ratios = [with_it / without for without, with_it in pairs]
        rows.append(CheckRow(name, spread(plain), spread(checked), spread(ratios)))
    return rows
