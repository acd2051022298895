"""What `tilelab pto protocol` advises, and that each advice is what another run shows."""

from pathlib import Path

import pytest

from tilelab.pto.advice import advise
from tilelab.pto.cycles.clock import clock
from tilelab.pto.cycles.figures import figures
from tilelab.pto.program import Program
from tilelab.pto.prove import once

THREE = Path(__file__).parents[2] / "examples" / "pto" / "three_slots.py"

PROGRAM = """
import numpy as np
from tilelab.pto import Direction, Tile, TileSplitAxis, TileType, TPipe

PIPE = TPipe(0, Direction.DIR_C2V, 16384, {slots})
cluster = {{"arch": "a2a3", "protocol": "ack/1", "constraints": "record"}}

def cube(core):
    pipe = core.open(PIPE, 0x100000, 0x8000, 0x9000)
    acc = Tile(TileType.Acc, np.float32, 64, 64)
    for _ in range(16):
        yield from pipe.tpush(acc)
        {barrier}

def vec(core):
    pipe = core.open(PIPE, 0x100000, 0x8000, 0x9000)
    tile = Tile(TileType.Vec, np.float32, 64, 64)
    for _ in range(16):
        yield from pipe.tpop(tile)
        core.spend("TEXP", tile, tile)
"""


def program(slots, barrier="pass", **options):
    return Program("p.py", PROGRAM.format(slots=slots, barrier=barrier), {}, options)


def cycles(one, given=None):
    cluster, _, failed = once(Program(one.name, one.text, {}, one.options | {"cycles": True}))
    assert failed is None
    return clock(cluster.result(), cluster.arch, cluster.vec, figures("a2a3", given)).total


def test_a_shallow_ring_is_told_with_what_more_slots_gain():
    told = {one.kind: one for one in advise(program(1))}
    assert "2 slots instead of 1" in told["shallow"].text
    assert told["shallow"].cycles == pytest.approx(cycles(program(1)) - cycles(program(2)), abs=1)
    assert told["shallow"].bytes == -16384
    assert "deep" not in told


def test_a_deep_ring_is_told_with_the_bytes_that_it_wastes():
    quick = ["cross_core_flag=1900", "free_flag=1900"]
    told = {one.kind: one for one in advise(program(15), quick)}
    least = 15 - told["deep"].bytes // 16384
    deep = 1.02 * cycles(program(15), quick)
    assert cycles(program(least), quick) <= deep < cycles(program(least - 1), quick)
    assert "shallow" not in told


def test_barriers_are_told_with_what_leaving_them_out_gains():
    slow = program(4, 'core.pipe_barrier("ALL")')
    (one,) = [one for one in advise(slow) if one.kind == "barrier"]
    assert one.what == "cube PIPE_ALL"
    assert one.cycles == pytest.approx(cycles(slow) - cycles(program(4)), abs=1 + 16 * 4)


def test_two_barriers_a_row_cost_what_ptoas_1569_counts():
    slow = Program(str(THREE), THREE.read_text(encoding="utf-8"), {}, {})
    quick = Program(slow.name, slow.text.replace("BARRIERS = True", "BARRIERS = False"), {}, {})
    factor = cycles(slow) / cycles(quick)
    assert factor == pytest.approx(74_909 / 18_831, rel=0.25)
    (one,) = [one for one in advise(slow) if one.kind == "barrier"]
    assert one.cycles == pytest.approx(cycles(slow) - cycles(quick), rel=0.02)


def test_whole_tiles_on_both_vector_cores_could_be_split():
    (one,) = [one for one in advise(program(4)) if one.kind == "split"]
    assert one.cycles > 0
    assert "both Vector cores take whole tiles" in one.text


def test_a_program_that_fails_is_advised_nothing():
    assert advise(program(4, "return")) == []
