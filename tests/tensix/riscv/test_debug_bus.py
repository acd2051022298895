"""The debug bus, the array port and the host's own pushes, as a debugger uses them."""

import numpy as np
import pytest

import riscv_program as risc
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile
from tilelab.tensix.words.assembly import assemble

BASE = 0xFFB12000
FIRST, LAST, MODE, CONTROL, DATA = (BASE + offset for offset in (0x48, 0x4C, 0x50, 0x54, 0x5C))
ARRAY_ENABLE, ARRAY_COMMAND, ARRAY_DATA = (BASE + offset for offset in (0x60, 0x64, 0x6C))
PUSH, WORD, STATUS = (BASE + offset for offset in (0xA0, 0xA4, 0xA8))
ENABLE = 1 << 29
CHIPS = ("blackhole", "wormhole")


def signal(tile: Tile, daisy: int, select: int, first: int, bits: int) -> int:
    """A signal, read a quarter at a time."""
    group = 0
    for quarter in range(4):
        tile.reg_write(CONTROL, ENABLE | quarter << 25 | daisy << 16 | select)
        group |= tile.reg_read(DATA) << 32 * quarter
    return group >> first & (1 << bits) - 1


def push(tile: Tile, text: str, thread: int) -> None:
    """Push a word as a debugger does, and let it be carried out."""
    assert tile.reg_read(STATUS) >> thread & 1
    tile.reg_write(PUSH, 1 << thread)
    tile.reg_write(WORD, assemble(text, tile.arch.name).words(1)[0])
    tile.reg_write(PUSH, 0x11 << thread)
    tile.run(100)
    assert tile.reg_read(STATUS) >> 4 + thread & 1
    tile.reg_write(PUSH, 0)


@pytest.mark.parametrize("chip", CHIPS)
def test_counters_of_a_pushed_word(chip: str) -> None:
    tile = Tile(chip)
    for t in range(3):
        push(tile, f"ttsetrwc 0,0,{t + 7},{t + 4},{t + 1},7", t)
    counters = tile.state.record["rwc"]
    assert counters["src_a"].tolist() == [1, 2, 3]
    starts = (0, 24, 40) if chip == "blackhole" else (0, 16, 32)
    assert [signal(tile, 3, 2, first, 6) for first in starts] == [1, 2, 3]
    starts = (60, 84, 100) if chip == "blackhole" else (48, 64, 80)
    assert [signal(tile, 3, 2, first, 6) for first in starts] == [4, 5, 6]
    starts = (12, 32) if chip == "blackhole" else (0, 32)
    assert [signal(tile, 3, 3, first, 10) for first in starts] == [8, 9]
    if chip == "blackhole":  # eight bits of ten, and two in the next group
        low, high = signal(tile, 3, 2, 120, 8), signal(tile, 3, 3, 0, 2)
        assert low | high << 8 == 7
    else:
        assert signal(tile, 3, 2, 96, 10) == 7
    with pytest.raises(BadInputError, match="MOP"):
        push(tile, "ttmop 1,0,0", 0)


@pytest.mark.parametrize("chip", CHIPS)
def test_addresses_of_an_unpacker(chip: str) -> None:
    tile = Tile(chip)
    tile.state.record["adc"][0, 1]["y"][1] = 0x1234
    assert signal(tile, 6, 3, 64, 13) == 0x1234


def test_whose_banks_are() -> None:
    tile = Tile("wormhole")
    tile.state.record["src_a_valid"] = (1, 0)
    tile.state.record["src_b_valid"] = (0, 1)
    tile.state.record["src_b_matrix_bank"] = 1
    tile.state.record["src_a_unpack_bank"] = 1
    seen = [signal(tile, 6, 9, first, 1) for first in (84, 85, 90, 91, 92, 94)]
    assert seen == [1, 1, 0, 1, 0, 1]  # SrcA: both may go on; bank 0 is full
    seen = [signal(tile, 6, 9, first, 1) for first in (100, 101, 106, 107, 108, 110)]
    assert seen == [1, 1, 1, 0, 1, 0]


@pytest.mark.parametrize("chip", CHIPS)
def test_where_cores_are_and_what_they_wait_for(chip: str) -> None:
    tile = Tile(chip)
    wait = 0xFFEC0000  # BRISC's mailbox
    risc.start(tile, {3: [], 0: risc.load(8, wait), 1: risc.li(8, 5)})
    tile.settle(1000)
    pcs = tile.state.record["riscv"]["pc"]
    assert [signal(tile, 7, select, 32, 30) for select in (11, 13, 15)] == pcs[[3, 0, 1]].tolist()
    assert signal(tile, 7, 10, 0, 31) == pcs[3]
    ready = [signal(tile, 7, 1, 115 + i, 1) for i in range(4)]
    assert ready == [1, 0, 1, 1]  # TRISC0 waits for BRISC
    assert signal(tile, 7, 19, 26, 1) == 0


