"""A core with something in every register and memory."""

import numpy as np

from tilelab.tilext import Parameters, TileCore, load_profile

TILE = 128  # bytes of a tile register


def core(overlay=None, **answers):
    machine = TileCore(
        Parameters(TILE, 32, 256, 8192, 8192, **answers), load_profile("repaired", overlay)
    )
    rng = np.random.default_rng(6)
    machine.tiles[:] = rng.integers(0, 256, machine.tiles.shape)
    for memory in machine.memory.values():
        memory[:] = rng.integers(0, 256, memory.shape)
    return machine
