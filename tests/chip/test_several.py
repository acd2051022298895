"""Several chips: their links, the cores of linked Ethernet tiles, what their host finds."""

import pytest

from chip_program import RESULT, WRITE, at, boot, counter, request, wait_register, word
from chips_program import (
    BOOT,
    BYTES,
    DATA,
    FLAG,
    PLACE,
    RESET,
    SENDS,
    STREAM,
    TAKES,
    THERE,
    as_bytes,
    send_bytes,
    send_word,
)  # fmt: skip
from chips_program import start as start_core
from riscv_program import store, wait_for
from tilelab.chip.pci import NO_DEVICE, PciBus
from tilelab.chip.several import QUIET, Chips
from tilelab.chip.state import SLICE
from tilelab.sim.errors import BadInputError, MachineError
from tilelab.tensix.arch import arch
from tilelab.tensix.noc import niu as n
from tilelab.tensix.tables.ethernet_registers import COMMAND, QUEUES
from tilelab.tensix.tables.layout import Place


def make(engine: str = "reference", in_step: bool = False, count: int = 2) -> Chips:
    return Chips("blackhole", count, tiles=[PLACE], engine=engine, in_step=in_step)


def start(chips: Chips, end: tuple[int, Place], program: list[int]) -> None:
    number, place = end
    start_core(chips.chips[number], place, program)


def passes(chips: Chips, clocks: int = 200) -> None:
    """Let what was started go to its end."""
    if chips.chips[0].c.in_step:
        for _ in range(clocks):
            chips.clock()
    else:
        assert chips.run(100_000)


@pytest.mark.parametrize("in_step", [False, True])
def test_bytes_and_words_go_over_a_link_in_order(in_step: bool) -> None:
    chips = make(in_step=in_step)
    (_, place), (_, other) = SENDS, TAKES
    first, second = chips.chips
    first.write(place, DATA, BYTES)
    sends = [*store(STREAM + 0x28, 16), *send_bytes(DATA, 64, THERE), *send_word(FLAG, 1)]
    start(chips, SENDS, [*sends, *send_word(STREAM + 0x438, 3 << 6)])
    own = at(other)
    takes = [*store(STREAM + 0x28, 5), *wait_for(FLAG, 1)]
    takes += request(arch("blackhole"), WRITE, (THERE, own), (RESULT, at(PLACE)), 64)
    start(chips, TAKES, [*takes, *wait_register(counter(0, n.WRITE_ACKS), 1), *store(FLAG, 2)])
    passes(chips)
    assert second.read(other, THERE, 64) == BYTES
    assert second.read(PLACE, RESULT, 64) == BYTES
    assert word(second, other, FLAG) == 2
    assert word(second, other, STREAM + 0x4A4) == 5 + 3, "credits of a buffer, and what was added"
    assert word(first, place, STREAM + 0x4A4) == 16
    assert first.read(PLACE, RESULT, 64) == bytes(64)


def test_a_tile_reaches_the_neighbour_through_its_own_ethernet_tile() -> None:
    chips = make()
    first, second = chips.chips
    first.write(PLACE, DATA, BYTES)
    (_, place), (_, other) = SENDS, TAKES
    asks = request(arch("blackhole"), WRITE, (DATA, at(PLACE)), (DATA, at(place)), 64)
    asks += wait_register(counter(0, n.WRITE_ACKS), 1)
    asks += request(
        arch("blackhole"), WRITE | 8, (STREAM + 0x438, at(place)), (0, at(PLACE)), 4, 64
    )
    boot(first, PLACE, {3: asks})
    start(chips, SENDS, [*wait_register(STREAM + 0x4A4, 1), *send_bytes(DATA, 64, THERE)])
    passes(chips)
    assert second.read(other, THERE, 64) == BYTES


def test_chips_that_wait_for_each_other_are_named() -> None:
    chips = make()
    start(chips, SENDS, wait_for(FLAG, 1))
    start(chips, TAKES, wait_for(FLAG, 1))
    assert chips.run(1_000_000)
    names = [name for name, tile in chips.running if tile.state.s.riscv[4].running]
    assert names == ["chip 0, Ethernet tile 22,25", "chip 1, Ethernet tile 29,25"]


