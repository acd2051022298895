"""Whether pushes and pops of Python programs became slower: this checkout against another one.

    git worktree add ../before f8b9dbb
    python benchmarks/bench_pto_against.py ../before [--rounds N] [--json]

f8b9dbb is the last commit before every byte had its shadow. Both run the same programs in turn,
each in a process that stays (`src` of its checkout on its path); a round's figure is processor time
of the other by this one's, so above 1 is faster. The least of five in each round, because other
programs on the machine only add; medians and quartiles over the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
WORKER = """
import sys, time
import numpy as np
from tilelab.pto import Cluster, Direction, Tile, TileSplitAxis, TileType, TPipe

def seconds(arch, lanes, shape, slots, trace):
    rows, cols = shape
    split = TileSplitAxis.TILE_UP_DOWN if lanes == 2 else TileSplitAxis.TILE_NO_SPLIT
    pipe = TPipe(0, Direction.DIR_C2V, rows * cols * 4, 8, 2)
    taken = []

    def cube(core):
        opened = core.open(pipe)
        tile = Tile(TileType.Acc, np.float32, rows, cols, data=np.ones(shape))
        for _ in range(16):
            yield from opened.tpush(tile, split)
        taken.append(time.process_time())
        for _ in range(slots):
            yield from opened.tpush(tile, split)

    def vec(core):
        opened = core.open(pipe)
        tile = Tile(TileType.Vec, np.float32, rows // lanes, cols)
        for _ in range(slots + 16):
            yield from opened.tpop(tile, split)
        taken.append(time.process_time())

    record = dict.fromkeys(("capacity", "constraints", "leaks", "hazards"), "record")
    Cluster(arch, vec=lanes, gm_bytes=1 << 24, trace=trace, **record).run(cube, vec)
    return (taken[-1] - taken[0]) / slots

for line in sys.stdin:
    arch, lanes, rows, cols, slots, trace = line.split()
    ran = [seconds(arch, int(lanes), (int(rows), int(cols)), int(slots), trace == "1")
           for _ in range(5)]
    print(min(ran), flush=True)
"""
PROGRAMS = {
    "A2/A3, one Vector core, 1 KiB": "a2a3 1 4 64 2000 0",
    "the same, traced": "a2a3 1 4 64 2000 1",
    "A2/A3, two Vector cores, 2 KiB": "a2a3 2 8 64 1000 0",
    "the same, traced, 2 KiB": "a2a3 2 8 64 1000 1",
    "A5, one Vector core, 1 KiB": "a5 1 4 64 2000 0",
    "A2/A3, one Vector core, 256 KiB": "a2a3 1 256 256 100 0",
}


def worker(checkout: Path) -> subprocess.Popen[str]:
    """A process that runs programs with the tilelab of a checkout."""
    source = checkout / "src"
    if not (source / "tilelab" / "pto").is_dir():
        sys.exit(f"{checkout}: no checkout of tilelab")
    return subprocess.Popen(
        [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(source)},
    )  # fmt: skip


def ask(process: subprocess.Popen[str], program: str) -> float:
    """Seconds a slot, by one worker."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(program + "\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def main() -> None:
    """Print a table of ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    before, now = worker(given.before.resolve()), worker(HERE)
    table = {}
    for name, program in PROGRAMS.items():
        pairs = [(ask(before, program), ask(now, program)) for _ in range(given.rounds + 1)][1:]
        low, middle, high = statistics.quantiles([old / new for old, new in pairs], n=4)
        micro = statistics.median(new for _, new in pairs) * 1e6
        table[name] = {"ratio": middle, "q1": low, "q3": high, "us": micro}
        if not given.json:
            print(f"{name:36} {middle:.3f} ({low:.3f} to {high:.3f}), now {micro:.1f} us a slot",
                  flush=True)  # fmt: skip
    if given.json:
        print(json.dumps(table, indent=1))
    for process in (before, now):
        process.kill()


if __name__ == "__main__":
    main()
