"""The races of the corpus: those that an order of words decides are found, shrunk and replayed."""

from pathlib import Path

import pytest

from faulty.harness import PROGRAMS, read
from tilelab.tensix.explore.explorer import Explorer
from tilelab.tensix.explore.prepare import program_explorer
from tilelab.tensix.explore.schedule import Priorities, read_schedule, write_schedule
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
}
"""By program: the line at which a delay decides. A mutex keeps its users apart, but in no order.

Of the other races of GPRs either order leaves the same result.
"""


def explorer(name: str, *, healthy: bool) -> Explorer:
    program = read(PROGRAMS / f"{name}.s")
    text = "\n".join(program.lines(healthy)) + "\n"
    return program_explorer(assemble(text, program.arch, f"{name}.s"), Tile(program.arch), 100_000)


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


@pytest.mark.parametrize("name", sorted(RACES.keys() - {"config_of_another_thread_mutex"}))
def test_the_healthy_twin_is_silent(name: str) -> None:
    assert explore(explorer(name, healthy=True), BUDGET).found is None
