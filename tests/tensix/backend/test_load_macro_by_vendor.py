"""SFPLOADMACRO as the vendor's kernels use it, where the manual's model says otherwise."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from vector_machine import CHIPS, VectorMachine, fp32

FP32 = 3
OWN_STORE, TEMPLATE_0 = 3, 4


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("mode", "keep"), [(1, np.maximum), (9, np.minimum)])
def test_a_swap_orders_what_is_loaded_against_the_templates_register(
    chip: str, mode: int, keep: Callable[..., Any]
) -> None:
    """As the vendor's exponential clamps: the macro's register takes both places of the result."""
    machine = VectorMachine(chip)
    machine.lreg[3] = fp32(np.linspace(-200, 100, 32))
    machine.lreg[14] = fp32(-88.5)
    machine.run("SFPSTORE", lreg_ind=3, instr_mod0=FP32)
    swap = machine.encode("SFPSWAP", lreg_dest=14, instr_mod1=mode)
    machine.record["load_macro_template"][0] = swap
    machine.record["load_macro_sequence"][0] = TEMPLATE_0
    machine.run("SFPLOADMACRO", lreg_ind=1, instr_mod0=FP32)
    for _ in range(5):
        machine.run("SFPNOP")
    expected = keep(machine.lreg[3].view(np.float32), np.float32(-88.5))
    np.testing.assert_array_equal(machine.lreg[1].view(np.float32), expected)
    assert (machine.lreg[14] == fp32(-88.5)).all()


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("delay", range(4))
def test_a_macro_without_a_store_leaves_one_that_is_due(chip: str, delay: int) -> None:
    """As the vendor's reciprocal of FP32, whose second macro is issued when the first's is due."""
    machine = VectorMachine(chip)
    machine.lreg[3] = fp32(np.arange(32) - 7.5)
    machine.run("SFPSTORE", lreg_ind=3, instr_mod0=FP32)
    machine.record["load_macro_template"][0] = machine.encode("SFPABS", instr_mod1=1)
    machine.record["load_macro_sequence"][:2] = (delay << 3 | OWN_STORE) << 24, TEMPLATE_0
    machine.record["load_macro_misc"] = 0xFF0
    machine.run("SFPLOADMACRO", lreg_ind=1, instr_mod0=FP32)
    machine.lreg[1] = fp32(2.0)
    for _ in range(max(delay - 1, 0)):
        machine.run("SFPNOP")
    machine.run("SFPLOADMACRO", lreg_ind=4 | 2, instr_mod0=FP32, dest_reg_addr=16)
    for _ in range(5):
        machine.run("SFPNOP")
    machine.run("SFPLOAD", lreg_ind=4, instr_mod0=FP32)
    assert (machine.lreg[4] == fp32(2.0)).all()
