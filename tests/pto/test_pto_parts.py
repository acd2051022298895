"""The parts: flags, protocols, layout, memory, tile operations, timeline."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pto_harness import UP_DOWN, Stream, open_pipe, pattern
from tilelab.pto import (
    Cluster,
    DeadlockError,
    Direction,
    FifoType,
    GlobalTensor,
    Tile,
    TileSpec,
    TileSplitAxis,
    TileType,
    TMPipe,
    TPipe,
)
from tilelab.pto.errors import (
    CapacityError,
    OverrunHazard,
    PipeConfigError,
    ShapeMismatchError,
    TileTypeError,
)
from tilelab.pto.fixpipe import Fixpipe
from tilelab.pto.flags import FlagBank
from tilelab.pto.layout import lane_shape, slot_part
from tilelab.pto.memory import Memory
from tilelab.pto.protocol import PROTOCOLS, Protocol
from tilelab.pto.report import html
from tilelab.pto.timeline import arrows, lifetimes, perfetto, spans, text

F32, T = np.float32, TileType


@given(st.lists(st.tuples(st.sampled_from([0, 1]), st.integers(0, 3)), max_size=14))
def test_the_reduce_counts_complete_rounds(signals):
    bank = FlagBank(True, 2, 15, lambda core, flag: pytest.fail("overflow"))
    for lane, flag in signals:
        bank.signal_cube(flag, lane)
    for flag in range(4):
        sent = [sum(1 for s in signals if s == (lane, flag)) for lane in (0, 1)]
        assert bank.cube[flag] == min(sent)
        assert [bank.arrived[lane][flag] for lane in (0, 1)] == [n - min(sent) for n in sent]


def test_a5_keeps_the_vector_cores_apart():
    bank = FlagBank(False, 2, 15, lambda core, flag: pytest.fail("overflow"))
    bank.signal_cube(3, 1)
    assert (bank.cube[3], bank.cube[19]) == (0, 1)
    bank.signal_vec(4, (1,))
    assert (bank.vec[0][4], bank.vec[1][4]) == (0, 1)
    assert bank.standing() == {("cube", 19): 1, ("vec1", 4): 1}


@given(
    st.sampled_from(PROTOCOLS),
    st.integers(1, 15),
    st.sampled_from(["a2a3", "a5"]),
    st.integers(0, 60),
)
def test_drained_plus_waited_credits_are_those_signalled(name, slots, arch, tiles):
    rules = Protocol(name, slots, arch)
    signalled = rules.initial_credits + sum(rules.signals_free(tile) for tile in range(tiles))
    waited = sum(rules.waits_free(tile) for tile in range(tiles)) + rules.drain_count(tiles)
    if (name, arch) != ("sparse", "a5"):  # whose destructor drains too little, or waits for ever
        assert signalled == waited


@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from(list(TileSplitAxis)))
def test_the_two_parts_tile_the_whole(rows, cols, split):
    even = {TileSplitAxis.TILE_UP_DOWN: rows, TileSplitAxis.TILE_LEFT_RIGHT: cols}
    odd = {TileSplitAxis.TILE_UP_DOWN_ODD: rows, TileSplitAxis.TILE_LEFT_RIGHT_ODD: cols}
    if even.get(split, 0) % 2 or odd.get(split, 3) % 2 == 0 or odd.get(split) == 1:
        return
    seen = np.zeros(rows * cols, int)
    for lane in (0, 1) if split else (0,):
        part_rows, part_cols = lane_shape(split, lane, rows, cols)
        start, stride = slot_part(split, lane, part_rows, part_cols)
        for row in range(part_rows):
            seen[start + row * stride : start + row * stride + part_cols] += 1
    assert (seen == 1).all()


def test_memory_bounds_alignment_and_users_own_arrays():
    memory = Memory("UB", 64, 64)
    memory.view(0, np.dtype(F32), 4, 4, 4)[...] = 7
    assert (memory.bytes.view(F32) == 7).all()
    with pytest.raises(CapacityError, match="outside its 0x40 bytes"):
        memory.view(4, np.dtype(F32), 4, 4, 4)
    with pytest.raises(CapacityError, match="not aligned to 4"):
        memory.view(2, np.dtype(F32), 1, 1, 1)
    with pytest.raises(CapacityError, match="contiguous"):
        Memory.over(np.zeros((4, 4))[:, ::2])
    gm = np.zeros(4096, np.uint8)
    pipe = TPipe(0, Direction.DIR_C2V, 1024, 2)

    def cube(core):
        yield from core.open(pipe, gm).tpush(Tile(T.Acc, F32, 8, 32, data=pattern(0)))

    def vec(core):
        yield from core.open(pipe, gm).tpop(Tile(T.Vec, F32, 8, 32))

    Cluster().run(cube, vec)
    np.testing.assert_array_equal(gm[:1024].view(F32).reshape(8, 32), pattern(0))


def run_ops(body, **options):
    def cube(core):
        body(core)
        yield

    return Cluster(constraints="raise", **options).run(cube)


def test_tile_operations():
    a, b = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4)
    gm = np.zeros((2, 4), F32)

    def body(core):
        left, right = Tile(T.Left, np.int8, 2, 3, data=a), Tile(T.Right, np.int8, 3, 4, data=b)
        acc, mat = Tile(T.Acc, np.int32, 2, 4), Tile(T.Mat, np.int32, 4, 4)
        core.tmatmul(acc, left, right)
        core.tmatmul(acc, left, right, accumulate=True)
        core.tinsert(mat, acc, row=2)
        np.testing.assert_array_equal(mat.data, np.vstack([np.zeros((2, 4)), 2 * (a @ b)]))
        core.tstore(gm, acc)
        loaded = Tile(T.Mat, F32, 2, 4)
        core.tload(loaded, gm)
        np.testing.assert_array_equal(loaded.data, 2 * (a @ b))
        core.tassign(loaded, 0x100)
        loaded.data[...] = 3
        again = Tile(T.Mat, F32, 2, 4)
        core.tassign(again, 0x100)
        assert (again.data == 3).all()
        tensor = GlobalTensor(F32, 2, 2, row_stride=4)
        core.tassign(tensor, 64)
        tensor.data[...] = 5
        assert core.cluster.gm.bytes.view(F32)[16:24].tolist() == [5, 5, 0, 0, 5, 5, 0, 0]

    result = run_ops(body)
    assert [e.op for e in result.trace][:3] == ["TMATMUL", "TMATMUL", "TINSERT"]


def test_tile_operations_refuse_what_they_cannot_do():
    left = Tile(T.Left, F32, 2, 3)
    with pytest.raises(ShapeMismatchError):
        run_ops(lambda core: core.tmatmul(Tile(T.Acc, F32, 2, 4), left, Tile(T.Right, F32, 2, 4)))
    with pytest.raises(ShapeMismatchError):
        run_ops(lambda core: core.tmov(left, Tile(T.Mat, F32, 3, 3)))
    with pytest.raises(Exception, match="TMOV from Vec to Acc"):
        run_ops(lambda core: core.tmov(Tile(T.Acc, F32, 2, 2), Tile(T.Vec, F32, 2, 2)))
    with pytest.raises(CapacityError, match="512 KiB of cube L1"):
        run_ops(lambda core: core.tassign(Tile(T.Mat, F32, 2, 2), 512 * 1024), capacity="raise")
    with pytest.raises(TileTypeError, match="converts Acc tiles"):
        Fixpipe(np.float16).apply(Tile(T.Vec, F32, 2, 2))
    with pytest.raises(PipeConfigError, match="outside the 2x2 tile"):
        Tile(T.Vec, F32, 2, 2, valid=(3, 1))


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
@pytest.mark.parametrize("direction", [Direction.DIR_C2V, Direction.DIR_V2C])
@pytest.mark.parametrize("protocol", ["seed", "sparse_fixed"])
def test_timeline_agrees_with_the_trace(arch, direction, protocol):
    result = Stream(arch, direction, split=UP_DOWN, protocol=protocol).run()
    assert sum(len(span.events) for span in spans(result)) == len(result.raw)
    pushes = [span for span in spans(result) if span.op == "TPUSH"]
    assert len(pushes) == (10 if direction is Direction.DIR_C2V else 20)
    for sent, _, taken, _ in arrows(result):
        assert sent < taken
    waits = [e for e in result.trace if e.phase in ("WAIT", "ALLOCATE")]
    lanes = 2 if arch == "a2a3" else 1  # the Cube's one wait takes a signal of each Vector core
    cube = sum(lanes for e in waits if e.core == "cube")
    assert len(arrows(result)) == cube + sum(1 for e in waits if e.core != "cube")
    lives = lifetimes(result)
    assert sorted(tile for _, _, tile, _, _ in lives) == list(range(10))
    by_slot = sorted((slot, start, end) for _, slot, _, start, end in lives)
    for (slot, _, end), (other, start, _) in pairwise(by_slot):
        assert slot != other or end <= start
    assert len(text(result).splitlines()) == len(result.raw) + 1
    for event in perfetto(result)["traceEvents"]:
        assert event["ph"] in "MXCsf"
        assert event.get("dur", 1) > 0
    page = html(result, "<title>")
    assert "&lt;title&gt;" in page
    assert "prefers-color-scheme: dark" in page


def test_camel_case_toggles_are_the_same_functions():
    pipe = TPipe(0, Direction.DIR_BOTH, 1024, 4)

    def cube(core):
        open_ = open_pipe(core, pipe)
        open_.prod.setAllocateStatus(False)
        open_.prod.setRecordStatus(False)
        open_.cons.setWaitStatus(False)
        open_.cons.setFreeStatus(False)
        state = (
            open_.prod.is_allocate,
            open_.prod.is_record,
            open_.cons.is_wait,
            open_.cons.is_free,
        )
        assert state == (False,) * 4
        open_.prod.set_allocate_status(True)
        assert open_.prod.is_allocate
        yield

    cluster = Cluster(leaks="record")
    with pytest.raises(DeadlockError):
        cluster.run(cube)


def sparse_toggles(schedule, tiles=40, slots=8, period=4):
    """A TMPipe as attention kernels use it: allocate, free once a period, by the toggles."""
    prod, cons = TileSpec(T.Acc, F32, 8, 16), TileSpec(T.Vec, F32, 8, 16)
    pipe = TMPipe(4, FifoType.GM_FIFO, slots, period, prod, cons)

    def cube(core):
        open_ = core.open_multi(pipe)
        for index in range(tiles):
            open_.prod.set_allocate_status(index >= slots and index % period == 0)
            yield from open_.tpush(Tile.of(prod, pattern(index, 8, 16)))
        yield from open_.close(drain=3)  # 1 initial credit + 10 signals - 8 waits

    def vec(core):
        open_, tile = core.open_multi(pipe, 0, 0x1000), Tile.of(cons)
        for index in range(tiles):
            open_.cons.set_free_status((index + 1) % period == 0)
            yield from open_.tpop(tile)
            np.testing.assert_array_equal(tile.data, pattern(index, 8, 16))

    return Cluster(protocol="sparse", vec=1).run(cube, vec, schedule)


def test_a_free_covers_the_tiles_popped_before_it():
    result = sparse_toggles("vec_first")
    assert (result.flags, result.findings) == ({}, [])
    assert sorted(tile for _, _, tile, _, end in lifetimes(result)) == list(range(40))
    assert max(end - start for _, _, _, start, end in lifetimes(result)) < 60
    with pytest.raises(OverrunHazard, match="tile 8 overwrites tile 0"):
        sparse_toggles("cube_first")  # the initial credit permits a lead of 12 in 8 slots
