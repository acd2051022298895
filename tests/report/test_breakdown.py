"""The breakdown: counters as named numbers, and what bounds a run."""

from dataclasses import replace
from pathlib import Path

import pytest

from cycle_harness import MOP1, NOP, CycleTile, plain
from tilelab.kernels.assembly_run import run_program
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.report.breakdown import Breakdown, breakdown
from tilelab.tensix import Tile, assemble

EXAMPLES = Path(__file__).parents[2] / "examples"


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


def vector_breakdown(text: str, arch: str = "blackhole") -> Breakdown:
    tile = Tile(arch, clock="cycle", engine="reference")
    run_program(assemble(text, arch), tile, 10_000)
    return breakdown(tile.state)


@pytest.mark.parametrize("arch", ["blackhole", "wormhole"])
def test_sfpmads_are_counted_as_operations_per_second(arch: str) -> None:
    """At 1 GHz an SFPMAD a cycle is 0.064 TFLOP/s, a 64th of the matrix unit."""
    made = vector_breakdown("sfpmad L0,L1,L2,L3,0\n" * 50, arch)
    assert made.vector_flop == 50 * 64
    assert made.vector_peak_flops == 64 * made.clock_mhz * 1e6
    assert made.peak_flops == 64 * made.vector_peak_flops
    assert made.vector_flops / made.vector_peak_flops == pytest.approx(50 / made.cycles)
    assert made.flop == 0
    document = made.as_dict()
    assert (document["vector_flops"], document["macros"]) == (made.vector_flops, 0)


def test_a_multiply_or_an_add_alone_is_half_of_an_sfpmad() -> None:
    assert vector_breakdown("sfpadd L0,L1,L2,0\nsfpmul L0,L1,L2,0\n").vector_flop == 64
    assert vector_breakdown("sfpmuli L0,1,0\nsfpaddi L0,1,0\n").vector_flop == 64
    assert vector_breakdown("sfpabs L0,L1,0\n").vector_flop == 0
