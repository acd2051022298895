"""Orders of dependent accesses, and priorities: what each finds, and what is known after."""

import numpy as np

from tilelab.tensix.explore.explorer import Explorer
from tilelab.tensix.explore.orders import explore_orders, order_of, races, settled
from tilelab.tensix.explore.plan import ACCESS, THREAD_ACTOR
from tilelab.tensix.explore.prepare import program_explorer
from tilelab.tensix.explore.schedule import Priorities
from tilelab.tensix.explore.search import Chance, explore, places, turns
from tilelab.tensix.tile import Tile
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
    """Accesses: actor, write, again, at, object."""
    return np.array(list(accesses), ACCESS)


def test_accesses_that_nothing_orders_are_races() -> None:
    found = list(races(settled(log((A, 1, 0, 0, 7), (B, 1, 0, 0, 7)))))
    assert found == [((A, 0, 7, 1), (B, 0, 7, 1))]
    # one object in between puts them in order
    ordered = log((A, 1, 0, 0, 7), (A, 1, 0, 1, 8), (B, 0, 0, 0, 8), (B, 1, 0, 1, 7))
    assert list(races(settled(ordered))) == [((A, 1, 8, 1), (B, 0, 8, 0))]
    assert not list(races(settled(log((A, 0, 0, 0, 7), (B, 0, 0, 0, 7)))))


def test_polling_in_vain_makes_no_other_order() -> None:
    short = settled(log((A, 1, 0, 0, 7), (B, 0, 0, 3, 7)))
    long = settled(log((B, 0, 0, 3, 7), (B, 0, 1, 4, 7), (A, 1, 0, 0, 7), (B, 0, 1, 4, 7)))
    assert short == long
    assert order_of(short) == order_of(long)
    assert order_of(short) != order_of(short[::-1])


def test_reads_commute_and_writes_do_not() -> None:
    reads = [(A, 0, 7, 0), (B, 0, 7, 0)]
    writes = [(A, 0, 7, 1), (B, 0, 7, 1)]
    assert order_of(reads) == order_of(reads[::-1])
    assert order_of(writes) != order_of(writes[::-1])


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
