"""Pattern 1 of the seed: the Vector cores receive a 64x64 accumulator from the Cube.

Run: tilelab pto run examples/pto/pattern1_gemm_post_processing.py
The seed's TMOV from a Vec tile to an Acc tile breaks TMOV's own constraint; it runs, with a
finding.
"""

import numpy as np

from tilelab.pto import Direction, Tile, TileType, TPipe, tpop, tpush

ACC_TO_VEC = TPipe(0, Direction.DIR_C2V, 16384, 4, 2)
rng = np.random.default_rng(19)
A = rng.integers(-8, 8, (10, 64, 32)).astype(np.float32)
B = rng.integers(-8, 8, (32, 64)).astype(np.float32)
received: dict[str, list[np.ndarray]] = {"vec0": [], "vec1": []}


def cube(core):
    """Push ten accumulators."""
    pipe = core.open(ACC_TO_VEC, 0x100000, 0x8000, 0x9000)
    right = Tile(TileType.Right, np.float32, 32, 64, data=B)
    acc = Tile(TileType.Acc, np.float32, 64, 64)
    for block in A:
        core.tmatmul(acc, Tile(TileType.Left, np.float32, 64, 32, data=block), right)
        yield from tpush(pipe, acc)


def vec(core):
    """Block until an accumulator is ready and loaded, then post-process it (ReLU)."""
    pipe = core.open(ACC_TO_VEC, 0x100000, 0x8000, 0x9000)
    tile = Tile(TileType.Vec, np.float32, 64, 64)
    acc_tmp = Tile(TileType.Acc, np.float32, 64, 64)
    for _ in A:
        yield from tpop(pipe, tile)
        core.tmov(acc_tmp, tile)
        received[core.name].append(np.maximum(acc_tmp.data, 0))


def check(result):
    """Both Vector cores saw every product, in order."""
    for tiles in received.values():
        np.testing.assert_array_equal(tiles, np.maximum(A @ B, 0))
    assert result.flags == {}
