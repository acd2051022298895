"""What the checker costs: a run of an example, and of a recording, checked and not."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from tilelab.bench.measure import Spread, spread
from tilelab.bench.traffic import recordings
from tilelab.check.chip.engine import CheckedChip
from tilelab.check.chip.run import Recording
from tilelab.check.engine import CheckedTile
from tilelab.chip.chip import Chip
from tilelab.kernels.examples import examples_folder
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.kernels.run import load
from tilelab.tensix.tile.tile import Tile
from tilelab.traffic.ahead import replay_ahead
from tilelab.traffic.calls import read_any

KERNELS = ("datacopy", "eltwise_add", "matmul", "matmul_block")
TINY = KERNELS[:1]
RUNS = 10
"""Runs of which the quickest counts, each measured run."""
REPLAYS = 3
LEAST = 1e-4
"""Seconds of which a recording's tiles need more, to be measured at all."""
MAX_CYCLES = 100_000_000


@dataclass(frozen=True)
class CheckRow:
    """Of one example or recording: microseconds of processor time, and the ratio of the two."""

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


def seconds_of(make: type[Chip], recording: Recording) -> float:
    """The least time in which the tiles of a chip did their part of a recording, of some runs.

    What the replay itself takes, which is more, is the same with the checker and without.
    """
    best = float("inf")
    for _ in range(REPLAYS):
        chip = make(recording.arch, recording.tiles)
        spent = 0.0

        def timed(rounds: int, run: Callable[[int], bool] = chip.run) -> bool:
            nonlocal spent
            began = time.process_time()
            rests = run(rounds)
            spent += time.process_time() - began
            return rests

        setattr(chip, chip.run.__name__, timed)
        replay_ahead(recording, chip, lambda text: None)
        best = min(best, spent)
    return best


def _row(name: str, pairs: list[tuple[float, float]]) -> CheckRow:
    plain, checked = ([1e6 * pair[side] for pair in pairs] for side in (0, 1))
    ratios = [with_it / without for without, with_it in pairs]
    return CheckRow(name, spread(plain), spread(checked), spread(ratios))


def measure_check(runs: int, tiny: bool, note: Callable[[str], None]) -> list[CheckRow]:
    """Run examples with and without the checker, in turn; and recordings, where there are any."""
    rows = []
    for name in TINY if tiny else KERNELS:
        note(f"check, {name}")
        kernel = read_kernel_file(examples_folder() / name)
        pairs = [(_seconds(Tile, kernel), _seconds(CheckedTile, kernel)) for _ in range(runs)]
        rows.append(_row(name, pairs))
    for path in [] if tiny else recordings(missing_is_well=True):
        note(f"check, {path.name}")
        recording = read_any(path)
        chips = [
            (seconds_of(Chip, recording), seconds_of(CheckedChip, recording)) for _ in range(runs)
        ]
        if min(seconds for pair in chips for seconds in pair) > LEAST:
            rows.append(_row(path.name.partition(".")[0], chips))
    return rows