def test_what_waits_at_a_gate() -> None:
    tile = Tile("blackhole")
    push(tile, "ttseminit 1,0,4", 2)
    word = assemble("ttsemwait 1,4,1").words(1)[0]
    for text in ("ttsemwait 1,4,1", "ttsemwait 1,4,1"):
        push(tile, text, 2)
    assert signal(tile, 1, 4, 40, 32) == word
    assert signal(tile, 1, 4, 73, 1) == 0
    assert signal(tile, 1, 8, 73, 1) == 1
    assert signal(tile, 7, 23, 26, 1) == 1


def test_samples_in_l1() -> None:
    tile = Tile("blackhole")
    risc.start(tile, {3: []})
    tile.run(100)
    pc = int(tile.state.record["riscv"]["pc"][3])
    tile.reg_write(CONTROL, ENABLE | 7 << 16 | 11)
    tile.reg_write(MODE, 0xF)
    tile.reg_write(FIRST, 0x100)
    tile.reg_write(MODE, 1)
    for _ in range(2):
        tile.reg_write(MODE, 1 << 12 | 1)
        tile.reg_write(MODE, 1)
    for at in (0x1000, 0x1010):
        assert int.from_bytes(tile.read(at, 16), "little") == pc << 32
    assert tile.read(0x1020, 16) == bytes(16)


def test_regular_samples_see_time_pass() -> None:
    tile = Tile("blackhole")
    count = [risc.addi(8, 8, 1)] * 400
    risc.start(tile, {3: count})
    tile.reg_write(CONTROL, ENABLE | 7 << 16 | 11)
    tile.reg_write(MODE, 0xF)
    tile.reg_write(FIRST, 0x1000)
    tile.reg_write(LAST, 0x1000 + 5)
    before = int(tile.state.s.clock)
    tile.reg_write(MODE, 1 << 12 | 9 << 4 | 4)
    samples = np.frombuffer(tile.read(0x10000, 5 * 16), "<u4").reshape(5, 4)[:, 1]
    assert np.diff(samples).tolist() == [40] * 4  # an instruction a round, ten rounds apart
    assert int(tile.state.s.clock) - before == 40


def test_the_array_port_reads_dst() -> None:
    tile = Tile("blackhole")
    tile.state.record["dst"][5] = np.arange(16) + 0x100
    assert tile.reg_read(ARRAY_DATA) == 0
    tile.reg_write(ARRAY_ENABLE, 1)
    found = []
    for pair in range(8):
        tile.reg_write(ARRAY_COMMAND, 2 << 16 | pair << 12 | 5)
        word = tile.reg_read(ARRAY_DATA)
        found += [word & 0xFFFF, word >> 16]
    assert found == tile.state.record["dst"][5].tolist()
    tile.reg_write(ARRAY_COMMAND, 1 << 16)
    with pytest.raises(BadInputError, match=r"0x10000 in .*RD_CMD is not a pair of Dst's"):
        tile.reg_read(ARRAY_DATA)


@pytest.mark.parametrize(
    ("writes", "message"),
    [
        ([(CONTROL, ENABLE | 8 << 16 | 2), (MODE, 1 << 12)], "0x20080002 selects"),
        ([(CONTROL, ENABLE), (FIRST, 1 << 16), (MODE, 1 << 12)], "cannot be sampled to 0x100000"),
        ([(MODE, 3)], "0x00000003 in .* is no way to sample"),
        (
            [(PUSH, 1), (WORD, 0x02000000), *[(PUSH, 0x11), (PUSH, 1)] * 8, (PUSH, 0x11)],
            "FIFO is full",
        ),
    ],
)
def test_what_cannot_be_is_refused(writes: list[tuple[int, int]], message: str) -> None:
    tile = Tile("blackhole")
    *before, last = writes
    for address, value in before:
        tile.reg_write(address, value)
    with pytest.raises(BadInputError, match=message):
        tile.reg_write(*last)
    tile.reg_write(CONTROL, 0)
    assert tile.reg_read(DATA) == 0


@pytest.mark.parametrize(("chip", "first"), [("blackhole", 60), ("wormhole", 58)])
def test_fidelity_phases(chip: str, first: int) -> None:
    tile = Tile(chip)
    tile.state.record["rwc"]["fidelity"] = (1, 2, 3)
    assert [signal(tile, 3, 4, first + 2 * t, 2) for t in range(3)] == [1, 2, 3]
