"""Pattern 2 of the seed: two Vector cores insert 128x256 halves into a 256x256 Mat tile of the
Cube.

Run: tilelab pto run examples/pto/pattern2_attention_accumulation.py
Findings: the seed's MAT ring at 0x300000 lies outside a 512 KiB L1, and its TMATMUL writes a Mat
tile.
"""

import numpy as np

from tilelab.pto import FifoType, Tile, TileSpec, TileType, TMPipe, VecCubeRatio, tpop, tpush

PROD = TileSpec(TileType.Vec, np.float16, 128, 256)
CONS = TileSpec(TileType.Mat, np.float16, 256, 256)
VEC_TO_MAT = TMPipe(2, FifoType.MAT_FIFO, 4, 1, PROD, CONS, False, 2, VecCubeRatio.V2C1_VECS)
HEADS = 6
cluster = {"arch": "a5"}
rng = np.random.default_rng(42)
V = rng.integers(-2, 3, (HEADS, 256, 256)).astype(np.float16)
SCALE = np.diag(rng.integers(1, 4, 256)).astype(np.float16)
products: list[np.ndarray] = []


def vec(core):
    """Push this Vector core's half of every head."""
    pipe = core.open_multi(VEC_TO_MAT, 0x300000)
    for head in V:
        half = np.vsplit(head, 2)[core.subblock]
        yield from tpush(Tile.of(PROD, half), pipe)


def cube(core):
    """Receive each head and multiply it in place."""
    pipe = core.open_multi(VEC_TO_MAT, 0x300000)
    mat, scale = Tile.of(CONS), Tile(TileType.Right, np.float16, 256, 256, data=SCALE)
    for _ in range(HEADS):
        yield from tpop(mat, pipe)
        core.tmatmul(mat, mat, scale)
        products.append(mat.data.copy())


def check(result):
    """Every head arrived whole and was multiplied."""
    np.testing.assert_array_equal(products, (V.astype(np.float32) @ SCALE).astype(np.float16))
    assert result.flags == {}
