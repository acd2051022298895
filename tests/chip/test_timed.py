"""A chip under the cycle clock: results are those of the untimed one; what it asks takes time."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from chip_program import (
    ATOMIC,
    BRISC,
    CHIPS,
    DRAM,
    INCREMENT,
    PLACES,
    READ,
    WRITE,
    at,
    boot,
    counter,
    keep,
    request,
    results,
    wait_register,
    word,
)
from chip_traffic import recording
from riscv_program import store, wait_for
from tilelab.chip.chip import Chip
from tilelab.chip.flight_record import ALONG_X
from tilelab.chip.memory import number
from tilelab.chip.ways import way
from tilelab.sim.errors import TilelabError
from tilelab.tensix.arch import arch
from tilelab.tensix.noc import niu as n
from tilelab.tensix.state import HEADER_BYTES
from tilelab.trace.chip.recorded import ChipRecorded
from tilelab.trace.chip.waits import program_sentence, programs, sentence, used, waits
from tilelab.traffic.ahead import replay_ahead
from tilelab.traffic.calls import read_any
from timed_chip import KIB, LINE, ended, make, reads, writes

EACH = pytest.mark.parametrize("chip", CHIPS)
NCRISC = 4


def relay(chip: str, clock: str) -> tuple[Chip, bytes]:
    """Three tiles hand over to each other in every way that requests have."""
    one, two, three = PLACES[chip]
    about = arch(chip)
    made, _ = make(chip, PLACES[chip], clock)
    data = bytes(range(256)) * 8
    made.write(DRAM[chip], 0x1000, data)
    first = request(about, READ, (0x1000, at(DRAM[chip])), (0x4000, at(one)), len(data))
    first += wait_register(counter(0, n.READ_RESPONSES), 1)
    first += request(about, WRITE, (0x4000, at(one)), (0x9000, at(two)), len(data))
    first += request(about, ATOMIC, (0xA000, at(two)), (0xB000, at(one)), INCREMENT, 1)
    first += wait_register(counter(0, n.WRITE_ACKS), 1)
    first += wait_register(counter(0, n.ATOMIC_RESPONSES), 1)
    dram = DRAM[chip]
    if dram[0] < about.layout.mirrored_below:  # NoC 1 counts from the other corner
        dram = (about.noc.width - 1 - dram[0], about.noc.height - 1 - dram[1])
    second = wait_for(0xA000, 2)
    second += request(about, WRITE, (0x9000, at(two)), (0x2000, at(dram)), len(data), niu=1)
    second += wait_register(counter(1, n.WRITE_ACKS), 1)
    third = [
        *request(about, ATOMIC, (0xA000, at(two)), (0xB000, at(three)), INCREMENT, 1, niu=1),
        *wait_register(counter(1, n.ATOMIC_RESPONSES), 1),
    ]
    boot(made, two, {BRISC: second})
    boot(made, three, {NCRISC: third})
    boot(made, one, {BRISC: first})
    assert made.run(100_000)
    seen = made.read(DRAM[chip], 0x2000, len(data))
    assert seen == data
    return made, seen + b"".join(made.read(place, 0x9000, 0x2000) for place in PLACES[chip])


@EACH
def test_results_are_those_of_a_chip_without_time(chip: str) -> None:
    timed, seen = relay(chip, "cycle")
    untimed, same = relay(chip, "functional")
    assert seen == same
    assert timed.requests == untimed.requests
    for niu in range(2):
        for place in PLACES[chip]:
            mine = timed.tiles[place].state.record["noc"]["counter"][niu]
            assert np.array_equal(mine, untimed.tiles[place].state.record["noc"]["counter"][niu])


@EACH
def test_timed_runs_repeat_exactly(chip: str) -> None:
    ends = [
        [t.state.memory[HEADER_BYTES:].tobytes() for t in relay(chip, "cycle")[0].tiles.values()]
        for _ in range(2)
    ]
    assert ends[0] == ends[1]


@EACH
def test_a_recording_has_the_replies_that_it_has_without_time(chip: str, tmp_path: Path) -> None:
    path = tmp_path / "traffic.txt"
    path.write_text(recording(chip))
    read = read_any(str(path))
    timed = Chip(read.arch, read.tiles, clock="cycle")
    assert replay_ahead(read, timed, lambda _: None).passed
    assert timed.requests == 2


@EACH
def test_a_request_takes_the_ways_round_the_torus(chip: str) -> None:
    """There and back are one round of the ring, however far the target is; DRAM takes longer."""
    about = arch(chip)
    times = about.noc_times
    own, *others = LINE[chip]
    took = {}
    for there in (others[0], others[-1], PLACES[chip][2], DRAM[chip]):
        made, noted = make(chip, (*LINE[chip], PLACES[chip][2]))
        boot(made, own, {BRISC: reads(chip, own, there, 64, 1)})
        assert made.run(10_000)
        took[there] = ended(made, noted, own)
    assert took[others[0]] == took[others[-1]]
    ring, column = about.noc.width, about.noc.height
    hops = times.hop.value * (ring - column)
    assert took[others[0]] - took[PLACES[chip][2]] == pytest.approx(hops, abs=1)
    assert took[DRAM[chip]] - took[others[0]] >= times.dram_read.value


@EACH
def test_the_barrier_waits_for_the_acknowledgement_and_a_flush_for_the_last_flit(chip: str) -> None:
    one, two, _ = PLACES[chip]
    made, _ = make(chip, PLACES[chip])
    words = request(made.arch, WRITE, (0x4000, at(one)), (0x9000, at(two)), 8 * KIB)
    clock = 0xFFB121F0
    words += [*keep(clock, 0), *wait_register(counter(0, n.WRITES_SENT), 1), *keep(clock, 1)]
    words += [*wait_register(counter(0, n.WRITE_ACKS), 1), *keep(clock, 2)]
    boot(made, one, {BRISC: words})
    assert made.run(100_000)
    asked, left, acknowledged = results(made, one, 3)
    carried = 8 * KIB // made.arch.noc_times.flit_bytes.value
    assert carried < left - asked < carried * 1.2 + 60
    assert acknowledged - left > made.arch.noc_times.hop.value * made.arch.noc.height - 30


@EACH
def test_bytes_of_a_write_are_taken_as_it_leaves(chip: str) -> None:
    """After a flush the source may be written again, while the packet is still under way."""
    one, two, _ = PLACES[chip]
    made, _ = make(chip, PLACES[chip])
    made.write(one, 0x4000, b"1" * 64)
    words = request(made.arch, WRITE, (0x4000, at(one)), (0x9000, at(two)), 64)
    words += [*wait_register(counter(0, n.WRITES_SENT), 1), *store(0x4000, 0)]
    boot(made, one, {BRISC: words})
    assert made.run(100_000)
    assert made.read(two, 0x9000, 64) == b"1" * 64
    assert word(made, one, 0x4000) == 0


@EACH
def test_a_dram_channel_has_its_rate_however_many_read_it(chip: str) -> None:
    for readers in (1, 3):
        made, noted = make(chip, LINE[chip][:readers])
        for own in LINE[chip][:readers]:
            boot(made, own, {BRISC: reads(chip, own, DRAM[chip], 4 * KIB, 96)})
        assert made.run(1_000_000)
        took = max(ended(made, noted, own) for own in LINE[chip][:readers])
        rate = 1000 * readers * 96 * 4 * KIB / took
        assert rate == pytest.approx(made.arch.noc_times.dram_read_rate.value, rel=0.1)


@EACH
def test_small_reads_of_dram_are_limited_by_their_number(chip: str) -> None:
    made, noted = make(chip, LINE[chip][:3])
    for own in LINE[chip][:3]:
        boot(made, own, {BRISC: reads(chip, own, DRAM[chip], 32, 100)})
    assert made.run(1_000_000)
    found = np.sort(np.concatenate(noted)["clock"] + np.concatenate(noted)["took"])
    apart = (found[-1] - found[50]) / (len(found) - 51)
    assert apart >= made.arch.noc_times.dram_request_tenths.value / 10 - 0.1


@EACH
def test_atomics_at_one_place_take_turns(chip: str) -> None:
    target, senders = LINE[chip][0], LINE[chip][1:4]
    made, noted = make(chip, LINE[chip])
    for own in senders:
        one = request(made.arch, ATOMIC, (0xA000, at(target)), (0xB000, at(own)), INCREMENT, 1)
        boot(made, own, {BRISC: [*one * 8, *wait_register(counter(0, n.ATOMIC_RESPONSES), 8)]})
    assert made.run(1_000_000)
    assert word(made, target, 0xA000) == 24
    assert sum(int(batch["queue"].sum()) for batch in noted) > 0


def test_a_multicast_takes_each_link_once_and_reaches_the_far_ones_later() -> None:
    own, *others = LINE["blackhole"]
    made, _ = make("blackhole", LINE["blackhole"])
    made.write(own, 0x4000, b"m" * 64)
    ret = at(others[-1], others[0])
    words = request(made.arch, WRITE | 1 << 5, (0x4000, at(own)), (0x9000, ret), 64)
    words += wait_register(counter(0, n.WRITE_ACKS), len(others))
    boot(made, own, {BRISC: words})
    for place in others:
        watched = [*wait_for(0x9000, int.from_bytes(b"mmmm", "little")), *keep(0xFFB121F0, 0)]
        boot(made, place, {BRISC: watched})
    assert made.run(100_000)
    seen = [results(made, place, 1)[0] for place in others]
    hop = made.arch.noc_times.hop.value
    assert all(abs(after - first - hop) <= 3 for first, after in pairwise(seen))
    x, y = own  # physical, too
    assert made.c.way_busy[way(0, x, y, ALONG_X)] == 20  # tenths: two flits, once


@EACH
def test_more_requests_than_an_interface_holds_wait_for_room(chip: str) -> None:
    one, two, _ = PLACES[chip]
    made, _ = make(chip, PLACES[chip])
    made.write(one, 0x4000, b"room" * 4)
    boot(made, one, {BRISC: writes(chip, one, two, 16, 200)})
    assert made.run(1_000_000)
    assert made.requests == 200
    assert made.c.events == 0
    assert made.asleep


@EACH
def test_every_request_is_asked_for_in_its_own_cycle(chip: str) -> None:
    """Also in the last one before others see what a tile did."""
    own, there = LINE[chip][:2]
    made, noted = make(chip, LINE[chip])
    words: list[int] = []
    for k in range(1, 33):
        words += request(made.arch, READ, (0x1000, at(there)), (0x4000, at(own)), 16)
        words += [*wait_register(counter(0, n.READ_RESPONSES), k), *[0x13] * (k % 5)]
    boot(made, own, {BRISC: words})
    assert made.run(100_000)
    found = np.concatenate(noted)
    assert len(set(found["clock"].tolist())) == 32
    assert len(set(found["took"].tolist())) == 1


@EACH
def test_requests_for_which_there_is_no_flight_wait_for_one(chip: str) -> None:
    own, *others = LINE[chip]
    made, noted = make(chip, LINE[chip])
    room = len(LINE[chip]) + 1
    made.c.flights_left = room
    made.write(own, 0x10000, b"wait" * 4)
    ret = at(others[-1], others[0])
    many = request(made.arch, WRITE | 1 << 5, (0x10000, at(own)), (0x9000, ret), 16)
    one = request(made.arch, WRITE, (0x10000, at(own)), (0x9010, at(others[0])), 16)
    words = [*one * 30, *many * 3, *one * 30]
    words += wait_register(counter(0, n.WRITE_ACKS), 60 + 3 * len(others))
    boot(made, own, {BRISC: words})
    assert made.run(1_000_000)
    assert made.requests == 63
    assert made.c.flights_left == room
    assert made.read(others[-1], 0x9000, 16) == b"wait" * 4
    clocks = np.concatenate(noted)["clock"]
    assert len(clocks) == 63


@EACH
def test_a_request_that_cannot_be_done_is_told_as_without_time(chip: str) -> None:
    own = PLACES[chip][0]
    said = []
    for clock in ("cycle", "functional"):
        made, _ = make(chip, PLACES[chip], clock)
        size = made.arch.l1_size
        there = PLACES[chip][1]
        words = request(made.arch, WRITE, (0x4000, at(own)), (size - 16, at(there)), 64)
        boot(made, own, {BRISC: [*words, *wait_register(counter(0, n.WRITE_ACKS), 1)]})
        with pytest.raises(TilelabError) as error:
            made.run(100_000)
        said.append([line for line in str(error.value).splitlines() if "cycle" not in line])
    assert said[0] == said[1]


@EACH
def test_where_every_place_is_on_the_noc(chip: str) -> None:
    made = Chip(chip, PLACES[chip])
    at_number = made.memory.record["physical_at"]
    for bank, ports in enumerate(made.arch.soc.dram):
        places = [p for p, index in made.arch.layout.dram.items() if index == bank]
        assert [int(at_number[number(place)]) for place in places] == [number(p) for p in ports]


@EACH
def test_what_a_core_waited_for_is_told_by_place(chip: str) -> None:
    own, there = LINE[chip][:2]
    made = Chip(chip, LINE[chip][:2], clock="cycle")
    kept = ChipRecorded(made)
    words = reads(chip, own, DRAM[chip], 4 * KIB, 16)
    words += writes(chip, own, there, 64, 1)
    boot(made, own, {BRISC: words})
    assert made.run(1_000_000)
    (piece,) = kept.pieces[own]
    first, second = waits(kept, own, piece)
    assert (first.core, first.target, first.requests) == ("BRISC", "DRAM bank 0", 16)
    assert second.target == f"tile {there[0]},{there[1]}"
    assert 0 < second.cycles < first.cycles < piece.end
    assert sum(first.shares.values()) == pytest.approx(first.cycles, abs=2)
    assert first.shares["queue"] > 0
    assert (
        f"BRISC waits at most {first.cycles:,} of {piece.end:,} cycles for DRAM bank 0"
        in sentence(first, piece.end)
    )
    (program,) = programs(kept)
    assert (program.start, program.cycles, program.tiles) == (piece.start, piece.end, 1)
    assert program.waiting["BRISC"] == (first.cycles + second.cycles) / piece.end
    assert "on 1 tile; of it waits for reads and writes, at most: BRISC" in program_sentence(
        program
    )
    assert used(made)[0].name == "DRAM bank 0, channel 0"
    assert 0.3 < used(made)[0].share < 1
