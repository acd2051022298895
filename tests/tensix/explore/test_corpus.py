"""The races of the corpus: those that an order of words decides are found, shrunk and replayed."""

from pathlib import Path

import pytest

from faulty.harness import PROGRAMS, read
from tilelab.tensix.explore.explorer import Explorer
from tilelab.tensix.explore.orders import explore_orders
from tilelab.tensix.explore.prepare import program_explorer
from tilelab.tensix.explore.schedule import Delay, Priorities, read_schedule, write_schedule
from tilelab.tensix.explore.search import explore
from tilelab.tensix.tile import Tile
from tilelab.tensix.words.assembly import assemble

BUDGET = 600
"""Schedules in which each race is found."""
RACES = {
    "config_of_another_thread": 4,
    "config_of_another_thread_mutex": 4,
    "gpr_add_then_wrcfg": 8,
    "gpr_bitwise_then_wrcfg": 8,
    "gpr_multiply_then_wrcfg": 8,
    "gpr_shift_then_wrcfg": 8,
    "semaphore_underflow_two_threads": 15,
    "sfpu_then_clear_no_semaphore": 8,
    # results of the matrix unit that SFPLOAD reads too early
    "elwadd_then_sfpload": 14,
    "elwmul_then_sfpload": 14,
    "mvmul_stall_sfpload": 14,
    "mvmul_then_sfpload": 14,
    "mvmul_two_nops_sfpload": 14,
    # results of Wormhole's vector unit that the next word reads
    "sfpu_addi_mov": 8,
    "sfpu_mad_mad": 8,
    "sfpu_mad_mov": 8,
    "sfpu_mad_store": 8,
    "sfpu_mul_add": 8,
    "sfpu_muli_abs": 8,
}
"""By program: the line at which a delay decides. A mutex keeps its users apart, but in no order.

Of the other races of GPRs either order leaves the same result.
"""


def explorer(name: str, *, healthy: bool, ordered: bool = False) -> Explorer:
    program = read(PROGRAMS / f"{name}.s")
    text = "\n".join(program.lines(healthy)) + "\n"
    assembled = assemble(text, program.arch, f"{name}.s")
    return program_explorer(assembled, Tile(program.arch), 100_000, ordered)


@pytest.mark.parametrize("name", RACES)
def test_a_race_is_found_in_its_budget_and_replays(name: str, tmp_path: Path) -> None:
    faulty = explorer(name, healthy=False)
    made = explore(faulty, BUDGET)
    assert made.found is not None
    assert not isinstance(made.found, Priorities)
    (delay,) = made.found
    assert f"{name}.s:{RACES[name]}" in delay.where
    write_schedule(tmp_path / "s.json", name, made.found)
    again = faulty.run(read_schedule(tmp_path / "s.json"))
    assert again == made.outcome
    assert again.differs(faulty.base)


@pytest.mark.parametrize("name", ["gpr_add_then_wrcfg", "mvmul_then_sfpload", "sfpu_mad_store"])
def test_every_order_includes_late_results(name: str) -> None:
    faulty = explore_orders(explorer(name, healthy=False, ordered=True), bound=1)
    assert faulty.found is not None
    (late,) = faulty.found
    assert isinstance(late, Delay)
    assert late.late
    healthy = explore_orders(explorer(name, healthy=True, ordered=True), bound=2)
    assert healthy.complete
    assert healthy.found is None


@pytest.mark.parametrize("name", sorted(RACES.keys() - {"config_of_another_thread_mutex"}))
def test_the_healthy_twin_is_silent(name: str) -> None:
    assert explore(explorer(name, healthy=True), BUDGET).found is None
