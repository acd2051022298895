"""How many schedules a second the race explorer runs, on the small examples."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from tilelab.bench.backends import UnableError
from tilelab.bench.measure import Spread, spread
from tilelab.explore.explorer import Explorer
from tilelab.explore.prepare import kernel_explorer
from tilelab.explore.search import explore
from tilelab.kernels.examples import examples
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import DEFAULT_MAX_CYCLES
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tile.tile import Tile

KERNELS = ("datacopy", "eltwise_add", "matmul")
SCHEDULES, TINY = 1000, 20


@dataclass(frozen=True)
class SchedulesRow:
    """Of a kernel: the rounds of its undisturbed run, and schedules in a second."""

    kernel: str
    rounds: int
    rate: Spread
    """Schedules a second of processor time, on one core."""


def measure_schedules(runs: int, tiny: bool, note: Callable[[str], None]) -> list[SchedulesRow]:
    """Explore each kernel ``runs`` times; UnableError if this installation has no examples."""
    try:
        folders = examples()
    except BadInputError as error:
        raise UnableError(str(error)) from None
    rows = []
    for name in KERNELS:
        kernel = read_kernel_file(folders[name])
        explorer = kernel_explorer(kernel, Tile(kernel.arch), DEFAULT_MAX_CYCLES)
        rates = []
        for turn in range(runs):
            note(f"schedules of {name}, round {turn + 1} of {runs}")
            rates.append(_rate(explorer, TINY if tiny else SCHEDULES))
        rows.append(SchedulesRow(name, explorer.rounds, spread(rates)))
    return rows


def _rate(explorer: Explorer, count: int) -> float:
    began = time.process_time()
    done = explore(explorer, count).schedules
    return done / (time.process_time() - began)
