"""Whole kernels under the cycle clock: same words, same results; no order of visiting matters."""

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from cycle_harness import CycleTile, plain
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.result import KernelResult
from tilelab.kernels.run import run_kernel
from tilelab.sim.errors import BadInputError, DeadlockError, MachineError
from tilelab.tensix import Tile
from tilelab.tensix.tables.causes import CAUSES, CORE_CAUSES, ISSUED

EXAMPLES = Path(__file__).parents[3] / "examples"
KERNELS = ("matmul", "eltwise_add", "datacopy")


def run(
    name: str, clock: str = "cycle", engine: str = "fast", order: tuple[int, ...] = (0, 1, 2)
) -> tuple[Tile, KernelResult, list[list[int]]]:
    tile = Tile(engine=engine, clock=clock)
    tile.state.record["cycle"]["order"] = order
    words: list[list[int]] = [[], [], []]
    tile.observe(lambda clock, thread, word, origin: words[thread].append(word))
    return tile, run_kernel(read_kernel_file(EXAMPLES / name), tile), words


def cycle_record(tile: Tile) -> dict[str, bytes]:
    record = tile.state.record["cycle"]
    return {
        name: record[name].tobytes()
        for name in record.dtype.names
        if not name.startswith("event") and name not in ("order", "tried", "port_name")
    }


@pytest.mark.parametrize("name", KERNELS)
def test_both_clocks_issue_the_same_words_and_leave_the_same_l1(name: str) -> None:
    functional, plainly, words = run(name, "functional")
    cycle, timed, timed_words = run(name, "cycle")
    assert plainly.passed
    assert timed.passed
    assert timed_words == words
    assert timed.cycles > plainly.cycles
    assert (cycle.state.l1 == functional.state.l1).all()
    for part in ("dst", "src_a", "src_b", "lreg", "config", "gpr", "adc", "rwc"):
        assert (cycle.state.record[part] == functional.state.record[part]).all(), part


def test_both_engines_agree_on_every_cycle() -> None:
    fast, fast_result, _ = run("eltwise_add", engine="fast")
    reference, reference_result, _ = run("eltwise_add", engine="reference")
    assert fast_result.cycles == reference_result.cycles
    assert cycle_record(fast) == cycle_record(reference)


@pytest.mark.parametrize("order", list(permutations(range(3)))[1:])
def test_order_of_visiting_threads_changes_nothing(order: tuple[int, ...]) -> None:
    reference, result, words = run("matmul")
    shuffled, other, other_words = run("matmul", order=order)
    assert other.cycles == result.cycles
    assert other_words == words
    assert cycle_record(shuffled) == cycle_record(reference)


def test_order_does_not_matter_to_threads_that_contend() -> None:
    def clocks(order: tuple[int, ...]) -> list[Any]:
        made = CycleTile()
        made.tile.state.record["cycle"]["order"] = order
        made.s.semaphore[0].max = made.s.semaphore[1].max = made.s.semaphore[2].max = 15
        row = made.tile.arch.instructions
        for t in range(3):
            words = [row["SEMPOST"].encode(sem_sel=1 << t), row["ADDDMAREG"].encode(), plain(t)]
            made.feed(*words * 4, t=t)
        made.run()
        return sorted(event[:4] for event in made.events if event[1] == 1)

    expected = clocks((0, 1, 2))
    assert len(expected) == 36
    for order in list(permutations(range(3)))[1:]:
        assert clocks(order) == expected


def test_every_cycle_of_a_thread_and_a_core_has_one_cause() -> None:
    tile, result, _ = run("matmul")
    cycle = tile.state.record["cycle"]
    assert set(CAUSES) == set(range(cycle["thread_cycles"].shape[1]))
    assert set(CORE_CAUSES) == set(range(cycle["core_cycles"].shape[1]))
    for t in range(3):
        assert cycle["thread_cycles"][t].sum() == result.cycles
        assert cycle["thread_cycles"][t][ISSUED] == result.threads[t].issued
    for core in range(4):
        assert cycle["core_cycles"][core].sum() == result.cycles


def test_matmul_is_bounded_below_by_its_mvmuls() -> None:
    tile, result, _ = run("matmul")
    mvmuls = int(tile.state.engine["issued"][1, 0x26])
    assert mvmuls == 12 * 64
    assert result.cycles > mvmuls


def test_deadlock_is_found() -> None:
    tile = Tile(clock="cycle")
    row = tile.arch.instructions
    tile.push(row["SEMWAIT"].encode(stall_res=0x1FF, sem_sel=2, wait_sem_cond=1), 1)
    tile.push(plain(1), 1)
    with pytest.raises(DeadlockError, match="T1 at"):
        tile.run()


def test_failed_check_names_the_word() -> None:
    tile = Tile(clock="cycle")
    tile.push(0xFF000000, 2)
    with pytest.raises(MachineError, match="thread 2"):
        tile.run()


def test_push_runs_the_tile_while_the_fifo_is_full() -> None:
    tile = Tile(clock="cycle")
    for i in range(100):
        tile.push(plain(i), 0)
    tile.run()
    assert tile.state.s.frontend[0].issued == 100


def test_unknown_clock_is_refused() -> None:
    with pytest.raises(BadInputError, match="functional or cycle"):
        Tile(clock="wall")


def test_events_need_the_cycle_clock() -> None:
    with pytest.raises(BadInputError, match="cycle clock"):
        Tile().trace(lambda events: None)


def test_tracing_changes_nothing() -> None:
    quiet, result, _ = run("eltwise_add")
    traced = Tile(clock="cycle")
    batches: list[Any] = []
    traced.trace(batches.append)
    again = run_kernel(read_kernel_file(EXAMPLES / "eltwise_add"), traced)
    assert again.cycles == result.cycles
    assert sum(map(len, batches)) > 1000
    for name in ("thread_cycles", "core_cycles", "wait_unit", "wait_semaphore", "port_cycles"):
        expected = quiet.state.record["cycle"][name]
        assert (traced.state.record["cycle"][name] == expected).all(), name
