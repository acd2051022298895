"""What units occupy: latched waits that wait for them, bank owners, ports that threads share."""

import itertools
from typing import Any

import pytest

from cycle_harness import CycleTile, plain
from tilelab.tensix.chips.config_registers import config_fields
from tilelab.tensix.cycle.events import ISSUE
from tilelab.tensix.cycle.reads import SHARED_SPEED, fetch, follow_reads
from tilelab.tensix.cycle.shared_port import share_port
from tilelab.tensix.cycle.units import pack
from tilelab.tensix.tables.causes import (
    BANK_MATRIX,
    BANK_UNPACK,
    THREAD_HELD,
    UNIT_TAKEN,
    WAIT_LAG,
    WAIT_UNIT,
)
from tilelab.tensix.tables.figures import READ_AHEAD


def word(made: CycleTile, name: str, **fields: int) -> int:
    return made.tile.arch.instructions[name].encode(**fields)


def causes(made: CycleTile, t: int) -> Any:
    return made.tile.state.record["cycle"]["thread_cycles"][t]


def clocks(made: CycleTile, t: int) -> list[int]:
    return [event[0] for event in made.events if event[1] == ISSUE and event[2] == t]


MATRIX_IDLE = {"blackhole": 1 << 4, "wormhole": 1 << 7}
BLOCK_ALL = 0x1FF


@pytest.mark.parametrize("last", ["MVMUL", "SETRWC"])
@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_stallwait_waits_for_the_matrix_unit_to_drain(chip: str, last: str) -> None:
    made = CycleTile(chip)
    made.operands()
    wait = word(made, "STALLWAIT", stall_res=BLOCK_ALL, wait_res=MATRIX_IDLE[chip])
    made.feed(word(made, last), wait, plain(1))
    made.run()
    # any word at 0 is in the pipeline for 6 cycles; the wait is released one cycle after that
    assert made.issued() == [0, 1, 7]
    assert causes(made, 1)[WAIT_UNIT] == 4
    assert causes(made, 1)[WAIT_LAG] == 1
    assert made.tile.state.record["cycle"]["wait_unit"][1].sum() == 4


def test_wait_that_is_met_still_costs_a_cycle() -> None:
    made = CycleTile()
    wait = word(made, "STALLWAIT", stall_res=BLOCK_ALL, wait_res=MATRIX_IDLE["blackhole"])
    made.feed(wait, plain(1), plain(2))
    made.run()
    assert made.issued() == [0, 2, 3]


def test_wait_does_not_hold_words_that_it_does_not_block() -> None:
    made = CycleTile()
    wait = word(made, "STALLWAIT", stall_res=1 << 6, wait_res=MATRIX_IDLE["blackhole"])
    made.feed(wait, plain(1), plain(2))
    made.run()
    assert made.issued() == [0, 1, 2]


@pytest.mark.parametrize(("chip", "default"), [("blackhole", 0x0F), ("wormhole", 0x7F)])
def test_stallwait_of_zeros_holds_matrix_instructions_for_a_cycle(chip: str, default: int) -> None:
    made = CycleTile(chip)
    made.operands()
    made.feed(word(made, "STALLWAIT"), plain(1), word(made, "MVMUL"))
    made.run()
    assert made.issued() == [0, 1, 2]
    assert made.tile.arch.default_condition_mask == default
    made.feed(word(made, "STALLWAIT"), word(made, "MVMUL", dst=64))
    made.run()
    first, second = clocks(made, 1)[-2:]
    assert second == first + 2


@pytest.mark.parametrize(
    ("name", "fields", "cycles"),
    [
        ("DMANOP", {}, 1),
        ("SETDMAREG", {"reg_index_16b": 4}, 1),
        ("ADDDMAREG", {"op_a_reg_index": 4, "op_b_reg_index": 5}, 3),
        ("ADDDMAREG", {"op_a_reg_index": 4, "op_b_reg_index": 8}, 4),
        ("MULDMAREG", {"op_b_is_const": 1, "op_a_reg_index": 4, "op_b_reg_index": 8}, 3),
    ],
)
def test_wormholes_scalar_unit_holds_its_thread(
    name: str, fields: dict[str, int], cycles: int
) -> None:
    made = CycleTile("wormhole")
    made.feed(word(made, name, **fields), plain(1))
    made.run()
    assert made.issued() == [0, cycles]
    assert causes(made, 1)[THREAD_HELD] == cycles - 1


def test_a_thread_goes_past_blackholes_scalar_unit() -> None:
    made = CycleTile("blackhole")
    made.feed(word(made, "ADDDMAREG"), plain(1), word(made, "ADDDMAREG"))
    made.run()
    assert made.issued() == [0, 1, 3]


def test_scalar_unit_serves_one_thread_at_a_time() -> None:
    made = CycleTile()
    add = word(made, "ADDDMAREG")
    for t in range(3):
        made.feed(add, t=t)
    made.run()
    assert sorted(clocks(made, t)[0] for t in range(3)) == [2, 5, 8]


