"""A delay until rest lasts until nothing but the delayed one can move, however long that takes."""

import pytest

from riscv_program import T0, T1, T2, ZERO, addi, bne, li, load, lw, start, store, sw
from tilelab.explore.explorer import Explorer
from tilelab.explore.orders import explore_orders
from tilelab.explore.plan import UNTIL_REST
from tilelab.explore.prepare import push_all
from tilelab.explore.schedule import Delay
from tilelab.explore.search import explore
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, PC_BUF, SEMAPHORES, WALL_CLOCK_L
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import assemble

FLAG, WRITTEN, COPIED, RESULT = (0x20000 + 32 * i for i in range(4))
WRITER, READER = 0, 1
TURNS = 400
"""Of a loop: far longer than the 48 rounds that were once taken for rest."""
T3 = 28
CLOCK = DEBUG_REGISTERS + WALL_CLOCK_L
COMPUTES = [*li(T2, TURNS), addi(T2, T2, -1), bne(T2, ZERO, -1)]
"""In its own registers alone."""
READS_CLOCKS = [*li(T2, TURNS), *li(T0, CLOCK), lw(T1, T0), addi(T2, T2, -1), bne(T2, ZERO, -2)]
COPIES = [*load(T2, FLAG), *li(T1, RESULT), sw(T2, T1), *store(COPIED, 1)]
WRITES = [*store(FLAG, 1), *store(WRITTEN, 1)]
POLLS = [*li(T0, FLAG), lw(T2, T0), bne(T2, 29, -1)]
POLLS_AND_READS_CLOCKS = [*li(T3, CLOCK), *li(T0, FLAG), lw(T1, T3), lw(T2, T0), bne(T2, 29, -2)]


def explorer(reader: list[int], writer: list[int] = WRITES, *, ordered: bool = True) -> Explorer:
    """One core sets a flag; the other one, as it goes, copies it."""
    tile = Tile()
    start(tile, {WRITER: writer, READER: [*li(29, 1), *reader, *COPIES]})
    ends = {WRITTEN: 1, COPIED: 1}
    return Explorer(tile, lambda ran: ran.read(RESULT, 4), ends, 100_000, ordered)


@pytest.mark.parametrize("reader", [COMPUTES, READS_CLOCKS], ids=["computes", "clocks"])
def test_no_order_is_missed_that_takes_long(reader: list[int]) -> None:
    made = explore_orders(explorer(reader), bound=1)
    assert made.found is not None
    (delay,) = made.found
    assert isinstance(delay, Delay)
    assert delay.actor == WRITER


def test_a_single_delay_until_rest_lasts_as_long() -> None:
    made = explorer(COMPUTES, ordered=False)
    writes = next(point for point in made.points if point.actor == WRITER)
    assert writes.rounds == UNTIL_REST
    assert made.run((writes,)).differs(made.base)
    found = explore(made, 100).found
    assert found is not None


def test_it_ends_as_soon_as_the_others_only_poll() -> None:
    made = explorer(POLLS)
    found = explore_orders(made, bound=2)
    assert found.found is None
    assert found.complete
    assert found.gave_up == 0
    writes = next(point for point in made.points if point.actor == WRITER)
    assert made.run((writes,)).kind == "done"
    assert made.engine.plan["delay"][0]["held"] < 100


def test_rest_ends_the_last_of_many_delays() -> None:
    """More than a byte can count: those before it are never come to."""
    made = explorer(POLLS, ordered=False)
    writes = next(point for point in made.points if point.actor == WRITER)
    many = tuple(Delay(WRITER, 10_000 + i, UNTIL_REST) for i in range(300))
    assert made.run((*many, writes)).kind == "done"
    assert made.gave_up == 0
    assert made.engine.plan["delay"][300]["held"] < 100


def test_two_delays_until_rest_do_not_wait_for_each_other() -> None:
    made = explorer(COMPUTES, ordered=False)
    first = {point.actor: point for point in reversed(made.points)}
    assert made.run((first[WRITER], first[READER])).kind == "done"
    assert made.gave_up == 0


def test_who_reads_a_clock_for_ever_never_rests_and_that_is_said() -> None:
    polling = explorer(POLLS_AND_READS_CLOCKS, ordered=False)
    made = explore(polling, 30)
    assert made.found is None
    assert made.gave_up > 0
    assert f"until rest ended after {polling.longest:,} rounds" in made.covered()
    said = made.as_dict()
    assert (said["gave_up"], said["longest"]) == (made.gave_up, polling.longest)


WAITS_FOR_ANOTHER = """
.thread 0
ttseminit 2,0,6
ttsempost 2
.thread 1
ttsemwait 2,2,1
ttsempost 4
"""
"""One order only: nobody gets past a wait before the post."""


def test_not_every_order_was_run_if_one_was_given_up() -> None:
    """The post is held until the wait is over: in vain, but a core that reads a clock goes on."""
    tile = Tile()
    push_all(assemble(WAITS_FOR_ANOTHER, "blackhole", "x.s"), tile)
    posted = PC_BUF + SEMAPHORES + 4 * 2
    polls = [*li(T0, posted), lw(T2, T0), bne(T2, 29, -1)]
    clocks = [*li(T0, CLOCK), lw(T1, T0), bne(29, ZERO, -1)]
    start(tile, {READER: [*li(29, 1), *polls, *store(COPIED, 1)], WRITER: [*li(29, 1), *clocks]})
    polling = Explorer(tile, lambda ran: b"", {COPIED: 1}, 100_000, ordered=True)
    made = explore_orders(polling, 1)
    assert made.found is None
    assert made.gave_up > 0
    assert not made.complete
    assert f"not all: {made.gave_up} delay" in made.covered()
    assert made.covered().endswith("before others rested, so orders may be missing")
