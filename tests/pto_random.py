"""Random PTO programs with a known fate: `python tests/pto_random.py --programs 1000000`.

Each program streams numbered tiles through one pipe under random architecture, direction, depth,
protocol and
schedule, and may carry one fault. The check: it ends; what was popped is the pushed tiles in
order; a fault is
reported as the deadlock or hazard it is.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from typing import Any

import numpy as np

from tilelab.pto import Cluster, DeadlockError, Direction, Tile, TileSplitAxis, TileType, TPipe
from tilelab.pto.errors import HazardError, ProtocolOrderError

PATHS = {
    "a2a3": (Direction.DIR_C2V, Direction.DIR_V2C),
    "a5": (Direction.DIR_C2V, Direction.DIR_V2C, Direction.DIR_C2V_GM, Direction.DIR_V2C_GM),
}
SPLITS = (TileSplitAxis.TILE_UP_DOWN, TileSplitAxis.TILE_LEFT_RIGHT)
FAULTS = (
    "none",
    "none",
    "none",
    "missing push",
    "missing pop",
    "no free",
    "no record",
    "absent lane",
)
ROWS, COLS = 2, 64


class Case:
    """One random program."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.seed = seed
        self.arch = rng.choice(("a2a3", "a5"))
        self.direction = rng.choice(PATHS[self.arch])
        self.protocol = rng.choice(("seed", "seed", "sparse_fixed", "tagged"))
        self.slots = rng.randint(1, 8 if self.protocol == "tagged" else 15)
        self.split = rng.choice(SPLITS)
        self.pushes = self.pops = rng.randint(1, 12)
        self.fault = rng.choice(FAULTS)
        self.schedule = rng.choice(("rr", "cube_first", "vec_first", seed))
        self.c2v = self.direction in (Direction.DIR_C2V, Direction.DIR_C2V_GM)
        self.local = rng.randint(0, 3)
        if self.fault == "missing push":
            self.pushes -= 1
        elif self.fault == "missing pop":
            self.pops -= 1
        self.pipe = TPipe(0, self.direction, ROWS * COLS * 4, self.slots, self.local)
        late = self.arch == "a5" and self.direction <= Direction.DIR_V2C
        self.tfree = self.protocol == "tagged" or (self.protocol == "sparse_fixed" and late)
        self.popped: list[tuple[int, float, float]] = []

    def producer(self, core: Any) -> Any:
        pipe = core.open(self.pipe, 0, 0x1000, 0x1000)
        pipe.prod.is_record = self.fault != "no record"
        shape = (ROWS, COLS) if self.c2v else self._half()
        tile = Tile(TileType.Acc if self.c2v else TileType.Vec, np.float32, *shape)
        for index in range(self.pushes):
            tile.data[...] = index + (0 if self.c2v else core.lane * 0.5)
            yield from pipe.tpush(tile, self.split)

    def _half(self) -> tuple[int, int]:
        return (ROWS // 2, COLS) if self.split is SPLITS[0] else (ROWS, COLS // 2)

    def consumer(self, core: Any) -> Any:
        pipe = core.open(self.pipe, 0, 0x1000, 0x1000)
        pipe.cons.is_free = self.fault != "no free"
        shape = self._half() if self.c2v else (ROWS, COLS)
        tile = Tile(TileType.Vec if self.c2v else TileType.Mat, np.float32, *shape)
        for _ in range(self.pops):
            yield from pipe.tpop(tile, self.split)
            data = tile.data
            self.popped.append((core.lane, float(data[0, 0]), float(data[-1, -1])))
            if self.tfree:
                yield from pipe.tfree(split=self.split)

    def expected(self) -> str:
        """The fate, from the configuration alone."""
        if self.fault == "none":
            return "end"
        if self.fault == "no free":
            if self.protocol == "tagged" and self.pops > 1:
                return "out of order"  # the second TPOP comes before the first slot is freed
            return "deadlock" if self.pushes >= self._period() else "end"
        if self.fault == "absent lane" and self.c2v and self.pushes < self._period():
            return "leak"  # no credit of the absent core was ever needed
        if self.fault == "missing pop":  # the destructor waits for the credit, if it counts on it
            signals = self.pushes // self._period(), self.pops // self._period()
            return "deadlock" if signals[0] > signals[1] else "leak"
        return "deadlock"

    def _period(self) -> int:
        """Tiles per free signal."""
        if self.protocol != "sparse_fixed":
            return 1
        return self.slots if self.slots <= 2 else self.slots // 2

    def run(self) -> str:
        cluster = Cluster(
            self.arch, protocol=self.protocol, leaks="record", gm_bytes=1 << 14, trace=False
        )
        cube, vec = (self.producer, self.consumer) if self.c2v else (self.consumer, self.producer)
        lanes = [vec, None] if self.fault == "absent lane" else vec
        try:
            result = cluster.run(cube, lanes, self.schedule, max_steps=100_000)
        except DeadlockError as error:
            assert error.report.waits  # noqa: PT017 - most programs raise nothing
            return "deadlock"
        except HazardError as error:
            return f"hazard {error.code}"
        except ProtocolOrderError:
            return "out of order"
        return "leak" if result.flags else "end"

    def check(self) -> str:
        """Run and compare; returns the fate."""
        fate = self.run()
        for lane in (0, 1) if self.c2v else (-1,):
            mine = [(a, b) for at, a, b in self.popped if at == lane]
            last = 0.0 if self.c2v else 0.5
            assert mine == [(float(i), i + last) for i in range(len(mine))], (self.seed, mine)
        assert fate == self.expected(), (self.seed, vars(self), fate)
        if fate == "end" and self.fault == "none":
            assert len(self.popped) == self.pops * (2 if self.c2v else 1)
        return f"{self.fault}: {fate}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first program")
    options = parser.parse_args()
    start = time.perf_counter()
    fates = Counter(
        Case(seed).check() for seed in range(options.first, options.first + options.programs)
    )
    for fate, count in sorted(fates.items()):
        print(f"{count:9,}  {fate}")
    print(f"{options.programs:,} programs in {time.perf_counter() - start:.1f} s; none failed")


if __name__ == "__main__":
    main()
