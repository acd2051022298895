"""Src banks that are turned later than documented: what only STALLWAIT on the matrix unit orders.

The programs stand for tt-metal#53415 and #54957 (tt-metal#55107): SETRWC gives both banks back, and
a STALLWAIT on the next ones, some words later, does not name the matrix unit.
"""

from pathlib import Path

import pytest

from tilelab.explore.explorer import Explorer
from tilelab.explore.orders import explore_orders
from tilelab.explore.plan import THREAD_ACTOR
from tilelab.explore.prepare import program_explorer
from tilelab.explore.schedule import (
    DOCUMENTED,
    ISA_ONLY,
    TURNS_LATE,
    Priorities,
    lines,
    reachable,
    read_schedule,
    write_schedule,
)
from tilelab.explore.search import explore
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import assemble

VALID, MATH = 0x180, 0x10
"""STALLWAIT's conditions: both banks are the matrix unit's, and that unit is through."""
PROGRAM = """.thread 0
ttzeroacc 3,0,0,0,0
ttunpacr_nop 0,0,0,1,0,1,0,0,1
ttunpacr_nop 1,0,0,1,0,1,0,0,1
ttsemwait 8,2,1
ttunpacr_nop 0,0,0,1,0,1,0,0,1
ttunpacr_nop 1,0,0,1,0,1,0,0,1
.thread 1
ttsempost 2
ttnop
ttnop
ttnop
ttnop
ttstallwait 64,384
ttsetrwc 3,0,0,0,0,7
{between}ttstallwait 64,{wait}
ttmovd2b 0,0,0,2,0
"""
NOPS = "ttsetc16 1,0\nttsetrwc 0,0,0,0,0,15\nttnop\n"
"""As many words as SETRWC's own turn takes rounds: only a later one is seen too late."""


def explorer(wait: int, between: str = NOPS, *, ordered: bool = False) -> Explorer:
    text = PROGRAM.format(wait=wait, between=between)
    return program_explorer(assemble(text, "blackhole", "x.s"), Tile(), 100_000, ordered)


@pytest.fixture(scope="module")
def faulty() -> Explorer:
    return explorer(VALID)


def test_a_wait_that_does_not_name_the_matrix_unit_is_found(faulty: Explorer) -> None:
    assert explore(faulty, 400, reachable=DOCUMENTED).found is None
    made = explore(faulty, 400, reachable=ISA_ONLY)
    assert made.found is not None
    assert not isinstance(made.found, Priorities)
    turned, delay = made.found
    assert turned.actor == TURNS_LATE.actor
    assert 3 < turned.rounds < 10
    assert delay.actor == THREAD_ACTOR
    assert reachable(made.found) == ISA_ONLY
    assert "rounds late" in lines(made.found)[0]
    assert made.outcome is not None
    assert made.outcome.kind == "failed check"
    assert "x.s:20" in made.outcome.detail


def test_it_replays_from_a_file(faulty: Explorer, tmp_path: Path) -> None:
    found = explore(faulty, 400, reachable=ISA_ONLY).found
    assert found is not None
    write_schedule(tmp_path / "s.json", "x.s", found)
    again = faulty.run(read_schedule(tmp_path / "s.json"))
    assert again.differs(faulty.base)


def test_a_wait_for_the_matrix_unit_is_silent() -> None:
    made = explore(explorer(VALID | MATH), 400, reachable=ISA_ONLY)
    assert made.found is None
    assert "turned 256 rounds late as well" in made.covered()


def test_of_the_documented_time_it_is_documented() -> None:
    found = explore(explorer(VALID, ""), 400).found
    assert found is not None
    assert not isinstance(found, Priorities)
    assert reachable(found) == DOCUMENTED


def test_every_order_includes_banks_turned_late() -> None:
    wrong = explorer(VALID, ordered=True)
    assert explore_orders(wrong, 2, ISA_ONLY).found is not None
    right = explorer(VALID | MATH, ordered=True)
    assert explore_orders(right, 2, ISA_ONLY).complete
