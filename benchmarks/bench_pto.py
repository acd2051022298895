"""What a slot costs: one TPUSH and one TPOP through a C2V pipe, against the copies alone, side by
side.

Run on one core: `taskset -c 0 python benchmarks/bench_pto.py`. Each round measures the pipe and
the copies one
after the other, in processor time; medians and quartiles over the rounds are printed. Targets: at
most 10 us a
slot beyond the copies for 1 KiB tiles; for 256 KiB tiles, bytes copied (in and out of the slot) at
a third of memcpy's
rate or more. The GM path copies a tile twice, A5's UB path once; the rate from end to end is
printed too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable

import numpy as np

from tilelab.pto import Cluster, Direction, Tile, TileType, TPipe

KIB = 1024


def through_pipe(rows: int, cols: int, slots: int, trace: bool = True, arch: str = "a2a3") -> float:
    """Seconds per slot of one Cube and one Vector core, C2V, protocol seed."""
    pipe = TPipe(0, Direction.DIR_C2V, rows * cols * 4, 8)
    seconds = []

    def cube(core):
        open_ = core.open(pipe)
        tile = Tile(TileType.Acc, np.float32, rows, cols)
        tile.data[...] = 1.5
        for _ in range(16):  # first use of every slot
            yield from open_.tpush(tile)
        start = time.process_time()
        for _ in range(slots):
            yield from open_.tpush(tile)
        seconds.append(start)

    def vec(core):
        open_ = core.open(pipe)
        tile = Tile(TileType.Vec, np.float32, rows, cols)
        for _ in range(slots + 16):
            yield from open_.tpop(tile)
        seconds.append(time.process_time())
        assert tile.data[-1, -1] == 1.5

    Cluster(arch, vec=1, capacity="record", gm_bytes=1 << 24, trace=trace).run(cube, vec)
    return (seconds[1] - seconds[0]) / slots


def copies(rows: int, cols: int, slots: int) -> float:
    """Seconds per slot of the same two copies in plain NumPy, through the same number of
    buffers."""
    tile = np.full((rows, cols), 1.5, np.float32)
    ring, local = np.zeros((8, rows, cols), np.float32), np.zeros((2, rows, cols), np.float32)
    for index in range(16):
        ring[index % 8][...] = tile
        local[index % 2][...] = ring[index % 8]
    start = time.process_time()
    for index in range(slots):
        ring[index % 8][...] = tile
        local[index % 2][...] = ring[index % 8]
    return (time.process_time() - start) / slots


def memcpy(rows: int, cols: int, slots: int) -> float:
    """Seconds per one contiguous copy of the tile, into the same ring of eight buffers."""
    source = np.full(rows * cols, 1.5, np.float32)
    ring = np.zeros((8, rows * cols), np.float32)
    for index in range(16):
        np.copyto(ring[index % 8], source)
    start = time.process_time()
    for index in range(slots):
        np.copyto(ring[index % 8], source)
    return (time.process_time() - start) / slots


def spread(values: list[float]) -> dict[str, float]:
    low, middle, high = statistics.quantiles(values, n=4)
    return {"median": middle, "q1": low, "q3": high}


def measure(rounds: int, slots: int) -> dict[str, dict[str, float]]:
    small, large = (4, 64), (256, 256)
    samples: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        samples.setdefault(name, []).append(value)

    for _ in range(rounds):
        base = copies(*small, slots)
        note("1 KiB: copies alone, us", base * 1e6)
        note("1 KiB: beyond the copies, us", (through_pipe(*small, slots, False) - base) * 1e6)
        note("1 KiB: the same, traced, us", (through_pipe(*small, slots, True) - base) * 1e6)
        count = max(slots // 40, 50)
        once = memcpy(*large, count)
        slot, direct = through_pipe(*large, count), through_pipe(*large, count, arch="a5")
        note("256 KiB: memcpy, GB/s", 256 * KIB / once / 1e9)
        note("256 KiB: plain NumPy copies / memcpy", 2 * once / copies(*large, count))
        note("256 KiB: GM path, copied / memcpy", 2 * once / slot)
        note("256 KiB: A5 UB path, copied / memcpy", once / direct)
        note("256 KiB: GM path, end to end / memcpy", once / slot)
    return {name: spread(values) for name, values in samples.items()}


def show(write: Callable[[str], object], results: dict[str, dict[str, float]]) -> None:
    for name, row in results.items():
        write(
            f"{name:40} median {row['median']:8.3f}   quartiles {row['q1']:.3f} .. {row['q3']:.3f}"
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
