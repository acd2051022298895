"""P1-P48: the claims of seed 002 (`pto.tpop`), one test each, named after them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from pto_harness import (
    C2V_BUF,
    LEFT_RIGHT,
    NO_SPLIT,
    UP_DOWN,
    V2C_BUF,
    Stream,
    call,
    open_pipe,
    part,
    pattern,
    phases,
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
    CoreRoleError,
    FlagConflictError,
    FlagRangeError,
    ProfileError,
    ProfileUnsupported,
    StaleReadHazard,
    TileTypeError,
)
from tilelab.pto.ir_run import run_text

D = Direction
F32 = np.float32


def multi(fifo=FifoType.GM_FIFO, depth=3, local=2, prod=None, cons=None, ratio=2, flag=4):
    prod = prod or TileSpec(TileType.Acc, F32, 8, 16)
    cons = cons or TileSpec(TileType.Vec, F32, 8, 16)
    return TMPipe(flag, fifo, depth, 1, prod, cons, False, local, VecCubeRatio(ratio))


def run_multi(pipe, arch="a2a3", count=7, vec=2, base=0x8000, local=0x20000, **options):
    """Push and pop `count` numbered tiles; returns (result, {core: [data]}, {core: [address]})."""
    got, addresses = {}, {}
    halves = {TileType.Acc: 1, TileType.Vec: 2}

    def producer(core):
        open_ = core.open_multi(pipe, base, local)
        for index in range(count):
            data = pattern(
                index * halves[pipe.prod.loc] + core.subblock, pipe.prod.rows, pipe.prod.cols
            )
            yield from tpush(Tile.of(pipe.prod, data % 2039), open_)  # exact in f16

    def consumer(core):
        open_ = core.open_multi(pipe, base, local)
        for _ in range(count):
            tile = Tile.of(pipe.cons)
            yield from tpop(tile, open_)
            got.setdefault(core.name, []).append(tile.data.copy())
            addresses.setdefault(core.name, []).append(tile.address)

    c2v = pipe.prod.loc is TileType.Acc
    cube, vector = (producer, consumer) if c2v else (consumer, producer)
    result = Cluster(arch, vec=vec, gm_bytes=1 << 20, **options).run(cube, vector)
    return result, got, addresses


@pytest.mark.parametrize(("direction", "core"), [(D.DIR_C2V, "vec"), (D.DIR_V2C, "cube")])
def test_p01_tpop_moves_one_tile_to_the_consumer_and_only_there(direction, core):
    stream = Stream(direction=direction, split=UP_DOWN)
    stream.run()
    stream.check()

    def wrong(core):
        pipe = open_pipe(core, stream.pipe)
        yield from pipe.tpop(Tile(TileType.Vec, F32, 8, 32))

    cluster = Cluster()
    programs = {"cube": wrong} if core == "vec" else {"vec": wrong}
    with pytest.raises(CoreRoleError, match="does not consume"):
        cluster.run(**programs)


def test_p02_the_cpu_profile_has_no_tpop():
    with pytest.raises(ProfileUnsupported, match="CPU profile"):
        Cluster("cpu")


def test_p03_a_tpipe_is_its_five_parameters_and_immutable():
    pipe = TPipe(0, D.DIR_C2V, 16384, 4, 2)
    assert pipe == TPipe(flag_id=0, direction=1, slot_size=16384, slot_num=4, local_slot_num=2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        pipe.slot_num = 5


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_p04_tpop_waits_then_pops_then_frees(arch):
    result = Stream(arch, D.DIR_C2V, split=UP_DOWN).run()
    for tile in range(10):
        assert phases(result, "vec0", "TPOP", tile) == ["WAIT", "POP", "FREE"]
        assert phases(result, "cube", "TPUSH", tile) == ["ALLOCATE", "PUSH", "RECORD"]


@pytest.mark.parametrize("schedule", ["rr", "cube_first", "vec_first", 7])
def test_p05_wait_blocks_until_written_and_signalled(schedule):
    result = Stream().run(schedule)
    trace = result.trace
    for tile in range(10):
        recorded = next(i for i, e in enumerate(trace) if e.phase == "RECORD" and e.tile == tile)
        for lane in ("vec0", "vec1"):
            waited = next(
                i
                for i, e in enumerate(trace)
                if e.phase == "WAIT" and e.tile == tile and e.core == lane
            )
            assert waited > recorded
    never_signalled = Stream(prod=lambda pipe: pipe.prod.set_record_status(False))
    with pytest.raises(DeadlockError):
        never_signalled.run(schedule)


SYNC = [
    # arch, direction, (wait primitive, pipe, flags), (free primitive, pipe, flags), ready pipe
    ("p06", "a2a3", D.DIR_C2V, ("wait_flag_dev", "", {2}), "FIX"),
    ("p07", "a2a3", D.DIR_V2C, ("wait_flag_dev", "", {2}), "MTE3"),
    ("p08", "a5", D.DIR_C2V, ("wait_intra_block", "V", {2}), "FIX"),
    ("p09", "a5", D.DIR_C2V_GM, ("wait_intra_block", "MTE2", {2}), "FIX"),
    ("p10", "a5", D.DIR_V2C_GM, ("wait_intra_block", "MTE2", {2, 18}), "MTE3"),
    ("p10_mat", "a5", D.DIR_V2C, ("wait_intra_block", "MTE1", {2, 18}), "MTE3"),
    ("p11", "a5", D.DIR_V2C_CTRL, ("wait_intra_block", "S", {2, 18}), "S"),
]


def check_wait(name):
    _, arch, direction, (primitive, pipe, flags), ready = next(r for r in SYNC if r[0] == name)
    stream = Stream(arch, direction, split=UP_DOWN, flag=2)
    result = stream.run()
    stream.check()
    assert call(result, op="TPOP", phase="WAIT") == {(primitive, pipe, flag) for flag in flags}
    sent = call(result, op="TPUSH", phase="RECORD")
    assert {p for _, p, _ in sent} == {ready}
    consumers = {e.core for e in result.events(op="TPOP", phase="WAIT")}
    assert consumers == ({"vec0", "vec1"} if stream.half == "C2V" else {"cube"})


def test_p06_a2a3_c2v_waits_on_wait_flag_dev_for_fixpipe():
    check_wait("p06")


def test_p07_a2a3_v2c_waits_on_wait_flag_dev_for_mte3_of_both_vectors():
    check_wait("p07")


def test_p08_a5_c2v_ub_waits_on_pipe_v():
    check_wait("p08")


def test_p09_a5_c2v_gm_waits_on_mte2():
    check_wait("p09")


def test_p10_a5_v2c_waits_on_both_subblocks():
    check_wait("p10")
    check_wait("p10_mat")


def test_p11_a5_v2c_ctrl_waits_on_pipe_s():
    check_wait("p11")


def test_p12_no_wait_leaves_the_counter_alone():
    stream = Stream(vec=1, pushes=3, leaks="record", cons=lambda p: p.cons.setWaitStatus(False))
    result = stream.run("cube_first")
    stream.check()
    assert not list(result.events(op="TPOP", phase="WAIT"))
    assert result.flags == {("vec0", 0): 3}
    assert [f.code for f in result.findings] == ["H11"]


def popped_at(arch, direction, **options):
    """Events of one pop, and the addresses the tiles were given."""
    addresses, shared = [], []

    def see(core, pipe, tile):
        addresses.append(tile.address)
        memory = core.cluster.gm if "GM" in direction.name or arch == "a2a3" else None
        if memory is not None:
            shared.append(np.shares_memory(tile.data, memory.bytes))

    stream = Stream(arch, direction, split=UP_DOWN, slots=4, pushes=5, **options)

    def consumer(core):
        pipe = open_pipe(core, stream.pipe)
        c2v = stream.half == "C2V"
        shape = (4, 32) if c2v else (8, 32)
        for index in range(5):
            tile = Tile(TileType.Vec if c2v else TileType.Mat, F32, *shape)
            yield from pipe.tpop(tile, UP_DOWN)
            see(core, pipe, tile)
            stream.got.setdefault(core.name, []).append(tile.data.copy())
            assert index == pipe.cons.tile_index - 1

    stream.consumer = consumer
    result = stream.run()
    stream.check()
    return addresses, shared, sum(e.nbytes for e in result.events(op="TPOP", phase="POP"))


def test_p13_a2a3_c2v_assigns_to_ub_then_loads_from_gm():
    addresses, shared, moved = popped_at("a2a3", D.DIR_C2V)
    assert addresses[::2] == [C2V_BUF + i % 2 * 1024 for i in range(5)]
    assert not any(shared)
    assert moved == 10 * 512


def test_p14_a5_c2v_ub_only_assigns():
    addresses, _, moved = popped_at("a5", D.DIR_C2V)
    assert addresses[::2] == [C2V_BUF + i % 4 * 1024 for i in range(5)]
    assert moved == 0


def test_p15_a5_c2v_gm_assigns_and_loads():
    addresses, shared, moved = popped_at("a5", D.DIR_C2V_GM)
    assert addresses[::2] == [C2V_BUF + i % 2 * 512 for i in range(5)]  # strided by the tile
    assert not any(shared)
    assert moved == 10 * 512


def test_p16_a2a3_v2c_loads_from_gm_into_mat():
    addresses, shared, moved = popped_at("a2a3", D.DIR_V2C)
    assert addresses == [V2C_BUF + i % 2 * 1024 for i in range(5)]
    assert not any(shared)
    assert moved == 5 * 1024


def test_p17_a5_v2c_mat_only_assigns():
    addresses, _, moved = popped_at("a5", D.DIR_V2C)
    assert addresses == [V2C_BUF + i % 4 * 1024 for i in range(5)]
    assert moved == 0


def test_p18_a5_v2c_gm_loads_from_gm_into_mat():
    addresses, shared, moved = popped_at("a5", D.DIR_V2C_GM)
    assert addresses == [V2C_BUF + i % 2 * 1024 for i in range(5)]
    assert not any(shared)
    assert moved == 5 * 1024


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_p19_ctrl_pop_stores_the_word_in_ctrl_signal(arch):
    stream = Stream(arch, D.DIR_V2C_CTRL, split=UP_DOWN, slots=2, pushes=5)
    stream.run()
    assert stream.got["cube"] == [1, 2, 3, 4, 5]
    code = Stream(arch, D.DIR_V2C_CTRL, split=UP_DOWN, slots=2, pushes=5, protocol="sparse_fixed")
    code.run()
    assert code.got["cube"] == [True, False, False, False, False]


@pytest.mark.parametrize("split", [UP_DOWN, LEFT_RIGHT])
@pytest.mark.parametrize("direction", [D.DIR_C2V, D.DIR_V2C, D.DIR_C2V_GM, D.DIR_V2C_GM])
def test_p20_subblock_addresses_match_the_split(split, direction):
    for arch in ("a2a3", "a5"):
        if arch == "a2a3" and "GM" in direction.name:
            continue
        stream = Stream(arch, direction, split=split)
        stream.run()
        stream.check()


@pytest.mark.parametrize("direction", [D.DIR_C2V, D.DIR_V2C])
def test_p21_free_signals_the_next_flag_so_that_the_slot_is_rewritten(direction):
    result = Stream("a2a3", direction, slots=2, flag=6, pushes=6).run()
    assert {flag for _, _, flag in call(result, op="TPOP", phase="FREE")} == {7}
    assert {flag for _, _, flag in call(result, op="TPUSH", phase="ALLOCATE")} == {7}
    rewritten = [e for e in result.events(phase="PUSH") if e.tile == 2]
    assert {e.slot for e in rewritten} == {0}


def check_free(arch, direction, expected, core, protocol="seed"):
    result = Stream(arch, direction, split=UP_DOWN, flag=2, protocol=protocol).run()
    assert call(result, phase="FREE") == expected
    assert {e.core for e in result.events(phase="FREE")} == core


VECTORS = {"vec0", "vec1"}


def test_p22_a2a3_c2v_free_is_ffts_on_mte2_by_vector():
    check_free("a2a3", D.DIR_C2V, {("ffts_cross_core_sync", "MTE2", 3)}, VECTORS)


def test_p23_a2a3_v2c_free_is_ffts_on_mte2_by_cube():
    check_free("a2a3", D.DIR_V2C, {("ffts_cross_core_sync", "MTE2", 3)}, {"cube"})


def test_p24_a5_c2v_free_is_set_intra_block_on_mte2():
    check_free("a5", D.DIR_C2V, {("set_intra_block", "MTE2", 3)}, VECTORS)
    check_free("a5", D.DIR_C2V_GM, {("set_intra_block", "MTE2", 3)}, VECTORS)
    # The vendor's code uses PIPE_V for UB; its protocols select that reading.
    check_free("a5", D.DIR_C2V, {("set_intra_block", "V", 3)}, VECTORS, "sparse_fixed")


def test_p25_a5_v2c_free_is_set_intra_block_on_mte1_for_both_subblocks():
    expected = {("set_intra_block", "MTE1", 3), ("set_intra_block", "MTE1", 19)}
    check_free("a5", D.DIR_V2C, expected, {"cube"})
    check_free("a5", D.DIR_V2C_GM, expected, {"cube"})


def test_p26_no_free_sends_nothing():
    stream = Stream(slots=4, pushes=4, cons=lambda pipe: pipe.cons.setFreeStatus(False))
    with pytest.raises(DeadlockError) as error:
        stream.run()
    assert error.value.report.cause == "H3"
    assert not list(stream.cluster.result().events(phase="FREE"))
    stream.check()


def test_p27_tmpipe_chooses_depth_type_and_local_depth():
    for depth in (2, 3, 8):
        result, got, addresses = run_multi(multi(depth=depth, local=3), count=9)
        assert max(e.slot for e in result.trace) == depth - 1
        assert len(set(addresses["vec0"])) == 3
        for index, data in enumerate(got["vec0"]):
            np.testing.assert_array_equal(data, pattern(index, 8, 16))


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_p28_tmpipe_slot_is_tile_id_modulo_depth(arch):
    result, _, _ = run_multi(multi(depth=3), arch)
    for event in result.events(phase="POP"):
        assert event.slot == event.tile % 3


def test_p29_local_fifo_chooses_the_destination():
    """The seed says both that it avoids GM traffic and (P37) that the load stays: the load stays."""
    with_ring, _, addresses = run_multi(multi(local=2))
    without, _, free = run_multi(multi(local=0))
    assert addresses["vec0"] == [0x20000 + i % 2 * 512 for i in range(7)]
    assert free["vec0"] == [None] * 7
    assert with_ring.summary()["TMPipe4.C2V"]["bytes"] == without.summary()["TMPipe4.C2V"]["bytes"]


def test_p30_the_four_fifo_types():
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


def run_ctrl(pipe):
    got = []

    def vec(core):
        open_ = core.open_multi(pipe, 0x100)
        for word in (5, 6, 7):
            yield from tpush(Tile.of(pipe.prod, [[word]]), open_)

    def cube(core):
        open_ = core.open_multi(pipe, 0x100)
        for _ in range(3):
            yield from tpop(Tile.of(pipe.cons), open_)
            got.append(open_.fifo.ctrlSignal)

    Cluster("a5").run(cube, vec)
    return got


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


def test_p31_ssa_form():
    run_ir(
        "%e = pto.tpush %acc, %pipe : (!pto.tile<f32, 64, 64>, "
        "!pto.tpipe<0, C2V, 16384, 4, 2>) -> !pto.record_event",
        "%event = pto.tpop %pipe, %tile : (!pto.tpipe<0, C2V, 16384, 4, 2>, "
        "!pto.tile<f32, 64, 64>) -> !pto.record_event",
    )


def test_p32_dps_form():
    run_ir(
        "pto.tpush ins(%acc : !pto.tile_buf<f32, 64, 64>) "
        "pipe(%pipe : !pto.tpipe<0, C2V, 16384, 4, 2>)",
        "pto.tpop pipe(%pipe : !pto.tpipe<0, C2V, 16384, 4, 2>) "
        "outs(%tile : !pto.tile_buf<f32, 64, 64>)",
    )


def test_p33_constructor_takes_gm_slots_and_two_consumer_buffers():
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


def test_p34_split_is_chosen_per_call():
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


def test_p35_both_argument_orders():
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
def test_p36_the_consumer_tile_is_vec_or_mat(loc):
    def vec(core):
        yield from open_pipe(core, TPipe(0, D.DIR_C2V, 1024, 4)).tpop(Tile(loc, F32, 8, 32))

    with pytest.raises(TileTypeError, match="TPOP here takes Vec tiles"):
        Cluster().run(None, vec)


def test_p37_a5_gm_local_fifo_assigns_then_loads():
    pipe = multi(local=2)
    result, got, addresses = run_multi(pipe, "a5")
    assert addresses["vec1"] == [0x20000 + i % 2 * 512 for i in range(7)]
    assert sum(e.nbytes for e in result.events(phase="POP", core="vec1")) == 7 * 512
    np.testing.assert_array_equal(got["vec1"][5], pattern(5, 8, 16))


def test_p38_flag_ids_are_in_range_and_unused():
    TPipe(14, D.DIR_C2V, 1024, 4)
    for flag, direction in ((15, D.DIR_C2V), (-1, D.DIR_V2C), (13, D.DIR_BOTH)):
        with pytest.raises(FlagRangeError, match="the hardware has 0..15"):
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


def test_p39_a_missing_tpush_is_a_reported_deadlock():
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
def test_p40_slot_is_tile_index_modulo_slot_num(slots):
    result = Stream(slots=slots).run()
    seen = [(e.tile, e.slot) for e in result.trace if e.phase in ("PUSH", "POP")]
    assert len(seen) == 30
    assert all(slot == tile % slots for tile, slot in seen)


def test_p41_without_wait_the_caller_must_ensure_data():
    stream = Stream(vec=1, cons=lambda pipe: pipe.cons.set_wait_status(False))
    with pytest.raises(StaleReadHazard, match="nothing was ever written"):
        stream.run("vec_first")


def test_p42_without_free_the_producer_starves():
    stream = Stream(slots=4, pushes=9, cons=lambda pipe: pipe.cons.set_free_status(False))
    with pytest.raises(DeadlockError) as error:
        stream.run()
    producer = next(w for w in error.value.report.waits if w.core == "cube")
    assert (producer.phase, producer.tile) == ("ALLOCATE", 4)
    assert error.value.report.cause == "H3"


def test_p43_a2a3_directions_and_primitives():
    for direction in (D.DIR_C2V_GM, D.DIR_V2C_GM, D.DIR_BOTH_GM):

        def cube(core, direction=direction):
            open_pipe(core, TPipe(0, direction, 1024, 2))
            yield

        with pytest.raises(ProfileError, match=f"{direction.name} does not exist on a2a3"):
            Cluster().run(cube)
    used = set()
    for direction in (D.DIR_C2V, D.DIR_V2C, D.DIR_V2C_CTRL):
        stream = Stream("a2a3", direction, split=UP_DOWN)
        used |= {e.primitive for e in stream.run().trace if e.primitive}
        stream.check()
    assert used == {"wait_flag_dev", "ffts_cross_core_sync"}


def test_p44_a5_has_every_direction_and_intra_block_primitives():
    used, flags = set(), set()
    for direction in (D.DIR_C2V, D.DIR_V2C, D.DIR_V2C_CTRL, D.DIR_C2V_GM, D.DIR_V2C_GM):
        stream = Stream("a5", direction, split=UP_DOWN)
        trace = stream.run().trace
        stream.check()
        used |= {e.primitive for e in trace if e.primitive}
        flags |= {e.flag for e in trace}
    assert used == {"wait_intra_block", "set_intra_block"}
    assert flags == {-1, 0, 1, 16, 17}


def test_p45_pattern_1_configuration():
    pipe = TPipe(0, D.DIR_C2V, 16384, 4, 2)
    assert pipe.slot_size == 64 * 64 * 4


def test_p46_pattern_2_configuration_and_capacity():
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


def test_p47_sparse_sync_is_safe_only_if_the_producer_records_as_sparsely():
    for schedule in ("rr", "cube_first", "vec_first", 3):
        assert not sparse_wait(2, 2, schedule).findings
    with pytest.raises(StaleReadHazard, match="tile 1 is read from slot 1"):
        sparse_wait(1, 2, "vec_first")
    leaked = sparse_wait(1, 2, "cube_first")  # the data happen to be there; the credits pile up
    assert leaked.flags == {("vec0", 0): 4}


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_p48_tfree_does_nothing(arch):
    for split in (UP_DOWN, LEFT_RIGHT):
        stream = Stream(arch, D.DIR_C2V, split=split, tfree=True)
        result = stream.run()
        stream.check()
        assert {e.phase for e in result.events(op="TFREE")} == {"NOTHING"}
        assert not result.flags


def test_p48_the_code_frees_in_tfree_on_a5():
    """The option that selects the vendor's reading is the protocol."""
    stream = Stream("a5", D.DIR_C2V, split=UP_DOWN, protocol="sparse_fixed")
    result = stream.run()
    stream.check()
    assert {e.op for e in result.events(phase="FREE")} == {"TFREE"}


def test_camel_case_toggles_are_the_same_functions():
    pipe = TPipe(0, D.DIR_BOTH, 1024, 4)

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
