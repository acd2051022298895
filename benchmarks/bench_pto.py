"""What a slot costs: TPUSH and TPOP through a C2V pipe, against copies of the same bytes.

Run on one core: `taskset -c 0 python benchmarks/bench_pto.py`. Processor time; medians and
quartiles over the rounds.

Targets: at most 10 us a slot beyond the copies for 1 KiB tiles; for 256 KiB tiles, payload
delivered at a third of memcpy's rate or more. The rate from end to end counts each tile once,
though the GM path copies it twice (into the slot, out of it), so 0.5 is the most that it can reach.

How the rate is taken: while a pipe runs, its Cube program stops after every `BATCH` slots and
copies the very tile that it pushes as many times by `np.copyto` (one memcpy a call), in turn into
each buffer that the pipe itself writes: its eight slots and, on the GM path, the two places of the
local ring. So both move the same payload through the same memory, milliseconds apart; a round's
figure is the ratio of its two times.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from tilelab.pto import Cluster, Direction, GlobalTensor, Tile, TileType, TPipe

SLOTS, LOCAL = 8, 2
SMALL, LARGE = (4, 64), (256, 256)  # float32: 1 KiB and 256 KiB
BATCH = 100
VALUE = 1.5


def seconds_per_slot(shape: tuple[int, int], slots: int, trace: bool) -> float:
    """One Cube and one Vector core on A2/A3, protocol seed."""
    rows, cols = shape
    pipe = TPipe(0, Direction.DIR_C2V, rows * cols * 4, SLOTS, LOCAL)
    seconds = []

    def cube(core):
        open_ = core.open(pipe)
        tile = Tile(TileType.Acc, np.float32, rows, cols, data=np.full(shape, VALUE))
        for _ in range(2 * SLOTS):  # first use of every slot
            yield from open_.tpush(tile)
        start = time.process_time()
        for _ in range(slots):
            yield from open_.tpush(tile)
        seconds.append(start)

    def vec(core):
        open_ = core.open(pipe)
        tile = Tile(TileType.Vec, np.float32, rows, cols)
        for _ in range(slots + 2 * SLOTS):
            yield from open_.tpop(tile)
        seconds.append(time.process_time())
        assert tile.data[-1, -1] == VALUE

    Cluster("a2a3", vec=1, capacity="record", gm_bytes=1 << 24, trace=trace).run(cube, vec)
    return (seconds[1] - seconds[0]) / slots


def copies(shape: tuple[int, int], slots: int) -> float:
    """Seconds per slot of the same two copies in plain NumPy, through as many buffers."""
    tile = np.full(shape, VALUE, np.float32)
    ring, local = np.zeros((SLOTS, *shape), np.float32), np.zeros((LOCAL, *shape), np.float32)
    for index in range(2 * SLOTS):
        ring[index % SLOTS][...] = tile
        local[index % LOCAL][...] = ring[index % SLOTS]
    start = time.process_time()
    for index in range(slots):
        ring[index % SLOTS][...] = tile
        local[index % LOCAL][...] = ring[index % SLOTS]
    return (time.process_time() - start) / slots


def memcpy(source: NDArray[Any], targets: list[NDArray[Any]]) -> float:
    """Seconds for `BATCH` copies of the source, into the targets in turn."""
    for target in targets:
        np.copyto(target, source)
    start = time.process_time()
    for index in range(BATCH):
        np.copyto(targets[index % len(targets)], source)
    return time.process_time() - start


def _targets(
    cluster: Cluster, arch: str, nbytes: int, in_place: bool
) -> list[npt.NDArray[np.float32]]:
    """Where a tile through the pipe is copied to, so that memcpy goes the same ways."""
    places = {"a2a3": [(cluster.gm, SLOTS), (cluster.memory("vec0", TileType.Vec), LOCAL)]}
    places["a5"] = [(cluster.memory("vec0", TileType.Vec), SLOTS)]  # the UB slots are the tiles
    return [
        memory.bytes[at * nbytes : (at + 1) * nbytes].view(np.float32).reshape(LARGE)
        for memory, count in (places[arch][:1] if in_place else places[arch])
        for at in range(count)
    ]


def rates(arch: str, rounds: int, trace: bool, in_place: bool = False) -> list[tuple[float, float]]:
    """(seconds through the pipe, seconds of memcpy) for `BATCH` 256 KiB tiles, in each round.

    `in_place`: the consumer pops a GlobalTensor, reads the slot where it lies, and frees it.
    """
    rows, cols = LARGE
    nbytes = rows * cols * 4
    pipe = TPipe(0, Direction.DIR_C2V, nbytes, SLOTS, LOCAL)
    cluster = Cluster(
        arch, vec=1, capacity="record", constraints="record", gm_bytes=1 << 24, trace=trace
    )
    targets = _targets(cluster, arch, nbytes, in_place)
    taken: list[tuple[float, float]] = []
    done = 0  # tiles that the consumer has finished with

    def cube(core) -> Generator[Any, None, None]:
        open_ = core.open(pipe)
        tile = Tile(TileType.Acc, np.float32, rows, cols, data=np.full(LARGE, VALUE))
        pushed = 0
        for number in range(rounds + 1):  # the first is not counted
            for _ in range(2 * SLOTS):  # the pipe's own state back in the caches
                yield from open_.tpush(tile)
            pushed += 2 * SLOTS
            while done < pushed:
                yield None
            start = time.process_time()
            for _ in range(BATCH):
                yield from open_.tpush(tile)
            pushed += BATCH
            while done < pushed:
                yield None
            seconds = time.process_time() - start
            baseline = memcpy(tile.data, targets)
            if number:
                taken.append((seconds, baseline))

    def vec(core) -> Generator[Any, None, None]:
        nonlocal done
        open_ = core.open(pipe)
        tile = Tile(TileType.Vec, np.float32, rows, cols)
        tensor = GlobalTensor(np.float32, rows, cols)
        for _ in range((rounds + 1) * (2 * SLOTS + BATCH)):
            if in_place:
                yield from open_.tpop(tensor)
                assert tensor.data[-1, -1] == VALUE
                yield from open_.tfree(tensor)
            else:
                yield from open_.tpop(tile)
            done += 1
        # On A5's UB path the literal seed frees the slot in TPOP; nothing has rewritten it since.
        assert in_place or tile.data[-1, -1] == VALUE

    cluster.run(cube, vec)
    return taken


def spread(values: list[float]) -> dict[str, float]:
    low, middle, high = statistics.quantiles(values, n=4)
    return {"median": middle, "q1": low, "q3": high}


def measure(rounds: int, slots: int) -> dict[str, dict[str, float]]:
    samples: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        samples.setdefault(name, []).append(value)

    for _ in range(rounds):
        base = copies(SMALL, slots)
        note("1 KiB: copies alone, us", base * 1e6)
        note("1 KiB: beyond the copies, us", (seconds_per_slot(SMALL, slots, False) - base) * 1e6)
        note("1 KiB: the same, traced, us", (seconds_per_slot(SMALL, slots, True) - base) * 1e6)
    for _ in range(rounds):
        for seconds, baseline in rates("a2a3", 3, False):
            note("256 KiB: memcpy, GB/s", np.prod(LARGE) * 4 * BATCH / baseline / 1e9)
            note("256 KiB: GM path, end to end / memcpy", baseline / seconds)
        for name, arch, trace, in_place in (
            ("256 KiB: the same, traced", "a2a3", True, False),
            ("256 KiB: GM path, read in place / memcpy", "a2a3", False, True),
            ("256 KiB: A5 UB path, end to end / memcpy", "a5", False, False),
        ):
            for seconds, baseline in rates(arch, 3, trace, in_place):
                note(name, baseline / seconds)
    return {name: spread(values) for name, values in samples.items()}


def show(write: Callable[[str], object], results: dict[str, dict[str, float]]) -> None:
    for name, row in results.items():
        write(
            f"{name:42} median {row['median']:8.3f}   quartiles {row['q1']:.3f} .. {row['q3']:.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--slots", type=int, default=4000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = measure(options.rounds, options.slots)
    if options.json:
        print(json.dumps(results, indent=2))
    else:
        show(print, results)


if __name__ == "__main__":
    main()
