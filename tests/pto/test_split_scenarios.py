"""Acceptance scenarios 1-11: configurations of the vendor's tests, inputs of our own.

Each test states the protocol it needs; without one it is `seed`.
"""

from __future__ import annotations

import numpy as np
import pytest

from pto_harness import LEFT_RIGHT, UP_DOWN
from pto_kernels import dequant, ints, matmul_c2v
from tilelab.pto import (
    Cluster,
    Direction,
    Tile,
    TileSplitAxis,
    TileType,
    TPipe,
)
from tilelab.pto.errors import (
    LocalAliasHazard,
    RingAliasHazard,
    SplitConstraintError,
)

D, S, T = Direction, TileSplitAxis, TileType
F32 = np.float32


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_c2v_up_down_one_tile(dtype):
    """Scenario S01."""
    a, b = ints(19, 16, 32).astype(dtype), ints(42, 32, 32).astype(dtype)
    matmul_c2v(a, b, ints(7, 16, 32), UP_DOWN, 16, 1)


@pytest.mark.parametrize("split", [UP_DOWN, LEFT_RIGHT])
def test_c2v_four_tiles_through_one_slot(split):
    """Scenario S02."""
    a, b = ints(19, 64, 32).astype(np.float16), ints(42, 32, 32).astype(np.float16)
    result = matmul_c2v(a, b, ints(7, 64, 32), split, 16, 1, protocol="sparse")
    row = result.summary()["TPipe0.C2V"]
    assert (row["free_waits"], row["free_signals"], row["drained"]) == (
        3,
        8,
        1,
    )  # 4 per Vector core
    matmul_c2v(a, b, ints(7, 64, 32), split, 16, 1)


def test_up_down_odd():
    """Scenario S03."""
    a, b = ints(19, 5, 32).astype(np.float16), ints(42, 32, 128).astype(np.float16)
    matmul_c2v(a, b, ints(7, 5, 128), S.TILE_UP_DOWN_ODD, 5, 1)


def test_negative_plain_up_down_reads_the_wrong_row():
    """Scenario S03."""
    pipe = TPipe(0, D.DIR_C2V, 16 * 128 * 4, 1)
    data = np.arange(5 * 128, dtype=F32).reshape(5, 128)
    got = {}

    def cube(core):
        acc = Tile(T.Acc, F32, 16, 128, valid=(5, 128), data=data)
        yield from core.open(pipe).tpush(acc, UP_DOWN)

    def vec(core):
        tile = Tile(T.Vec, F32, 8, 128, valid=(3 - core.subblock, 128))
        yield from core.open(pipe).tpop(tile, UP_DOWN)
        got[core.subblock] = tile.valid.copy()

    with pytest.raises(SplitConstraintError, match="use TILE_UP_DOWN_ODD"):
        Cluster().run(cube, vec)
    result = Cluster(hazards="record").run(cube, vec)
    assert {finding.code for finding in result.findings} == {"E7"}
    np.testing.assert_array_equal(got[0], data[:3])
    np.testing.assert_array_equal(got[1], data[2:4])  # row 2, where 3 was meant


def test_left_right_odd():
    """Scenario S04."""
    a, b = ints(19, 5, 32).astype(np.float16), ints(42, 32, 127).astype(np.float16)
    matmul_c2v(a, b, ints(7, 5, 127), S.TILE_LEFT_RIGHT_ODD, 5, 1, pad_cols=128)


