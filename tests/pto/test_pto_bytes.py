"""Bytes overwritten outside the slots' own order, and programs explored and replayed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pto_harness import pto
from tilelab.pto import (
    Cluster,
    Direction,
    FifoType,
    Fixpipe,
    GlobalTensor,
    HazardError,
    Tile,
    TileSpec,
    TileSplitAxis,
    TileType,
    TMPipe,
    TPipe,
    VecCubeRatio,
)
from tilelab.sim.errors import TilelabError

F32 = np.float32
C2V, V2C = Direction.DIR_C2V, Direction.DIR_V2C
UP_DOWN = TileSplitAxis.TILE_UP_DOWN


def acc(value, rows=16, cols=32):
    return Tile(TileType.Acc, F32, rows, cols, data=np.full((rows, cols), value))


@pytest.mark.parametrize(("offset", "told"), [(0, True), (1024, False)])
def test_two_vector_cores_that_store_their_halves_to_the_same_bytes_are_told(offset, told):
    part, whole = TileSpec(TileType.Vec, F32, 8, 32), TileSpec(TileType.Mat, F32, 16, 32)
    pipe = TMPipe(4, FifoType.GM_FIFO, 4, 1, part, whole, False, 2, VecCubeRatio.V2C1_VECS)

    def vec(core):
        opened = core.open_multi(pipe, 0x200000, 0xA000)
        opened.prod.set_entry_offset(core.subblock * offset)
        yield from opened.tpush(Tile.of(part, np.full((8, 32), core.subblock)))

    def cube(core):
        opened = core.open_multi(pipe, 0x200000, 0xA000)
        yield from opened.tpop(Tile.of(whole))

    result = Cluster(hazards="record").run(cube, vec)
    assert any(f.code == "H16" for f in result.findings) == told


@pytest.mark.parametrize(("step", "told"), [(512, True), (1024, True), (2048, False)])
def test_sub_tiles_of_one_slot_that_overlap_are_told(step, told):
    pipe = TPipe(0, C2V, 4096, 2, 2)

    def cube(core):
        opened = core.open(pipe, 0x1000, 0x8000)
        for part in range(2):
            opened.prod.set_tile_id(0, part)
            opened.prod.set_entry_offset(part * step)
            opened.prod.set_allocate_status(part == 0)
            opened.prod.set_record_status(part == 1)
            yield from opened.tpush(acc(part))

    def vec(core):
        yield from core.open(pipe, 0x1000, 0x8000).tpop(Tile(TileType.Vec, F32, 32, 32))

    result = Cluster(hazards="record").run(cube, vec)
    assert any(f.code == "H16" for f in result.findings) == told


@pytest.mark.parametrize(("address", "told"), [(0x1000, True), (0x17FC, True), (0x9000, False)])
def test_a_store_into_a_slot_that_holds_a_tile_is_told(address, told):
    pipe = TPipe(0, C2V, 2048, 2, 2)

    def cube(core):
        yield from core.open(pipe, 0x1000, 0x8000).tpush(acc(1))
        tensor = GlobalTensor(F32, 16, 32)
        core.tassign(tensor, address)
        core.tstore(tensor, acc(0))

    def vec(core):
        yield from core.open(pipe, 0x1000, 0x8000).tpop(Tile(TileType.Vec, F32, 16, 32))

    result = Cluster(hazards="record").run(cube, vec)
    assert any(f.code == "H16" for f in result.findings) == told


@pytest.mark.parametrize(("address", "told"), [(0x8400, True), (0x20000, False)])
def test_a_work_tile_on_a_live_slot_is_told_when_it_is_used(address, told):
    pipe = TPipe(0, C2V, 2048, 4)

    def cube(core):
        opened = core.open(pipe, 0, 0x8000)
        for number in range(4):
            yield from opened.tpush(acc(number), UP_DOWN)

    def vec(core):
        opened = core.open(pipe, 0, 0x8000)
        work = Tile(TileType.Vec, F32, 16, 32)
        core.tassign(work, address)
        for _ in range(4):
            yield from opened.tpop(Tile(TileType.Vec, F32, 8, 32), UP_DOWN)
            work.data[...] = -1
            yield from opened.tfree(split=UP_DOWN)

    cluster = Cluster("a5", protocol="sparse_fixed", hazards="record")
    result = cluster.run(cube, vec)
    assert any(f.code == "H16" for f in result.findings) == told


@pytest.mark.parametrize(("second", "told"), [(0x8000, True), (0x8400, True), (0x10000, False)])
def test_two_pipes_that_land_on_the_same_bytes_are_told(second, told):
    one, two = TPipe(0, C2V, 2048, 4, 2), TPipe(2, C2V, 2048, 4, 2)

    def cube(core):
        a, b = core.open(one, 0x10000, 0x8000), core.open(two, 0x20000, second)
        yield from a.tpush(acc(1))
        yield from b.tpush(acc(2))

    def vec(core):
        a, b = core.open(one, 0x10000, 0x8000), core.open(two, 0x20000, second)
        first, other = (Tile(TileType.Vec, F32, 16, 32) for _ in "ab")
        yield from a.tpop(first)
        yield from b.tpop(other)
        return first.data[0, 0]

    result = Cluster(hazards="record").run(cube, vec)
    assert any(f.code == "H10" for f in result.findings) == told


def test_several_held_tiles_are_freed_in_turn_under_held():
    pipe = TPipe(2, V2C, 2048, 3, 2)

    def vec(core):
        opened = core.open(pipe, 0, 0, 0x2000)
        for number in range(7):
            tile = Tile(TileType.Vec, F32, 8, 32, data=np.full((8, 32), number))
            yield from opened.tpush(tile, UP_DOWN)

    def cube(core):
        opened = core.open(pipe, 0, 0, 0x2000)
        tiles = [Tile(TileType.Mat, F32, 16, 32) for _ in range(7)]
        yield from opened.tpop(tiles[0], UP_DOWN)
        for number in range(7):
            if number + 1 < 7:
                yield from opened.tpop(tiles[number + 1], UP_DOWN)
            assert (tiles[number].data == number).all()
            yield from opened.tfree(split=UP_DOWN)

    for schedule in ("rr", "cube_first", "vec_first", 3):
        assert not Cluster("a5", protocol="held").run(cube, vec, schedule).findings


@pytest.mark.parametrize("protocol", ["seed", "sparse_fixed", "held"])
def test_a5_tiles_without_a_split_go_through_sub_block_0_of_a_common_pipe(protocol):
    pipe = TPipe(0, V2C, 64 * 32 * 4, 2)

    def vec(core):
        opened = core.open(pipe, 0, 0, 0x10000)
        if core.subblock == 0:
            for number in range(4):
                data = np.full((64, 32), number)
                yield from opened.tpush(Tile(TileType.Vec, F32, 64, 32, data=data))
        yield from opened.close()

    def cube(core):
        opened = core.open(pipe, 0, 0, 0x10000)
        for number in range(4):
            tile = Tile(TileType.Mat, F32, 64, 32)
            yield from opened.tpop(tile)
            if protocol != "seed":
                assert (tile.data == number).all()
            yield from opened.tfree()

    result = Cluster("a5", protocol=protocol, hazards="record").run(cube, vec)
    assert [f.code for f in result.findings if f.code not in ("E12",)] == []


@pytest.mark.parametrize(
    ("source", "target", "value", "scale", "wanted"),
    [
        (F32, np.int8, 300.7, 1.0, 127),
        (F32, np.int8, -300.7, 1.0, -128),
        (F32, np.uint8, -5.0, 1.0, 0),
        (np.int32, np.float16, 100000, 2.0, 65504),
        (np.int32, np.float16, -100000, 2.0, -65504),
        (F32, np.int16, 2.5, 1.0, 2),
    ],
)
def test_the_fixpipe_stops_at_the_ends_of_its_type(source, target, value, scale, wanted, recwarn):
    tile = Tile(TileType.Acc, source, 4, 8, data=np.full((4, 8), value))
    assert (Fixpipe(target, scale).apply(tile).data == wanted).all()
    assert not recwarn.list


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: TPipe(0, C2V, 256.5, 2), "SlotSize must be a whole number"),
        (lambda: TPipe(0, C2V, 256, 10**9), "SlotNum can be at most"),
        (lambda: TPipe(0, C2V, 256, True), "SlotNum must be a whole number"),
        (lambda: TPipe("x", C2V, 256, 2), "FlagID must be a whole number"),
        (lambda: TPipe(0, 99, 256, 2), "no direction 99"),
        (lambda: Cluster(gm_bytes=-5), "gm_bytes must be"),
        (lambda: Cluster(flag_bits="x"), "flag_bits must be"),
    ],
)
def test_absurd_numbers_are_refused_in_one_line(call, told):
    with pytest.raises(TilelabError, match=told) as caught:
        call()
    assert caught.value.exit_code == 2


def test_a_slot_number_that_differs_between_the_cores_is_named():
    def cube(core):
        yield from core.open(TPipe(0, C2V, 256, 3)).tpush(acc(0, 8, 8))

    def vec(core):
        core.open(TPipe(0, C2V, 256, 2))
        yield

    with pytest.raises(TilelabError, match="SlotNum 2 and 3"):
        Cluster().run(cube, vec)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("yield 5", "yields 5"),
        ("yield from core.open(P).tpush(T(), split=7)", "not 7"),
        ("yield from core.open(P).tpush(T(), split='up')", "not 'up'"),
        ("p = core.open(P); p.prod.set_entry_offset(-64); yield", "0 or more bytes"),
        ("p = core.open(P); p.prod.set_tile_id(-3); yield", "0 or more, not -3"),
        ("core.open(P, -4096); yield", "-0x1000"),
    ],
)
def test_slips_in_a_program_get_one_clear_line(body, told, tmp_path):
    file = tmp_path / "p.py"
    file.write_text(
        "import numpy as np\nfrom tilelab.pto import *\n"
        "P = TPipe(0, Direction.DIR_C2V, 256, 2)\n"
        f"T = lambda: Tile(TileType.Acc, np.float32, 8, 8)\ndef cube(core):\n    {body}\n",
        encoding="utf-8",
    )
    outcome = pto("run", str(file))
    assert outcome.exit_code == 1
    assert told in outcome.stderr
    assert outcome.stderr.count("\n") == 1


RACY = """
import numpy as np
from tilelab.pto import *
cluster = {"vec": 1, "protocol": "sparse"}
P = TPipe(0, Direction.DIR_C2V, 64, SLOTS)
def cube(core):
    p = core.open(P, 0x1000, 0x800)
    for i in range(12):
        yield from p.tpush(Tile(TileType.Acc, np.float32, 4, 4, data=np.full((4, 4), i)))
