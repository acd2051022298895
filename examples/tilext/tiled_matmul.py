"""Multiply two matrices with an MMA operation that we register, and compare with NumPy.

The document has no codes for mmauop and no matrix shapes, so the program states its own: code 3
multiplies two 16 x 16 tiles of 32-bit integers (1024 B, one tile register each) and adds to td.
Between instructions that depend on each other stands a t_wait: whether the hardware interlocks is
an open question, and without the wait the model raises it.
"""

import numpy as np

from tilelab.tilext import Parameters, TileCore, run
from tilelab.tilext.operations import MmaInputs, MmaOperation

TILE, SIZE = 16, 64
INT32 = 3
A0, A1, A2 = 10, 11, 12  # x-registers


def multiply(inputs: MmaInputs) -> np.ndarray:
    """Return D = D + A B, with the flags the document names."""
    a, b, d = (m.view(np.int32).reshape(TILE, TILE) for m in (inputs.a, inputs.b, inputs.d))
    return (-d if inputs.negd else d) + (-a if inputs.neg1 else a) @ b


def tiles_of(matrix: np.ndarray) -> np.ndarray:
    """Return a matrix as rows of tiles, each tile contiguous."""
    count = SIZE // TILE
    return np.ascontiguousarray(matrix.reshape(count, TILE, count, TILE).swapaxes(1, 2))


def main() -> None:
    """Multiply, tile by tile, and check."""
    core = TileCore(Parameters(tile_bytes=4 * TILE * TILE, tile_count=64, vlen=256))
    core.operations.mma[INT32] = MmaOperation(multiply)
    rng = np.random.default_rng(2)
    left, right = (rng.integers(-99, 99, (SIZE, SIZE), np.int32) for _ in range(2))

    data = np.concatenate([tiles_of(m).reshape(-1).view(np.uint8) for m in (left, right)])
    core.memory["global"][: data.size] = data
    count, tile = SIZE // TILE, 4 * TILE * TILE
    b_base, c_base = left.nbytes, left.nbytes + right.nbytes

    for i in range(count):
        for j in range(count):
            run(core, "tmv.t.x tr0, zero, func6=u32, bc")  # clear the accumulator
            for k in range(count):
                core.x[A0] = (i * count + k) * tile
                core.x[A1] = b_base + (k * count + j) * tile
                run(
                    core,
                    f"""
                    tgld.unit tr1, (a0), tilesize=1
                    tgld.unit tr2, (a1), tilesize=1
                    t_wait.all
                    mma.tt tr0, tr1, tr2, mmauop={INT32}, tilesize=1
                    t_wait.mma
                    """,
                )
            core.x[A2] = c_base + (i * count + j) * tile
            run(core, "tgst.unit tr0, (a2), tilesize=1\nt_wait.all")

    found = core.memory["global"][c_base : c_base + left.nbytes].view(np.int32)
    np.testing.assert_array_equal(found.reshape(count, count, TILE, TILE), tiles_of(left @ right))
    print(f"{SIZE} x {SIZE} matrix product in {count**3} MMAs; it matches NumPy")


if __name__ == "__main__":
    main()