def test_rmwcib_waits_behind_wrcfg() -> None:
    made = CycleTile()
    wrcfg = word(made, "WRCFG", cfg_reg=1)
    made.feed(wrcfg, wrcfg, word(made, "RMWCIB0"))
    made.run()
    assert made.issued() == [0, 1, 3]


def test_semaphore_instructions_of_two_threads_take_turns() -> None:
    made = CycleTile()
    for i in range(8):
        made.s.semaphore[i].max = 15
    for t, name in enumerate(("SEMPOST", "SEMPOST")):
        made.feed(*[word(made, name, sem_sel=1 << t)] * 6, t=t)
    made.run()
    both = sorted(clocks(made, 0) + clocks(made, 1))
    assert len(set(both)) == 12
    assert both[-1] - both[0] == 11
    assert min(causes(made, 0)[UNIT_TAKEN], causes(made, 1)[UNIT_TAKEN]) >= 2


@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
@pytest.mark.parametrize("threads", [(0, 1), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize(
    ("name", "fields", "cycles"),
    [
        ("ADDDMAREG", {"op_b_is_const": 1}, 3),
        ("SETDMAREG", {"reg_index_16b": 120}, 1),
        ("SFPMOV", {"lreg_dest": 1}, 1),
        ("SFPNOP", {}, 1),
    ],
)
def test_threads_take_turns_at_a_unit_however_long_it_works(
    chip: str, threads: tuple[int, ...], name: str, fields: dict[str, int], cycles: int
) -> None:
    """On cards each of two threads waits 2 (6) cycles for a word, each of three 3 (9)."""
    made = CycleTile(chip)
    for t in threads:
        made.feed(*[word(made, name, **fields)] * 20, t=t)
    made.run(16 * cycles * len(threads))
    each = cycles * len(threads)
    for t in threads:
        at = clocks(made, t)
        assert len(at) > 12
        assert {later - sooner for sooner, later in itertools.pairwise(at[3:])} == {each}


@pytest.mark.parametrize(("chip", "one", "three"), [("blackhole", 1, 3), ("wormhole", 2, 2)])
def test_rdcfg_is_shared_on_blackhole_and_each_threads_own_on_wormhole(
    chip: str, one: int, three: int
) -> None:
    for threads, each in (((1,), one), ((0, 1, 2), three)):
        made = CycleTile(chip)
        for t in threads:
            made.feed(*[word(made, "RDCFG", gpr_address=60)] * 16, t=t)
        made.run()
        for t in threads:
            at = clocks(made, t)
            assert {later - sooner for sooner, later in itertools.pairwise(at[3:])} == {each}


def test_misc_unit_and_setc16_serve_all_threads_at_once() -> None:
    made = CycleTile()
    for t in range(3):
        made.feed(plain(1), word(made, "SETC16", setc16_reg=40), t=t)
    made.run()
    assert [clocks(made, t) for t in range(3)] == [[2, 3]] * 3


# ---------------------------------------------------------------- unpackers and Src banks


def unpack_bench(chip: str = "blackhole") -> CycleTile:
    """Unpacker 0 set up to fetch 256 bf16 data (512 bytes) to SrcA."""
    made = CycleTile(chip)
    state = made.tile.state
    for name, value in (
        ("THCON_SEC0_REG2_Out_data_format", 5),
        ("THCON_SEC0_REG2_Throttle_mode", 2),
    ):
        state.set_config_field(name, value)
    state.record["config"][0, _tile_descriptor(made)] = 5 | 1 << 4 | 256 << 16
    state.record["config"][0, _tile_descriptor(made) + 1] = 1 | 1 << 16
    adc = made.s.adc[0][0]
    adc.x[1] = 255
    return made


def _tile_descriptor(made: CycleTile) -> int:
    return config_fields(made.tile.arch.name)["THCON_SEC0_REG0_TileDescriptor"].word


def test_bank_becomes_valid_when_its_data_has_arrived() -> None:
    made = unpack_bench()
    unpacr = word(made, "UNPACR", set_dat_valid=1, last=1)
    made.feed(unpacr, t=0)
    made.operands()
    made.tile.state.src_a_valid = 0
    made.feed(word(made, "MVMUL"), t=1)
    made.run()
    # issued at 2, two cycles for the address, 512 bytes at 128 per cycle
    assert clocks(made, 0) == [2]
    assert clocks(made, 1) == [2 + 2 + 4]
    assert causes(made, 1)[BANK_MATRIX] == 6


def test_third_unpack_waits_until_a_bank_is_given_back() -> None:
    made = unpack_bench()
    unpacr = word(made, "UNPACR", set_dat_valid=1, last=1)
    made.feed(unpacr, unpacr, unpacr, t=0)
    with pytest.raises(Exception, match="Deadlock"):
        made.run()
    assert len(clocks(made, 0)) == 2
    assert causes(made, 0)[BANK_UNPACK] > 0
    assert causes(made, 0)[THREAD_HELD] == 2
    made.feed(word(made, "SETRWC", clear_ab_vld=1), t=1)
    made.tile.engine.s.engine.stale = 0
    made.run()
    # the bank is seen to be free one cycle after it was given back
    assert clocks(made, 0)[2] == clocks(made, 1)[0] + 1


def test_both_unpackers_share_the_way_to_l1() -> None:
    # manual's table: what unpacker 0 and unpacker 1 get, by what 0 (columns) and 1 (rows) want
    table = {
        (0, 0): (0, 0), (1, 0): (1, 0), (2, 0): (2, 0),
        (0, 1): (0, 1), (1, 1): (0, 0), (2, 1): (1, 0),
        (0, 2): (0, 2), (1, 2): (0, 1), (2, 2): (1, 1),
    }  # fmt: skip
    for (zero, one), gets in table.items():
        assert (SHARED_SPEED[3 * zero + one], SHARED_SPEED[3 * one + zero]) == gets


def read_through(made: CycleTile, *unpackers: int, work: int = 2048, rows: int = 0) -> list[int]:
    """Cycles in which each unpacker reads if these begin one after the other."""
    cycle = made.s.cycle
    for u in unpackers:
        cycle.work, cycle.rows = work, rows
        fetch(made.s, 0, u)
    while cycle.read_event:
        made.s.clock = cycle.read_event
        follow_reads(made.s)
    return [int(spent) for spent in cycle.fetch_cycles]


@pytest.mark.parametrize(
    ("chip", "speed", "together", "apart"), [("blackhole", 2, 16, 41), ("wormhole", 0, 128, 32)]
)
def test_rows_that_lie_apart_are_fetched_at_a_speed_of_their_own(
    chip: str, speed: int, together: int, apart: int
) -> None:
    for rows, cycles in ((0, together), (32, apart)):
        made = CycleTile(chip)
        made.tile.state.set_config_field("THCON_SEC0_REG2_Throttle_mode", speed)
        assert read_through(made, 0, rows=rows)[0] == cycles


def test_unpackers_slow_each_other_down_only_while_both_read() -> None:
    made = CycleTile("wormhole")
    for place in ("THCON_SEC0_REG2_Throttle_mode", "THCON_SEC1_REG2_Throttle_mode"):
        made.tile.state.set_config_field(place, 2)
    made.s.cycle.work, made.s.cycle.rows = 512, 0
    fetch(made.s, 0, 1)
    # 32 bytes a cycle each until the 512 are there, then 64: 16 cycles, and 1,536 in 24
    assert read_through(made, 0) == [40, 16]


def test_unpacker_reads_ahead_while_its_bank_is_not_free() -> None:
    made = CycleTile()
    made.s.clock = 50
    made.s.cycle.bank_since[0] = 11
    made.s.cycle.work, made.s.cycle.rows = 2048, 0
    assert fetch(made.s, 0, 0) == 50 + (2048 - READ_AHEAD.value) // 128


def test_packers_time_follows_bytes() -> None:
    made = CycleTile()
    made.s.cycle.work = 640
    assert pack(made.s, 0x41000000) == 5
    made.s.cycle.work = 64
    assert pack(made.s, 0x41000000) == 6  # behind the first one
    wormhole = CycleTile("wormhole")
    wormhole.s.cycle.work = 640
    assert pack(wormhole.s, 0x41000100) == 40
    wormhole.s.cycle.work = 640
    assert pack(wormhole.s, 0x41000F00) == 51  # packer 0 is busy until 40, and rests for one
    wormhole.s.cycle.work = 640
    wormhole.s.cycle.adds = 1
    assert pack(wormhole.s, 0x41000F00) == 52 + 20  # an addition takes two cycles


@pytest.mark.parametrize(("unpacker", "later"), [(0, 0), (1, 10)])
def test_packer_1_has_its_port_in_turns_with_unpacker_1_while_that_reads(
    unpacker: int, later: int
) -> None:
    """L1.md, the diagram: port 1 is Packer 1's and Unpacker 1's; muxes take turns."""
    made = CycleTile("wormhole")
    cycle = made.s.cycle
    made.tile.state.set_config_field("THCON_SEC0_REG2_Throttle_mode", 2)
    made.tile.state.set_config_field("THCON_SEC1_REG2_Throttle_mode", 2)
    cycle.work, cycle.rows = 20 * 64, 0
    fetch(made.s, 0, unpacker)
    cycle.work = 4 * 640
    ends = pack(made.s, 0x41000F00)
    while made.s.clock < ends + later:
        if cycle.read_event and cycle.read_event <= made.s.clock:
            follow_reads(made.s)
        share_port(made.s)
        made.s.clock = made.s.clock + 1
    assert [int(cycle.pack_end[p]) for p in range(4)] == [ends, ends + later, ends, ends]
    assert [int(cycle.pack_cycles[p]) - ends for p in range(4)] == [0, later, 0, 0]


def test_blackhole_adds_to_l1_in_one_of_two_rhythms() -> None:
    """tt-metal#51901: 24.0 cycles for 16 words of 128 bytes, or 16.0."""
    for at_once, cycles in ((0, 24), (1, 16)):
        made = CycleTile()
        made.s.cycle.adds_at_once = at_once
        ends = []
        for _ in range(16):
            made.s.cycle.work, made.s.cycle.adds = 128, 1
            ends.append(pack(made.s, 0x41000000))
        assert ends[-1] == cycles