def vec(core):
    p = core.open(P, 0x1000, 0x800)
    for i in range(12):
        yield from p.tpop(Tile(TileType.Vec, np.float32, 4, 4))
"""


@pytest.mark.parametrize(("slots", "safe"), [(4, True), (5, False), (6, True), (7, False)])
def test_exploring_a_program_agrees_with_the_pipes_own_proof_and_replays(slots, safe, tmp_path):
    file, kept = tmp_path / "p.py", tmp_path / "order.json"
    file.write_text(RACY.replace("SLOTS", str(slots)), encoding="utf-8")
    words = ["explore", str(file), "--json", "--save-schedule", str(kept)]
    outcome = pto(*words)
    verdict = json.loads(outcome.stdout)
    assert (verdict["safe"], verdict["complete"], outcome.exit_code) == (safe, True, 1 - safe)
    if not safe:
        again = pto("run", str(file), "--schedule", str(kept))
        assert again.exit_code == 1
        assert "overwrites tile 0" in again.stderr


def test_a_schedule_that_does_not_fit_is_refused(tmp_path):
    file, kept = tmp_path / "p.py", tmp_path / "order.json"
    file.write_text(RACY.replace("SLOTS", "4"), encoding="utf-8")
    kept.write_text('{"schedule": ["vec9"]}', encoding="utf-8")
    outcome = pto("run", str(file), "--schedule", str(kept))
    assert outcome.exit_code == 1
    assert "does not fit" in outcome.stderr


def test_one_lost_free_in_one_of_two_pipes_is_found(tmp_path):
    text = (
        RACY.replace("SLOTS", "4")
        .replace("sparse", "held")
        .replace(
            "        yield from p.tpop(Tile(TileType.Vec, np.float32, 4, 4))\n",
            "        yield from p.tpop(Tile(TileType.Vec, np.float32, 4, 4))\n"
            "        if i != 2:\n            yield from p.tfree()\n",
        )
    )
    file = tmp_path / "p.py"
    file.write_text(text, encoding="utf-8")
    outcome = pto("explore", str(file), "--json")
    assert outcome.exit_code == 1
    codes = {bad["code"] for bad in json.loads(outcome.stdout)["found"]}
    assert codes & {"E9", "E15", "H11"}


def test_explore_refuses_what_no_pipe_could_have():
    outcome = pto("explore", "--protocol", "tagged", "--slots", "9")
    assert outcome.exit_code == 2
    assert "there are 8" in outcome.stderr


def test_a_hazard_is_still_an_error_under_raise():
    pipe = TPipe(0, C2V, 2048, 2, 2)

    def cube(core):
        yield from core.open(pipe, 0x1000).tpush(acc(1))
        tensor = GlobalTensor(F32, 16, 32)
        core.tassign(tensor, 0x1000)
        core.tstore(tensor, acc(0))

    def vec(core):
        core.open(pipe, 0x1000)
        yield

    with pytest.raises(HazardError, match="H16"):
        Cluster().run(cube, vec)


@pytest.mark.parametrize(("slots", "differs"), [(5, True), (4, False)])
def test_run_says_whether_another_order_differs(tmp_path, slots, differs):
    file = tmp_path / "credits.py"
    file.write_text(
        f"""
import numpy as np
from tilelab.pto import Direction, Tile, TileType, TPipe
cluster = {{"vec": 1, "protocol": "sparse", "leaks": "record"}}
PIPE = TPipe(0, Direction.DIR_C2V, 64, {slots})
def cube(core):
    pipe = core.open(PIPE, 0x1000, 0x800)
    for number in range(12):
        yield from pipe.tpush(Tile(TileType.Acc, np.float32, 4, 4, data=np.ones((4, 4))))
def vec(core):
    pipe = core.open(PIPE, 0x1000, 0x800)
    for number in range(12):
        yield from pipe.tpop(Tile(TileType.Vec, np.float32, 4, 4))
"""
    )
    assert pto("run", str(file)).exit_code == 0
    outcome = pto("run", str(file), "--orders", "2000")
    assert outcome.exit_code == differs
    assert ("another order differs: E10" in outcome.output) == differs
    assert ("no other order differs" in outcome.output) != differs
