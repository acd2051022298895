"""Control and status registers."""

import pytest

from riscv_harness import A0, WORDS, Core, failed
from tilelab.sim.kernel import OK

CFG0 = 0x7C0


def access(name: str, csr: int) -> int:
    """The assembled instruction, with another CSR."""
    return WORDS[name] & 0xFFFFF | csr << 20


def test_cfg0_keeps_its_bits() -> None:
    core = Core()
    assert core.value(WORDS["csrrw"], a1=0x0104000A) == 0
    assert core.value(WORDS["csrrc"], a1=0x2) == 0x0104000A
    assert core.value(WORDS["csrrsi"]) == 0x01040008
    assert core.hart.cfg0 == 0x01040019
    assert core.value(WORDS["csrrci"]) == 0x01040019
    assert core.value(WORDS["csrrwi"]) == 0x01040018
    assert core.hart.cfg0 == 5


def test_freezing_the_status_registers_is_refused() -> None:
    core = Core()
    assert failed(core.run(WORDS["csrrw"], a1=1 << 29)) == "cfg0-not-modelled"
    assert core.hart.cfg0 == 0


@pytest.mark.parametrize("csr", [0x300, 0x301, 0xF14])
def test_read_only_registers(csr: int) -> None:
    core = Core()
    assert core.value(access("csrrs", csr)) == {0x300: 0x80006600, 0x301: 0x40201123, 0xF14: 0}[csr]
    assert failed(core.run(access("csrrw", csr))) == "csr-read-only"


@pytest.mark.parametrize("csr", [0xBC0, 0xBC1, 0xC00, 0xC02, 0xC80, 0xC82])
def test_status_and_counters_for_users_are_read_only(csr: int) -> None:
    core = Core()
    core.value(access("csrrs", csr))
    assert failed(core.run(access("csrrw", csr))) == "csr-read-only"


@pytest.mark.parametrize(("low", "high"), [(0xB00, 0xB80), (0xC00, 0xC80)], ids=["mcycle", "cycle"])
def test_cycle_counter_is_the_clock(low: int, high: int) -> None:
    core = Core()
    core.s.clock = 0x5_00000009
    assert core.value(access("csrrs", low)) == 9
    assert core.value(access("csrrs", high)) == 5


@pytest.mark.parametrize(("low", "high"), [(0xB02, 0xB82), (0xC02, 0xC82)])
def test_instruction_counter(low: int, high: int) -> None:
    core = Core()
    core.hart.retired = 0x7_00000003
    assert core.value(access("csrrs", low)) == 3
    assert core.value(access("csrrs", high)) == 7


def test_busy_status_without_gap() -> None:
    core = Core(1)
    core.s.frontend[1].gate_full = 1
    core.s.frontend[1].gate_word = 0x26000000
    assert core.value(access("csrrs", 0xBC1)) == 1 << 10 | 1 << 21


@pytest.mark.parametrize("csr", [0x003, 0x7C1, 0xBC2, 0xC22])
def test_other_registers_are_not_modelled(csr: int) -> None:
    core = Core()
    assert failed(core.run(access("csrrs", csr), a0=5)) == "csr-not-modelled"
    assert core.s.fault.value == csr
    assert core.x[A0] == 5


def test_a_cycle_counter_cannot_be_written() -> None:
    assert failed(Core().run(access("csrrw", 0xB00))) == "csr-not-modelled"


def test_reading_with_x0_writes_nothing() -> None:
    core = Core()
    core.hart.cfg0 = 0xFF
    assert core.run(access("csrrs", CFG0)) == OK
    assert (core.x[A0], core.hart.cfg0) == (0xFF, 0xFF)


@pytest.mark.parametrize("csr", [0xB00, 0xB02, 0xBC0, 0xBC1])
def test_reading_what_changes_by_itself_is_an_effect(csr: int) -> None:
    core = Core()
    core.value(access("csrrs", csr))
    assert core.s.effects + core.s.private_effects == 1