def test_no_split_forty_tiles_sparse_credits():
    """Scenario S05."""
    a, b = ints(19, 640, 32).astype(np.float16), ints(42, 32, 64).astype(np.float16)
    pipe = TPipe(0, D.DIR_C2V, 4096, 8, 8)
    cluster = Cluster(protocol="sparse")

    def cube(core):
        for _ in range(3):  # repeated dispatch: the pipe is constructed and destroyed each time
            open_ = core.open(pipe, 0x1000)
            for index in range(40):
                acc = Tile(
                    T.Acc, F32, 16, 64, data=(a.astype(F32) @ b)[index * 16 : index * 16 + 16]
                )
                yield from open_.tpush(acc)
            yield from open_.close()

    got = []

    def vec(core):
        for _ in range(3):
            open_ = core.open(pipe, 0x1000)
            for _ in range(40):
                tile = Tile(T.Vec, F32, 16, 64)
                yield from open_.tpop(tile)
                if core.subblock == 0:
                    got.append(tile.data.copy())
            yield from open_.close()

    result = cluster.run(cube, vec)
    np.testing.assert_array_equal(np.vstack(got), np.vstack([a.astype(F32) @ b.astype(F32)] * 3))
    waited = [e.tile for e in result.events(phase="ALLOCATE")]
    assert waited == list(range(8, 40, 4)) * 3
    row = result.summary()["TPipe0.C2V"]
    assert (row["free_signals"], row["drained"]) == (3 * 2 * 10, 3 * 2)
    assert result.flags == {}


@pytest.mark.parametrize("k_tiles", [1, 2, 4])
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_v2c_up_down_dequantised(dtype, k_tiles):
    """Scenario S06."""
    dequant("a2a3", UP_DOWN, dtype, 16, 32, k_tiles)


@pytest.mark.parametrize("k_tiles", [1, 2, 4])
@pytest.mark.parametrize(("dtype", "cols"), [(np.int8, 64), (np.int16, 32)])
def test_v2c_left_right_dequantised(dtype, cols, k_tiles):
    """Scenario S07."""
    dequant("a2a3", LEFT_RIGHT, dtype, 16, cols, k_tiles)


