"""P27-P48 of seed 002: TMPipe, IR, constraints, profiles; a test named after each claim."""

from __future__ import annotations

import numpy as np
import pytest

from pto_harness import (
    LEFT_RIGHT,
    NO_SPLIT,
    UP_DOWN,
    Stream,
    multi,
    open_pipe,
    part,
    pattern,
    run_ctrl,
    run_multi,
)
from tilelab.pto import (
    Cluster,
    DeadlockError,
    Direction,
    FifoType,
    Tile,
    TileSpec,
    TileType,
    TMPipe,
    TPipe,
    VecCubeRatio,
    tpop,
    tpush,
)
from tilelab.pto.errors import (
    CapacityError,
    FlagConflictError,
    FlagRangeError,
    ProfileError,
    StaleReadHazard,
    TileTypeError,
)
from tilelab.pto.ir_run import run_text

D = Direction
F32 = np.float32


def test_tmpipe_chooses_depth_type_and_local_depth():
    """Requirement P27."""
    for depth in (2, 3, 8):
        result, got, addresses = run_multi(multi(depth=depth, local=3), count=9)
        assert max(e.slot for e in result.trace) == depth - 1
        assert len(set(addresses["vec0"])) == 3
        for index, data in enumerate(got["vec0"]):
            np.testing.assert_array_equal(data, pattern(index, 8, 16))


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_tmpipe_slot_is_tile_id_modulo_depth(arch):
    """Requirement P28."""
    result, _, _ = run_multi(multi(depth=3), arch)
    for event in result.events(phase="POP"):
        assert event.slot == event.tile % 3


def test_local_fifo_chooses_the_destination():
    """P29: The seed says both that it avoids GM traffic and (P37) that the load stays: the load
    stays."""
    with_ring, _, addresses = run_multi(multi(local=2))
    without, _, free = run_multi(multi(local=0))
    assert addresses["vec0"] == [0x20000 + i % 2 * 512 for i in range(7)]
    assert free["vec0"] == [None] * 7
    assert with_ring.summary()["TMPipe4.C2V"]["bytes"] == without.summary()["TMPipe4.C2V"]["bytes"]


def test_the_four_fifo_types():
    """Requirement P30."""
    vec, mat = TileSpec(TileType.Vec, F32, 8, 16), TileSpec(TileType.Mat, F32, 16, 16)
    acc = TileSpec(TileType.Acc, F32, 16, 16)
    ctrl = TileSpec(TileType.Ctrl, np.uint32, 1, 1)
    assert [t.value for t in FifoType] == [0, 1, 2, 3]
    _, got, _ = run_multi(multi(FifoType.VEC_FIFO, prod=acc, cons=vec), "a5", base=0x1000)
    for index in range(7):
        np.testing.assert_array_equal(got["vec1"][index], pattern(index, 16, 16)[8:])
    _, got, _ = run_multi(multi(FifoType.MAT_FIFO, prod=vec, cons=mat), "a5", base=0x1000)
    for index in range(7):
        both = np.vstack([pattern(2 * index + lane, 8, 16) for lane in (0, 1)])
        np.testing.assert_array_equal(got["cube"][index], both)
    _, got, _ = run_multi(multi(prod=acc, cons=TileSpec(TileType.Vec, F32, 16, 16)), "a5")
    np.testing.assert_array_equal(got["vec0"][6], pattern(6, 16, 16))
    pipe = multi(FifoType.CTRL_FIFO, prod=TileSpec(TileType.Vec, np.uint32, 1, 1), cons=ctrl)
    assert run_ctrl(pipe) == [5, 6, 7]
    with pytest.raises(ProfileError, match="VEC_FIFO does not exist on a2a3"):
        run_multi(multi(FifoType.VEC_FIFO, prod=acc, cons=vec))


PROGRAM = """
module attributes {{pto.arch = "a2a3"}} {{
  func.func @cube(%acc : !pto.tile<f32, 64, 64>,
                  %pipe : !pto.tpipe<0, C2V, 16384, 4, 2> {{gm = 0x100000, c2v = 0x8000}})
      attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
    {push}
    return
  }}
  func.func @vector(%tile : !pto.tile<f32, 64, 64>,
                    %pipe : !pto.tpipe<0, C2V, 16384, 4, 2> {{gm = 0x100000, c2v = 0x8000}})
      attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    {pop}
    return
  }}
}}
"""


