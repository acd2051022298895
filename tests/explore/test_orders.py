"""Orders of dependent accesses, and priorities: what each finds, and what is known after."""

from pathlib import Path

import numpy as np

from tilelab.explore.explorer import Explorer
from tilelab.explore.orders import explore_orders
from tilelab.explore.plan import ACCESS, THREAD_ACTOR
from tilelab.explore.prepare import kernel_explorer, program_explorer
from tilelab.explore.schedule import Priorities
from tilelab.explore.search import (
    Chance,
    explore,
    places,
    turns,
)
from tilelab.explore.touches import POSTS
from tilelab.explore.traces import Trace
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import assemble

TWO_LATE = """.thread 0
ttseminit 2,0,2
ttseminit 2,0,4
ttnop
ttsempost 2
ttrmwcib0 255,1,180
.thread 1
ttsemwait 128,2,1
ttnop
ttrmwcib0 255,2,180
.thread 2
ttnop
"""
"""Thread 0 writes a word after it has let thread 1 write it."""

A, B = THREAD_ACTOR, THREAD_ACTOR + 1


def explorer(text: str, ordered: bool = False) -> Explorer:
    return program_explorer(assemble(text, "blackhole", "x.s"), Tile(), 100_000, ordered)


def log(*accesses: tuple[int, int, int, int, int]) -> np.ndarray:
    """Accesses: actor, kind, again, at, object."""
    return np.array(list(accesses), ACCESS)


def turned(*accesses: tuple[int, int, int, int, int]) -> list[tuple[int, frozenset[int], int]]:
    return list(Trace(log(*accesses)).turned(9))


def number(*accesses: tuple[int, int, int, int, int]) -> int:
    return Trace(log(*accesses)).number


def test_accesses_that_nothing_orders_can_be_turned() -> None:
    assert turned((A, 1, 0, 0, 7), (B, 1, 0, 0, 7)) == [(1, frozenset([0]), 1)]
    # one object in between puts them in order
    ordered = (A, 1, 0, 0, 7), (A, 1, 0, 1, 8), (B, 0, 0, 0, 8), (B, 1, 0, 1, 7)
    assert turned(*ordered) == [(2, frozenset([1]), 1)]
    assert not turned((A, 0, 0, 0, 7), (B, 0, 0, 0, 7))


def test_polling_in_vain_makes_no_other_order() -> None:
    short = (A, 1, 0, 0, 7), (0, 0, 0, 3, 7)
    long = (0, 0, 0, 3, 7), (0, 0, 1, 4, 7), (A, 1, 0, 0, 7), (0, 0, 1, 4, 7)
    assert number(*short) == number(*long)
    assert number(*short) != number(*short[::-1])


def test_reads_and_posts_commute_and_writes_do_not() -> None:
    for kind in (0, POSTS):
        # a write, for there to be an order at all
        made = [(A, kind, 0, 0, 7), (B, kind, 0, 0, 7), (A, 1, 0, 1, 7)]
        assert number(*made) == number(made[1], made[0], made[2])
    writes = (A, 1, 0, 0, 7), (B, 1, 0, 0, 7)
    assert number(*writes) != number(*writes[::-1])


def test_every_order_of_a_race_is_run() -> None:
    made = explore_orders(explorer(TWO_LATE, ordered=True), 1)
    assert made.found is not None
    assert not isinstance(made.found, Priorities)
    (delay,) = made.found
    assert delay.actor == THREAD_ACTOR
    assert "x.s:6" in delay.where
    assert made.schedules < 10


def test_priorities_find_the_race_as_often_as_is_promised() -> None:
    made = explorer(TWO_LATE)
    steps, actors = len(made.points), len({point.actor for point in made.points})
    drawn = list(zip(range(300), turns(steps, 3, 2, "documented timing"), strict=False))
    hits = sum(made.run(schedule).differs(made.base) for _, schedule in drawn)
    assert hits / 300 >= Chance(1, actors, steps, 2).each
    small = made.as_delays(next(s for _, s in drawn if made.run(s).differs(made.base)))
    assert small is not None
    assert len(small) == 1
    assert made.run(small).differs(made.base)


def test_no_chance_below_one_is_said_to_be_one() -> None:
    said = str(Chance(8000, 1, 1000, 2))
    assert "with more than 0.99" in said


def test_what_is_said_of_a_chance() -> None:
    chance = Chance(1000, 4, 100, 2)
    assert chance.each == 1 / 400
    assert 0.9 < chance.all < 0.95
    assert "depth 2" in str(chance)


def test_the_shortest_delay_is_found_and_where_else() -> None:
    made = explorer(TWO_LATE)
    found = explore(made, 1000)
    assert found.found is not None
    assert not isinstance(found.found, Priorities)
    elsewhere = places(made)
    assert elsewhere[0][0].rounds == min(delay.rounds for delay, _ in elsewhere)
    assert found.found[0].rounds == elsewhere[0][0].rounds


def test_of_a_shipped_example_every_order_with_one_pair_turned_is_met() -> None:
    """Though most of those that are tried cannot be: no delay waits longer than until rest."""
    kernel = read_kernel_file(Path("examples/eltwise_add"))
    made = explore_orders(kernel_explorer(kernel, Tile(), 100_000, ordered=True), 1)
    assert made.found is None
    assert made.complete
    assert made.gave_up == 0
    assert made.orders > 10
