"""The races of the corpus in assembly: what an order of words decides is found, shrunk, replayed.

Of each program that goes wrong between two parties a table says what is found, or why no schedule
that is explored can show it. Left out are programs that go wrong in one party alone, or get stuck
in every order.
"""

from pathlib import Path

import pytest

from faulty.harness import PROGRAMS, read
from tilelab.explore.explorer import Explorer
from tilelab.explore.orders import explore_orders
from tilelab.explore.prepare import program_explorer
from tilelab.explore.schedule import (
    DOCUMENTED,
    ISA_ONLY,
    Delay,
    Priorities,
    read_schedule,
    write_schedule,
)
from tilelab.explore.search import explore
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import assemble

BUDGET = 600
"""Schedules in which each race is found."""
RACES = {
    "cleared_by_another_thread": 4,
    "config_of_another_thread": 4,
    "config_of_another_thread_mutex": 4,
    "gpr_add_then_wrcfg": 8,
    "gpr_bitwise_then_wrcfg": 8,
    "gpr_multiply_then_wrcfg": 8,
    "gpr_shift_then_wrcfg": 8,
    "scalar_units_count_unlocked": 15,
    "semaphore_underflow_two_threads": 15,
    "seminit_while_used": 7,
    "sfpu_then_clear_no_semaphore": 8,
    "vector_words_of_two_threads": 4,
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
    "sfpu_shuffle_add": 15,
}
"""By program: the line at which a delay decides."""
NO_ORDER = {"config_of_another_thread_mutex", "scalar_units_count_unlocked"}
"""Whose twins differ, too: a mutex keeps its users apart, but in no order."""
UNDELAYED = ("movd2a_bank_turning",)
"""Whose result differs as soon as Src banks are given back as late as they may, with no delay."""
ISA_ALONE = {"setdmareg_then_wrcfg": 5}
"""By program: the line at which a delay decides that the instruction set alone allows."""
SAME = "either order leaves the same result"
LOADED = "what the scalar unit loads is there at once in every schedule"
TAKEN_BEFORE = "the bank is the unpackers' in every order"
NOT_SHOWN = {
    "gpr_atincget_then_add": LOADED,
    "gpr_atincget_then_wrcfg": SAME,
    "gpr_compare_then_wrcfg": SAME,
    "gpr_loadind_then_wrcfg": SAME,
    "gpr_loadind_waited_for_elsewhere": LOADED,
    "movd2a_not_valid": TAKEN_BEFORE,
    "movd2b_not_valid": TAKEN_BEFORE,
    "sfpu_constant_of_two_threads": "a delay begins before no word of the vector unit",
    "sfpu_product_then_add": "Blackhole's vector unit waits for every result in every schedule",
    "sfpu_then_clear_by_unpack": "what SFPSTORE writes to Dst is there at once in every schedule",
    "wrcfg_then_rdcfg": "what WRCFG writes is there at once in every schedule",
    "wrcfg_then_sfpstore": "what WRCFG writes is there at once in every schedule",
}
"""By program: why its fault makes no difference in any schedule. The checker alone finds these."""
TWO_PARTIES = (
    *("race-", "config-not-ready", "setdmareg-overtaken", "wrcfg-needs-nop"),
    *("dst-read-early", "sfpu-latency", "src-bank-turning", "src-not-valid"),
)
"""What the names of checks begin with that find a fault between two parties."""


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


@pytest.mark.parametrize("name", UNDELAYED)
def test_the_undelayed_schedule_differs(name: str) -> None:
    made = explore(explorer(name, healthy=False), BUDGET)
    assert made.found == ()
    assert "the undelayed schedule differs" in made.covered()


@pytest.mark.parametrize("name", ISA_ALONE)
def test_what_the_instruction_set_alone_allows(name: str) -> None:
    faulty = explorer(name, healthy=False)
    assert explore(faulty, BUDGET).found is None
    made = explore(faulty, BUDGET, reachable=ISA_ONLY)
    assert made.found is not None
    assert not isinstance(made.found, Priorities)
    (delay,) = made.found
    assert f"{name}.s:{ISA_ALONE[name]}" in delay.where
    assert explore(explorer(name, healthy=True), BUDGET, reachable=ISA_ONLY).found is None


@pytest.mark.parametrize("name", NOT_SHOWN)
def test_a_fault_that_no_schedule_shows(name: str) -> None:
    """So that the table is true: whoever makes a schedule show one has to move its line."""
    faulty = explorer(name, healthy=False)
    for kind in (DOCUMENTED, ISA_ONLY):
        assert explore(faulty, BUDGET, reachable=kind).found is None


def test_of_each_race_it_is_said_whether_a_schedule_shows_it() -> None:
    programs = map(read, sorted(PROGRAMS.glob("*.s")))
    races = {program.name for program in programs if program.check.startswith(TWO_PARTIES)}
    assert races <= {*RACES, *UNDELAYED, *ISA_ALONE, *NOT_SHOWN}


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


@pytest.mark.parametrize("name", sorted({*RACES, *UNDELAYED} - NO_ORDER))
def test_the_healthy_twin_is_silent(name: str) -> None:
    assert explore(explorer(name, healthy=True), BUDGET).found is None
