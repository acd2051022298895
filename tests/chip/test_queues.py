"""Requests for reads wait in routers' buffers; links are given in turn to those who want them."""

import numpy as np
import pytest

from chip_program import BRISC, CHIPS, DRAM, READ, at, boot, keep, niu_register, request, results
from tilelab.chip.chip import Chip
from tilelab.chip.flight_record import FLIGHTS, READ_QUEUES
from tilelab.tensix.arch import arch
from tilelab.tensix.tables.layout import Place
from timed_chip import KIB, LINE, ended, make, reads

EACH = pytest.mark.parametrize("chip", CHIPS)


def assert_nobody_waits(made: Chip) -> None:
    """Nothing is left in any queue, and every flight is free."""
    c = made.c
    for q in range(READ_QUEUES):
        w = c.queue[q]
        assert (w.count, w.waits, w.asked_first, w.listed) == (0, 0, 0, 0), q
    assert c.lists == 0
    assert c.flights_left == FLIGHTS


@EACH
def test_who_joins_a_full_link_last_has_half_of_it(chip: str) -> None:
    """Four tiles read one bank: those behind share what the last one leaves them.

    As on cards: there (mesham/tt-sim, dramratebench) it is done after 0.64 (Wormhole) and 0.70
    (Blackhole) of the time of all, with 256 requests each.
    """
    tiles = LINE[chip][:4]
    made, noted = make(chip, tiles)
    for own in tiles:
        boot(made, own, {BRISC: reads(chip, own, DRAM[chip], 4 * KIB, 256)})
    assert made.run(2_000_000)
    times = [ended(made, noted, own) for own in tiles]
    assert times[-1] == min(times)
    assert 0.5 < times[-1] / max(times) < 0.8
    assert_nobody_waits(made)


@EACH
def test_a_request_stands_behind_those_for_a_busy_place(chip: str) -> None:
    """A tile with a bank of its own is slower where its requests pass those for another bank."""
    layout = arch(chip).layout
    other = next(place for place, bank in layout.dram.items() if bank != layout.dram[DRAM[chip]])
    first, *others = LINE[chip][:4]

    def took(busy: int) -> int:
        made, noted = make(chip, LINE[chip][:4])
        boot(made, first, {BRISC: reads(chip, first, other, 4 * KIB, 128)})
        for own in others if busy else ():
            boot(made, own, {BRISC: reads(chip, own, DRAM[chip], 4 * KIB, 192)})
        assert made.run(2_000_000)
        return ended(made, noted, first)

    assert took(busy=1) > 1.2 * took(busy=0)


@EACH
def test_an_initiator_is_busy_while_its_router_has_no_room(chip: str) -> None:
    go = arch(chip).noc.go
    tiles = LINE[chip][:4]
    made, _ = make(chip, tiles)
    for own in tiles:
        where, back = (0x10000, at(DRAM[chip])), (0x40000, at(own))
        words = request(made.arch, READ, where, back, 8 * KIB) * 130
        before, after = (keep(niu_register(0, go), slot) for slot in range(2))
        boot(made, own, {BRISC: [*before, *words, *after]})
    assert made.run(2_000_000)
    assert [results(made, own, 1) for own in tiles] == [[0]] * len(tiles)
    assert any(results(made, own, 2)[1] for own in tiles)
    for own in tiles:
        assert made.read(own, niu_register(0, go), 4) == bytes(4)


@EACH
@pytest.mark.parametrize("seed", range(2))
def test_no_ring_stands_still(chip: str, seed: int) -> None:
    """Many tiles read from each other and from DRAM at random, by both NoCs: all are answered."""
    layout = arch(chip).layout
    choice = np.random.default_rng(seed)
    tiles = [(x, y) for y in list(layout.rows)[:4] for x in layout.columns]
    sources: list[Place] = [*tiles, *layout.dram]
    made = Chip(chip, tiles, clock="cycle")
    for own in tiles:
        words: list[int] = []
        for _ in range(40):
            there = sources[choice.integers(len(sources))]
            niu = int(choice.integers(2)) if there in tiles else 0
            size = int(choice.choice([64, 2048, 8192]))
            where, back = (0x10000, at(there)), (0x40000, at(own))
            words += request(made.arch, READ, where, back, size, niu=niu)
        boot(made, own, {BRISC: words})
    assert made.run(2_000_000)
    assert made.c.requests == 40 * len(tiles)
    assert_nobody_waits(made)
