"""What the search of orders claims is what all interleavings of a model say, at every bound."""

import random
import re
from typing import Any

from interleavings import DONE, SUMS, WORDS, Event, Program, TooManyError, code, drawn, everything

from riscv_program import T0, T1, addi, li, lw, start, sw
from tilelab.explore.explorer import Explorer
from tilelab.explore.orders import Orders, explore_orders
from tilelab.explore.plan import DELAYS
from tilelab.explore.schedule import DOCUMENTED
from tilelab.explore.traces import Trace, settled
from tilelab.tensix.tile.tile import Tile

PROGRAMS = 200
ALL = 99


def explorer(program: Program, semaphores: list[int], seed: int) -> tuple[Explorer, list[Any]]:
    """An explorer to which all results are alike, and a list of what they are."""
    rng, tile, seen = random.Random(seed), Tile(), []
    start(tile, {core: code(core, theirs, rng) for core, theirs in enumerate(program)})
    for number in range(8):
        tile.state.s.semaphore[number].max = 15
        tile.state.s.semaphore[number].value = dict(enumerate(semaphores)).get(number, 0)

    def outputs(ran: Tile) -> bytes:
        sums = (int.from_bytes(ran.read(at, 4), "little") for at in SUMS[: len(program)])
        words = (int.from_bytes(ran.read(at, 4), "little") for at in WORDS)
        values = (int(ran.state.s.semaphore[i].value) for i in range(len(semaphores)))
        seen.append((tuple(sums), tuple(words), tuple(values)))
        return b""

    ends = {DONE[core]: 1 for core in range(len(program))}
    return Explorer(tile, outputs, ends, 100_000, ordered=True), seen


def base_of(made: Explorer, program: Program) -> dict[Event, int]:
    made.run((), logging=True)
    log = settled(made.accesses().copy())
    events = zip(log["actor"].tolist(), log["at"].tolist(), strict=True)
    every = {(c, i) for c, theirs in enumerate(program) for i in range(len(theirs))}
    places = [event for event in events if event in every]
    assert len(places) == len(every)
    return {event: place for place, event in enumerate(places)}


def test_the_search_finds_what_all_interleavings_do_at_every_bound() -> None:
    compared = hangs = orders = seed = 0
    while compared < PROGRAMS:
        seed += 1
        program, semaphores = drawn(random.Random(seed))
        made, seen = explorer(program, semaphores, seed)
        if made.base.kind != "done":
            continue
        try:
            every = everything(program, semaphores, base_of(made, program))
        except TooManyError:
            continue
        hang = every.ends.pop("hang", None)
        for bound in (1, 2, 3, ALL):
            seen.clear()
            found = Orders(made, DOCUMENTED, bound).explore()
            said = seed, bound, program, semaphores, found.covered()
            if found.found is not None:
                assert hang is not None, said
                assert found.outcome is not None, said
                assert found.outcome.kind == "hang", said
                hangs += 1
                continue
            assert hang is None or hang > bound, said
            within = {end for end, turned in every.ends.items() if turned <= bound}
            # a run may also show more: one whose order could not be as it was wanted
            assert within <= set(seen) <= set(every.ends), said
            assert found.orders == sum(turned <= bound for turned in every.orders.values()), said
            if bound == ALL:
                assert found.whole, said
                orders += found.orders
        compared += 1
    assert hangs > 5
    assert orders > 2000


def adding() -> Explorer:
    """Two cores add 1 to a word three times each; what is told is whether it ends as 2."""
    once = [lw(T1, T0), addi(T1, T1, 1), sw(T1, T0)]
    tile = Tile()
    ends = dict.fromkeys(DONE[:2], 1)
    last = [[*li(T0, at), addi(T1, 0, 1), sw(T1, T0)] for at in ends]
    start(tile, {core: [*li(T0, WORDS[0]), *once * 3, *last[core]] for core in range(2)})
    return Explorer(tile, lambda ran: bytes([ran.read(WORDS[0], 4)[0] == 2]), ends, 100_000, True)


def test_what_is_claimed_of_a_lost_count_is_true_at_every_bound() -> None:
    """It was said that no schedule with at most 3 delays differs, and then one of 3 was found."""
    made = adding()
    made.run((), logging=True)
    base = Trace(made.accesses())
    claimed = {"delay": 0, "pair": 0}
    least = None
    for bound in range(1, 20):
        found = explore_orders(made, bound)
        if found.found is None:
            assert least is None
            assert not found.whole
            said = re.search(r"at most (\d+) (delay|pair)", found.covered())
            assert said is not None
            claimed[said[2]] = int(said[1])
            continue
        assert isinstance(found.found, tuple)
        least = least or bound
        assert len(found.found) < DELAYS
        assert made.run(found.found, logging=True).differs(made.base)
        turned = Trace(made.accesses()).turned_from(base)
        assert len(found.found) > claimed["delay"]
        assert turned > claimed["pair"]
    assert least is not None
    assert claimed == {"delay": 0, "pair": least - 1}
