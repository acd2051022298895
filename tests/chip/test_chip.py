"""A whole chip from outside: what is where, what sleeps, and what a host may do."""

import pytest

from chip_program import (
    BRISC,
    CHIPS,
    DRAM,
    PLACES,
    READ,
    RESULT,
    WRITE,
    at,
    boot,
    counter,
    make,
    request,
    results,
    wait_register,
    word,
)
from riscv_program import store, wait_for
from tilelab.chip.chip import Chip
from tilelab.chip.pci import PciBus, PciDevice
from tilelab.chip.several import Chips
from tilelab.chip.state import SLICE
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import arch
from tilelab.tensix.noc import niu as n
from tilelab.tensix.state import HEADER_BYTES

BOTH = pytest.mark.parametrize("engine", ["reference", "fast", "cycle"])
EACH = pytest.mark.parametrize("chip", CHIPS)


@EACH
def test_all_ports_of_a_bank_are_one_memory(chip: str) -> None:
    made = make(chip, "reference")
    layout = made.arch.layout
    for bank in set(layout.dram.values()):
        ports = [place for place, number in layout.dram.items() if number == bank]
        made.write(ports[0], 0x1_0000 - 2, bytes((bank + 1, 2, 3, 4)))
        for port in ports:
            assert made.read(port, 0x1_0000 - 2, 4) == bytes((bank + 1, 2, 3, 4))
    assert made.read(DRAM[chip], layout.dram_bytes - 4, 4) == bytes(4)
    with pytest.raises(BadInputError, match="not within DRAM bank 0"):
        made.write(DRAM[chip], layout.dram_bytes - 2, bytes(4))


@BOTH
@EACH
def test_two_tiles_hand_over_through_each_other(chip: str, engine: str) -> None:
    made = make(chip, engine, tiles=2)
    one, two = PLACES[chip][:2]
    made.write(one, 0x4000, b"whole chip......")
    there = request(made.arch, WRITE, (0x4000, at(one)), (0x9000, at(two)), 16)
    there += wait_register(counter(0, n.WRITE_ACKS), 1)
    flag = request(made.arch, READ, (0xA000, at(one)), (0xB000, at(two)), 16)
    back = [*wait_for(0x9000, int.from_bytes(b"whol", "little")), *flag]
    boot(made, two, {BRISC: back + wait_register(counter(0, n.READ_RESPONSES), 1)})
    assert made.run(100_000)
    made.write(one, 0xA000, (123).to_bytes(4, "little"))
    boot(made, one, {BRISC: there})
    assert made.run(100_000)
    assert made.read(two, 0x9000, 16) == b"whole chip......"
    assert word(made, two, 0xB000) == 123


@BOTH
@EACH
def test_a_tile_that_polls_sleeps_until_somebody_writes_to_it(chip: str, engine: str) -> None:
    made = make(chip, engine)
    own = PLACES[chip][0]
    boot(made, own, {BRISC: [*wait_for(0x9000, 7), *store(RESULT, 1)]})
    assert made.run(1_000_000)
    retired = int(made.tiles[own].state.riscv["retired"][BRISC])
    assert retired < 2 * SLICE
    assert made.run(1_000_000)
    assert int(made.tiles[own].state.riscv["retired"][BRISC]) == retired
    made.write(own, 0x9000, (7).to_bytes(4, "little"))
    assert not made.asleep
    assert made.run(1_000_000)
    assert results(made, own, 1) == [1]


@EACH
def test_runs_repeat_exactly(chip: str) -> None:
    ends = []
    for _ in range(2):
        made = make(chip, "fast", tiles=2)
        test_program = [*wait_for(0x9000, 7), *store(RESULT, 1)]
        for place in PLACES[chip][:2]:
            boot(made, place, {BRISC: test_program})
        made.run(10_000)
        made.write(PLACES[chip][1], 0x9000, (7).to_bytes(4, "little"))
        made.run(10_000)
        ends.append([t.state.memory[HEADER_BYTES:].tobytes() for t in made.tiles.values()])
    assert ends[0] == ends[1]


@EACH
def test_places_that_do_not_exist_are_named(chip: str) -> None:
    made = make(chip, "reference")
    x, y = PLACES[chip][1]
    with pytest.raises(BadInputError, match=f"host reads 4 bytes at 0x0 of {x},{y}: there is no"):
        made.read((x, y), 0, 4)
    own = PLACES[chip][0]
    with pytest.raises(BadInputError, match=r"4 bytes at 0x800000 of Tensix tile .* do not exist"):
        made.read(own, 0x800000, 4)
    with pytest.raises(BadInputError, match="nothing is modelled at 0x4 of the ARC tile"):
        made.read(made.arch.layout.arc, 4, 4)
    with pytest.raises(BadInputError, match="has no Tensix tile at 0,7"):
        Chip(chip, [(0, 7)])


@EACH
def test_the_layout_has_the_chip_s_tiles(chip: str) -> None:
    layout = arch(chip).layout
    assert len(layout.tensix) == {"blackhole": 140, "wormhole": 80}[chip]
    assert len(layout.ethernet.places) == {"blackhole": 12, "wormhole": 16}[chip]
    places = [*layout.tensix, *layout.dram, *layout.ethernet.places, layout.arc, layout.pcie]
    assert len(set(places)) == len(places)