@pytest.mark.parametrize(("arch", "rows"), [("a2a3", 64), ("a5", 128)])
def test_explicit_subblock_id(arch, rows):
    """Scenario S08."""
    src0, src1, src2 = (ints(seed, 64, 64).astype(F32) for seed in (1, 2, 3))
    left = np.vstack([src0 + src1] * (rows // 64))
    pipe = TPipe(0, D.DIR_V2C, rows * 64 * 4, 2)
    out = Tile(T.Acc, F32, rows, 64)

    def vec(core):
        lane = 1 - core.subblock  # the other half than get_subblockid() would choose
        data = np.vsplit(left, 2)[lane]
        tile = Tile(T.Vec, F32, *data.shape, data=data)
        yield from core.open(pipe, 0x1000).tpush(tile, UP_DOWN, subblock=lane)

    def cube(core):
        mat, a = Tile(T.Mat, F32, rows, 64), Tile(T.Left, F32, rows, 64)
        yield from core.open(pipe, 0x1000).tpop(mat, UP_DOWN)
        core.tmov(a, mat)
        core.tmatmul(out, a, Tile(T.Right, F32, 64, 64, data=src2))

    Cluster(arch).run(cube, vec)
    np.testing.assert_array_equal(out.data, left @ src2)


def both_ways(
    arch,
    split,
    protocol="seed",
    concurrent=False,
    separate=True,
    hazards="raise",
    direction=D.DIR_BOTH,
):
    """C2V: A@D; Vector gives back the sum A+B to be multiplied, and subtracts F from what it
    received."""
    rows, inner, cols = 128, 64, 128
    a, b, d = (
        ints(1, rows, inner).astype(F32),
        ints(2, rows, inner).astype(F32),
        ints(3, inner, cols).astype(F32),
    )
    f = ints(4, rows, cols).astype(F32)
    pipe = TPipe(0, direction, rows * cols * 4, 2, 1, separate_rings=separate)
    vec_out, cube_out = np.zeros((rows, cols), F32), Tile(T.Acc, F32, rows, cols)
    down = split == UP_DOWN

    def half(lane, whole):
        return (np.vsplit if down else np.hsplit)(whole, 2)[lane]

    def cube(core):
        open_ = core.open(pipe, 0x1000, 0x0, 0x10000)
        acc, left = Tile(T.Acc, F32, rows, cols), Tile(T.Left, F32, rows, inner)
        right = Tile(T.Right, F32, inner, cols, data=d)
        mat = Tile(T.Mat, F32, rows, inner)
        if concurrent:  # C2V: A@D goes out before the sum comes in
            left.data[...] = a
            core.tmatmul(acc, left, right)
            yield from open_.tpush(acc, split)
        yield from open_.tpop(mat, split)
        core.tmov(left, mat)
        core.tmatmul(cube_out, left, right)
        yield from open_.tfree(split=split)
        if not concurrent:
            yield from open_.tpush(cube_out, split)

    def vec(core):
        open_ = core.open(pipe, 0x1000, 0x0, 0x10000)
        part = half(core.subblock, a + b)
        yield from open_.tpush(Tile(T.Vec, F32, *part.shape, data=part), split)
        mine = half(core.subblock, vec_out)
        tile = Tile(T.Vec, F32, *mine.shape)
        yield from open_.tpop(tile, split)
        mine[...] = tile.data - half(core.subblock, f)
        yield from open_.tfree(split=split)

    cluster = Cluster(arch, protocol=protocol, hazards=hazards, capacity="record")
    result = cluster.run(cube, vec)
    summed = (a + b) @ d
    vector_gets = a @ d if concurrent else summed
    good = np.array_equal(vec_out, vector_gets - f) and np.array_equal(cube_out.data, summed)
    return result, good


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
@pytest.mark.parametrize("split", [UP_DOWN, LEFT_RIGHT])
@pytest.mark.parametrize("protocol", ["seed", "sparse_fixed"])
def test_both_directions(arch, split, protocol):
    """Scenario S09."""
    result, good = both_ways(arch, split, protocol)
    assert good
    assert {e.flag % 16 for e in result.trace if e.flag >= 0} <= {0, 1, 2, 3}
    assert {e.flag % 16 for e in result.events(phase="RECORD")} == {0, 2}


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_both_directions_at_once(arch):
    """Scenario S10."""
    _, good = both_ways(arch, UP_DOWN, concurrent=True)
    assert good
    if arch == "a5":
        _, good = both_ways(arch, UP_DOWN, concurrent=True, direction=D.DIR_BOTH_GM)
        assert good


def test_negative_aliasing_rings_fail():
    """Scenario S10."""
    with pytest.raises(RingAliasHazard, match="the rings overlap"):
        both_ways("a2a3", UP_DOWN, concurrent=True, separate=False)
    result, good = both_ways("a2a3", UP_DOWN, concurrent=True, separate=False, hazards="record")
    assert not good
    assert "H9" in {finding.code for finding in result.findings}


MIXED = [(64, 64), (64, 32), (32, 16), (64, 64), (32, 16)]


def mixed(arch, hold, direction=D.DIR_V2C):
    """Tiles of several sizes through one pipe; `hold` keeps them all and reads them at the end."""
    if arch == "a5":
        direction = D.DIR_V2C_GM
    pipe = TPipe(0, direction, 64 * 64 * 4, 8, 8)
    got = []

    def vec(core):
        open_ = core.open(pipe, 0x1000)
        for index, (rows, cols) in enumerate(MIXED):
            data = np.full((rows // 2, cols), 10 * index + core.subblock, F32)
            yield from open_.tpush(Tile(T.Vec, F32, *data.shape, data=data), UP_DOWN)

    def cube(core):
        open_ = core.open(pipe, 0x1000)
        tiles = []
        for rows, cols in MIXED:
            tiles.append(Tile(T.Mat, F32, rows, cols))
            yield from open_.tpop(tiles[-1], UP_DOWN)
            if not hold:
                got.append(tiles[-1].data.copy())
        if hold:
            got.extend(tile.data.copy() for tile in tiles)

    Cluster(arch).run(cube, vec)
    for index, (tile, (rows, cols)) in enumerate(zip(got, MIXED, strict=True)):
        expected = np.repeat([10 * index, 10 * index + 1], rows // 2)[:, None] * np.ones(cols)
        np.testing.assert_array_equal(tile, expected)


def test_mixed_tile_sizes():
    """Scenario S11."""
    mixed("a2a3", hold=True)
    mixed("a5", hold=False)
    with pytest.raises(LocalAliasHazard, match="tile 0 is read after tile"):
        mixed("a5", hold=True)  # strided by the popped tile, a smaller one lands inside a larger
