"""How cost grows with the length of a kernel and with the number of tiles in a process.

How it grows with the number of cores is among the benchmarks (``RISC-V n cores``).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tilelab.bench.apart import Apart, Memory
from tilelab.bench.backends import EngineBackend
from tilelab.bench.measure import Row, Simulator, Spread, measure, spread
from tilelab.bench.work import Work, catalogue

NAMES = ("MVMUL", "SFPMAD", "expansion", "RISC-V 1 core")
SIZES = (1, 2, 4, 8)
TILES = (1, 2, 4, 8, 16)
TILE_WORK = "MVMUL"
COMPARED = ("fast", "ttsim")


def measure_length(
    simulators: list[Simulator], runs: int, tiny: bool, note: Callable[[str], None]
) -> list[Row]:
    """Some benchmarks at several lengths."""
    compared = [simulator for simulator in simulators if simulator.name in COMPARED]
    rows = []
    for name in NAMES[: 1 if tiny else None]:
        for size in SIZES[: 2 if tiny else None]:
            note(f"growth, {name}, size {size}")
            rows.append(measure(catalogue()[name], compared, runs, size, tiny))
    return rows


class Tiles:
    """Several tiles in one process, which take turns."""

    def __init__(self, count: int) -> None:
        self._tiles = [EngineBackend("fast") for _ in range(count)]

    def start(self, work: Work) -> None:
        """Make them and set them up."""
        for tile in self._tiles:
            tile.start(work)

    def run(self, repeats: int) -> float:
        """Run the work on each; seconds for all."""
        return sum(tile.run(repeats) for tile in self._tiles)


@dataclass(frozen=True)
class TileRow:
    """Milliseconds of processor time for each tile, of so many that do the same work."""

    tiles: int
    milliseconds_each: Spread
    memory: Memory


def measure_tiles(runs: int, tiny: bool, note: Callable[[str], None]) -> list[TileRow]:
    """The same work on each of 1, 2, 4, ... tiles, the numbers of tiles in turn."""
    work, counts = catalogue()[TILE_WORK], TILES[: 2 if tiny else None]
    repeats = 1 if tiny else work.repeats // 4
    groups: dict[int, Apart] = {}
    found: dict[int, list[float]] = {count: [] for count in counts}
    try:
        for count in counts:
            groups[count] = Apart(partial(Tiles, count))
            groups[count].call("start", work)
        for turn in range(runs + 1):
            note(f"growth, tiles, round {turn} of {runs}")
            for count, group in groups.items():
                found[count].append(1e3 * group.call("run", repeats) / count)
        return [
            TileRow(count, spread(values[1:]), groups[count].memory())
            for count, values in found.items()
        ]
    finally:
        for group in groups.values():
            group.close()
