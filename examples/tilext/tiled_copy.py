"""Copy a matrix through tile registers: strided loads gather blocks, unit-stride stores pack them.

The matrix is 64 x 128 bytes, row-major, in global memory. A tile register here holds 32 rows of
32 bytes, so that a strided load whose stride is one row (in units of 32 B) picks a 32 x 32 block.
The blocks land one after the other in share memory, and the result is compared with NumPy.
"""

import numpy as np

from tilelab.tilext import Parameters, TileCore, run

ROWS, COLUMNS, BLOCK = 64, 128, 32
A0, A1, A2 = 10, 11, 12  # x-registers

KERNEL = """
    tgld.stride tr8, (a0), a1, tilesize=1     # 32 grains of 32 B, one row apart
    t_wait.mem global/share=0, st_cnt=0, ld_cnt=0, ld_en
    tsst.unit tr8, (a2), tilesize=1
    t_wait.mem global/share=1, st_cnt=0, ld_cnt=0, st_en
"""


def main() -> None:
    """Copy all blocks and check them."""
    core = TileCore(Parameters(tile_bytes=BLOCK * BLOCK, tile_count=64, vlen=256, global_space=0))
    matrix = np.random.default_rng(1).integers(0, 256, (ROWS, COLUMNS), np.uint8)
    core.memory["global"][: matrix.size] = matrix.reshape(-1)

    blocks = []
    for row in range(0, ROWS, BLOCK):
        for column in range(0, COLUMNS, BLOCK):
            core.x[A0] = row * COLUMNS + column
            core.x[A1] = COLUMNS // 32
            core.x[A2] = len(blocks) * BLOCK * BLOCK
            run(core, KERNEL)
            blocks.append(matrix[row : row + BLOCK, column : column + BLOCK])

    packed = core.memory["share"][: matrix.size].reshape(-1, BLOCK, BLOCK)
    np.testing.assert_array_equal(packed, np.stack(blocks))
    print(f"{len(blocks)} blocks of {BLOCK} x {BLOCK} bytes copied; they match NumPy")


if __name__ == "__main__":
    main()