@EACH
def test_an_ethernet_tile_answers_as_its_firmware_would(chip: str) -> None:
    made = make(chip, "reference")
    about = made.arch.layout.ethernet
    place = about.places[-1]
    for address, value in about.words.items():
        assert word(made, place, address) == value
    made.write(place, 0xFFB121B0, (0x47800).to_bytes(4, "little"))
    assert word(made, place, 0xFFB121B0) == about.reset_bits
    made.write(place, 0xFFB121B0, (0x1000).to_bytes(4, "little"))
    assert word(made, place, 0xFFB121B0) == 0
    made.write(place, about.go_message, bytes((0, 0, 0, 0x40)))
    assert word(made, place, about.go_message) == 0
    with pytest.raises(BadInputError, match="nothing is modelled at 0xffb20000 of Ethernet tile"):
        made.write(place, 0xFFB20000, bytes(4))


def aim(device: PciDevice, place: tuple[int, int], address: int) -> int:
    """Aim the first window; returns where in it the address is."""
    about = device.about
    size = about.windows[0].size
    shift = size.bit_length() - 1
    bits = about.address_bits - shift
    entry = address >> shift | at(place) << bits
    device.write(about.bar0 + about.entries, entry.to_bytes(about.entry_bytes, "little"))
    return about.bar0 + about.windows[0].base + address % size


@EACH
def test_a_host_reaches_tiles_through_windows(chip: str) -> None:
    device = PciDevice(make(chip, "reference"))
    own, dram = PLACES[chip][0], DRAM[chip]
    device.write(aim(device, own, 0x1234), b"abcd")
    device.write(aim(device, dram, 0x3456_7890), b"efgh")
    assert device.chip.read(own, 0x1234, 4) == b"abcd"
    assert device.chip.read(dram, 0x3456_7890, 4) == b"efgh"
    assert device.read(aim(device, dram, 0x3456_7890), 4) == b"efgh"
    size = device.about.windows[0].size
    with pytest.raises(BadInputError, match="leave their window"):
        device.read(aim(device, dram, size - 4), 8)


@EACH
def test_the_host_s_registers(chip: str) -> None:
    device = PciBus(Chips.alone(make(chip, "reference")))
    about = device.about
    assert device.config_read(0, 0) & 0xFFFF == 0x1E52
    assert device.config_read(8, 0) == 0xFFFFFFFF
    with pytest.raises(BadInputError, match=r"no multiple of 4: 0x2$"):
        device.config_read(0, 2)
    assert device.config_read(0, 0x14) << 32 | device.config_read(0, 0x10) & ~15 == about.bar0
    for offset, value in about.registers.items():
        assert int.from_bytes(device.read(about.bar0 + offset, 4), "little") == value
    for address in (about.bar0 + 0x1FFFFFF0, about.bar2, 0x10):
        with pytest.raises(BadInputError, match=f"{address - about.bar0:#x}|{address:#x}"):
            device.read(address, 4)
    with pytest.raises(BadInputError, match=r"BAR2 \+ 0x0: not modelled"):
        device.write(about.bar2, bytes(4))


def test_arc_of_wormhole_answers_messages_with_their_code() -> None:
    device = PciDevice(make("wormhole", "reference"))
    bar0 = device.about.bar0
    device.write(bar0 + 0x1FF30074, (0xAA57).to_bytes(4, "little"))
    device.write(bar0 + 0x1FF30100, (1).to_bytes(4, "little"))
    assert device.read(bar0 + 0x1FF30074, 4) == (0x57).to_bytes(4, "little")
    assert device.read(bar0 + 0x1FF30100, 4) == bytes(4)


@BOTH
@EACH
def test_a_tile_reads_and_writes_host_memory(chip: str, engine: str) -> None:
    device = PciDevice(make(chip, engine))
    made, layout = device.chip, device.chip.arch.layout
    memory = bytearray(range(64)) * 4
    device.chip.read_host = lambda address, count: bytes(memory[address : address + count])

    def write(address: int, data: bytes) -> None:
        memory[address : address + len(data)] = data

    device.chip.write_host = write
    base = device.about.bar2 + device.about.translation
    for offset, value in ((4, 1 << 31), (8, 0x1000), (0x10, 0x1FFF), (0x14, 0x40)):
        device.write(base + offset, value.to_bytes(4, "little"))
    own, pcie = PLACES[chip][0], layout.pcie
    there = 1 << layout.pcie_flag | 0x1000
    program = request(made.arch, READ, (there, at(pcie)), (0x4000, at(own)), 64)
    program += wait_register(counter(0, n.READ_RESPONSES), 1)
    program += request(made.arch, WRITE, (0x4010, at(own)), (there + 0x40, at(pcie)), 16)
    boot(made, own, {BRISC: program + wait_register(counter(0, n.WRITE_ACKS), 1)})
    assert made.run(100_000)
    assert made.read(own, 0x4000, 64) == bytes(range(64))
    assert memory[0x80:0x90] == bytes(range(16, 32))
    with pytest.raises(BadInputError, match="no outbound region holds 0x3000 of host memory"):
        made.read(pcie, 1 << layout.pcie_flag | 0x3000, 4)
