"""What the fast paths must not change: hazards of the local ring, and runs that are not traced."""

from __future__ import annotations

import numpy as np
import pytest

from pto_harness import LEFT_RIGHT, NO_SPLIT, UP_DOWN, Stream
from tilelab.pto import Cluster, Direction, Tile, TileType, TPipe
from tilelab.pto.errors import LocalAliasHazard


@pytest.mark.parametrize("first", [8, 16])
def test_a_larger_tile_lands_on_both_neighbours(first):
    """A5 spaces local places by the tile's size: 16 rows at place 0 cover 8 rows at place 1."""
    pipe = TPipe(0, Direction.DIR_C2V_GM, 2048, 4, 2, True)
    sizes = (first, 8, 16)

    def cube(core):
        open_ = core.open(pipe)
        for rows in sizes:
            yield from open_.tpush(Tile(TileType.Acc, np.float32, rows, 8))

    def vec(core):
        open_ = core.open(pipe)
        tiles = [Tile(TileType.Vec, np.float32, rows, 8) for rows in sizes]
        for tile in tiles:
            yield from open_.tpop(tile)
        assert tiles[2].data.shape == (16, 8)
        with pytest.raises(LocalAliasHazard, match="tile 1 is read after tile 2 landed"):
            _ = tiles[1].data

    Cluster("a5").run(cube, [vec, None])


@pytest.mark.parametrize("protocol", ["seed", "tagged", "sparse", "sparse_fixed"])
@pytest.mark.parametrize("direction", [Direction.DIR_C2V, Direction.DIR_V2C])
@pytest.mark.parametrize(
    ("arch", "split"), [("a2a3", NO_SPLIT), ("a2a3", UP_DOWN), ("a5", NO_SPLIT), ("a5", LEFT_RIGHT)]
)
def test_a_run_is_the_same_untraced(arch, split, direction, protocol):
    outcomes = []
    for trace in (True, False):
        stream = Stream(
            arch, direction, 4, 11, split=split, protocol=protocol, trace=trace,
            hazards="record", leaks="record",
        )  # fmt: skip
        result = stream.run(schedule=3)
        found = [(f.code, f.message) for f in result.findings]
        outcomes.append((result.steps, result.flags, found, repr(stream.got)))
        assert bool(result.trace) is trace
    assert outcomes[0] == outcomes[1]
    assert stream.got
