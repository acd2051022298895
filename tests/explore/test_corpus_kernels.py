"""The C++ programs of the corpus under schedules: what one decides is found, shrunk and replayed.

Compared are the arrays that a kernel leaves, or how it ends. Of each program that goes wrong
between two parties the table says what is found, or why no schedule that is explored can show it.
Left out are programs that go wrong in one party alone, or get stuck in every order.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from faulty.harness import PROGRAMS, read
from tilelab.explore.explorer import Explorer
from tilelab.explore.prepare import kernel_explorer
from tilelab.explore.schedule import (
    Priorities,
    lines,
    read_schedule,
    write_schedule,
)
from tilelab.explore.search import explore
from tilelab.tensix.tile.tile import Tile

BUDGET = 2500
"""Schedules in which each race is found: all of one delay, and a thousand by priorities."""
FOUND = {
    "brisc_pushes_into_a_mop": "BRISC waits",
    "context_reused": "T0 waits",
    "half_cleared_under_the_packer": "T2, after 57 words: ttpacr",
    "output_read_as_input": "TRISC0 waits",
    "pack_before_math": "T0 waits",
    "stale_write_pointer": "TRISC0 waits",
    "store_into_a_tile_in_flight": "priorities",
    "tile_regs_not_acquired": "T0 waits",
    "two_cores_one_word": "TRISC1 waits",
}
"""By program: how the schedule that is found begins. BRISC's push fails a check in the undisturbed
run already; the schedule there is one in which it does not."""
IN_L1 = ("two_cores_one_word",)
"""Whose race is for a word that is no array: all of L1 is compared."""
AT_ONCE = "what a core asks of the NoC is done at once in every schedule"
NOT_SHOWN = {
    "cb_fills_an_input": "nobody waits for a tile behind those that the host has filled in",
    "cb_in_a_stream_pop_without_wait": "a mailbox orders the two, and nobody outputs the counters",
    "cb_in_a_stream_two_pushers": "a mailbox orders the two; that both count is the fault",
    "cb_pop_too_many": "a core alone counts too far, in every order",
    "cb_pop_without_wait": "the host has filled the buffer before the start",
    "cb_push_without_room": "the buffer has room for all tiles",
    "cb_wrong_pusher": "both count to the same number",
    "config_under_the_packer": "a packer's configuration is taken as its word is issued",
    "mop_programmed_too_early": "of the MOP's words, all NOPs, nothing is left",
    "pop_before_the_barrier": AT_ONCE,
    "push_before_the_barrier": AT_ONCE,
}
"""By program: why its fault makes no difference in any schedule. The checker alone finds these."""


def explorer(name: str, folder: Path, *, healthy: bool) -> Explorer:
    program = read(PROGRAMS / f"{name}.cpp")
    kernel = program.kernel("\n".join(program.lines(healthy)) + "\n", folder)
    tile = Tile(program.arch)
    tile.state.s.noc.connected = program.connected
    return kernel_explorer(replace(kernel, outputs=()) if name in IN_L1 else kernel, tile, 100_000)


@pytest.mark.parametrize("name", FOUND)
def test_a_race_is_found_in_its_budget_and_replays(name: str, tmp_path: Path) -> None:
    faulty = explorer(name, tmp_path, healthy=False)
    made = explore(faulty, BUDGET)
    assert made.found is not None
    assert isinstance(made.found, Priorities) or len(made.found) == 1
    assert lines(made.found)[0].startswith(FOUND[name])
    write_schedule(tmp_path / "s.json", name, made.found)
    again = faulty.run(read_schedule(tmp_path / "s.json"))
    assert again == made.outcome
    assert again.differs(faulty.base)


@pytest.mark.parametrize("name", FOUND)
def test_the_healthy_twin_is_silent(name: str, tmp_path: Path) -> None:
    healthy = explorer(name, tmp_path, healthy=True)
    assert healthy.base.kind == "done"
    assert explore(healthy, BUDGET).found is None


@pytest.mark.parametrize("name", NOT_SHOWN)
def test_a_fault_that_no_schedule_shows(name: str, tmp_path: Path) -> None:
    """So that the table is true: whoever makes a schedule show one has to move its line."""
    assert explore(explorer(name, tmp_path, healthy=False), BUDGET).found is None
