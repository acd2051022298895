"""A Vector core adds 64 rows with three slots, and two barriers a row: the kernel of PTOAS#1569.

y = (x + z) + 1; a row is 1,024 floats, two rows are loaded ahead, and the sum is stored from x's
slot. PTOAS found no event identifiers for its flags and put a pipe_barrier(PIPE_ALL) before the
second load and before TADDS. ``tilelab pto protocol examples/pto/three_slots.py`` tells what they
cost; ``BARRIERS = False`` is the kernel with flags written by hand.
"""

import numpy as np

from tilelab.pto import Tile, TileType

BARRIERS = True
ROWS, WIDTH, SLOTS = 64, 1024, 3
AHEAD = SLOTS - 1

random = np.random.default_rng(1)
first, second = (random.standard_normal((ROWS, WIDTH)).astype(np.float32) for _ in range(2))
out = np.zeros_like(first)
cluster = {"arch": "a2a3", "vec": 1}


def vec(core):
    """Load a row ahead, add this one, store it."""
    x, z = ([Tile(TileType.Vec, np.float32, 1, WIDTH) for _ in range(SLOTS)] for _ in range(2))
    for slot, tile in enumerate((*x, *z)):
        core.tassign(tile, slot * 4 * WIDTH)

    def load(row, barrier):
        core.tload(x[row % SLOTS], first[row : row + 1])
        if barrier:
            core.pipe_barrier("ALL")
        core.tload(z[row % SLOTS], second[row : row + 1])

    for row in range(AHEAD):
        load(row, False)
    for row in range(ROWS):
        yield
        if row + AHEAD < ROWS:
            load(row + AHEAD, BARRIERS)
        total, other = x[row % SLOTS], z[row % SLOTS]
        core.spend("TADD", total, total, other)
        if BARRIERS:
            core.pipe_barrier("ALL")
        core.spend("TADDS", total, total)
        total.data[...] += other.data + 1
        core.tstore(out[row : row + 1], total)


def check(result):
    """NumPy's sum."""
    assert np.allclose(out, first + second + 1, atol=1e-6)
