"""Acceptance scenarios 1-22 and the negatives: configurations of the vendor's tests, inputs of our own.

Each test states the protocol it needs; without one it is `seed`. Sources are named as in the vendor's repository.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from pto_harness import LEFT_RIGHT, NO_SPLIT, UP_DOWN, Stream
from tilelab.pto import (
    Cluster,
    DeadlockError,
    Direction,
    Fixpipe,
    GlobalTensor,
    Tile,
    TileSplitAxis,
    TileType,
    TPipe,
    talloc,
    tfree,
    tpop,
    tpush,
)
from tilelab.pto.errors import (
    DoubleFreeError,
    FlagOverflowError,
    FlagRangeError,
    LocalAliasHazard,
    OverrunHazard,
    ProfileError,
    RingAliasHazard,
    SplitConstraintError,
    StaleReadHazard,
    UseAfterFreeHazard,
)
from tilelab.pto.layout import lane_shape

D, S, T = Direction, TileSplitAxis, TileType
F32 = np.float32


def ints(seed, *shape):
    return np.random.default_rng(seed).integers(-4, 5, shape)


def matmul_c2v(
    a, b, bias, split, tile_rows, slots, arch="a2a3", protocol="seed", pad_cols=0, **options
):
    """The Cube pushes A@B in row tiles; each Vector core adds its part of the bias."""
    rows, cols = a.shape[0], b.shape[1]
    out = np.zeros((rows, cols), F32)
    width = pad_cols or cols
    full_rows = -(-tile_rows // 16) * 16
    pipe = TPipe(
        0, D.DIR_C2V, full_rows * width * 4, slots, nosplit=arch == "a5" and split == NO_SPLIT
    )
    count = rows // tile_rows

    def cube(core):
        open_ = core.open(pipe, 0x1000, 0x0, 0x0)
        for index in range(count):
            left = Tile(T.Left, a.dtype, tile_rows, a.shape[1])
            left.data[...] = a[index * tile_rows : (index + 1) * tile_rows]
            right = Tile(T.Right, b.dtype, *b.shape, data=b)
            acc = Tile(T.Acc, F32, full_rows, width, valid=(tile_rows, cols))
            core.tmatmul(acc, left, right)
            yield from open_.tpush(acc, split)

    def vec(core):
        open_ = core.open(pipe, 0x1000, 0x0, 0x0)
        lane = core.subblock
        shape = lane_shape(split, lane, tile_rows, cols)
        for index in range(count):
            tile = Tile(T.Vec, F32, *lane_shape(split, 0, full_rows, width), valid=shape)
            yield from open_.tpop(tile, split)
            top = index * tile_rows + (
                tile_rows - shape[0] if lane and shape[0] != tile_rows else 0
            )
            left = cols - shape[1] if lane and shape[1] != cols else 0
            window = (slice(top, top + shape[0]), slice(left, left + shape[1]))
            out[window] = tile.valid + bias[window]
            yield from open_.tfree(split=split)

    cluster = Cluster(arch, protocol=protocol, gm_bytes=1 << 21, **options)
    lanes = [vec, None] if pipe.nosplit else vec
    result = cluster.run(cube, lanes)
    np.testing.assert_array_equal(out, a.astype(F32) @ b.astype(F32) + bias)
    return result


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_s01_c2v_up_down_one_tile(dtype):
    a, b = ints(19, 16, 32).astype(dtype), ints(42, 32, 32).astype(dtype)
    matmul_c2v(a, b, ints(7, 16, 32), UP_DOWN, 16, 1)


@pytest.mark.parametrize("split", [UP_DOWN, LEFT_RIGHT])
def test_s02_c2v_four_tiles_through_one_slot(split):
    a, b = ints(19, 64, 32).astype(np.float16), ints(42, 32, 32).astype(np.float16)
    result = matmul_c2v(a, b, ints(7, 64, 32), split, 16, 1, protocol="sparse")
    row = result.summary()["TPipe0.C2V"]
    assert (row["free_waits"], row["free_signals"], row["drained"]) == (
        3,
        8,
        1,
    )  # 4 per Vector core
    matmul_c2v(a, b, ints(7, 64, 32), split, 16, 1)


def test_s03_up_down_odd():
    a, b = ints(19, 5, 32).astype(np.float16), ints(42, 32, 128).astype(np.float16)
    matmul_c2v(a, b, ints(7, 5, 128), S.TILE_UP_DOWN_ODD, 5, 1)


def test_s03_negative_plain_up_down_reads_the_wrong_row():
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


def test_s04_left_right_odd():
    a, b = ints(19, 5, 32).astype(np.float16), ints(42, 32, 127).astype(np.float16)
    matmul_c2v(a, b, ints(7, 5, 127), S.TILE_LEFT_RIGHT_ODD, 5, 1, pad_cols=128)


def test_s05_no_split_forty_tiles_sparse_credits():
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


def dequant(arch, split, dtype, rows, cols, k_tiles, tile_k=64, protocol="seed", slots=2):
    """Vector cores dequantise B strip by strip and push it; the Cube accumulates A @ B."""
    a = ints(19, rows, tile_k * k_tiles).astype(F32)
    raw = ints(42, tile_k * k_tiles, cols).astype(dtype)
    scale, off = ints(3, k_tiles) + 5, ints(4, k_tiles)
    nosplit = split == NO_SPLIT and arch == "a5"
    pipe = TPipe(0, D.DIR_V2C, tile_k * cols * 4, slots, nosplit=nosplit)
    out = Tile(T.Acc, F32, rows, cols)

    def vec(core):
        open_ = core.open(pipe, 0x1000)
        for k in range(k_tiles):
            strip = raw[k * tile_k : (k + 1) * tile_k].astype(F32)
            if split == UP_DOWN:
                strip = np.vsplit(strip, 2)[core.subblock]
            elif split == LEFT_RIGHT:
                strip = np.hsplit(strip, 2)[core.subblock]
            yield from open_.tpush(
                Tile(T.Vec, F32, *strip.shape, data=(strip - off[k]) * scale[k]), split
            )

    def cube(core):
        open_ = core.open(pipe, 0x1000)
        for k in range(k_tiles):
            mat = Tile(T.Mat, F32, tile_k, cols)
            yield from open_.tpop(mat, split)
            left = Tile(T.Left, F32, rows, tile_k, data=a[:, k * tile_k : (k + 1) * tile_k])
            right = Tile(T.Right, F32, tile_k, cols)
            core.tmov(right, mat)
            core.tmatmul(out, left, right, accumulate=k > 0)
            yield from open_.tfree(split=split)

    result = Cluster(arch, protocol=protocol).run(cube, [vec, None] if nosplit else vec)
    full = (raw.astype(F32) - np.repeat(off, tile_k)[:, None]) * np.repeat(scale, tile_k)[:, None]
    np.testing.assert_array_equal(out.data, a @ full)
    return result


@pytest.mark.parametrize("k_tiles", [1, 2, 4])
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_s06_v2c_up_down_dequantised(dtype, k_tiles):
    dequant("a2a3", UP_DOWN, dtype, 16, 32, k_tiles)


@pytest.mark.parametrize("k_tiles", [1, 2, 4])
@pytest.mark.parametrize(("dtype", "cols"), [(np.int8, 64), (np.int16, 32)])
def test_s07_v2c_left_right_dequantised(dtype, cols, k_tiles):
    dequant("a2a3", LEFT_RIGHT, dtype, 16, cols, k_tiles)


@pytest.mark.parametrize(("arch", "rows"), [("a2a3", 64), ("a5", 128)])
def test_s08_explicit_subblock_id(arch, rows):
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


def both_ways(arch, split, protocol="seed", concurrent=False, separate=True, hazards="raise"):
    """C2V: A@D; Vector gives back the sum A+B to be multiplied, and subtracts F from what it received."""
    rows, inner, cols = 128, 64, 128
    a, b, d = (
        ints(1, rows, inner).astype(F32),
        ints(2, rows, inner).astype(F32),
        ints(3, inner, cols).astype(F32),
    )
    f = ints(4, rows, cols).astype(F32)
    pipe = TPipe(0, D.DIR_BOTH, rows * cols * 4, 2, 1, separate_rings=separate)
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
def test_s09_both_directions(arch, split, protocol):
    result, good = both_ways(arch, split, protocol)
    assert good
    assert {e.flag % 16 for e in result.trace if e.flag >= 0} <= {0, 1, 2, 3}
    assert {e.flag % 16 for e in result.events(phase="RECORD")} == {0, 2}


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_s10_both_directions_at_once(arch):
    _, good = both_ways(arch, UP_DOWN, concurrent=True)
    assert good


def test_s10_negative_aliasing_rings_fail():
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


def test_s11_mixed_tile_sizes():
    mixed("a2a3", hold=True)
    mixed("a5", hold=False)
    with pytest.raises(LocalAliasHazard, match="tile 0 is read after tile"):
        mixed("a5", hold=True)  # strided by the popped tile, a smaller one lands inside a larger


@pytest.mark.parametrize(("arch", "direction"), [("a2a3", D.DIR_C2V), ("a5", D.DIR_C2V_GM)])
@pytest.mark.parametrize("protocol", ["seed", "sparse", "sparse_fixed", "tagged"])
def test_s12_sub_tiles_through_global_tensors(arch, direction, protocol):
    a, b = ints(19, 128, 128).astype(np.float16), ints(42, 128, 128).astype(np.float16)
    product = a.astype(F32) @ b.astype(F32)
    pipe = TPipe(0, direction, 262144, 2)
    out = np.zeros((3, 128, 512), F32)

    def cube(core):
        open_ = core.open(pipe, 0x10000)
        acc = Tile(T.Acc, F32, 128, 128, data=product)
        for _ in range(3):
            slot = GlobalTensor(F32, 128, 512)
            yield from talloc(open_, slot, UP_DOWN)
            for column in range(4):  # four stores fill one slot
                core.tstore(slot.data[:, column * 128 : (column + 1) * 128], acc)
            yield from tpush(open_, slot, UP_DOWN)

    def vec(core):
        open_ = core.open(pipe, 0x10000)
        for index in range(3):
            slot = GlobalTensor(F32, 64, 512)
            yield from tpop(open_, slot, UP_DOWN)
            for row in range(0, 64, 16):  # slices of 16 rows
                tile = Tile(T.Vec, F32, 16, 512)
                core.tload(tile, slot.data[row : row + 16])
                top = core.subblock * 64 + row
                out[index, top : top + 16] = tile.data + F32(3.14)
            yield from tfree(open_, slot, UP_DOWN)

    result = Cluster(arch, protocol=protocol, leaks="record").run(cube, vec)
    np.testing.assert_array_equal(out, np.stack([np.tile(product, (1, 4)) + F32(3.14)] * 3))
    assert not result.findings


@pytest.mark.parametrize("split", [UP_DOWN, LEFT_RIGHT])
@pytest.mark.parametrize("protocol", ["sparse", "sparse_fixed"])
def test_s13_a5_c2v_ub_needs_tfree(split, protocol):
    a, b = ints(19, 64, 32).astype(np.float16), ints(42, 32, 64).astype(np.float16)
    result = matmul_c2v(a, b, ints(7, 64, 64), split, 16, 2, "a5", protocol, leaks="record")
    leaks = {finding.code for finding in result.findings}
    assert leaks == ({"H11"} if protocol == "sparse" else set())  # the code's over-credit
    # Without TFREE the producer starves; the code's pre-credits first let it overwrite unread slots.
    stream = Stream(
        "a5", split=UP_DOWN, slots=2, pushes=30, protocol=protocol, tfree=False, hazards="record"
    )
    with pytest.raises(DeadlockError, match="H3") as error:
        stream.run("cube_first")
    assert "TFREE is missing" in error.value.report.reason
    overrun = "E10" in {finding.code for finding in stream.cluster.findings}
    assert overrun == (protocol == "sparse")


@pytest.mark.parametrize("rows", [16, 32])
def test_s14_a5_no_split_only_subblock_0(rows):
    a, b = ints(19, rows, 32).astype(F32), ints(42, 32, 32).astype(F32)
    result = matmul_c2v(a, b, ints(7, rows, 32), NO_SPLIT, rows, 2, "a5", "sparse_fixed")
    assert "vec1" not in {e.core for e in result.trace}
    strip = ints(5, 16, 32).astype(F32), ints(6, 32, 128).astype(F32)
    matmul_c2v(*strip, ints(7, 16, 128), NO_SPLIT, 16, 2, "a5", "sparse_fixed")


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("k_tiles", [1, 2, 4])
def test_s15_a5_v2c_mat_no_split(dtype, k_tiles):
    dequant("a5", NO_SPLIT, dtype, 16, 32, k_tiles, protocol="sparse_fixed")


FIXPIPE = [
    (F32, np.float16, 1.0, 64, False),
    (F32, ml_dtypes.bfloat16, 1.0, 64, False),
    (np.int32, np.float16, 2.0, 128, False),
    (np.int32, np.float16, "columns", 128, True),
]


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
@pytest.mark.parametrize(("source", "target", "scale", "size", "relu"), FIXPIPE)
def test_s16_fixpipe_conversions(arch, source, target, scale, size, relu):
    data = (ints(19, size, size) * 7).astype(source) / (3 if source is F32 else 1)
    data = data.astype(source)
    factor = np.linspace(0.5, 2, size).astype(F32) if scale == "columns" else scale
    pipe = TPipe(0, D.DIR_C2V, size * size * 2, 2, nosplit=arch == "a5")
    got = Tile(T.Vec, F32, size, size)

    def cube(core):
        acc = Tile(T.Acc, source, size, size, data=data)
        yield from core.open(pipe, 0x1000).tpush(acc, fixpipe=Fixpipe(target, factor, relu))

    def vec(core):
        tile = Tile(T.Vec, target, size, size)
        yield from core.open(pipe, 0x1000).tpop(tile)
        got.data[...] = tile.data.astype(F32) + 1.0

    Cluster(arch).run(cube, [vec, None] if arch == "a5" else vec)
    expected = data.astype(F32) * factor
    expected = np.maximum(expected, 0) if relu else expected
    np.testing.assert_array_equal(got.data, expected.astype(target).astype(F32) + 1.0)


@pytest.mark.parametrize("schedule", ["rr", "cube_first", "vec_first", 42])
def test_s17_fifo_order_multicore(schedule):
    pipe = TPipe(0, D.DIR_C2V, 64 * 128 * 4, 4)
    got = []
    index = np.arange(64 * 128).reshape(64, 128)

    def cube(core):
        open_ = core.open(pipe, 0x1000)
        for step in range(12):
            data = (step * 1000 + index + 1).astype(F32)
            yield from open_.tpush(Tile(T.Acc, F32, 64, 128, data=data))

    def vec(core):
        open_, tile = core.open(pipe, 0x1000), Tile(T.Vec, F32, 64, 128)
        for step in range(12):
            yield from open_.tpop(tile)
            np.testing.assert_array_equal(tile.data, step * 1000 + index + 1)
            got.append(step)

    Cluster().run(cube, vec, schedule)
    assert sorted(got) == sorted([*range(12)] * 2)


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_s18_wraparound_with_two_pops_in_flight(arch):
    """Protocol sparse_fixed on A5, where TFREE frees; seed on A2/A3."""
    protocol = "seed" if arch == "a2a3" else "sparse_fixed"
    pipe = TPipe(0, D.DIR_V2C, 16 * 32 * 4, 2)
    addresses = []

    def vec(core):
        open_ = core.open(pipe, 0x1000)
        for index in range(5):
            yield from open_.tpush(Tile(T.Vec, F32, 8, 32, data=np.full((8, 32), index)), UP_DOWN)

    def cube(core):
        open_ = core.open(pipe, 0x1000)
        first, second = Tile(T.Mat, F32, 16, 32), Tile(T.Mat, F32, 16, 32)
        yield from open_.tpop(first, UP_DOWN)
        yield from open_.tpop(second, UP_DOWN)
        assert (first.data == 0).all()
        assert (second.data == 1).all()
        addresses.extend([first.address, second.address])
        yield from open_.tfree(split=UP_DOWN)
        yield from open_.tfree(split=UP_DOWN)
        for index in range(2, 5):
            yield from open_.tpop(first, UP_DOWN)
            assert (first.data == index).all()
            yield from open_.tfree(split=UP_DOWN)

    Cluster(arch, protocol=protocol).run(cube, vec)
    assert addresses[0] != addresses[1]


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_s19_both_directions_keep_their_order(arch):
    pipe = TPipe(0, D.DIR_BOTH, 8192, 4, 4)
    seen = []

    def fill(loc, value):
        return Tile(loc, F32, 32, 64, data=np.full((32, 64), value))

    def half(value):
        return Tile(T.Vec, F32, 16, 64, data=np.full((16, 64), value))

    def cube(core):
        open_ = core.open(pipe, 0x1000, 0x0, 0x0)
        mat = Tile(T.Mat, F32, 32, 64)
        for value in (1000, 2000):
            yield from open_.tpush(fill(T.Acc, value), UP_DOWN)
        for _ in range(2):
            yield from open_.tpop(mat, UP_DOWN)
            seen.append(("cube", mat.data[0, 0], mat.data[-1, -1]))
        yield from open_.tpush(fill(T.Acc, 3000), UP_DOWN)

    def vec(core):
        open_ = core.open(pipe, 0x1000, 0x0, 0x0)
        tile = Tile(T.Vec, F32, 16, 64)
        yield from open_.tpop(tile, UP_DOWN)
        seen.append((core.name, tile.data[0, 0], tile.data[-1, -1]))
        for value in (7000, 8000):
            yield from open_.tpush(half(value), UP_DOWN)
        for _ in range(2):
            yield from open_.tpop(tile, UP_DOWN)
            seen.append((core.name, tile.data[0, 0], tile.data[-1, -1]))

    Cluster(arch).run(cube, vec)
    for name in ("vec0", "vec1"):
        assert [v for n, v, _ in seen if n == name] == [1000, 2000, 3000]
    assert [v for n, v, _ in seen if n == "cube"] == [7000, 8000]
    assert all(first == last for _, first, last in seen)


@pytest.mark.parametrize(("arch", "protocol"), [("a2a3", "seed"), ("a5", "sparse_fixed")])
def test_s20_delayed_free_leaves_nothing_held(arch, protocol):
    pipe = TPipe(0, D.DIR_C2V, 1024, 2)
    left = []

    def cube(core):
        open_ = core.open(pipe, 0x1000)
        for _ in range(2):
            yield from open_.tpush(Tile(T.Acc, F32, 8, 32), UP_DOWN)

    def vec(core):
        open_ = core.open(pipe, 0x1000)
        for _ in range(2):
            yield from open_.tpop(Tile(T.Vec, F32, 4, 32), UP_DOWN)
        for _ in range(2):
            yield from open_.tfree(split=UP_DOWN)
        left.append((open_.cons.held, open_.cons.ring))

    result = Cluster(arch, protocol=protocol).run(cube, vec)
    assert [(held, ring.occupancy()) for held, ring in left] == [(0, 0)] * 2
    assert result.flags == {}


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_s21_both_directions_eight_k_steps(arch):
    pipe = TPipe(0, D.DIR_BOTH, 8192, 4)
    a, b, c = (
        ints(1, 32, 512).astype(F32),
        ints(2, 512, 32).astype(F32),
        ints(3, 32, 32).astype(F32),
    )
    total = c.copy()

    def vec(core):
        open_ = core.open(pipe, 0x1000, 0x0, 0x8000)
        lane, tile = core.subblock, Tile(T.Vec, F32, 16, 32)
        for k in range(8):
            part = a[lane * 16 : lane * 16 + 16, k * 64 : k * 64 + 64] + 1
            yield from open_.tpush(Tile(T.Vec, F32, 16, 64, data=part), UP_DOWN)
            yield from open_.tpop(tile, UP_DOWN)
            total[lane * 16 : lane * 16 + 16] += tile.data

    def cube(core):
        open_ = core.open(pipe, 0x1000, 0x0, 0x8000)
        mat, left = Tile(T.Mat, F32, 32, 64), Tile(T.Left, F32, 32, 64)
        right, acc = Tile(T.Right, F32, 64, 32), Tile(T.Acc, F32, 32, 32)
        for k in range(8):
            yield from open_.tpop(mat, UP_DOWN)
            core.tmov(left, mat)
            core.tload(mat_b := Tile(T.Mat, F32, 64, 32), b[k * 64 : k * 64 + 64])
            core.tmov(right, mat_b)
            core.tmatmul(acc, left, right)
            yield from open_.tpush(acc, UP_DOWN)

    Cluster(arch).run(cube, vec)
    np.testing.assert_array_equal(total, c + (a + 1) @ b)


def blocked_push(direction, slots):
    """The index of the first push that waits for a consumer that only opens the pipe."""
    pipe = TPipe(0, direction, 1024, slots)

    def cube(core):
        open_ = core.open(pipe, 0x1000)
        for _ in range(slots + 3):
            yield from open_.tpush(Tile(T.Acc, F32, 8, 32))

    def vec(core):
        open_ = core.open(pipe, 0x1000)
        if direction is D.DIR_BOTH:
            for _ in range(slots + 3):
                yield from open_.tpush(Tile(T.Vec, F32, 8, 32))
        yield

    with pytest.raises(DeadlockError) as error:
        Cluster(protocol="tagged").run(cube, vec)
    return {(w.core, w.tile, w.phase) for w in error.value.report.waits}


def test_s22_tagged_protocol_blocks_at_the_ninth_and_the_fifth_push():
    assert ("cube", 8, "ALLOCATE") in blocked_push(D.DIR_C2V, 8)
    blocked = blocked_push(D.DIR_BOTH, 4)
    assert {("cube", 4, "ALLOCATE"), ("vec0", 4, "ALLOCATE"), ("vec1", 4, "ALLOCATE")} == blocked
    with pytest.raises(FlagRangeError, match="there are 8 per direction"):
        blocked_push(D.DIR_C2V, 9)
    result = Stream(slots=8, pushes=20, protocol="tagged").run()
    assert {e.flag for e in result.events(phase="RECORD")} == set(range(8))


# N1: the negatives


def deadlock(cause, **options):
    lanes = options.pop("lanes", None)
    with pytest.raises(DeadlockError) as error:
        Stream(**options).run(lanes=lanes)
    assert error.value.code == "E9"
    assert error.value.report.cause == cause
    return error.value.report


def test_n1_no_tpush():
    deadlock("H1", pushes=0, pops=1)


def test_n1_no_free_starves_at_tile_4():
    report = deadlock("H3", cons=lambda pipe: pipe.cons.set_free_status(False))
    assert [w.tile for w in report.waits if w.core == "cube"] == [4]


def test_n1_no_wait_before_push():
    stream = Stream(cons=lambda pipe: pipe.cons.set_wait_status(False))
    with pytest.raises(StaleReadHazard) as error:
        stream.run("vec_first")
    assert error.value.code == "E11"


@pytest.mark.parametrize("protocol", ["sparse", "sparse_fixed", "tagged"])
def test_n1_a5_c2v_without_tfree(protocol):
    if protocol == "tagged":  # the second TPOP itself is out of order there
        with pytest.raises(Exception, match="awaits its TFREE"):
            Stream("a5", split=UP_DOWN, protocol=protocol, tfree=False).run()
    else:
        report = deadlock(
            "H3",
            arch="a5",
            split=UP_DOWN,
            protocol=protocol,
            tfree=False,
            pushes=30,
            hazards="record",
        )
        # SlotNum 4, SyncPeriod 2: sparse starves after its two initial credits, at tile 8
        assert [w.tile for w in report.waits if w.core == "cube"] == [
            8 if protocol == "sparse" else 4
        ]


def test_n1_a2a3_no_split_without_aiv1():
    deadlock("H4", lanes=(0,))
    report = deadlock("H4", direction=D.DIR_V2C, lanes=(0,))
    assert "vec1" in report.reason
    assert report.absent == ("vec1",)


def test_n1_both_flag_13():
    with pytest.raises(FlagRangeError) as error:
        TPipe(13, D.DIR_BOTH, 1024, 4)
    assert error.value.code == "E1"


def test_n1_gm_direction_on_a2a3():
    with pytest.raises(ProfileError) as error:
        Stream("a2a3", D.DIR_C2V_GM).run()
    assert error.value.code == "E3"


def test_n1_slot_num_5_sparse_overrun_at_tile_5():
    with pytest.raises(OverrunHazard) as error:
        Stream(slots=5, protocol="sparse").run("cube_first")
    assert (error.value.code, error.value.finding.tile, error.value.finding.slot) == ("E10", 5, 0)
    Stream(slots=5, protocol="sparse_fixed").run("cube_first")


def test_n1_slot_num_16_overflows_the_counter():
    with pytest.raises(FlagOverflowError) as error:  # a stalled consumer
        Stream(slots=16, pushes=16, protocol="sparse", vec=1).run("cube_first")
    assert error.value.code == "E14"
    with pytest.raises(FlagOverflowError):  # in the seed protocol, the 16th initial credit
        Stream(slots=16, pushes=1).run()
    Stream(slots=15, pushes=40).run("cube_first")


def test_n1_a5_gm_tpop_and_tfree_is_a_double_free():
    with pytest.raises(DoubleFreeError, match="every popped tile was freed"):
        Stream("a5", D.DIR_C2V_GM, split=UP_DOWN, protocol="sparse", tfree=True).run()


def test_n1_zero_copy_tile_read_after_the_slot_was_rewritten():
    pipe = TPipe(0, D.DIR_C2V, 1024, 1)

    def cube(core):
        open_ = core.open(pipe)
        for value in (1, 2):
            yield from open_.tpush(Tile(T.Acc, F32, 8, 32, data=np.full((8, 32), value)), UP_DOWN)

    def vec(core):
        open_ = core.open(pipe)
        tile, other = Tile(T.Vec, F32, 4, 32), Tile(T.Vec, F32, 4, 32)
        yield from open_.tpop(tile, UP_DOWN)  # the seed: frees at once, though the tile is the slot
        yield from open_.tpop(other, UP_DOWN)
        return tile.data[0, 0]

    with pytest.raises(UseAfterFreeHazard, match="now holds tile 1"):
        Cluster("a5").run(cube, vec)
    result = Cluster("a5", hazards="record").run(cube, vec)
    assert result.returned == {"vec0": 2.0, "vec1": 2.0, "cube": None}
