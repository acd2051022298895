"""Pattern 3 of the seed: the consumer waits only on every PERIOD-th tile.

Run: tilelab pto run examples/pto/pattern3_sparse_sync.py
It is safe because the producer records just as sparsely, after the last tile of a period. If the
producer
recorded every tile, the consumer could pop tile 1 before it is written: `tilelab pto explore
--wait-period 2`.
"""

import numpy as np

from tilelab.pto import Direction, Tile, TileType, TPipe, tpop, tpush

PERIOD, TILES = 2, 16
PIPE = TPipe(0, Direction.DIR_C2V, 16384, 4, 2)
DATA = np.random.default_rng(7).standard_normal((TILES, 64, 64)).astype(np.float32)
received: dict[str, list[np.ndarray]] = {"vec0": [], "vec1": []}


def cube(core):
    """Record once a period."""
    pipe = core.open(PIPE, 0x100000, 0x8000)
    for index in range(TILES):
        pipe.prod.setRecordStatus((index + 1) % PERIOD == 0)
        yield from tpush(pipe, Tile(TileType.Acc, np.float32, 64, 64, data=DATA[index]))


def vec(core):
    """Wait once a period."""
    pipe = core.open(PIPE, 0x100000, 0x8000)
    tile = Tile(TileType.Vec, np.float32, 64, 64)
    for iteration in range(TILES):
        pipe.cons.setWaitStatus(iteration % PERIOD == 0)
        yield from tpop(pipe, tile)
        pipe.cons.setWaitStatus(True)  # reset for the next phase
        received[core.name].append(tile.data.copy())


def check(result):
    """Nothing was read before it was ready."""
    for tiles in received.values():
        np.testing.assert_array_equal(tiles, DATA)
    waits = list(result.events(op="TPOP", phase="WAIT", core="vec0"))
    assert [event.tile for event in waits] == list(range(0, TILES, PERIOD))
