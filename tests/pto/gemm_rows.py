"""pto-isa's GEMM (kernels/manual/a2a3/gemm_performance) as one core's steps, on PTO's clock.

``python tests/pto/gemm_rows.py`` prints microseconds beside those that its README states. 24 cores
share M by 4 and N by 6; a base block is 128 x 256, in steps of 64 of K; four steps of K are loaded
into L1 at once, and everything but L0C has two buffers.
"""

import numpy as np

from tilelab.pto import Cluster, Tile, TileType
from tilelab.pto.cycles.clock import Timed, clock
from tilelab.pto.cycles.figures import figures

BASE_M, BASE_N, BASE_K, STEPS = 128, 256, 64, 4
STATED = {1536: 38.8, 3072: 206.7, 6144: 1506.0}  # microseconds


def timed(size: int, given: list[str] | None = None) -> Timed:
    """One core's share of a product of size x size x size."""
    cluster = Cluster("a2a3", cycles=True, vec=1)
    half, wide = np.float16, np.float32
    left_gm = np.zeros((BASE_M, BASE_K * STEPS), half)
    right_gm = np.zeros((BASE_K * STEPS, BASE_N), half)
    out_gm = np.zeros((BASE_M, BASE_N), wide)

    def cube(core):
        a = [Tile(TileType.Mat, half, BASE_M, BASE_K * STEPS) for _ in range(2)]
        b = [Tile(TileType.Mat, half, BASE_K * STEPS, BASE_N) for _ in range(2)]
        left = [Tile(TileType.Left, half, BASE_M, BASE_K) for _ in range(2)]
        right = [Tile(TileType.Right, half, BASE_K, BASE_N) for _ in range(2)]
        acc = Tile(TileType.Acc, wide, BASE_M, BASE_N)
        places = ((a, 0, 0x10000), (b, 0x20000, 0x40000), (left, 0, 0x8000), (right, 0, 0x8000))
        for tiles, *addresses in places:
            for tile, address in zip(tiles, addresses, strict=True):
                core.tassign(tile, address)
        core.tassign(acc, 0)
        for _ in range((size // 4 // BASE_M) * (size // 6 // BASE_N)):
            yield
            for outer in range(size // BASE_K // STEPS):
                whole_a, whole_b = a[outer % 2], b[outer % 2]
                core.tload(whole_a, left_gm)
                core.tload(whole_b, right_gm)
                for step in range(STEPS):
                    to_left, to_right = left[step % 2], right[step % 2]
                    part = slice(step * BASE_K, (step + 1) * BASE_K)
                    core.textract(to_left, whole_a.whole[:, part], TileType.Mat)
                    core.textract(to_right, whole_b.whole[part], TileType.Mat)
                    core.tmatmul(acc, to_left, to_right, outer + step > 0)
            core.tstore(out_gm, acc)

    result = cluster.run(cube, [None])
    return clock(result, cluster.arch, cluster.vec, figures("a2a3", given))


if __name__ == "__main__":
    for size, stated in STATED.items():
        found = timed(size)
        work = {pipe: round(own / found.total, 2) for (_, pipe), (own, _) in found.pipes().items()}
        print(f"{size}^3: {found.microseconds:.1f} us, stated {stated}; busy {work}")
