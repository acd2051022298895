"""The cores' instruction caches and predictors, and their loads and stores of L1.

Figures of mesham/tt-sim's riscvbench on an n300 and a p150, each on the card's own terms: a loop
of one instruction, its cost in the steady state.
"""

import pytest

from cycle_harness import Program
from tilelab.tensix import Tile
from tilelab.tensix.backend.soft_reset import leave_reset
from tilelab.tensix.tables.causes import CORE_BRANCH, CORE_FETCH, CORE_STORE

NOP = 0x00000013
COUNT = 0x00188893  # addi a7, a7, 1: a loop that changes nothing would be a deadlock
XORI = 0x00154513  # xori a0, a0, 1
CHIPS = ("blackhole", "wormhole")


def store(offset: int) -> int:
    """sw a2, offset(a1)."""
    return 0x00C5A023 | (offset & 31) << 7 | (offset >> 5) << 25


def load(offset: int, register: int) -> int:
    """lw register, offset(a1)."""
    return 0x0005A003 | offset << 20 | register << 7


def back(count: int) -> int:
    """jal x0, back over so many instructions."""
    offset = -4 * count & 0x1FFFFF
    fields = (offset >> 20) << 31 | (offset >> 1 & 0x3FF) << 21
    return fields | (offset >> 11 & 1) << 20 | (offset >> 12 & 0xFF) << 12 | 0x6F


def looped(body: list[int]) -> list[int]:
    """The body for ever, with an instruction that counts and one that jumps."""
    return [*body, COUNT, back(len(body) + 1)]


def each(body: list[int], chip: str, core: int = 1, turns: int = 4, **more: int) -> float:
    """Cycles of one instruction of a loop, without its last two."""
    program = Program(looped(body), chip, core, **more)
    return (program.turns(len(body) + 2, turns) - 2) / len(body)


# ---------------------------------------------------------------- instruction caches


@pytest.mark.parametrize(
    ("chip", "core", "size", "cost"),
    [
        ("wormhole", 1, 64, 1.00),
        ("wormhole", 1, 256, 1.42),
        ("wormhole", 1, 1024, 1.405),
        ("wormhole", 0, 256, 1.00),
        ("wormhole", 0, 496, 1.00),
        ("wormhole", 2, 1024, 1.153),
        ("wormhole", 3, 1024, 1.153),
        ("blackhole", 1, 1008, 1.00),
        ("blackhole", 1, 1152, 1.092),
        ("blackhole", 0, 1280, 1.153),
        ("blackhole", 1, 1408, 1.213),
        ("blackhole", 2, 1536, 1.252),
        ("blackhole", 1, 2048, 1.251),
    ],
)
def test_loop_that_its_cache_does_not_hold_is_slower(
    chip: str, core: int, size: int, cost: float
) -> None:
    assert each([COUNT] * size, chip, core, turns=2) == pytest.approx(cost, rel=0.02)


def test_code_that_runs_for_the_first_time_comes_line_by_line() -> None:
    program = Program([NOP] * 64, cold=True)
    assert program.cycles() == 8 + 16 * 5 + 3 - 3
    assert program.spent(CORE_FETCH) == 8 + 16


def test_core_that_leaves_reset_has_an_empty_cache() -> None:
    program = Program([NOP] * 8)
    assert program.cycles() == 8
    leave_reset(program.s, 1)
    program.hart.pc, program.hart.retired = 0x5000, 0
    begun = int(program.s.clock)
    assert program.cycles() - begun == 8 + 5 + 5


# ---------------------------------------------------------------- branches


@pytest.mark.parametrize(("chip", "penalty"), [("blackhole", 4), ("wormhole", 2)])
def test_branch_not_seen_before_is_expected_not_to_be_taken(chip: str, penalty: int) -> None:
    taken = 0x00000463  # beq x0, x0, +8
    program = Program([taken, NOP], chip)
    program.count = 1
    assert program.cycles() == 1 + penalty
    assert program.spent(CORE_BRANCH) == penalty
    assert Program([0x00001463], chip).cycles() == 1  # bne x0, x0, +8
    assert Program([0xFE001CE3], chip).cycles() == 1  # bne x0, x0, -8


TAKEN, NOT_TAKEN, JUMP = 0x00000263, 0x00001263, 0x0040006F  # all to the next instruction


@pytest.mark.parametrize(
    ("body", "wormhole", "blackhole"),
    [
        ([TAKEN], 3.0, 1.0),
        ([NOT_TAKEN], 1.03, 1.0),
        ([JUMP], 3.0, 1.0),
        ([XORI, NOT_TAKEN], 2.03, 2.0),
        ([XORI, TAKEN], 4.02, 2.0),
        ([XORI, 0x00050263], 3.02, 2.0),  # beqz a0: every other branch is taken
    ],
)
def test_branches_in_a_row_are_learnt_where_the_table_holds_them(
    body: list[int], wormhole: float, blackhole: float
) -> None:
    for chip, cost in (("wormhole", wormhole), ("blackhole", blackhole)):
        found = each(body * 64, chip, 0) * len(body)
        assert found == pytest.approx(cost, rel=0.02), chip


