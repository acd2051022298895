"""A hang, explained: TPOP without TFREE on A5's UB path, as the vendor's code frees (protocol
sparse_fixed).

Run: tilelab pto run examples/pto/deadlock.py --report deadlock.html   (exit code 1)
"""

import numpy as np

from tilelab.pto import Direction, Tile, TileSplitAxis, TileType, TPipe

UP_DOWN = TileSplitAxis.TILE_UP_DOWN
PIPE = TPipe(0, Direction.DIR_C2V, 8192, 4)
cluster = {"arch": "a5", "protocol": "sparse_fixed"}


def cube(core):
    """Push eight tiles."""
    pipe = core.open(PIPE)
    for _ in range(8):
        yield from pipe.tpush(Tile(TileType.Acc, np.float32, 64, 64), UP_DOWN)


def vec(core):
    """Pop eight tiles and free none."""
    pipe = core.open(PIPE)
    for _ in range(8):
        yield from pipe.tpop(Tile(TileType.Vec, np.float32, 32, 64), UP_DOWN)
        # missing: yield from pipe.tfree(split=UP_DOWN)