def run_ir(push, pop):
    acc = pattern(3, 64, 64)
    outcome = run_text(PROGRAM.format(push=push, pop=pop), {"acc": acc})
    for core in ("vec0", "vec1"):
        assert len(outcome.popped[core]) == 1
        np.testing.assert_array_equal(outcome.popped[core][0].data, acc)


def test_ssa_form():
    """Requirement P31."""
    run_ir(
        "%e = pto.tpush %acc, %pipe : (!pto.tile<f32, 64, 64>, "
        "!pto.tpipe<0, C2V, 16384, 4, 2>) -> !pto.record_event",
        "%event = pto.tpop %pipe, %tile : (!pto.tpipe<0, C2V, 16384, 4, 2>, "
        "!pto.tile<f32, 64, 64>) -> !pto.record_event",
    )


def test_dps_form():
    """Requirement P32."""
    run_ir(
        "pto.tpush ins(%acc : !pto.tile_buf<f32, 64, 64>) "
        "pipe(%pipe : !pto.tpipe<0, C2V, 16384, 4, 2>)",
        "pto.tpop pipe(%pipe : !pto.tpipe<0, C2V, 16384, 4, 2>) "
        "outs(%tile : !pto.tile_buf<f32, 64, 64>)",
    )


def test_constructor_takes_gm_slots_and_two_consumer_buffers():
    """Requirement P33."""
    pipe = TPipe(0, D.DIR_C2V, 16384, 4, 2)
    seen = []

    def cube(core):
        open_ = core.open(pipe, 0x100000, 0x8000, 0x9000)
        yield from open_.tpush(Tile(TileType.Acc, F32, 64, 64, data=pattern(0, 64, 64)))

    def vec(core):
        open_ = core.open(pipe, 0x100000, 0x8000, 0x9000)
        tile = Tile(TileType.Vec, F32, 64, 64)
        yield from open_.tpop(tile)
        seen.append((open_.fifo.gm_slot_buffer, open_.fifo.c2v_consumer_buf, tile.address))

    cluster = Cluster()
    cluster.run(cube, vec)
    assert seen == [(0x100000, 0x8000, 0x8000)] * 2
    slot = cluster.gm.view(0x100000, np.dtype(F32), 64, 64, 64)
    np.testing.assert_array_equal(slot, pattern(0, 64, 64))


def test_split_is_chosen_per_call():
    """Requirement P34."""
    pipe = TPipe(0, D.DIR_C2V, 1024, 4, 2)
    got = {}

    def cube(core):
        open_ = open_pipe(core, pipe)
        for index, split in enumerate((UP_DOWN, LEFT_RIGHT, NO_SPLIT)):
            yield from open_.tpush(Tile(TileType.Acc, F32, 8, 32, data=pattern(index)), split)

    def vec(core):
        open_ = open_pipe(core, pipe)
        for index, split in enumerate((UP_DOWN, LEFT_RIGHT, NO_SPLIT)):
            expected = part(pattern(index), split, core.subblock)
            tile = Tile(TileType.Vec, F32, *expected.shape)
            yield from open_.tpop(tile, split)
            np.testing.assert_array_equal(tile.data, expected)
            got[core.name] = index

    Cluster().run(cube, vec)
    assert got == {"vec0": 2, "vec1": 2}


def test_both_argument_orders():
    """Requirement P35."""
    pipe = TPipe(0, D.DIR_C2V, 1024, 4, 2)
    seen = []

    def cube(core):
        open_ = open_pipe(core, pipe)
        tile = Tile(TileType.Acc, F32, 8, 32, data=pattern(1))
        yield from tpush(open_, tile)
        yield from tpush(tile, open_)

    def vec(core):
        open_ = open_pipe(core, pipe)
        tile = Tile(TileType.Vec, F32, 8, 32)
        yield from tpop(open_, tile)
        seen.append(tile.data.sum())
        yield from tpop(tile, open_)
        seen.append(tile.data.sum())

    Cluster(vec=1).run(cube, vec)
    assert seen == [pattern(1).sum()] * 2
    with pytest.raises(TypeError, match="one open pipe and one tile"):
        tpush(Tile(TileType.Acc, F32, 1, 1), Tile(TileType.Acc, F32, 1, 1))


