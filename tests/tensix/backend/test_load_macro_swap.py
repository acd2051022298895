"""SFPSWAP scheduled by SFPLOADMACRO: two cycles, and loads that meet its results."""

import numpy as np
import pytest

from tilelab.tensix.backend.vector_unit.lreg import ENABLE_DEST_INDEX, EXCHANGE_SRCB_SRCC
from vector_machine import CHIPS, VectorMachine

FP32 = 3
AS_VB, FIRST_TEMPLATE = 0x80, 4
ORDER = 1
"""SFPSWAP's mode: VD gets the smaller value, VC the larger one."""


def prepared(chip: str) -> VectorMachine:
    machine = VectorMachine(chip)
    rng = np.random.default_rng(7)
    # datums as Dst keeps BF16: one sign bit, then the mantissa, then the exponent
    values = rng.normal(size=(1024, 16)).astype(np.float32).view(np.uint32) >> 16
    machine.record["dst"] = values & 0x8000 | (values & 0x7F) << 8 | values >> 7 & 0xFF
    return machine


@pytest.fixture(params=CHIPS)
def machine(request: pytest.FixtureRequest) -> VectorMachine:
    made = prepared(request.param)
    for macro, extreme in enumerate((4, 5)):
        made.record["load_macro_template"][macro] = made.encode(
            "SFPSWAP", lreg_src_c=extreme, instr_mod1=ORDER
        )
        made.record["load_macro_sequence"][macro] = AS_VB | (FIRST_TEMPLATE + macro)
    return made


def load(machine: VectorMachine, register: int, address: int) -> None:
    machine.run("SFPLOAD", lreg_ind=register, instr_mod0=2, dest_reg_addr=address)


def macro(machine: VectorMachine, number: int, register: int, address: int) -> None:
    machine.run(
        "SFPLOADMACRO", lreg_ind=number << 2 | register, instr_mod0=2, dest_reg_addr=address
    )


def order(machine: VectorMachine, larger: int, smaller: int) -> None:
    machine.run("SFPSWAP", lreg_src_c=larger, lreg_dest=smaller, instr_mod1=ORDER)


@pytest.mark.parametrize("lane_config", [0, EXCHANGE_SRCB_SRCC])
def test_a_column_s_maximum_as_the_vendor_s_kernel_takes_it(
    machine: VectorMachine, lane_config: int
) -> None:
    """Four columns of halves at once; a load meets the result of a swap in LReg[1]."""
    plain = prepared(machine.chip)
    for each in (machine, plain):
        each.record["lane_config"] = lane_config
        for register, address in ((4, 0), (5, 2), (6, 16), (7, 18)):
            load(each, register, address)
    for row in range(4, 16, 4):
        macro(machine, 1, 1, row + 2)
        load(machine, 0, row + 16)
        load(machine, 1, row + 18)  # in the second cycle of the swap of LReg[1] and LReg[5]
        for register in (1, 0):
            order(machine, 6 + register, register)
            machine.run("SFPNOP")
        macro(machine, 0, 0, row)
        machine.run("SFPNOP")
        for larger, address in ((5, 2), (6, 16), (7, 18), (4, 0)):
            load(plain, 0, row + address)
            order(plain, larger, 0)
    machine.run("SFPNOP")
    machine.run("SFPNOP")
    assert machine.record["load_macro_busy"] == 0
    np.testing.assert_array_equal(machine.lreg[4:8], plain.lreg[4:8])


def test_the_second_cycle_reads_again_and_writes_only_lanes_that_swap(
    machine: VectorMachine,
) -> None:
    """Not so wanted by any kernel, but so documented: the swap exchanges what it finds."""
    machine.lreg[4] = 0
    macro(machine, 0, 0, 0)
    first = machine.lreg[0].copy()
    load(machine, 0, 16)  # the swap's first cycle: it still compares what the macro loaded
    second = machine.lreg[0].copy()
    machine.run("SFPNOP")
    machine.run("SFPNOP")
    swaps = (first >> 31) == 0
    assert swaps.any()
    assert not swaps.all()
    np.testing.assert_array_equal(machine.lreg[4], np.where(swaps, second, 0))
    np.testing.assert_array_equal(machine.lreg[0], np.where(swaps, 0, second))


def test_indices_follow(machine: VectorMachine) -> None:
    plain = prepared(machine.chip)
    machine.record["load_macro_template"][0] = machine.encode(
        "SFPSWAP", lreg_src_c=2, instr_mod1=ORDER
    )
    for each in (machine, plain):
        each.record["lane_config"] = ENABLE_DEST_INDEX
        each.lreg[2] = 0
        each.lreg[4:8] = np.arange(128).reshape(4, 32)
    macro(machine, 0, 1, 0)
    load(plain, 1, 0)
    order(plain, 2, 1)
    for _ in range(3):
        machine.run("SFPNOP")
    np.testing.assert_array_equal(machine.lreg[:8], plain.lreg[:8])
    assert (machine.lreg[5] != np.arange(32, 64)).any()


@pytest.mark.parametrize("lanes", [0xFFFFFFFF, 0x00FF00FF])
def test_a_load_s_value_stays_where_a_result_would_appear(
    machine: VectorMachine, lanes: int
) -> None:
    """In the lanes that the load writes; SFPLOADI is a load, too."""
    machine.record["load_macro_template"][0] = machine.encode("SFPNOT")
    machine.record["load_macro_sequence"][0] = FIRST_TEMPLATE
    macro(machine, 0, 0, 0)
    before = machine.lreg[0].copy()
    machine.record["use_lane_flags"] = 1
    machine.record["lane_flags"] = lanes
    machine.run("SFPLOADI", lreg_ind=0, instr_mod0=2, imm16=77)
    machine.run("SFPNOP")
    loaded = lanes >> np.arange(32) & 1 == 1
    np.testing.assert_array_equal(machine.lreg[0], np.where(loaded, 77, before))
