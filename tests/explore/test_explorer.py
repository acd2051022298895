"""The race explorer: silent on what is ordered, finds what is not, shrinks it, replays it."""

from pathlib import Path

import pytest

from tilelab.explore.explorer import Explorer
from tilelab.explore.orders import explore_orders
from tilelab.explore.plan import THREAD_ACTOR
from tilelab.explore.prepare import kernel_explorer, program_explorer
from tilelab.explore.schedule import (
    DOCUMENTED,
    ISA_ONLY,
    read_schedule,
    write_schedule,
)
from tilelab.explore.search import explore, turns
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import assemble

RACE = """.thread 0
ttseminit 2,0,2
ttrmwcib0 255,1,180
{post}.thread 1
ttnop
ttnop
ttnop
ttnop
{wait}ttrmwcib0 255,2,180
"""
"""Two threads write one word, in an order that nothing but luck keeps."""


def explorer(text: str, ordered: bool = False) -> Explorer:
    return program_explorer(assemble(text, "blackhole", "x.s"), Tile(), 100_000, ordered)


@pytest.fixture(scope="module")
def racing() -> Explorer:
    return explorer(RACE.format(post="", wait=""))


def test_a_race_is_found_and_shrunk(racing: Explorer) -> None:
    made = explore(racing, 1000)
    assert made.found is not None
    assert len(made.found) == 1
    (delay,) = made.found
    assert delay.actor == THREAD_ACTOR
    assert delay.rounds <= 4
    assert made.outcome is not None
    assert made.outcome.kind == "done"
    assert "1 delay differs" in made.covered()


def test_what_is_ordered_never_differs() -> None:
    text = RACE.format(post="ttsempost 2\n", wait="ttsemwait 128,2,1\n")
    made = explore_orders(explorer(text, ordered=True), 2)
    assert made.found is None
    assert made.complete
    assert "the 1 order there is" in made.covered()


def test_a_schedule_replays_from_a_file(racing: Explorer, tmp_path: Path) -> None:
    found = explore(racing, 1000).found
    assert found is not None
    write_schedule(tmp_path / "s.json", "x.s", found)
    again = read_schedule(tmp_path / "s.json")
    assert again == found
    assert racing.run(again).differs(racing.base)
    assert racing.run(again) == racing.run(again)
    assert not racing.run(()).differs(racing.base)


def test_the_same_seed_gives_the_same_schedules(racing: Explorer) -> None:
    draws = [turns(100, seed, 3, ISA_ONLY) for seed in (5, 5, 6)]
    first, second, third = ([next(draw) for _ in range(20)] for draw in draws)
    assert first == second
    assert first != third


def test_an_example_under_schedules() -> None:
    kernel = read_kernel_file(Path("examples/eltwise_add"))
    exploring = kernel_explorer(kernel, Tile(kernel.arch), 1_000_000)
    assert exploring.base.kind == "done"
    made = explore(exploring, 300, reachable=DOCUMENTED)
    assert made.found is None
    assert made.schedules == 300


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", '{"version": 2}', '{"version": 2, "delays": [{}]}'),
        '{"version": 2, "priorities": {"order": ["T0"], "changes": []}}',
    ],
)
def test_a_file_that_is_no_schedule(text: str, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(BadInputError):
        read_schedule(tmp_path / "s.json")


def test_a_program_that_does_not_fit() -> None:
    with pytest.raises(BadInputError, match="for its FIFO"):
        explorer("ttnop\n" * 100)
