"""Bytes reached by address in Python and IR programs: races, bytes never written, lost tiles."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tilelab.pto import Cluster, Direction, GlobalTensor, Tile, TileType, TPipe
from tilelab.pto.errors import HazardError
from tilelab.pto.ir_run import run_text

F32 = np.float32
C2V = Direction.DIR_C2V
PIPE = TPipe(0, C2V, 2048, 2, 2)


def acc(value=1.0):
    return Tile(TileType.Acc, F32, 16, 32, data=np.full((16, 32), value))


def vec_tile():
    return Tile(TileType.Vec, F32, 16, 32)


def tensor(core, address):
    found = GlobalTensor(F32, 16, 32)
    core.tassign(found, address)
    return found


def told(cube, vec, **options):
    result = Cluster(**({"hazards": "record"} | options)).run(cube, vec)
    return {finding.code for finding in result.findings}


def exchange(order):
    """The Cube stores to GM beside its pipe; the Vector cores load it before or after the pop."""

    def cube(core):
        opened = core.open(PIPE, 0x1000, 0x8000)
        core.tstore(tensor(core, 0x40000), acc())
        yield from opened.tpush(acc())

    def vec(core):
        opened = core.open(PIPE, 0x1000, 0x8000)
        if order == "load first":
            core.tload(vec_tile(), tensor(core, 0x40000))
        yield from opened.tpop(vec_tile())
        if order == "pop first":
            core.tload(vec_tile(), tensor(core, 0x40000))

    return cube, vec


@pytest.mark.parametrize("schedule", ["rr", "cube_first", "vec_first"])
@pytest.mark.parametrize(("order", "race"), [("load first", True), ("pop first", False)])
def test_a_load_that_nothing_orders_is_a_race_in_every_schedule(order, race, schedule):
    cluster = Cluster(hazards="record")
    result = cluster.run(*exchange(order), schedule=schedule)
    codes = {finding.code for finding in result.findings}
    assert bool(codes & {"H14", "H15"}) == race
    assert codes <= {"H14", "H15"}


def test_a_race_is_an_error_that_names_both_lines():
    with pytest.raises(HazardError, match="no signal and wait orders them") as error:
        Cluster().run(*exchange("load first"), schedule="cube_first")
    assert "test_watch.py:" in error.value.summary
    assert "cube's TSTORE" in error.value.summary


@pytest.mark.parametrize("known", ["nothing", "host", "store"])
def test_bytes_that_nothing_wrote_are_told(known):
    cluster = Cluster(hazards="record")
    if known == "host":
        cluster.gm.view(0x40000, np.dtype(F32), 16, 32, 32)[...] = 1

    def cube(core):
        if known == "store":
            core.tstore(tensor(core, 0x40000), acc())
        tile = Tile(TileType.Mat, F32, 16, 32)
        core.tload(tile, tensor(core, 0x40000))
        yield None

    codes = [finding.code for finding in cluster.run(cube).findings]
    assert codes == (["H15"] if known == "nothing" else [])


@pytest.mark.parametrize("written", [True, False])
def test_an_assigned_tile_is_read_after_something_wrote_it(written):
    def vec(core):
        source, target = vec_tile(), vec_tile()
        core.tassign(source, 0x100)
        core.tassign(target, 0x8000)
        if written:
            source.data[...] = 1
        core.tmov(target, source)
        yield None

    assert told(None, [vec]) == (set() if written else {"H15"})


def test_half_written_bytes_are_told():
    def cube(core):
        half = GlobalTensor(F32, 8, 32)
        core.tassign(half, 0x40000)
        core.tstore(half, Tile(TileType.Acc, F32, 8, 32, data=np.ones((8, 32))))
        core.tload(Tile(TileType.Mat, F32, 16, 32), tensor(core, 0x40000))
        yield None

    assert told(cube, None) == {"H15"}


def test_a_store_after_the_pop_is_a_race_and_one_before_it_loses_the_tile():
    def cube(core):
        opened = core.open(PIPE, 0x1000, 0x8000)
        yield from opened.tpush(acc())
        core.tstore(tensor(core, 0x1000), acc(0))

    def vec(core):
        yield from core.open(PIPE, 0x1000, 0x8000).tpop(vec_tile())

    cluster = Cluster(hazards="record")
    lost = cluster.run(cube, vec, "cube_first").findings
    assert "H16" in {finding.code for finding in lost}

    def late(core):
        opened = core.open(PIPE, 0x1000, 0x8000)
        yield from opened.tpush(acc())
        yield None
        yield None
        core.tstore(tensor(core, 0x1000), acc(0))

    raced = Cluster(hazards="record").run(late, vec, "vec_first").findings
    assert "H14" in {finding.code for finding in raced}


def test_far_addresses_cost_no_memory_between():
    def cube(core):
        for address in (0, 0xF00_0000):
            core.tstore(tensor(core, address), acc())
            core.tload(Tile(TileType.Mat, F32, 16, 32), tensor(core, address))
        yield None

    assert told(cube, None) == set()


def test_an_access_across_pages_is_one_access():
    def cube(core):
        core.tstore(tensor(core, (1 << 22) - 1024), acc())
        core.tload(Tile(TileType.Mat, F32, 16, 32), tensor(core, (1 << 22) - 1024))
        yield None

    assert told(cube, None) == set()


# -- the same through IR

HEAD = """
func.func @cube({cube_params}) attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
{cube}
}}
func.func @vector({vec_params}) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
{vec}
}}
"""
TYPE = "!pto.tpipe<0, C2V, 2048, 4, 2>"


def ir(cube, vec, cube_params, vec_params, **options):
    text = HEAD.format(cube=cube, vec=vec, cube_params=cube_params, vec_params=vec_params)
    outcome = run_text(text, hazards="record", capacity="record", **options)
    return {finding.code: finding.message for finding in outcome.result.findings}


@pytest.mark.parametrize(("gm", "lost"), [("0x100000", True), ("0x400000", False)])
def test_ir_a_store_into_a_slot_is_told_with_its_line(gm, lost):
    found = ir(
        """  pto.tpush %acc, %pipe : (!pto.tile<f32, 16, 32>, !pto.tpipe<...>)
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %view = pto.make_tensor_view %out, shape = [%c16, %c32], strides = [%c32, %c1]
      : !pto.tensor_view<?x?xf32>
  pto.tstore ins(%acc : !pto.tile<f32, 16, 32>) outs(%view : !pto.tensor_view<?x?xf32>)""",
        "  pto.tpop pipe(%pipe : !pto.tpipe<...>) outs(%tile : !pto.tile<f32, 16, 32>)",
        f"%acc : !pto.tile<f32, 16, 32>, %pipe : {TYPE} {{gm = {gm}, c2v = 0x8000}}, "
        "%out : !pto.ptr<f32>",
        f"%tile : !pto.tile<f32, 16, 32>, %pipe : {TYPE} {{gm = {gm}, c2v = 0x8000}}",
    )
    assert bool(found.keys() & {"H14", "H16"}) == lost
    assert all("TSTORE" in found[code] and "line 9" in found[code] for code in found if lost)


BUF = (
    "!pto.tile_buf<loc=vec, dtype=f32, rows=16, cols=32, v_row=16, v_col=32, blayout=row_major, "
    "slayout=none_box, fractal=512, pad=0>"
)


@pytest.mark.parametrize(("address", "lost"), [("0x8400", True), ("0x20000", False)])
def test_ir_a_work_tile_on_a_live_slot_is_told(address, lost):
    push = "  pto.tpush %acc, %pipe {split = 1} : (!pto.tile<f32, 16, 32>, !pto.tpipe<...>)"
    pop = """
  pto.tpop pipe(%pipe : !pto.tpipe<...>) outs(%tile : !pto.tile<f32, 8, 32>) {split = 1}
  WORK
  pto.tfree %pipe {split = 1}"""
    found = ir(
        "\n".join([push] * 2),
        "\n".join(
            [
                f"  %at = arith.constant {address} : i64",
                f"  %one = pto.alloc_tile addr = %at : {BUF}",
                pop.replace("WORK", f"pto.tadd ins(%one, %one : {BUF}, {BUF}) outs(%one : {BUF})"),
                pop.replace("WORK", ""),
            ]
        ),
        f"%acc : !pto.tile<f32, 16, 32>, %pipe : {TYPE} {{c2v = 0x8000}}",
        f"%tile : !pto.tile<f32, 8, 32>, %pipe : {TYPE} {{c2v = 0x8000}}",
        arch="a5",
        protocol="sparse_fixed",
    )
    assert ("H16" in found) == lost
    if not lost:
        assert "H15" in found  # nothing has written the tile


TWO_LOADS = f"""
func.func @vector(%x: !pto.ptr<f32>) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %at = arith.constant 0x4000 : i64
  %then = arith.constant SECOND : i64
  %view = pto.make_tensor_view %x, shape = [%c16, %c32], strides = [%c32, %c1]
      : !pto.tensor_view<?x?xf32>
  %one = pto.alloc_tile addr = %at : {BUF}
  %two = pto.alloc_tile addr = %then : {BUF}
  pto.tload ins(%view : !pto.tensor_view<?x?xf32>) outs(%one : {BUF})
  READ
  pto.tload ins(%view : !pto.tensor_view<?x?xf32>) outs(%two : {BUF})
  pto.tadd ins(%one, %two : {BUF}, {BUF}) outs(%two : {BUF})
  return
}}
"""


@pytest.mark.parametrize(
    ("second", "between", "lost"),
    [
        ("0x4000", "", True),
        ("0x4400", "", True),
        ("0x4800", "", False),
        ("0x4000", f"pto.tprint ins(%one : {BUF})", False),
    ],
)
def test_ir_a_tile_loaded_over_one_that_nothing_has_read_is_told(second, between, lost):
    text = TWO_LOADS.replace("SECOND", second).replace("READ", between)
    findings = run_text(text, hazards="record").result.findings
    assert {finding.code for finding in findings} == ({"H16"} if lost else set())
    wanted = "line 14: .*TLOAD at line 12 put there and nothing has read"
    assert all(re.search(wanted, finding.message) for finding in findings)


def test_ir_a_second_store_to_global_memory_loses_nothing():
    store = f"pto.tstore ins(%two : {BUF}) outs(%view : !pto.tensor_view<?x?xf32>)\n  return"
    text = TWO_LOADS.replace("SECOND", "0x4800").replace("READ", "")
    text = text.replace("return", store).replace("return", store)
    assert text.count("pto.tstore") == 2
    assert not run_text(text, hazards="record").result.findings
    both = text.replace("return", "%lane = pto.get_subblock_idx\n  return")  # on two Vector cores
    findings = run_text(both, hazards="record").result.findings
    assert {finding.code for finding in findings} == {"H14"}  # the cores, not the stores


@pytest.mark.parametrize(("second", "told"), [("0x8000", True), ("0x10000", False)])
def test_ir_two_pipes_that_land_on_the_same_bytes_are_told(second, told):
    two = f"!pto.tpipe<2, C2V, 2048, 4, 2> {{gm = 0x20000, c2v = {second}}}"
    found = ir(
        """  pto.tpush %acc, %pipe : (!pto.tile<f32, 16, 32>, !pto.tpipe<...>)
  pto.tpush %acc, %two : (!pto.tile<f32, 16, 32>, !pto.tpipe<...>)""",
        """  pto.tpop pipe(%pipe : !pto.tpipe<...>) outs(%tile : !pto.tile<f32, 16, 32>)
  pto.tpop pipe(%two : !pto.tpipe<...>) outs(%other : !pto.tile<f32, 16, 32>)
  pto.tadd ins(%tile, %other : !pto.tile<f32, 16, 32>, !pto.tile<f32, 16, 32>)
           outs(%other : !pto.tile<f32, 16, 32>)""",
        f"%acc : !pto.tile<f32, 16, 32>, %pipe : {TYPE} {{gm = 0x10000, c2v = 0x8000}}, "
        f"%two : {two}",
        f"%tile : !pto.tile<f32, 16, 32>, %other : !pto.tile<f32, 16, 32>, "
        f"%pipe : {TYPE} {{gm = 0x10000, c2v = 0x8000}}, %two : {two}",
    )
    assert ("H10" in found) == told


def test_ir_the_seeds_tmpipe_loses_half_its_data():
    pipe = (
        "!pto.tmpipe<4, GM_FIFO, 4, 1, !pto.tile<vec, f32, 8, 32>, !pto.tile<mat, f32, 16, 32>, "
        "2, V2C1_VECS> {base = 0x200000, local = 0xA000}"
    )
    found = ir(
        "  pto.tpop %tile, %pipe : (!pto.tile<f32, 16, 32>, !pto.tmpipe<...>)",
        """  %i = pto.get_subblock_idx : i64
  pto.tadds ins(%half, %i : !pto.tile<f32, 8, 32>, i64) outs(%half : !pto.tile<f32, 8, 32>)
  pto.tpush %half, %pipe : (!pto.tile<f32, 8, 32>, !pto.tmpipe<...>)""",
        f"%tile : !pto.tile<mat, f32, 16, 32>, %pipe : {pipe}",
        f"%half : !pto.tile<vec, f32, 8, 32>, %pipe : {pipe}",
    )
    assert "H16" in found