def test_what_firmware_left_says_who_is_where() -> None:
    first, second = make().chips
    own, other = SENDS[1], TAKES[1]
    assert [word(first, place, BOOT + 4) for place in ((20, 25), own)] == [2, 1]
    assert [second.read(other, BOOT + 0x3C0 + at, 1)[0] for at in (1, 2)] == [1, 9]
    assert [second.read(other, BOOT + 0x3E0 + at, 1)[0] for at in (1, 2, 3, 24)] == [0, 2, 2, 1]
    assert [word(one, (8, 0), 0x10000200 + 4 * 13) for one in (first, second)] == [0, 1]
    assert word(first, own, RESET) == 0x1000, "its own firmware runs on the first core"


def test_a_host_finds_each_chip_where_it_belongs() -> None:
    bus = PciBus(make(count=3))
    assert [bus.config_read(bdf, 0) for bdf in (0, 8, 16)] == [0xB1401E52] * 3
    assert [bus.config_read(bdf, 0) for bdf in (24, 1, 9)] == [NO_DEVICE] * 3
    assert [bus.config_read(bdf, 0x24) for bdf in (0, 8, 16)] == [8, 0x18, 0x28]
    there = bus.about.bar0 + bus.about.entries
    for number in range(3):
        bus.write((number << 36) + there, as_bytes([0, at(PLACE) << 11, 0]))
        bus.write((number << 36) + bus.about.bar0 + DATA, bytes([number] * 4))
    assert [word(chip, PLACE, DATA) for chip in bus.chips.chips] == [0, 0x1010101, 0x2020202]


@pytest.mark.parametrize("in_step", [False, True])
def test_a_wiring_of_ones_own(in_step: bool) -> None:
    ring = [(0, 0, 1, 1), (1, 0, 2, 1), (2, 0, 0, 1)]
    chips = Chips("blackhole", 3, ring, [PLACE], "reference", in_step=in_step)
    chips.chips[0].write((20, 25), DATA, BYTES)
    start(chips, (0, (20, 25)), [*send_bytes(DATA, 64, DATA), *send_word(FLAG, 1)])
    for number in (1, 2):  # from the tile that takes to the one that sends, over the NoC
        own, out = at((21, 25)), at((20, 25))
        passed = request(arch("blackhole"), WRITE, (DATA, own), (DATA, out), 64)
        flag = request(arch("blackhole"), WRITE, (FLAG, own), (FLAG, out), 16)
        start(chips, (number, (21, 25)), [*wait_for(FLAG, 1), *passed, *flag])
        send = [*wait_for(FLAG, 1), *send_bytes(DATA, 64, DATA), *send_word(FLAG, 1)]
        start(chips, (number, (20, 25)), send)
    passes(chips, 1000)
    assert chips.chips[0].read((21, 25), DATA, 64) == BYTES


@pytest.mark.parametrize(
    ("count", "wiring", "message"),
    [
        (2, [(0, 2, 1, 12)], "no Ethernet tile 12 of chip 1"),
        (2, [(0, 2, 2, 1)], "no Ethernet tile 1 of chip 2"),
        (2, [(0, 2, 1, 1), (1, 2, 0, 2)], "tile 2 of chip 0 has one already"),
        (33, None, "1 to 32 are possible"),
    ],
)
def test_a_wiring_that_cannot_be_is_one_message(
    count: int, wiring: list[tuple[int, int, int, int]] | None, message: str
) -> None:
    with pytest.raises(BadInputError, match=message):
        Chips("blackhole", count, wiring, [PLACE], "reference")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (send_bytes(DATA, 24, THERE), "multiples of 16 bytes"),
        (store(QUEUES + COMMAND, 1), "a transmit queue's command 1"),
        (store(QUEUES + 0x20, 1), "register of an Ethernet tile at 0xffb90020"),
        (send_bytes(0x7FFF0, 64, THERE), "64 bytes at 0x7fff0 of Ethernet tile 22,25"),
        (send_word(STREAM + 0x30, 1), "the stream register"),
    ],
)
def test_what_a_link_does_not_do_is_an_error(program: list[int], message: str) -> None:
    chips = make()
    start(chips, SENDS, program)
    with pytest.raises(MachineError, match=message) as raised:
        chips.run(10_000)
    told = "\n".join([str(raised.value), *getattr(raised.value, "__notes__", [])])
    assert "chip 0, Ethernet tile 22,25" in told


