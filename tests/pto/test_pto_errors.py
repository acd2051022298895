"""E1-E17 and H1-H13 that the requirements and scenarios do not already raise."""

from __future__ import annotations

import numpy as np
import pytest

from pto_harness import LEFT_RIGHT, NO_SPLIT, UP_DOWN, Stream, open_pipe
from tilelab.pto import (
    Cluster,
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
from tilelab.pto import errors as e
from tilelab.sim.errors import BadInputError, DeadlockError, TilelabError

D, T, F32 = Direction, TileType, np.float32


def run_cube(body, pipe=None, **options):
    """Run a one-operation Cube program on an open pipe."""
    pipe = pipe or TPipe(0, D.DIR_C2V, 1024, 2, nosplit=options.get("arch") == "a5")

    def cube(core):
        yield from body(open_pipe(core, pipe))

    def vec(core):
        open_pipe(core, pipe)
        yield

    return Cluster(**options).run(cube, vec)


def acc(rows=8, cols=32, dtype=F32):
    return Tile(T.Acc, dtype, rows, cols)


def test_every_error_has_a_summary_and_a_code():
    kinds = [k for k in vars(e).values() if isinstance(k, type) and issubclass(k, e.TilelabError)]
    with pytest.raises(DeadlockError) as stuck:
        Cluster("a2a3").run(starving)  # its class is every machine's: the number is this error's
    codes = {kind.code for kind in kinds} | {stuck.value.code}
    assert {f"E{n}" for n in range(1, 18)} <= codes
    assert set(e.HAZARDS) == {f"H{n}" for n in range(1, 19)}
    error = e.TilelabError("first", "second")
    assert (error.summary, error.detail, str(error)) == ("first", "second", "first\nsecond")


def test_the_family_belongs_to_tilelabs_own():
    caught = []
    for bad in (lambda: TPipe(0, 1, 64, 0), lambda: Cluster("a2a3").run(starving)):
        with pytest.raises(TilelabError) as error:
            bad()
        caught.append((isinstance(error.value, BadInputError), error.value.exit_code))
    assert caught == [(True, 2), (False, 1)]


def starving(core):
    yield from core.wait_flag("", 5)


@pytest.mark.parametrize("bad", [{"slot_num": 0}, {"slot_size": 0}, {"local_slot_num": -1}])
def test_e5_pipe_parameters(bad):
    with pytest.raises(e.PipeConfigError):
        TPipe(**({"flag_id": 0, "direction": 1, "slot_size": 64, "slot_num": 2} | bad))


@pytest.mark.parametrize("bad", [{"depth": 0}, {"sync_t": 0}, {"local_depth": -1}])
def test_e5_tmpipe_parameters(bad):
    spec = {"prod": TileSpec(T.Acc, F32, 8, 8), "cons": TileSpec(T.Vec, F32, 8, 8)}
    good = {"flag_id": 0, "fifo": FifoType.GM_FIFO, "depth": 2, "sync_t": 1} | spec
    TMPipe(**good)
    with pytest.raises(e.PipeConfigError):
        TMPipe(**(good | bad))
    with pytest.raises(e.TileTypeError, match="cannot carry Acc tiles to Mat"):
        TMPipe(**(good | {"cons": TileSpec(T.Mat, F32, 8, 8)}))


def test_e5_more_slots_than_a_counter_holds_is_a_finding():
    result = Stream(slots=16, pushes=3, protocol="sparse_fixed").run()
    assert [finding.code for finding in result.findings] == ["E5"]


def test_e6_tile_larger_than_its_slot():
    with pytest.raises(e.SlotOverflowError, match="needs 2048 bytes of a 1024-byte slot"):
        run_cube(lambda pipe: pipe.tpush(acc(16, 32)))

    def offset(pipe):
        pipe.prod.setEntryOffset(4)
        return pipe.tpush(acc())

    with pytest.raises(e.SlotOverflowError, match="at offset 4 needs 1028 bytes"):
        run_cube(offset)


def test_e6_ring_outside_gm():
    with pytest.raises(e.CapacityError, match="outside"):
        run_cube(lambda pipe: pipe.tpush(acc()), gm_bytes=1 << 10, capacity="raise")
    with pytest.raises(e.CapacityError, match="is outside its"):
        run_cube(lambda pipe: pipe.tpush(acc()), gm_bytes=1 << 10, capacity="record")


@pytest.mark.parametrize(
    ("tile", "split", "message"),
    [
        (acc(7), UP_DOWN, "even number of rows, got 7"),
        (acc(8, 16), LEFT_RIGHT, "multiples of 32, got 16"),
        (acc(8, 32, np.float16), UP_DOWN, "needs 4-byte elements"),
        (acc(), TileSplitAxis.TILE_UP_DOWN_ODD, "only where Vector pops from GM"),
    ],
)
def test_e7_a5_alignment(tile, split, message):
    with pytest.raises(e.SplitConstraintError, match=message):
        run_cube(lambda pipe: pipe.tpush(tile, split), TPipe(0, D.DIR_C2V, 1024, 2), arch="a5")


def test_e7_split_against_the_pipe():
    split = TPipe(0, D.DIR_C2V, 1024, 2)
    alone = TPipe(0, D.DIR_C2V, 1024, 2, nosplit=True)
    with pytest.raises(e.SplitConstraintError, match="TILE_UP_DOWN on a pipe with nosplit=True"):
        run_cube(lambda pipe: pipe.tpush(acc(), UP_DOWN), alone, arch="a5")
    with pytest.raises(e.SplitConstraintError, match="needs two Vector cores"):
        run_cube(lambda pipe: pipe.tpush(acc(), UP_DOWN), split, vec=1)


@pytest.mark.parametrize(
    ("tile", "split", "error"),
    [
        (Tile(T.Vec, F32, 4, 32), UP_DOWN, e.SplitMismatchError),
        (Tile(T.Vec, F32, 8, 16), NO_SPLIT, e.ShapeMismatchError),
        (Tile(T.Vec, np.int32, 8, 32), NO_SPLIT, e.ShapeMismatchError),
    ],
)
def test_e8_producer_and_consumer_disagree(tile, split, error):
    pipe = TPipe(0, D.DIR_C2V, 1024, 2)

    def cube(core):
        yield from open_pipe(core, pipe).tpush(acc())

    def vec(core):
        yield from open_pipe(core, pipe).tpop(tile, split)

    with pytest.raises(error) as caught:
        Cluster().run(cube, vec)
    assert caught.value.code == "E8"
    recorded = Cluster(hazards="record").run(cube, vec)
    assert {finding.code for finding in recorded.findings} == {"E8"}


def test_e15_a_drain_that_cannot_finish():
    with pytest.raises(e.DrainDeadlock) as caught:
        Stream(pushes=6, pops=5).run()
    assert (caught.value.code, caught.value.report.cause) == ("E15", "H11")
    assert "ended after popping 5 of 6" in caught.value.report.reason


def test_h11_leftover_flags_poison_the_next_pipe():
    cluster = Cluster(vec=1, protocol="sparse_fixed", leaks="record")
    pipe = TPipe(0, D.DIR_C2V, 1024, 4)

    def cube(core):
        open_ = open_pipe(core, pipe)
        yield from open_.tpush(acc())

    def lazy(core):
        open_pipe(core, pipe)
        yield

    def eager(core):
        yield from open_pipe(core, pipe).tpop(Tile(T.Vec, F32, 8, 32))

    first = cluster.run(cube, lazy)
    assert first.flags == {("vec0", 0): 1}
    assert first.findings[0].code == "H11"
    with pytest.raises(e.StaleReadHazard):  # the old flag lets the wait pass too early
        cluster.run(cube, eager, "vec_first")
    with pytest.warns(e.FlagLeakWarning, match="poisons the next pipe"):
        Cluster(vec=1, protocol="sparse_fixed").run(cube, lazy)


def test_e16_order():
    def unallocated(pipe):
        return pipe.tpush(GlobalTensor(F32, 8, 32))

    with pytest.raises(e.ProtocolOrderError, match="without a TALLOC"):
        run_cube(unallocated)

    def vec(core):
        yield from open_pipe(core, TPipe(0, D.DIR_C2V, 1024, 2)).tfree()

    with pytest.raises(e.ProtocolOrderError, match="TFREE without a TPOP"):
        Cluster(protocol="tagged").run(None, vec)

    def forgetful(pipe):
        pipe.tpush(acc())
        yield

    with pytest.raises(e.ProtocolOrderError, match="1 operation"):
        run_cube(forgetful)

    def closed(pipe):
        yield from pipe.close()
        yield from pipe.tpush(acc())

    with pytest.raises(e.ProtocolOrderError, match="after close"):
        run_cube(closed, protocol="sparse_fixed")


def test_a_program_that_is_no_generator():
    with pytest.raises(e.PipeConfigError, match="is not a generator"):
        Cluster().run(lambda core: None)


def test_a_program_without_end_is_stopped():
    def forever(core):
        while True:
            yield

    for schedule in ("rr", 1):
        with pytest.raises(e.StepLimitError, match="within 1000 scheduling steps"):
            Cluster().run(forever, schedule=schedule, max_steps=1000)


def test_h2_no_record():
    with pytest.raises(DeadlockError) as caught:
        Stream(prod=lambda pipe: pipe.prod.set_record_status(False)).run()
    assert caught.value.report.cause == "H2"


def test_h5_a5_no_split_with_subblock_1():
    with pytest.raises(DeadlockError) as caught:
        Stream("a5").run(lanes=(0, 1))
    assert caught.value.report.cause == "H5"


def test_h7_no_allocate_overwrites():
    stream = Stream(slots=2, prod=lambda pipe: pipe.prod.set_allocate_status(False))
    with pytest.raises(e.OverrunHazard, match="tile 2 overwrites tile 0, which vec0 and vec1 have"):
        stream.run("cube_first")


def test_h8_access_after_tfree():
    pipe = TPipe(0, D.DIR_C2V, 1024, 2)

    def cube(core):
        yield from open_pipe(core, pipe).tpush(acc(), UP_DOWN)

    def vec(core):
        open_ = open_pipe(core, pipe)
        tile = Tile(T.Vec, F32, 4, 32)
        yield from open_.tpop(tile, UP_DOWN)
        yield from open_.tfree(split=UP_DOWN)
        tile.data.sum()

    with pytest.raises(e.UseAfterFreeHazard, match="freed by TFREE"):
        Cluster("a5", protocol="sparse_fixed").run(cube, vec)


def test_h9_two_pipes_on_the_same_bytes():
    def cube(core):
        first = core.open(TPipe(0, D.DIR_C2V, 1024, 2), 0)
        second = core.open(TPipe(2, D.DIR_C2V, 1024, 2), 1024)
        yield from first.tpush(acc())
        yield from first.tpush(acc())
        yield from second.tpush(acc())

    def vec(core):
        core.open(TPipe(0, D.DIR_C2V, 1024, 2), 0)
        core.open(TPipe(2, D.DIR_C2V, 1024, 2), 1024)
        yield

    with pytest.raises(e.RingAliasHazard, match=r"overwrites bytes of TPipe0.C2V tile 1"):
        Cluster().run(cube, vec)


def test_h10_more_popped_tiles_than_local_slots():
    pipe = TPipe(0, D.DIR_C2V, 1024, 4, 2)

    def cube(core):
        open_ = open_pipe(core, pipe)
        for _ in range(3):
            yield from open_.tpush(acc())

    def vec(core):
        open_ = open_pipe(core, pipe)
        tiles = [Tile(T.Vec, F32, 8, 32) for _ in range(3)]
        for tile in tiles:
            yield from open_.tpop(tile)
        tiles[1].data.sum()
        tiles[0].data.sum()

    with pytest.raises(e.LocalAliasHazard, match="tile 0 is read after tile 2 landed"):
        Cluster().run(cube, vec)


@pytest.mark.parametrize("same", [True, False])
def test_h13_both_vectors_write_one_slot(same):
    pipe = TPipe(0, D.DIR_V2C, 1024, 2)

    def vec(core):
        value = 1 if same else core.subblock
        tile = Tile(T.Vec, F32, 8, 32, data=np.full((8, 32), value))
        yield from open_pipe(core, pipe).tpush(tile)

    def cube(core):
        yield from open_pipe(core, pipe).tpop(Tile(T.Mat, F32, 8, 32))

    if same:
        Cluster().run(cube, vec)
    else:
        with pytest.raises(e.PayloadConflictHazard, match="with different values"):
            Cluster().run(cube, vec)


def test_h12_circular_wait_names_both_sides():
    pipe = TPipe(0, D.DIR_BOTH, 1024, 2)

    def cube(core):
        open_ = open_pipe(core, pipe)
        yield from open_.tpop(Tile(T.Mat, F32, 8, 32))
        yield from open_.tpush(acc())

    def vec(core):
        open_ = open_pipe(core, pipe)
        yield from open_.tpop(Tile(T.Vec, F32, 8, 32))
        yield from open_.tpush(Tile(T.Vec, F32, 8, 32))

    with pytest.raises(DeadlockError) as caught:
        Cluster().run(cube, vec)
    report = caught.value.report
    assert report.cause == "H12"
    assert {wait.core: wait.waits_for for wait in report.waits} == {
        "cube": ("vec0", "vec1"), "vec0": ("cube",), "vec1": ("cube",)
    }  # fmt: skip


def test_raw_synchronisation_and_its_ids():
    order = []

    def cube(core):
        yield from core.wait_flag("MTE2", 5)
        order.append("cube")
        core.signal_flag("FIX", 6)

    def vec(core):
        core.signal_flag("MTE3", 5)
        yield from core.wait_flag("V", 6)
        order.append(core.name)

    result = Cluster("a2a3").run(cube, vec)
    assert order[0] == "cube"
    assert {e.primitive for e in result.trace} == {"ffts_cross_core_sync", "wait_flag_dev"}
    with pytest.raises(DeadlockError, match="in SYNC and no core can run") as caught:
        Cluster("a5").run(cube, vec)  # set_intra_block does not broadcast: vec1 is never told
    assert caught.value.report.cause == "H1"

    def far(core):
        core.signal_flag("FIX", 16)
        yield

    with pytest.raises(e.FlagRangeError, match=r"flag 16 is outside 0\.\.15"):
        Cluster("a2a3").run(far)


def test_e2_e5_cores_that_open_one_flag_differently():
    def opens(flag, gm=0):
        def program(core):
            core.open(TPipe(flag, D.DIR_C2V, 1024, 2), gm)
            yield

        return program

    with pytest.raises(
        e.FlagConflictError, match=r"flags \[3\] of TPipe3.C2V belong to a live pipe"
    ):
        Cluster().run(opens(2), opens(3))
    with pytest.raises(e.PipeConfigError, match=r"at 0x1000, another core at 0x0"):
        Cluster().run(opens(2), opens(2, 0x1000))
