"""P1-P26 of seed 002 (`pto.tpop`): identity, phases, paths; a test named after each claim."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from pto_harness import (
    C2V_BUF,
    LEFT_RIGHT,
    UP_DOWN,
    V2C_BUF,
    Stream,
    call,
    open_pipe,
    phases,
)
from tilelab.pto import (
    Cluster,
    DeadlockError,
    Direction,
    Tile,
    TileType,
    TPipe,
)
from tilelab.pto.errors import (
    CoreRoleError,
    ProfileUnsupported,
)

D = Direction
F32 = np.float32


@pytest.mark.parametrize(("direction", "core"), [(D.DIR_C2V, "vec"), (D.DIR_V2C, "cube")])
def test_tpop_moves_one_tile_to_the_consumer_and_only_there(direction, core):
    """Requirement P01."""
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


def test_the_cpu_profile_has_no_tpop():
    """Requirement P02."""
    with pytest.raises(ProfileUnsupported, match="CPU profile"):
        Cluster("cpu")


def test_a_tpipe_is_its_five_parameters_and_immutable():
    """Requirement P03."""
    pipe = TPipe(0, D.DIR_C2V, 16384, 4, 2)
    assert pipe == TPipe(flag_id=0, direction=1, slot_size=16384, slot_num=4, local_slot_num=2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        pipe.slot_num = 5


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_tpop_waits_then_pops_then_frees(arch):
    """Requirement P04."""
    result = Stream(arch, D.DIR_C2V, split=UP_DOWN).run()
    for tile in range(10):
        assert phases(result, "vec0", "TPOP", tile) == ["WAIT", "POP", "FREE"]
        assert phases(result, "cube", "TPUSH", tile) == ["ALLOCATE", "PUSH", "RECORD"]


@pytest.mark.parametrize("schedule", ["rr", "cube_first", "vec_first", 7])
def test_wait_blocks_until_written_and_signalled(schedule):
    """Requirement P05."""
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


def test_a2a3_c2v_waits_on_wait_flag_dev_for_fixpipe():
    """Requirement P06."""
    check_wait("p06")


def test_a2a3_v2c_waits_on_wait_flag_dev_for_mte3_of_both_vectors():
    """Requirement P07."""
    check_wait("p07")


def test_a5_c2v_ub_waits_on_pipe_v():
    """Requirement P08."""
    check_wait("p08")


def test_a5_c2v_gm_waits_on_mte2():
    """Requirement P09."""
    check_wait("p09")


def test_a5_v2c_waits_on_both_subblocks():
    """Requirement P10."""
    check_wait("p10")
    check_wait("p10_mat")


def test_a5_v2c_ctrl_waits_on_pipe_s():
    """Requirement P11."""
    check_wait("p11")


def test_no_wait_leaves_the_counter_alone():
    """Requirement P12."""
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


def test_a2a3_c2v_assigns_to_ub_then_loads_from_gm():
    """Requirement P13."""
    addresses, shared, moved = popped_at("a2a3", D.DIR_C2V)
    assert addresses[::2] == [C2V_BUF + i % 2 * 1024 for i in range(5)]
    assert not any(shared)
    assert moved == 10 * 512


def test_a5_c2v_ub_only_assigns():
    """Requirement P14."""
    addresses, _, moved = popped_at("a5", D.DIR_C2V)
    assert addresses[::2] == [C2V_BUF + i % 4 * 1024 for i in range(5)]
    assert moved == 0


def test_a5_c2v_gm_assigns_and_loads():
    """Requirement P15."""
    addresses, shared, moved = popped_at("a5", D.DIR_C2V_GM)
    assert addresses[::2] == [C2V_BUF + i % 2 * 512 for i in range(5)]  # strided by the tile
    assert not any(shared)
    assert moved == 10 * 512


def test_a2a3_v2c_loads_from_gm_into_mat():
    """Requirement P16."""
    addresses, shared, moved = popped_at("a2a3", D.DIR_V2C)
    assert addresses == [V2C_BUF + i % 2 * 1024 for i in range(5)]
    assert not any(shared)
    assert moved == 5 * 1024


def test_a5_v2c_mat_only_assigns():
    """Requirement P17."""
    addresses, _, moved = popped_at("a5", D.DIR_V2C)
    assert addresses == [V2C_BUF + i % 4 * 1024 for i in range(5)]
    assert moved == 0


def test_a5_v2c_gm_loads_from_gm_into_mat():
    """Requirement P18."""
    addresses, shared, moved = popped_at("a5", D.DIR_V2C_GM)
    assert addresses == [V2C_BUF + i % 2 * 1024 for i in range(5)]
    assert not any(shared)
    assert moved == 5 * 1024


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_ctrl_pop_stores_the_word_in_ctrl_signal(arch):
    """Requirement P19."""
    stream = Stream(arch, D.DIR_V2C_CTRL, split=UP_DOWN, slots=2, pushes=5)
    stream.run()
    assert stream.got["cube"] == [1, 2, 3, 4, 5]
    code = Stream(arch, D.DIR_V2C_CTRL, split=UP_DOWN, slots=2, pushes=5, protocol="sparse_fixed")
    code.run()
    assert code.got["cube"] == [True, False, False, False, False]


@pytest.mark.parametrize("split", [UP_DOWN, LEFT_RIGHT])
@pytest.mark.parametrize("direction", [D.DIR_C2V, D.DIR_V2C, D.DIR_C2V_GM, D.DIR_V2C_GM])
def test_subblock_addresses_match_the_split(split, direction):
    """Requirement P20."""
    for arch in ("a2a3", "a5"):
        if arch == "a2a3" and "GM" in direction.name:
            continue
        stream = Stream(arch, direction, split=split)
        stream.run()
        stream.check()


@pytest.mark.parametrize("direction", [D.DIR_C2V, D.DIR_V2C])
def test_free_signals_the_next_flag_so_that_the_slot_is_rewritten(direction):
    """Requirement P21."""
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


def test_a2a3_c2v_free_is_ffts_on_mte2_by_vector():
    """Requirement P22."""
    check_free("a2a3", D.DIR_C2V, {("ffts_cross_core_sync", "MTE2", 3)}, VECTORS)


def test_a2a3_v2c_free_is_ffts_on_mte2_by_cube():
    """Requirement P23."""
    check_free("a2a3", D.DIR_V2C, {("ffts_cross_core_sync", "MTE2", 3)}, {"cube"})


def test_a5_c2v_free_is_set_intra_block_on_mte2():
    """Requirement P24."""
    check_free("a5", D.DIR_C2V, {("set_intra_block", "MTE2", 3)}, VECTORS)
    check_free("a5", D.DIR_C2V_GM, {("set_intra_block", "MTE2", 3)}, VECTORS)
    # The vendor's code uses PIPE_V for UB; its protocols select that reading.
    check_free("a5", D.DIR_C2V, {("set_intra_block", "V", 3)}, VECTORS, "sparse_fixed")


def test_a5_v2c_free_is_set_intra_block_on_mte1_for_both_subblocks():
    """Requirement P25."""
    expected = {("set_intra_block", "MTE1", 3), ("set_intra_block", "MTE1", 19)}
    check_free("a5", D.DIR_V2C, expected, {"cube"})
    check_free("a5", D.DIR_V2C_GM, expected, {"cube"})


def test_no_free_sends_nothing():
    """Requirement P26."""
    stream = Stream(slots=4, pushes=4, cons=lambda pipe: pipe.cons.setFreeStatus(False))
    with pytest.raises(DeadlockError) as error:
        stream.run()
    assert error.value.report.cause == "H3"
    assert not list(stream.cluster.result().events(phase="FREE"))
    stream.check()


@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_tfree_does_nothing(arch):
    """Requirement P48."""
    for split in (UP_DOWN, LEFT_RIGHT):
        stream = Stream(arch, D.DIR_C2V, split=split, tfree=True)
        result = stream.run()
        stream.check()
        assert {e.phase for e in result.events(op="TFREE")} == {"NOTHING"}
        assert not result.flags


def test_the_code_frees_in_tfree_on_a5():
    """P48: The option that selects the vendor's reading is the protocol."""
    stream = Stream("a5", D.DIR_C2V, split=UP_DOWN, protocol="sparse_fixed")
    result = stream.run()
    stream.check()
    assert {e.op for e in result.events(phase="FREE")} == {"TFREE"}
