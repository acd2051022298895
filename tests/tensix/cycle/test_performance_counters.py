"""The performance counters: what they count, and who is told that they do not."""

import pytest

from cycle_harness import CycleTile, plain
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile
from tilelab.tensix.arch import arch
from tilelab.tensix.backend.performance_counters import NO_COUNT
from tilelab.tensix.tables.performance_counters import (
    CONTROLS,
    MUX,
    OUTPUTS,
    START_ALL,
    Bank,
)
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS

CHIPS = ["blackhole", "wormhole"]
START, STOP = 1, 2
BLOCK_TDMA, BLOCK_MATH, BLOCK_CONFIG = 1, 1 << 6, 1 << 7
# STALLWAIT's conditions for the matrix and the vector unit
UNITS = {"blackhole": 1 << 4 | 1 << 11, "wormhole": 1 << 7 | 1 << 14}


class Counting(CycleTile):
    """A tile whose counters a host starts, stops and reads."""

    def write(self, offset: int, value: int) -> None:
        self.tile.reg_write(DEBUG_REGISTERS + offset, value)

    def control(self, command: int) -> None:
        """Start or stop every bank, as tt-llk does."""
        self.write(START_ALL, command)
        for bank in (Bank.TDMA_UNPACK, Bank.L1, Bank.TDMA_PACK):
            self.write(CONTROLS[bank] + 8, command)

    def cycles(self, bank: Bank) -> int:
        return self.tile.reg_read(DEBUG_REGISTERS + OUTPUTS[bank])

    def selected(self, bank: Bank, select: int) -> int:
        self.write(CONTROLS[bank] + 4, select << 8)
        return self.tile.reg_read(DEBUG_REGISTERS + OUTPUTS[bank] + 4)

    def count(self, name: str) -> int:
        """A counter by the name that both chips know it by."""
        rows = {row.event: row for row in self.tile.arch.performance_counters}
        return self.selected(rows[name].bank, rows[name].select)

    def word(self, name: str, **fields: int) -> int:
        return self.tile.arch.instructions[name].encode(**fields)


@pytest.mark.parametrize("engine", ["reference", "fast"])
@pytest.mark.parametrize("chip", CHIPS)
def test_words_of_the_units_are_counted_between_start_and_stop(chip: str, engine: str) -> None:
    made = Counting(chip, engine)
    made.operands()
    words = [made.word("ELWADD", dst=8 * block) for block in range(6)]
    vector = [made.word("SFPNOP")] * 3
    made.feed(*words[:2])
    made.run()
    made.control(START)
    made.feed(*words, *vector)
    made.feed(plain(0), plain(1), t=0)
    made.run()
    made.control(STOP)
    made.feed(*words)
    made.run()
    assert made.count("FPU_COUNTER") == 6
    assert made.count("SFPU_COUNTER") == 3
    assert made.count("MATH_COUNTER") == 9
    assert made.count("MATH_INSTRN_STARTED") == 9
    assert made.count("MATH_INSTRN_AVAILABLE_1") == 9
    assert [made.count(f"THREAD_INSTRUCTIONS_{t}") for t in range(3)] == [2, 9, 0]
    assert made.cycles(Bank.FPU) == made.cycles(Bank.TDMA_PACK) > 9
    made.control(START)
    made.run(5)
    made.control(STOP)
    assert made.count("FPU_COUNTER") == 0


@pytest.mark.parametrize("chip", CHIPS)
def test_a_hazard_of_dst_is_the_scoreboards(chip: str) -> None:
    made = Counting(chip)
    made.operands()
    made.control(START)
    made.feed(*[made.word("MVMUL")] * 3)
    made.run()
    made.control(STOP)
    assert made.count("FPU_COUNTER") == 3
    assert made.count("MATH_NOT_SCOREBOARD_STALLED") == 3
    assert made.count("MATH_INSTRN_AVAILABLE") == 3 + 2 * 5
    assert made.count("THREAD_STALLS_1") == 0


@pytest.mark.parametrize("chip", CHIPS)
def test_waits_are_counted_by_what_they_wait_for(chip: str) -> None:
    made = Counting(chip)
    made.s.semaphore[1].max = 2
    made.control(START)
    made.feed(made.word("SEMWAIT", stall_res=BLOCK_MATH, sem_sel=2, wait_sem_cond=1))
    made.feed(made.word("INCRWC"))
    made.run(20)
    made.s.semaphore[1].value = 1
    made.run(20)
    made.control(STOP)
    waited = made.count("WAITING_FOR_NONZERO_SEM_1")
    assert 15 < waited <= 20
    assert waited - 1 <= made.count("THREAD_STALLS_1") == made.count("ANY_THREAD_STALL") <= waited
    assert made.count("WAITING_FOR_NONZERO_SEM_2") == made.count("WAITING_FOR_NONFULL_SEM_1") == 0


