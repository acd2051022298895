"""Soft reset: stopping cores, starting them, where they start."""

import pytest

from riscv_harness import BRISC, Core, failed, host_store
from tilelab.sim.kernel import OK
from tilelab.tensix.arch import arch
from tilelab.tensix.riscv.host import host_read, host_write
from tilelab.tensix.state import TensixState

SOFT_RESET = 0xFFB121B0
RESET_PC, OVERRIDE, DISABLE_RESET = 0xFFB12228, 0xFFB12234, 0xFFB12224
BIT = {0: 1 << 12, 1: 1 << 13, 2: 1 << 14, BRISC: 1 << 11}
ALL = 0x47800


def running(state: TensixState) -> list[int]:
    return [int(v) for v in state.riscv["running"]]


def test_everything_is_held_at_first() -> None:
    state = TensixState(arch("blackhole"))
    assert running(state) == [0] * 5
    assert host_read(state.s, SOFT_RESET) == (OK, ALL)


@pytest.mark.parametrize(
    ("core", "pc"), [(0, 0x6000), (1, 0xA000), (2, 0xE000), (BRISC, 0)], ids=str
)
@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_fixed_start(chip: str, core: int, pc: int) -> None:
    state = TensixState(arch(chip))
    state.s.riscv[core].pc = 0x44
    host_store(state, SOFT_RESET, ALL & ~BIT[core])
    assert running(state) == [int(i == core) for i in range(5)]
    assert state.s.riscv[core].pc == pc


def test_overridden_start() -> None:
    state = TensixState(arch("blackhole"))
    for core in range(3):
        host_store(state, RESET_PC + 4 * core, 0x1000 * (core + 1))
    host_store(state, OVERRIDE, 0b101)
    assert host_read(state.s, RESET_PC + 8) == (OK, 0x3000)
    assert host_read(state.s, OVERRIDE) == (OK, 0b101)
    host_store(state, SOFT_RESET, ALL & ~0x7000)
    assert [state.s.riscv[core].pc for core in range(3)] == [0x1000, 0xA000, 0x3000]


def test_overridden_start_on_wormhole_is_configuration() -> None:
    state = TensixState(arch("wormhole"))
    state.set_config_field("TRISC_RESET_PC_SEC1_PC", 0x2000)
    state.set_config_field("TRISC_RESET_PC_OVERRIDE_Reset_PC_Override_en", 0b010)
    host_store(state, SOFT_RESET, ALL & ~0x7000)
    assert [state.s.riscv[core].pc for core in range(3)] == [0x6000, 0x2000, 0xE000]


def test_a_running_core_is_not_restarted() -> None:
    state = TensixState(arch("blackhole"))
    host_store(state, SOFT_RESET, ALL & ~BIT[0])
    state.s.riscv[0].pc = 0x6100
    host_store(state, SOFT_RESET, ALL & ~(BIT[0] | BIT[1]))
    assert state.s.riscv[0].pc == 0x6100
    assert running(state) == [1, 1, 0, 0, 0]


def test_entering_reset_drops_queued_words_and_mail() -> None:
    state = TensixState(arch("blackhole"))
    host_store(state, SOFT_RESET, ALL & ~BIT[1])
    f = state.s.frontend[1]
    f.input_fifo.count, f.mop_active, f.late_fifo.count = 3, 1, 2
    state.s.mailbox[0][1].count = 2
    host_store(state, SOFT_RESET, ALL)
    assert running(state) == [0] * 5
    assert (f.input_fifo.count, f.mop_active, f.late_fifo.count) == (0, 0, 2)
    assert state.s.mailbox[0][1].count == 0


@pytest.mark.parametrize(("keep", "left"), [(0, 0), (1 << 6, 7)])
def test_leaving_reset_clears_registers_and_local_ram(keep: int, left: int) -> None:
    state = TensixState(arch("blackhole"))
    hart = state.s.riscv[BRISC]
    hart.x[5], hart.local_ram[2047], hart.cfg0 = 7, 7, 0xFF
    host_store(state, DISABLE_RESET, keep)
    host_store(state, SOFT_RESET, ALL & ~BIT[BRISC])
    assert (hart.x[5], hart.local_ram[2047], hart.cfg0) == (0, left, 16 << 13)


def test_wormhole_keeps_local_ram() -> None:
    state = TensixState(arch("wormhole"))
    state.s.riscv[0].local_ram[0] = 7
    host_store(state, SOFT_RESET, ALL & ~BIT[0])
    assert state.s.riscv[0].local_ram[0] == 7


def test_a_core_can_start_another() -> None:
    brisc = Core(BRISC)
    host_store(brisc.state, SOFT_RESET, ALL & ~BIT[BRISC])
    assert brisc.store(SOFT_RESET, ALL & ~(BIT[BRISC] | 0x7000)) == OK
    assert running(brisc.state) == [1, 1, 1, 1, 0]


def test_bit_31_is_ignored_and_units_are_not_reset() -> None:
    state = TensixState(arch("blackhole"))
    host_store(state, SOFT_RESET, 0x80000000 | ALL)
    assert host_read(state.s, SOFT_RESET) == (OK, ALL)
    assert failed(host_write(state.s, SOFT_RESET, ALL | 1)) == "soft-reset-unit"
    assert host_read(state.s, SOFT_RESET) == (OK, ALL)