def test_only_blackhole_has_neighbours() -> None:
    with pytest.raises(BadInputError, match="not for wormhole"):
        Chips("wormhole", 2)


def test_late_delivery_leaves_transfers_in_order() -> None:
    chips = Chips("blackhole", 2, tiles=[PLACE], engine="reference", delivery="late")
    chips.chips[0].write(SENDS[1], DATA, BYTES)
    start(chips, SENDS, [*send_bytes(DATA, 64, THERE), *send_word(FLAG, 1)])
    start(chips, TAKES, [*wait_for(FLAG, 1), *send_bytes(THERE, 64, DATA), *store(FLAG, 2)])
    assert chips.run(1_000_000)
    assert chips.chips[0].read(SENDS[1], DATA, 64) == BYTES
    assert word(chips.chips[1], TAKES[1], FLAG) == 2


@pytest.mark.parametrize("waits", [False, True], ids=["race", "fixed"])
@pytest.mark.parametrize("delivery", ["prompt", "late"])
def test_a_source_reused_before_it_left_over_a_link_shows_late(delivery: str, waits: bool) -> None:
    """tt-metal#40879, the pair of programs: one asks the queue whether it is done, one does not."""
    chips = Chips("blackhole", 2, tiles=[PLACE], engine="reference", delivery=delivery)
    chips.chips[0].write(SENDS[1], DATA, BYTES)
    barrier = wait_register(QUEUES + COMMAND, 0) if waits else []
    start(chips, SENDS, [*send_bytes(DATA, 64, THERE), *barrier, *store(DATA, 0x99)])
    assert chips.run(1_000_000)
    changed = as_bytes([0x99]) + BYTES[4:]
    expected = changed if delivery == "late" and not waits else BYTES
    assert chips.chips[1].read(TAKES[1], THERE, 64) == expected


@pytest.mark.parametrize("waits", [False, True], ids=["race", "fixed"])
def test_a_tiles_write_on_its_way_to_a_link_is_taken_late(waits: bool) -> None:
    chips = Chips("blackhole", 2, tiles=[PLACE], engine="reference", delivery="late")
    first, second = chips.chips
    first.write(PLACE, DATA, BYTES)
    (_, place), (_, other) = SENDS, TAKES
    asks = request(arch("blackhole"), WRITE, (DATA, at(PLACE)), (DATA, at(place)), 64)
    asks += wait_register(counter(0, n.WRITE_ACKS), 1) if waits else []
    asks += store(DATA, 0x99)  # the source is reused
    credit = (STREAM + 0x438, at(place)), (0, at(PLACE))
    boot(first, PLACE, {3: asks + request(arch("blackhole"), WRITE | 8, *credit, 4, 64)})
    start(chips, SENDS, [*wait_register(STREAM + 0x4A4, 1), *send_bytes(DATA, 64, THERE)])
    assert chips.run(1_000_000)
    expected = BYTES if waits else as_bytes([0x99]) + BYTES[4:]
    assert second.read(other, THERE, 64) == expected


def test_routers_that_only_poll_let_a_host_have_its_turn() -> None:
    chips = make()
    counts = [0x00002303, 0x00130313, 0x00602023]  # lw t1, 0(zero); addi t1, t1, 1; sw t1, 0(zero)
    start(chips, SENDS, [*counts, 0xFF5FF06F])  # and from the start again
    assert not chips.run(10 * SLICE)
    assert chips.time == 10 * SLICE
    assert not chips.run(100 * SLICE, quiet=QUIET)
    assert chips.time == (10 + QUIET) * SLICE
