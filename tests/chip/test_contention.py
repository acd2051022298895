"""What requests wait for that others are in the way of: links, the way into a tile, DRAM."""

import numpy as np
import pytest

from chip_program import BRISC, CHIPS, PLACES, boot
from tilelab.chip.chip import Chip
from tilelab.chip.flight_record import ALONG_X
from tilelab.chip.ways import new_packet, slot, take, virtual_channel, way
from tilelab.tensix.arch import arch
from tilelab.tensix.tables.layout import Place
from timed_chip import KIB, LINE, ended, make, writes

EACH = pytest.mark.parametrize("chip", CHIPS)


@EACH
def test_two_flows_over_one_link_have_half_of_it(chip: str) -> None:
    """Flows that share none go as fast as one alone; a second link shared costs nothing more."""
    a, b, c, d = LINE[chip][:4]
    size, count = 8 * KIB, 12

    def last(flows: dict[Place, Place]) -> int:
        made, noted = make(chip, LINE[chip])
        for own, there in flows.items():
            boot(made, own, {BRISC: writes(chip, own, there, size, count)})
        assert made.run(1_000_000)
        return max(ended(made, noted, own) for own in flows)

    alone = last({a: b})
    assert last({a: b, c: d}) == pytest.approx(alone, rel=0.03)
    shared = last({a: c, b: d})  # both go from b to c
    assert shared == pytest.approx(2 * alone, rel=0.1)
    assert last({a: d, b: d}) == pytest.approx(last({a: c, b: c}), rel=0.02)


@EACH
def test_a_packet_that_waits_holds_the_ways_behind_it(chip: str) -> None:
    """What goes from b to c is slower where packets of a for d wait there, as d has others too."""
    a, b, c, d = LINE[chip][:4]
    above = [(d[0], y) for y in list(arch(chip).layout.rows)[1:5]]

    def took(*others: Place) -> int:
        made, noted = make(chip, (a, b, c, d, *above))
        boot(made, b, {BRISC: writes(chip, b, c, 8 * KIB, 6)})
        for own in others:
            boot(made, own, {BRISC: writes(chip, own, d, 8 * KIB, 24)})
        assert made.run(1_000_000)
        return ended(made, noted, b)

    assert took(a, *above) > 1.2 * took(a)


def test_tiles_that_write_to_banks_at_random_reach_a_fraction_of_dram_on_wormhole() -> None:
    """18 to 55 of 288 bytes a cycle (tt-isa-documentation, WormholeB0/DRAMTile/README.md)."""
    layout = arch("wormhole").layout
    tiles = [(x, y) for y in list(layout.rows)[:6] for x in layout.columns]  # 48
    ports = list(layout.dram)
    rates = []
    for seed in (1, 2):
        choice = np.random.default_rng(seed)
        made, noted = make("wormhole", tuple(tiles))
        for own in tiles:
            there = ports[choice.integers(len(ports))]
            boot(made, own, {BRISC: writes("wormhole", own, there, 8 * KIB, 8)})
        assert made.run(1_000_000)
        took = max(ended(made, noted, own) for own in tiles)
        rates.append(len(tiles) * 8 * 8 * KIB / took)
    assert all(18 < rate < 55 for rate in rates), rates


def test_who_comes_to_a_way_first_goes_first() -> None:
    """Also where it is booked later, as long as it fits before what is booked."""
    c = Chip("blackhole", LINE["blackhole"][:1]).c
    k = way(0, 3, 3, ALONG_X)
    assert slot(c, k, 1000, 100) == 1000
    assert slot(c, k, 0, 600) == 0
    assert slot(c, k, 500, 300) == 600
    assert slot(c, k, 800, 300) == 1100


def test_answers_choose_the_virtual_channel_that_is_free_sooner() -> None:
    """What a request holds up is no answer's."""
    c = Chip("blackhole", LINE["blackhole"][:1]).c
    k = way(0, 3, 3, ALONG_X)
    c.held[k, 0] = 500
    assert virtual_channel(c, k) == 1
    c.held[k, 1] = 900
    assert virtual_channel(c, k) == 0
    new_packet(c)
    assert take(c, k, 0, 100, virtual_channel(c, k)) == 500
    c.is_request = 1
    new_packet(c)
    assert take(c, k, 0, 100, virtual_channel(c, k)) == 0


@EACH
def test_many_senders_share_the_way_into_one_tile(chip: str) -> None:
    target, column = PLACES[chip][0], arch(chip).layout.rows
    senders = [(target[0], y) for y in list(column)[1:5]]
    made, noted = make(chip, (target, *senders))
    for own in senders:
        boot(made, own, {BRISC: writes(chip, own, target, 8 * KIB, 8)})
    assert made.run(1_000_000)
    took = max(ended(made, noted, own) for own in senders)
    rate = len(senders) * 8 * 8 * KIB / took
    assert 0.85 < rate / made.arch.noc_times.flit_bytes.value < 1
