"""Arithmetic on GPRs, and SETDMAREG's special mode."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalar_harness import CHIPS, Scalar

WORDS = st.integers(0, 2**32 - 1)
CONSTANTS = st.integers(0, 63)
MACHINE = Scalar()


def result(name: str, left: int, right: int, constant: bool = False, **fields: int) -> int:
    MACHINE.gpr[:] = 0
    MACHINE.gpr[5], MACHINE.gpr[6] = left, 0 if constant else right
    MACHINE.run(
        name,
        op_b_is_const=int(constant),
        op_a_reg_index=5,
        op_b_reg_index=right if constant else 6,
        result_reg_index=63,
        **fields,
    )
    assert [MACHINE.gpr[5], MACHINE.gpr[6]] == [left, 0 if constant else right]
    return int(MACHINE.gpr[63])


@given(WORDS, WORDS)
def test_registers(a: int, b: int) -> None:
    assert result("ADDDMAREG", a, b) == (a + b) % 2**32
    assert result("SUBDMAREG", a, b) == (a - b) % 2**32
    assert result("MULDMAREG", a, b) == (a % 2**16) * (b % 2**16)
    assert result("BITWOPDMAREG", a, b, op_sel=0) == a & b
    assert result("BITWOPDMAREG", a, b, op_sel=1) == a | b
    assert result("BITWOPDMAREG", a, b, op_sel=2) == a ^ b
    assert result("SHIFTDMAREG", a, b, op_sel=0) == a * 2 ** (b % 32) % 2**32
    assert result("SHIFTDMAREG", a, b, op_sel=1) == a // 2 ** (b % 32)
    assert result("CMPDMAREG", a, b, op_sel=0) == int(a > b)
    assert result("CMPDMAREG", a, b, op_sel=1) == int(a < b)
    assert result("CMPDMAREG", a, b, op_sel=2) == int(a == b)
    assert result("CMPDMAREG", a, a, op_sel=2) == 1


@given(WORDS, CONSTANTS)
def test_constants(a: int, b: int) -> None:
    assert result("SUBDMAREG", a, b, constant=True) == (a - b) % 2**32
    assert result("BITWOPDMAREG", a, b, constant=True, op_sel=2) == a ^ b
    assert result("SHIFTDMAREG", a, b % 32, constant=True, op_sel=1) == a >> b % 32
    assert result("CMPDMAREG", a, b, constant=True, op_sel=0) == int(a > b)


@pytest.mark.parametrize("chip", CHIPS)
def test_what_no_mode_stands_for_is_undefined(chip: str) -> None:
    machine = Scalar(chip)
    for name, first in (("BITWOPDMAREG", 3), ("SHIFTDMAREG", 2), ("CMPDMAREG", 3)):
        for mode in range(first, 8):
            assert machine.refused(name, op_sel=mode) == "scalar-mode"
    refused = machine.refused("SHIFTDMAREG", op_b_is_const=1, op_b_reg_index=32)
    assert refused == "shiftdmareg-amount"


def test_flushdma_has_nothing_to_wait_for() -> None:
    MACHINE.run("FLUSHDMA", flush_spec=15)


def special(machine: Scalar, size: int, source: int, half: int, target: int) -> None:
    machine.run(
        "SETDMAREG",
        payload_sig_sel_size=size,
        payload_sig_sel=source << 3 | half,
        set_signals_mode=1,
        reg_index_16b=target,
    )


@pytest.mark.parametrize("chip", CHIPS)
def test_setdmareg_special_clears_gprs(chip: str) -> None:
    machine = Scalar(chip)
    machine.gpr[:] = 0xFFFFFFFF
    special(machine, 2, 15, 5, 9)
    assert machine.gpr[3:9].tolist() == [0xFFFFFFFF, 0, 0, 0, 0, 0xFFFFFFFF]
    special(machine, 1, 10, 0, 21)
    assert machine.gpr[10] == 0
    special(machine, 0, 12, 1, 23)
    assert machine.gpr[11] == 0x0000FFFF
    special(machine, 3, 15, 0, 24)  # what the tile header reserves stays
    assert machine.gpr[12:16].tolist() == [0xFFFF0000, 0xFF00FFFF, 0, 0xFFFFFFFF]


@pytest.mark.parametrize(
    ("chip", "packer", "section"),
    [("blackhole", 0, "SEC0_REG1"), ("wormhole", 0, "SEC0_REG1"), ("wormhole", 1, "SEC0_REG8"),
     ("wormhole", 2, "SEC1_REG1"), ("wormhole", 3, "SEC1_REG8")],
)  # fmt: skip
def test_setdmareg_special_reads_a_packers_configuration(
    chip: str, packer: int, section: str
) -> None:
    machine = Scalar(chip)
    machine.state.set_config_field(f"THCON_{section}_Out_data_format", 6)
    special(machine, 0, 2 + packer, 3, 8)
    assert machine.gpr[4] == 6
    machine.state.set_config_field(f"THCON_{section}_Disable_zero_compress", 1)
    special(machine, 0, 2 + packer, 3, 9)
    assert machine.gpr[4] == 0x160006
    special(machine, 1, 2 + packer, 6, 10)  # the reserved fourth word
    assert machine.gpr[5] == 0


@pytest.mark.parametrize("chip", CHIPS)
def test_setdmareg_special_refuses_what_is_not_kept(chip: str) -> None:
    machine = Scalar(chip)
    for source, half in [(0, 0), (1, 0), (2, 0), (2, 4), (6, 0), (8, 0), (9, 0)]:
        select = source << 3 | half
        assert (
            machine.refused("SETDMAREG", payload_sig_sel=select, set_signals_mode=1)
            == "setdmareg-special"
        )
    assert (
        machine.refused(
            "SETDMAREG", payload_sig_sel_size=2, payload_sig_sel=2 << 3, set_signals_mode=1
        )
        == "setdmareg-special"
    )
