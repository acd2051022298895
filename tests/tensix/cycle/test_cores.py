"""What RISC-V instructions cost under the cycle clock."""

import pytest

from cycle_harness import MOP1, Program, plain
from cycle_harness import NOP as NOP_WORD
from riscv_harness import ASSEMBLED
from tilelab.tensix.cycle.cores import divide_cycles
from tilelab.tensix.tables.causes import CORE_OPERAND, CORE_PUSH, CORE_SYNC
from tilelab.tensix.words.ttinsn import to_ttinsn as encode_ttinsn

NOP = 0x00000013
A0 = 10
USE = ASSEMBLED["add a0, a1, a2"] & ~(31 << 15) | A0 << 15  # add a0, a0, a2
LOAD = ASSEMBLED["lw a0, 8(a1)"]
NO_GATHERING = 1 << 18


@pytest.mark.parametrize(
    ("chip", "address", "latency"),
    [
        ("blackhole", 0xFFB00100, 2),  # local RAM
        ("blackhole", 0x2000, 8),  # L1
        ("blackhole", 0xFFE80020, 3),  # a semaphore
        ("blackhole", 0xFFE00000, 4),  # a GPR
        ("blackhole", 0xFFEF0000, 4),  # configuration
        ("blackhole", 0xFFB121B0, 7),  # soft reset
        ("wormhole", 0xFFB00100, 2),
        ("wormhole", 0x2000, 8),
    ],
)
def test_loaded_register_can_be_used_after_the_latency(
    chip: str, address: int, latency: int
) -> None:
    program = Program([LOAD, USE], chip, a1=address - 8)
    assert program.cycles() == latency + 1
    assert program.spent(CORE_OPERAND) == latency - 1
    independent = [ASSEMBLED["addi a0, a1, -7"] & ~(31 << 7) | 13 << 7] * (latency - 1)
    assert Program([LOAD, *independent, USE], chip, a1=address - 8).cycles() == latency + 1


def test_register_written_again_is_not_waited_for() -> None:
    over = ASSEMBLED["addi a0, a1, -7"]
    assert Program([LOAD, over, USE], a1=0x2000).cycles() == 3


@pytest.mark.parametrize(("chip", "cycles"), [("blackhole", 3), ("wormhole", 3)])
def test_multiply_takes_a_second_cycle(chip: str, cycles: int) -> None:
    assert Program([ASSEMBLED["mul a0, a1, a2"], USE], chip).cycles() == cycles


@pytest.mark.parametrize(("chip", "cycles"), [("blackhole", 2), ("wormhole", 3)])
def test_only_blackhole_pipelines_multiplies(chip: str, cycles: int) -> None:
    assert Program([ASSEMBLED["mul a0, a1, a2"], NOP], chip).cycles() == cycles


@pytest.mark.parametrize(
    ("dividend", "divisor", "is_signed", "cycles"),
    [
        (5, 0, 0, 2),
        (5, 1, 1, 2),
        (0x80000000, 0xFFFFFFFF, 1, 2),
        (1, 3, 0, 6),
        (0xFFF, 3, 0, 14),
        (0x12345678, 3, 0, 33),
        (0xFFFFFFFF, 3, 0, 33),
        (0xFFFFFFFF, 3, 1, 6),
    ],
)
def test_division_depends_on_its_operands(
    dividend: int, divisor: int, is_signed: int, cycles: int
) -> None:
    assert divide_cycles(dividend, divisor, is_signed) == cycles
    name = "div a0, a1, a2" if is_signed else "divu a0, a1, a2"
    assert Program([ASSEMBLED[name], NOP], a1=dividend, a2=divisor).cycles() == cycles + 1


def pushes(count: int) -> list[int]:
    return [encode_ttinsn(plain(i)) for i in range(count)]


@pytest.mark.parametrize(
    ("chip", "cfg0", "cycles"),
    [("blackhole", 0, 3), ("blackhole", NO_GATHERING, 12), ("wormhole", 0, 12)],
)
def test_adjacent_ttinsn_are_pushed_four_at_a_time(chip: str, cfg0: int, cycles: int) -> None:
    program = Program(pushes(12), chip)
    program.hart.cfg0 = cfg0
    assert program.cycles() == cycles


@pytest.mark.parametrize(
    ("chip", "cfg0", "accepted"),
    [("blackhole", 0, 32), ("blackhole", NO_GATHERING, 32), ("wormhole", 0, 26)],
)
def test_blocked_gate_stops_the_core_after_so_many_pushes(
    chip: str, cfg0: int, accepted: int
) -> None:
    program = Program(pushes(60), chip)
    program.hart.cfg0 = cfg0
    wait = program.s.frontend[1].wait
    wait.kind, wait.block_mask, wait.condition_mask, wait.semaphore_mask = 2, 0x1FF, 1, 1
    program.tile.run(100)
    assert program.s.frontend[1].pushed == accepted
    assert program.spent(CORE_PUSH) > 50
    program.s.semaphore[0].value = 1
    program.tile.run(300)
    assert program.s.frontend[1].issued == 60


def test_stores_to_the_fifo_wait_as_ttinsn_do() -> None:
    store = 0x00C5A023  # sw a2, 0(a1)
    program = Program([store] * 60, a1=0xFFE40000, a2=plain(1))
    wait = program.s.frontend[1].wait
    wait.kind, wait.block_mask, wait.condition_mask, wait.semaphore_mask = 2, 0x1FF, 1, 1
    program.tile.run(100)
    assert program.s.frontend[1].pushed == 29


MOP_SYNC = 0xFFE80008
TENSIX_SYNC = 0xFFE80004


def sync_bench(address: int, words: int) -> Program:
    """Two MOPs of some words each behind a blocked gate, then a load from a sync address."""
    program = Program([encode_ttinsn(MOP1)] * 2 + [ASSEMBLED["lw a0, 8(a1)"]], a1=address - 8)
    for i, value in enumerate([1, words - 1, plain(1), NOP_WORD, NOP_WORD, plain(2)]):
        program.s.frontend[1].mop_cfg[i] = value
    for i, value in ((6, NOP_WORD), (7, plain(3)), (8, NOP_WORD)):
        program.s.frontend[1].mop_cfg[i] = value
    wait = program.s.frontend[1].wait
    wait.kind, wait.block_mask, wait.condition_mask, wait.semaphore_mask = 2, 0x1FF, 1, 1
    program.tile.run(60)
    return program


def release(program: Program) -> None:
    program.s.semaphore[0].max = program.s.semaphore[0].value = 1


def test_mop_sync_returns_once_the_mops_have_left_the_expander() -> None:
    program = sync_bench(MOP_SYNC, 4)  # 8 words fit behind the expander
    assert program.hart.retired >= 3
    assert program.s.frontend[1].issued == 0


def test_mop_sync_waits_for_mops_that_are_queued_or_expanding() -> None:
    program = sync_bench(MOP_SYNC, 20)
    assert program.hart.retired == 2
    assert program.spent(CORE_SYNC) > 40
    release(program)
    frontend = program.s.frontend[1]
    while program.hart.retired == 2:
        program.tile.run(1)
    assert not frontend.mop_active
    assert frontend.input_fifo.count == 0
    assert frontend.issued < 40  # the last words are still on their way


def test_tensix_sync_waits_for_everything() -> None:
    program = sync_bench(TENSIX_SYNC, 4)
    assert program.hart.retired == 2
    release(program)
    while program.hart.retired == 2:
        program.tile.run(1)
    assert program.s.frontend[1].issued == 8
