"""Acceptance scenarios 12-22: configurations of the vendor's tests, inputs of our own.

Each test states the protocol it needs; without one it is `seed`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from pto_harness import LEFT_RIGHT, NO_SPLIT, UP_DOWN, Stream
from pto_kernels import dequant, ints, matmul_c2v
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
    FlagRangeError,
)

D, S, T = Direction, TileSplitAxis, TileType
F32 = np.float32


@pytest.mark.parametrize(("arch", "direction"), [("a2a3", D.DIR_C2V), ("a5", D.DIR_C2V_GM)])
@pytest.mark.parametrize("protocol", ["seed", "sparse", "sparse_fixed", "tagged"])
def test_sub_tiles_through_global_tensors(arch, direction, protocol):
    """Scenario S12."""
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

    result = Cluster(arch, protocol=protocol, hazards="record", leaks="record").run(cube, vec)
    np.testing.assert_array_equal(out, np.stack([np.tile(product, (1, 4)) + F32(3.14)] * 3))
    # The vendor's credits on A5 let a store begin before the slot's last load: a race, whatever
    # order this run took.
    raced = arch == "a5" and protocol == "sparse"
    assert {finding.code for finding in result.findings} == ({"H14"} if raced else set())


@pytest.mark.parametrize("split", [UP_DOWN, LEFT_RIGHT])
@pytest.mark.parametrize("protocol", ["sparse", "sparse_fixed"])
def test_a5_c2v_ub_needs_tfree(split, protocol):
    """Scenario S13."""
    a, b = ints(19, 64, 32).astype(np.float16), ints(42, 32, 64).astype(np.float16)
    result = matmul_c2v(a, b, ints(7, 64, 64), split, 16, 2, "a5", protocol, leaks="record")
    leaks = {finding.code for finding in result.findings}
    assert leaks == ({"H11"} if protocol == "sparse" else set())  # the code's over-credit
    # Without TFREE the producer starves; the code's pre-credits first let it overwrite unread
    # slots.
    stream = Stream(
        "a5", split=UP_DOWN, slots=2, pushes=30, protocol=protocol, tfree=False, hazards="record"
    )
    with pytest.raises(DeadlockError, match="H3") as error:
        stream.run("cube_first")
    assert "TFREE is missing" in error.value.report.reason
    overrun = "E10" in {finding.code for finding in stream.cluster.findings}
    assert overrun == (protocol == "sparse")


@pytest.mark.parametrize("rows", [16, 32])
def test_a5_no_split_only_subblock_0(rows):
    """Scenario S14."""
    a, b = ints(19, rows, 32).astype(F32), ints(42, 32, 32).astype(F32)
    result = matmul_c2v(a, b, ints(7, rows, 32), NO_SPLIT, rows, 2, "a5", "sparse_fixed")
    assert "vec1" not in {e.core for e in result.trace}
    strip = ints(5, 16, 32).astype(F32), ints(6, 32, 128).astype(F32)
    matmul_c2v(*strip, ints(7, 16, 128), NO_SPLIT, 16, 2, "a5", "sparse_fixed")


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("k_tiles", [1, 2, 4])
def test_a5_v2c_mat_no_split(dtype, k_tiles):
    """Scenario S15."""
    dequant("a5", NO_SPLIT, dtype, 16, 32, k_tiles, protocol="sparse_fixed")


FIXPIPE = [
    (F32, np.float16, 1.0, 64, False),
    (F32, ml_dtypes.bfloat16, 1.0, 64, False),
    (np.int32, np.float16, 2.0, 128, False),
    (np.int32, np.float16, "columns", 128, True),
]


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
@pytest.mark.parametrize(("source", "target", "scale", "size", "relu"), FIXPIPE)
def test_fixpipe_conversions(arch, source, target, scale, size, relu):
    """Scenario S16."""
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
    if scale == "columns":  # the fixpipe reads 19 bits of a scale
        factor = (factor.view(np.uint32) & np.uint32(0xFFFFE000)).view(F32)
    expected = data.astype(F32) * factor
    expected = np.maximum(expected, 0) if relu else expected
    np.testing.assert_array_equal(got.data, expected.astype(target).astype(F32) + 1.0)


@pytest.mark.parametrize("schedule", ["rr", "cube_first", "vec_first", 42])
def test_fifo_order_multicore(schedule):
    """Scenario S17."""
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
def test_wraparound_with_two_pops_in_flight(arch):
    """S18: Protocol sparse_fixed on A5, where TFREE frees; seed on A2/A3."""
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
def test_both_directions_keep_their_order(arch):
    """Scenario S19."""
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
def test_delayed_free_leaves_nothing_held(arch, protocol):
    """Scenario S20."""
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
    assert [held for held, _ in left] == [0] * 2
    assert not any(slot.holders for _, ring in left for slot in ring.slots)
    assert result.flags == {}


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_both_directions_eight_k_steps(arch):
    """Scenario S21."""
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


def test_tagged_protocol_blocks_at_the_ninth_and_the_fifth_push():
    """Scenario S22."""
    assert ("cube", 8, "ALLOCATE") in blocked_push(D.DIR_C2V, 8)
    blocked = blocked_push(D.DIR_BOTH, 4)
    assert {("cube", 4, "ALLOCATE"), ("vec0", 4, "ALLOCATE"), ("vec1", 4, "ALLOCATE")} == blocked
    with pytest.raises(FlagRangeError, match="there are 8 per direction"):
        blocked_push(D.DIR_C2V, 9)
    result = Stream(slots=8, pushes=20, protocol="tagged").run()
    assert {e.flag for e in result.events(phase="RECORD")} == set(range(8))
