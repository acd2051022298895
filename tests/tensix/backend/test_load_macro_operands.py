"""Which registers an instruction reads that SFPLOADMACRO schedules, where the chips differ."""

import numpy as np
import pytest

from vector_machine import CHIPS, VectorMachine, fp32

FP32 = 3
SIMPLE_TEMPLATE_0 = 4
"""A sequence that schedules template 0 in the simple sub-unit for the next cycle."""


@pytest.fixture(params=CHIPS)
def machine(request: pytest.FixtureRequest) -> VectorMachine:
    return prepared(request.param)


def prepared(chip: str) -> VectorMachine:
    machine = VectorMachine(chip)
    rng = np.random.default_rng(1)
    machine.record["dst"] = rng.integers(0, 2**16, (1024, 16))
    machine.record["load_macro_sequence"][0] = SIMPLE_TEMPLATE_0
    machine.lreg[:8] = fp32(rng.normal(size=(8, 32)))
    return machine


def schedule(machine: VectorMachine, word: int, vd: int) -> np.ndarray:
    """Schedule a template on what a load brings to LReg[vd]; returns what that left."""
    machine.record["load_macro_template"][0] = word
    machine.run("SFPLOADMACRO", lreg_ind=vd, instr_mod0=FP32)
    loaded = machine.lreg.copy()
    machine.run("SFPNOP")
    machine.run("SFPNOP")
    assert machine.record["load_macro_busy"] == 0
    return loaded


@pytest.mark.parametrize("name", ["SFPAND", "SFPOR"])
def test_a_scheduled_and_names_its_vb_on_blackhole_only(machine: VectorMachine, name: str) -> None:
    """SFPAND.md of Blackhole: VB if Mod1 says so, otherwise the VD that the macro decides on."""
    operation = np.bitwise_and if name == "SFPAND" else np.bitwise_or
    blackhole = machine.chip == "blackhole"
    for modifier, vb in ((1, 6 if blackhole else 5), (0, 1 if blackhole else 5)):
        fields = {"imm12_math": 6, "lreg_dest": 5, "instr_mod1": modifier}
        loaded = schedule(machine, machine.encode(name, **fields), 1)
        np.testing.assert_array_equal(machine.lreg[1], operation(loaded[vb], loaded[1]))


def test_a_scheduled_comparison_compares_the_template_s_vd() -> None:
    machine = prepared("blackhole")
    loaded = schedule(machine, machine.encode("SFPGT", lreg_dest=5, instr_mod1=8), 1)
    greater = loaded[5].view(np.float32) > loaded[1].view(np.float32)
    np.testing.assert_array_equal(machine.lreg[1], np.where(greater, 0xFFFFFFFF, 0))


def test_wormhole_schedules_no_opcode_that_it_lacks() -> None:
    machine = prepared("wormhole")
    blackhole = VectorMachine("blackhole")
    word = blackhole.encode("SFPLE", lreg_dest=5, instr_mod1=8)
    loaded = schedule(machine, word, 1)
    np.testing.assert_array_equal(machine.lreg, loaded)