@pytest.mark.parametrize("loc", [TileType.Acc, TileType.Left, TileType.Mat])
def test_the_consumer_tile_is_vec_or_mat(loc):
    """Requirement P36."""

    def vec(core):
        yield from open_pipe(core, TPipe(0, D.DIR_C2V, 1024, 4)).tpop(Tile(loc, F32, 8, 32))

    with pytest.raises(TileTypeError, match="TPOP here takes Vec tiles"):
        Cluster().run(None, vec)


def test_a5_gm_local_fifo_assigns_then_loads():
    """Requirement P37."""
    pipe = multi(local=2)
    result, got, addresses = run_multi(pipe, "a5")
    assert addresses["vec1"] == [0x20000 + i % 2 * 512 for i in range(7)]
    assert sum(e.nbytes for e in result.events(phase="POP", core="vec1")) == 7 * 512
    np.testing.assert_array_equal(got["vec1"][5], pattern(5, 8, 16))


def test_flag_ids_are_in_range_and_unused():
    """Requirement P38."""
    TPipe(14, D.DIR_C2V, 1024, 4)
    for flag, direction in ((15, D.DIR_C2V), (-1, D.DIR_V2C), (13, D.DIR_BOTH)):
        with pytest.raises(FlagRangeError, match=r"the hardware has 0\.\.15"):
            TPipe(flag, direction, 1024, 4)

    def two(core):
        open_pipe(core, TPipe(2, D.DIR_C2V, 1024, 4))
        open_pipe(core, TPipe(3, D.DIR_C2V, 1024, 4))
        yield

    with pytest.raises(FlagConflictError, match=r"flags \[3\]"):
        Cluster().run(two)

    def raw(core):
        open_pipe(core, TPipe(2, D.DIR_C2V, 1024, 4))
        core.signal_flag("FIX", 3)
        yield

    with pytest.raises(FlagConflictError, match="flag 3 belongs to a live pipe"):
        Cluster().run(raw)


def test_a_missing_tpush_is_a_reported_deadlock():
    """Requirement P39."""
    with pytest.raises(DeadlockError) as error:
        Stream(pushes=3, pops=4).run()
    report = error.value.report
    wait = next(w for w in report.waits if w.core == "vec0")
    assert (wait.op, wait.phase, wait.flag, wait.count, wait.tile, wait.slot) == (
        "TPOP",
        "WAIT",
        0,
        0,
        3,
        3,
    )
    assert report.cause == "H1"
    assert "3 tiles were pushed" in report.reason


@pytest.mark.parametrize("slots", [1, 3, 4])
def test_slot_is_tile_index_modulo_slot_num(slots):
    """Requirement P40."""
    result = Stream(slots=slots).run()
    seen = [(e.tile, e.slot) for e in result.trace if e.phase in ("PUSH", "POP")]
    assert len(seen) == 30
    assert all(slot == tile % slots for tile, slot in seen)


def test_without_wait_the_caller_must_ensure_data():
    """Requirement P41."""
    stream = Stream(vec=1, cons=lambda pipe: pipe.cons.set_wait_status(False))
    with pytest.raises(StaleReadHazard, match="nothing was ever written"):
        stream.run("vec_first")


def test_without_free_the_producer_starves():
    """Requirement P42."""
    stream = Stream(slots=4, pushes=9, cons=lambda pipe: pipe.cons.set_free_status(False))
    with pytest.raises(DeadlockError) as error:
        stream.run()
    producer = next(w for w in error.value.report.waits if w.core == "cube")
    assert (producer.phase, producer.tile) == ("ALLOCATE", 4)
    assert error.value.report.cause == "H3"