@pytest.mark.parametrize("chip", CHIPS)
def test_a_wait_stalls_its_thread_unless_it_blocks_the_words_of_the_tdma(chip: str) -> None:
    for block, word, stalls in ((BLOCK_MATH, "INCRWC", True), (BLOCK_TDMA, "SETADCXX", False)):
        made = Counting(chip)
        bank = 1 << made.tile.arch.condition_src_a_cleared + 2
        made.control(START)
        made.feed(made.word("STALLWAIT", stall_res=block, wait_res=bank))
        made.feed(made.word(word))
        made.run(30)
        made.control(STOP)
        assert made.count("WAITING_FOR_SRCA_VALID") > 20
        assert (made.count("THREAD_STALLS_1") > 20) == stalls
        assert made.count("THREAD_INSTRUCTIONS_1") == 1


@pytest.mark.parametrize("chip", CHIPS)
def test_a_matrix_word_without_operands_is_available(chip: str) -> None:
    made = Counting(chip)
    made.control(START)
    made.feed(made.word("ELWADD"))
    made.run(30)
    made.control(STOP)
    assert made.count("MATH_INSTRN_AVAILABLE_1") > 20
    assert made.count("FPU_COUNTER") == made.count("THREAD_STALLS_1") == 0


def test_on_blackhole_words_pass_the_scalar_units_and_a_wait_for_it_stalls() -> None:
    counts = {}
    for chip in CHIPS:
        made = Counting(chip)
        made.control(START)
        made.feed(made.word("ADDDMAREG"))
        made.feed(made.word("STALLWAIT", stall_res=BLOCK_CONFIG, wait_res=1))
        made.feed(made.word("WRCFG"))
        made.run()
        made.control(STOP)
        counts[chip] = made.count("THREAD_STALLS_1"), made.count("WAITING_FOR_THCON_IDLE_1")
    assert counts["wormhole"] == (1, 1)  # a wait's last cycle
    assert counts["blackhole"] == (3, 3)


@pytest.mark.parametrize("chip", CHIPS)
def test_what_is_met_is_waited_for_as_long_as_the_rest(chip: str) -> None:
    made = Counting(chip)
    made.operands()
    made.control(START)
    both = [row.event for row in made.tile.arch.performance_counters]
    assert "WAITING_FOR_SFPU_IDLE_1" in both
    made.feed(
        made.word("ELWADD"), made.word("STALLWAIT", stall_res=BLOCK_MATH, wait_res=UNITS[chip])
    )
    made.feed(made.word("INCRWC"))
    made.run()
    made.control(STOP)
    assert made.count("WAITING_FOR_MATH_IDLE_1") == made.count("WAITING_FOR_SFPU_IDLE_1") > 3


@pytest.mark.parametrize("chip", CHIPS)
def test_cleardvalid_is_no_word_of_the_fpu(chip: str) -> None:
    made = Counting(chip)
    made.operands()
    made.control(START)
    made.feed(made.word("CLEARDVALID", cleardvalid=1))
    made.run()
    made.control(STOP)
    assert made.count("FPU_COUNTER") == made.count("MATH_INSTRN_STARTED") == 0
    assert made.count("THREAD_INSTRUCTIONS_1") == 1


def test_selects_differ_between_the_chips() -> None:
    selects = {
        chip: {row.event: row.select for row in arch(chip).performance_counters} for chip in CHIPS
    }
    assert selects["wormhole"]["WAITING_FOR_SRCB_VALID"] == 36
    assert selects["wormhole"]["WAITING_FOR_SFPU_IDLE_2"] == 65
    assert selects["wormhole"]["PACKER_BUSY_3"] == 18
    assert selects["blackhole"]["WAITING_FOR_SRCB_VALID"] == 30
    assert selects["blackhole"]["WAITING_FOR_SFPU_IDLE_2"] == 57
    assert selects["blackhole"]["PACKER_BUSY_0"] == 18


def test_what_is_not_modelled_is_refused_or_reads_as_missing() -> None:
    made = Counting()
    made.control(START)
    with pytest.raises(BadInputError, match=r"select 5 of .* bank 2"):
        made.selected(Bank.TDMA_UNPACK, 5)
    made.tile.set_policy("performance-counter-not-modelled", "warn")
    assert made.selected(Bank.TDMA_UNPACK, 5) == NO_COUNT
    assert made.selected(Bank.L1, 0) == 0
    made.write(MUX, 1 << 4)  # not what was counted
    assert made.selected(Bank.L1, 0) == NO_COUNT


def test_other_modes_are_refused() -> None:
    made = Counting()
    with pytest.raises(BadInputError, match="mode of performance counters"):
        made.write(CONTROLS[Bank.FPU] + 4, 1)


def test_cycles_at_rest_are_not_passed_over_in_silence() -> None:
    made = Counting()
    made.control(START)
    made.s.clock = made.s.clock + 100
    with pytest.raises(BadInputError, match="at rest for 100 of 100 cycles"):
        made.control(STOP)


def test_the_functional_clock_starts_counters_but_has_no_counts() -> None:
    tile = Tile()
    tile.reg_write(DEBUG_REGISTERS + START_ALL, START)
    with pytest.raises(BadInputError, match="the functional clock has not"):
        tile.reg_read(DEBUG_REGISTERS + OUTPUTS[Bank.FPU])
