"""The TPUSH/TPOP tests of pto-isa for its own CPU simulator, re-expressed as programs of two roles.

There one thread pushes and pops; here the Cube and the Vector cores do, which is what the calls
mean. `RESULTS` says for each what comes out; what differs from the vendor's simulator is written
beside it. (The 87 tests for the NPU run as they are: `test_vendor_kernels.py`.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from tilelab.pto import (
    Cluster,
    DeadlockError,
    Direction,
    Fixpipe,
    Tile,
    TileSplitAxis,
    TileType,
    TPipe,
)

NO, UD, LR = (
    TileSplitAxis.TILE_NO_SPLIT,
    TileSplitAxis.TILE_UP_DOWN,
    TileSplitAxis.TILE_LEFT_RIGHT,
)
C2V, V2C, BOTH = Direction.DIR_C2V, Direction.DIR_V2C, Direction.DIR_BOTH


class Case(NamedTuple):
    """One test: its pipe, its tiles (of the whole, on the Cube), and how the consumer runs."""

    direction: Direction
    rows: int
    cols: int
    split: TileSplitAxis = NO
    slots: int = 2
    tiles: int = 1
    dtype: str = "float32"
    held: int = 1  # tiles that are popped before the oldest is freed
    arch: str = "a5"
    protocol: str = "held"
    nosplit: bool = True
    lanes: int = 2  # Vector cores with a program
    valid: tuple[int, int] | None = None
    dtype_out: str = ""
    scale: object = 1.0
    result: str = "right"  # or the error that the hardware's rules make of it


def whole(case, number):
    count = case.rows * case.cols
    return (np.arange(count).reshape(case.rows, case.cols) + 1000 * number + 1).astype(case.dtype)


def part(case, array, lane):
    if case.split == UD:
        return np.vsplit(array, 2)[lane]
    return np.hsplit(array, 2)[lane] if case.split == LR else array


def config(case, flag=0):
    size = case.rows * case.cols * 4
    nosplit = case.nosplit and case.split == NO
    if case.arch == "a5" and case.direction in (C2V, BOTH) and case.split != NO:
        size //= 2  # each Vector core's UB holds its half
    if case.direction is BOTH:
        size = case.rows * case.cols * 4
    return TPipe(flag, case.direction, size, case.slots, 2, nosplit=nosplit)


def consume(case, pipe, place, lane, got):
    """Pop all tiles, at most `held` at once; free the oldest first."""
    shape = part(case, whole(case, 0), lane).shape if place is TileType.Vec else None
    shape = shape or (case.rows, case.cols)
    held = []
    for number in range(case.tiles):
        tile = Tile(place, case.dtype_out or case.dtype, *shape, valid=case.valid)
        yield from pipe.tpop(tile, case.split)
        held.append((number, tile))
        if len(held) == case.held:
            yield from release(case, pipe, held, lane, got)
    while held:
        yield from release(case, pipe, held, lane, got)


def release(case, pipe, held, lane, got):
    number, tile = held.pop(0)
    got[lane, number] = tile.valid.copy()
    if case.protocol != "seed":
        yield from pipe.tfree(split=case.split)


def produce(case, pipe, place, lane):
    for number in range(case.tiles):
        data = whole(case, number)
        data = data if place is TileType.Acc else part(case, data, lane)
        tile = Tile(place, case.dtype, *data.shape, valid=case.valid, data=None)
        rows, cols = case.valid or data.shape
        tile.valid[...] = data[:rows, :cols]
        fixpipe = Fixpipe(case.dtype_out, case.scale) if case.dtype_out else None
        yield from pipe.tpush(tile, case.split, fixpipe=fixpipe)


def run(case):
    got: dict[tuple[int, int], np.ndarray] = {}
    back: dict[tuple[int, int], np.ndarray] = {}
    pipe = config(case)

    def cube(core):
        opened = core.open(pipe, 0x10000, 0x8000, 0x20000)
        if case.direction is not V2C:
            yield from produce(case, opened, TileType.Acc, 0)
        if case.direction is not C2V:
            yield from consume(case, opened, TileType.Mat, 0, back)

    def vec(core):
        opened = core.open(pipe, 0x10000, 0x8000, 0x20000)
        if case.direction is not V2C:
            yield from consume(case, opened, TileType.Vec, core.subblock, got)
        if case.direction is not C2V:
            yield from produce(case, opened, TileType.Vec, core.subblock)

    alone = case.arch == "a5" and case.split == NO
    lanes = [vec, None] if alone and case.lanes == 1 else [vec] * case.lanes
    result = Cluster(case.arch, protocol=case.protocol, leaks="record").run(cube, lanes)
    rows, cols = case.valid or (case.rows, case.cols)
    for (lane, number), array in got.items():
        expected = part(case, whole(case, number)[:rows, :cols], lane)
        if case.dtype_out:
            expected = (expected * np.asarray(case.scale)).astype(case.dtype_out)
        np.testing.assert_array_equal(array, expected)
    for (_, number), array in back.items():
        np.testing.assert_array_equal(array, whole(case, number)[:rows, :cols])
    wanted = case.tiles * (case.direction is not V2C) * (1 if alone else 2)
    assert len(got) == wanted
    assert len(back) == case.tiles * (case.direction is not C2V)
    assert not result.findings
    assert result.flags == {}


def tpushpop(dtype, rows):
    return Case(C2V, rows, 128, slots=8, dtype=dtype, arch="a2a3", protocol="seed")


RESULTS = {
    # tpushpop: the macro's eight; a "Mat" source is an accumulator here, as on the Cube
    **{
        f"tpushpop.{dtype}_{rows}_128_{place}": tpushpop(dtype, rows)
        for dtype in ("float32", "uint32")
        for rows in (64, 128)
        for place in ("Vec", "Mat")
    },
    "tpushpop.multicore_float_64_128_Vec": Case(C2V, 64, 128, slots=4, tiles=12, lanes=1),
    "tpushpop.v2c_gm_fifo_updown": Case(
        V2C, 16, 32, UD, tiles=2, arch="a2a3", protocol="seed"
    ),
    "tpushpop.v2c_gm_fifo_leftright": Case(
        V2C, 16, 32, LR, tiles=2, arch="a2a3", protocol="seed"
    ),
    "tpushpop.a5_style_c2v_local_split": Case(C2V, 16, 16, UD, slots=1),
    "tpushpop.a5_style_c2v_dual_subblock_split": Case(C2V, 16, 16, UD, slots=1, tiles=2),
    "tpushpop.v2c_split_waits_for_both_lanes": Case(V2C, 16, 32, UD, tiles=2),
    "tpushpop.a5_style_dir_both_updown": Case(BOTH, 16, 32, UD, tiles=2),
    "tpushpop.a5_style_dir_both_leftright": Case(BOTH, 16, 64, LR, tiles=2),
    "tpushpop_cv.single_tile_float_64x128": Case(C2V, 64, 128, slots=4, lanes=1),
    "tpushpop_cv.multicore_stream_float_64x128": Case(C2V, 64, 128, slots=4, tiles=8, lanes=1),
    "tpushpop_cv_nosplit.single_tile": Case(C2V, 16, 32, lanes=1),
    "tpushpop_cv_nosplit.fifo_wraparound": Case(C2V, 16, 32, tiles=5, lanes=1),
    "tpushpop_cv_nosplit.delayed_free": Case(C2V, 16, 32, tiles=4, held=2, lanes=1),
    # AIV1 opens the pipe and idles: on a pipe that is not nosplit its credits never come
    "tpushpop_cv_nosplit.inactive_lane_skips_protocol": Case(C2V, 16, 32, tiles=2, lanes=1),
    # the CPU simulator lets both lanes pop unsplit; on A5 only AIV0 is ever signalled (H5)
    "tpushpop_cv_nosplit.dual_lane_delayed_free": Case(
        C2V, 16, 32, tiles=4, held=2, result="H5"
    ),
    "tpushpop_cv_nosplit.dual_lane_fast_lane_wrap": Case(C2V, 16, 32, tiles=5, result="H5"),
    "tpushpop_cv_nosplit.single_subblock_on_dual_lane_pipe": Case(
        C2V, 16, 32, tiles=2, lanes=1
    ),
    "tpushpop_cv_nosplit.gm_slot_valid_shape_int32": Case(
        C2V, 128, 128, tiles=2, dtype="int32", valid=(100, 96), arch="a2a3", protocol="seed"
    ),
    "tpushpop_cv_nosplit.gm_slot_dynamic_valid_shape": Case(
        C2V, 16, 32, tiles=2, valid=(9, 24), arch="a2a3", protocol="seed"
    ),
    "tpushpop_cv_nosplit.both_direction_c2v_then_v2c": Case(BOTH, 16, 32, tiles=2, lanes=1),
    "tpushpop_fixpipe.case1_f322f16": Case(C2V, 64, 64, lanes=1, dtype_out="float16"),
    "tpushpop_fixpipe.case3_deqf16": Case(
        C2V, 128, 128, lanes=1, dtype="int32", dtype_out="float16", scale=0.5
    ),
    "tpushpop_fixpipe.case4_vdeqf16": Case(
        C2V, 128, 128, lanes=1, dtype="int32", dtype_out="float16",
        scale=np.where(np.arange(128) % 2, 0.5, 0.25),
    ),
    "tpushpop_vc.up_down_single_tile": Case(V2C, 16, 32, UD),
    "tpushpop_vc.up_down_fifo_wraparound": Case(V2C, 16, 32, UD, tiles=5, held=2),
    "tpushpop_vc.left_right_single_tile": Case(V2C, 16, 32, LR),
    "tpushpop_vc.left_right_fifo_wraparound": Case(V2C, 16, 32, LR, tiles=5, held=2),
    "tpushpop_vc.both_dir_up_down_overlapping_pops": Case(BOTH, 16, 32, UD, tiles=2, held=2),
    "tpushpop_vc.both_dir_left_right_overlapping_pops": Case(BOTH, 16, 64, LR, tiles=2, held=2),
    "tpushpop_vc.both_dir_up_down_gm_fifo": Case(
        BOTH, 16, 32, UD, tiles=4, arch="a2a3", protocol="seed", slots=4
    ),
    # whole programs of two and more pipes, compiled from PTOAS files: a row for each pipe
    "tpush_a3.case_1": Case(
        BOTH, 32, 64, LR, slots=4, tiles=4, arch="a2a3", protocol="seed"
    ),
    "tpush_a5.leftright": Case(BOTH, 32, 64, LR, slots=4, tiles=4),
    "tpush_a5.nosplit": Case(BOTH, 32, 64, slots=4, tiles=4, lanes=1),
    "tpush_a5.updown": Case(BOTH, 32, 64, UD, slots=4, tiles=4),
    "tpush_a5.c2v": Case(C2V, 32, 64, slots=8, tiles=8, lanes=1),
    "tpushpop_vc_nosplit.single_tile": Case(V2C, 16, 32, lanes=1),
    "tpushpop_vc_nosplit.fifo_wraparound": Case(V2C, 16, 32, tiles=5, lanes=1),
    "tpushpop_vc_nosplit.inactive_aiv1_is_noop": Case(V2C, 16, 32, tiles=2, lanes=1),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_the_vendors_result_or_the_hardwares(name):
    case = RESULTS[name]
    if case.result == "right":
        run(case)
        return
    with pytest.raises(DeadlockError, match=case.result):
        run(case)


def test_an_out_of_order_slot_is_waited_for():
    """both_direction_c2v_producer_waits_for_out_of_order_slot: the producer chooses slots."""
    pipe = TPipe(0, C2V, 2048, 2, 2, nosplit=True)
    order = []

    def cube(core):
        opened = core.open(pipe, 0, 0x8000)
        for number in (1, 2, 3):
            opened.prod.set_tile_id(number)
            yield from opened.tpush(
                Tile(TileType.Acc, "float32", 16, 32, data=np.full((16, 32), number))
            )
            order.append(number)

    def vec(core):
        opened = core.open(pipe, 0, 0x8000)
        for number in (1, 2, 3):
            opened.cons.set_tile_id(number)
            tile = Tile(TileType.Vec, "float32", 16, 32)
            yield from opened.tpop(tile)
            assert (tile.data == number).all()
            order.append(-number)
            yield from opened.tfree()

    Cluster("a5", protocol="held", leaks="record").run(cube, [vec, None], "cube_first")
    assert order.index(-1) < order.index(3)


def test_the_hooks_of_the_vendors_stub_have_no_counterpart():
    """cpu_stub_prefers_injected_hooks: get_subblockid() is the core's own here, never a hook's."""
    seen = []

    def vec(core):
        seen.append(core.subblock)
        yield None

    Cluster("a5").run(None, vec)
    assert seen == [0, 1]


def test_every_test_of_the_vendor_is_here():
    more = 1 + 2  # rows beyond one: both layouts of one test, four pipes of tpush_a5's two
    assert len(RESULTS) - more + 2 == 45