@pytest.mark.parametrize(
    ("kind", "a", "b", "penalty"),
    [
        *((0, 1, 1, 2), (0, 1, 2, 0), (1, 1, 2, 2), (4, -1, 1, 2), (4, 1, -1, 0)),
        *((5, 1, 1, 2), (6, -1, 1, 0), (6, 1, -1, 2), (7, -1, 1, 2), (7, 1, 2, 0)),
    ],
)
def test_branch_to_the_next_instruction_is_taken_by_its_condition(
    kind: int, a: int, b: int, penalty: int
) -> None:
    word = 0x00C58263 | kind << 12  # a1, a2
    program = Program([word], "wormhole", a1=a & 0xFFFFFFFF, a2=b & 0xFFFFFFFF)
    assert program.cycles() == 1 + penalty


# ---------------------------------------------------------------- stores


SPREAD = [store(16 * i) for i in range(4)] * 16


@pytest.mark.parametrize("chip", CHIPS)
def test_stores_to_l1_take_five_cycles(chip: str) -> None:
    assert each(SPREAD, chip, a1=0x40000) == pytest.approx(5.0, rel=0.01)
    program = Program([*SPREAD], chip, a1=0x40000)
    program.cycles()
    assert program.spent(CORE_STORE) > 200


@pytest.mark.parametrize(("chip", "cost"), [("wormhole", 5.0), ("blackhole", 1.0)])
def test_only_blackhole_gathers_neighbours(chip: str, cost: float) -> None:
    body = [store(0), store(4)] * 32
    assert each(body, chip, a1=0x40000) == pytest.approx(cost, rel=0.02)


def test_gathered_stores_that_fill_a_line_take_one_cycle() -> None:
    lines = [store(16 * line + 4 * i) for line in range(8) for i in range(4)]
    assert each(lines, "blackhole", a1=0x40000) == pytest.approx(1.0, rel=0.02)
    gaps = [store(16 * line + 8 * i) for line in range(8) for i in range(2)]
    assert each(gaps, "blackhole", a1=0x40000) == pytest.approx(5.0, rel=0.03)


@pytest.mark.parametrize(("chip", "entries"), [("wormhole", 8), ("blackhole", 4)])
def test_stores_run_ahead_as_far_as_the_queue_goes(chip: str, entries: int) -> None:
    """The first is written at once; then as many wait as the queue holds."""
    for count, waits in ((entries, False), (entries + 3, True)):
        program = Program([store(16 * (i % 8)) for i in range(count)], chip, a1=0x40000)
        program.cycles()
        assert (program.spent(CORE_STORE) > 0) == waits


def shared(body: list[int], chip: str, cores: tuple[int, ...]) -> list[float]:
    """Cycles of one instruction on each of some cores that run the same loop."""
    tile = Tile(chip, engine="reference", clock="cycle")
    made = [
        Program(looped(body), chip, core, tile=tile, a1=0x40000 + 2048 * core) for core in cores
    ]
    while tile.state.s.clock < 3000:
        tile.run(1)
    before = [int(program.hart.retired) for program in made]
    tile.run(3000)
    return [
        3000 / (int(program.hart.retired) - old) for program, old in zip(made, before, strict=True)
    ]


@pytest.mark.parametrize("chip", CHIPS)
def test_trisc1_and_trisc2_share_a_port_to_l1(chip: str) -> None:
    first, second, third = shared(SPREAD, chip, (0, 1, 2))
    assert first < 7
    assert second == pytest.approx(11.2, rel=0.05)
    assert third == pytest.approx(11.2, rel=0.05)
    assert max(shared(SPREAD, chip, (0, 1))) < 6


def test_ports_take_turns_at_a_bank() -> None:
    """Same word for two cores 9.98; the third shares its port, so the first still gets half."""
    tile_word = [store(0)] * 64
    both = shared_word(tile_word, (0, 1))
    assert both == [pytest.approx(10.0, rel=0.05)] * 2
    first, second, third = shared_word(tile_word, (0, 1, 2))
    assert first == pytest.approx(10.0, rel=0.05)
    assert second == pytest.approx(20.0, rel=0.05)
    assert third == pytest.approx(20.0, rel=0.05)


def shared_word(body: list[int], cores: tuple[int, ...]) -> list[float]:
    tile = Tile("wormhole", engine="reference", clock="cycle")
    made = [Program(looped(body), core=core, tile=tile, a1=0x40000) for core in cores]
    tile.run(3000)
    before = [int(program.hart.retired) for program in made]
    tile.run(3000)
    return [
        3000 / (int(program.hart.retired) - old) for program, old in zip(made, before, strict=True)
    ]


# ---------------------------------------------------------------- loads


LOADS = [load(16 * i, 12 + i) for i in range(4)] * 16


@pytest.mark.parametrize("chip", CHIPS)
def test_four_loads_of_l1_are_under_way_for_seven_cycles(chip: str) -> None:
    assert each(LOADS, chip, a1=0x40000) == pytest.approx(1.72, rel=0.01)
    assert each(LOADS, chip, a1=0xFFB00100) == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize("chip", CHIPS)
def test_loads_of_two_cores_share_a_port(chip: str) -> None:
    assert shared(LOADS, chip, (1, 2)) == [pytest.approx(1.95, rel=0.05)] * 2


# ---------------------------------------------------------------- what nothing overtakes


@pytest.mark.parametrize(
    ("word", "cycles"),
    [(0xB0002573, 4), (0xB0202573, 4), (0x0000000F, 4), (NOP, 1)],  # mcycle, minstret, fence
)
def test_csr_instruction_retires_before_the_next_begins(word: int, cycles: int) -> None:
    assert Program([word] * 3).cycles() == 3 * cycles