def test_a2a3_directions_and_primitives():
    """Requirement P43."""
    for direction in (D.DIR_C2V_GM, D.DIR_V2C_GM, D.DIR_BOTH_GM):

        def cube(core, direction=direction):
            open_pipe(core, TPipe(0, direction, 1024, 2))
            yield

        with pytest.raises(ProfileError, match=f"{direction.name} does not exist on a2a3"):
            Cluster().run(cube)
    used = set()
    for direction in (D.DIR_C2V, D.DIR_V2C, D.DIR_V2C_CTRL):
        stream = Stream("a2a3", direction, split=UP_DOWN)
        used |= {e.primitive for e in stream.run().trace if e.flag >= 0}
        stream.check()
    assert used == {"wait_flag_dev", "ffts_cross_core_sync"}


def test_a5_has_every_direction_and_intra_block_primitives():
    """Requirement P44."""
    used, flags = set(), set()
    for direction in (D.DIR_C2V, D.DIR_V2C, D.DIR_V2C_CTRL, D.DIR_C2V_GM, D.DIR_V2C_GM):
        stream = Stream("a5", direction, split=UP_DOWN)
        trace = stream.run().trace
        stream.check()
        used |= {e.primitive for e in trace if e.flag >= 0}
        flags |= {e.flag for e in trace}
    assert used == {"wait_intra_block", "set_intra_block"}
    assert flags == {-1, 0, 1, 16, 17}


def test_pattern_1_configuration():
    """Requirement P45."""
    pipe = TPipe(0, D.DIR_C2V, 16384, 4, 2)
    assert pipe.slot_size == 64 * 64 * 4


def test_pattern_2_configuration_and_capacity():
    """Requirement P46."""
    prod, cons = (
        TileSpec(TileType.Vec, np.float16, 128, 256),
        TileSpec(TileType.Mat, np.float16, 256, 256),
    )
    pipe = TMPipe(2, FifoType.MAT_FIFO, 4, 1, prod, cons, False, 2, VecCubeRatio.V2C1_VECS)
    assert (
        pipe.slot_size * pipe.depth == 512 * 1024
    )  # the whole of L1, and the seed puts it at 3 MiB
    with pytest.warns(UserWarning, match="outside the 512 KiB of cube L1"):
        _, got, _ = run_multi(pipe, "a5", count=6, base=0x300000)
    for index in range(6):
        both = [pattern(2 * index + lane, 128, 256) % 2039 for lane in (0, 1)]
        np.testing.assert_array_equal(got["cube"][index], np.vstack(both))
    with pytest.raises(CapacityError):
        run_multi(pipe, "a5", count=6, base=0x300000, capacity="raise")


def sparse_wait(record_period, wait_period, schedule, count=8):
    pipe = TPipe(0, D.DIR_C2V, 1024, 8, 2)
    got = []

    def cube(core):
        open_ = open_pipe(core, pipe)
        for index in range(count):
            open_.prod.setRecordStatus((index + 1) % record_period == 0)
            yield from open_.tpush(Tile(TileType.Acc, F32, 8, 32, data=pattern(index)))

    def vec(core):
        open_ = open_pipe(core, pipe)
        tile = Tile(TileType.Vec, F32, 8, 32)
        for index in range(count):
            open_.cons.setWaitStatus(index % wait_period == 0)
            yield from open_.tpop(tile)
            open_.cons.setWaitStatus(True)
            got.append(tile.data.copy())

    result = Cluster(vec=1, leaks="record").run(cube, vec, schedule)
    for index, data in enumerate(got):
        np.testing.assert_array_equal(data, pattern(index))
    return result


def test_sparse_sync_is_safe_only_if_the_producer_records_as_sparsely():
    """Requirement P47."""
    for schedule in ("rr", "cube_first", "vec_first", 3):
        assert not sparse_wait(2, 2, schedule).findings
    with pytest.raises(StaleReadHazard, match="tile 1 is read from slot 1"):
        sparse_wait(1, 2, "vec_first")
    leaked = sparse_wait(1, 2, "cube_first")  # the data happen to be there; the credits pile up
    assert leaked.flags == {("vec0", 0): 4}
