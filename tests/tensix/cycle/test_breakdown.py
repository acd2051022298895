"""The breakdown: counters as named numbers, and what bounds a run."""

from dataclasses import replace
from pathlib import Path

import pytest

from cycle_harness import MOP1, NOP, CycleTile, plain
from tilelab.tensix import Tile, assemble
from tilelab.tensix.kernel_toml.file import read_kernel_file
from tilelab.tensix.programs.assembly_run import run_program
from tilelab.tensix.programs.run import run_kernel
from tilelab.tensix.report.breakdown import breakdown

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_matmul_of_one_pair_after_another_issues_in_more_than_half_of_its_cycles() -> None:
    tile = Tile(clock="cycle")
    run_kernel(read_kernel_file(EXAMPLES / "matmul"), tile)
    made = breakdown(tile.state)
    assert made.flop == 12 * 64 * 4096
    assert made.clock_mhz == 1350
    assert made.flops / made.peak_flops == pytest.approx(12 * 64 / made.cycles)
    math = made.threads[1]
    assert math.active + sum(math.idle.values()) == math.cycles == made.cycles
    assert list(math.idle)[:2] == ["FIFO empty", "recorded"]
    assert made.chain == ["T1 math issues in 67% of all cycles"]
    assert made.bytes_in == 12 * 2 * 2048
    assert made.bytes_out == 4 * 2048
    assert made.units[0].name == "matrix_unit"


def test_mop_of_matrix_work_is_bound_by_issue() -> None:
    made = CycleTile()
    made.operands()
    mvmul = made.tile.arch.instructions["MVMUL"]
    for slot in range(16):
        made.s.frontend[1].replay_buffer[slot] = mvmul.encode(dst=8 * (slot % 8))
    loop = 0x04000000 | 16 << 4
    made.mop_cfg(4, 4, NOP, NOP, NOP, loop, NOP, loop, loop)
    made.feed(MOP1)
    made.run()
    found = breakdown(made.tile.state)
    assert found.threads[1].active == 256
    assert found.bound.startswith("T1 math issues in 9")


def test_nops_are_counted_apart() -> None:
    made = CycleTile()
    made.feed(NOP, NOP, plain(1))
    made.run()
    thread = breakdown(made.tile.state).threads[1]
    assert (thread.active, thread.nops) == (3, 2)


def test_semaphore_is_named() -> None:
    made = CycleTile()
    wait = made.tile.arch.instructions["SEMWAIT"]
    made.s.semaphore[1].max = 2
    made.feed(wait.encode(stall_res=0x1FF, sem_sel=2, wait_sem_cond=1), plain(1), t=2)
    made.tile.run(20)
    found = breakdown(made.tile.state).threads[2]
    assert found.waits == {"semaphore 1 (MATH_PACK) is zero": 17}


def test_nothing_ran() -> None:
    made = breakdown(Tile(clock="cycle").state)
    assert made.chain == []
    assert made.bound == "nothing ran"
    assert made.flops == 0
    assert replace(made, cycles=0).flops == 0


def test_cycles_that_a_chip_passes_over_are_named() -> None:
    tile = Tile(clock="cycle", engine="reference")
    run_program(assemble("ttnop\nttincrwc 0,1,0,0\n"), tile, 100)
    ran = int(tile.state.s.clock)
    tile.state.s.clock += 1000  # as a chip wakes a tile that was at rest
    made = breakdown(tile.state)
    for part in (*made.threads, *made.cores):
        assert part.idle["at rest"] == 1000
        assert part.active + sum(part.idle.values()) == part.cycles == ran + 1000
