"""REG2FLOP: GPRs to configuration and to address counters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalar_harness import CHIPS, THREAD, Scalar
from tilelab.sim.checks import CHECKS_BY_NAME, Policy

COUNTERS = ("x", "y", "z", "w", "x_cr", "y_cr", "z_cr", "w_cr")
WIDTHS = {"x": 18, "y": 13, "z": 8, "w": 8}


@pytest.fixture(params=CHIPS)
def machine(request: pytest.FixtureRequest) -> Scalar:
    made = Scalar(request.param)
    made.gpr[:] = np.arange(64) * 0x01010101
    return made


def test_config(machine: Scalar) -> None:
    base = machine.state.arch.reg2flop_base
    machine.state.record["thread_config"][THREAD, 0] = 1
    machine.run("REG2FLOP", size_sel=1, flop_index=5, reg_index=9)
    config = machine.state.record["config"]
    mask = machine.state.s.config_mask[base + 5]
    assert config[1, base + 5] == 0x09090909 & mask
    assert np.count_nonzero(config) == 1
    machine.run("REG2FLOP", size_sel=0, flop_index=14, reg_index=11)
    masks = machine.state.s.config_mask[base + 12 : base + 16]
    written = [value * 0x01010101 & mask for value, mask in zip(range(8, 12), masks, strict=True)]
    assert config[1, base + 12 : base + 16].tolist() == written


def test_only_the_form_that_kernels_use_is_vouched_for(machine: Scalar) -> None:
    wormhole = machine.state.arch.name == "wormhole"
    machine.run("REG2FLOP", size_sel=1)
    assert machine.state.s.fault.warnings == (0 if wormhole else 1)
    machine.run("REG2FLOP", size_sel=0)
    machine.run("REG2FLOP", target_sel=2)
    assert machine.state.s.fault.warnings == (2 if wormhole else 3)
    check = CHECKS_BY_NAME["reg2flop-unconfirmed"]
    machine.state.record["fault"]["policy"][check.code] = Policy.ERROR
    assert machine.refused("REG2FLOP", target_sel=3) == check.name
    assert machine.refused("REG2FLOP", size_sel=0) == check.name


def test_what_no_page_describes(machine: Scalar) -> None:
    assert machine.refused("REG2FLOP", target_sel=1) == "reg2flop-mode"
    assert machine.refused("REG2FLOP", byte_offset=1) == "reg2flop-mode"
    assert machine.refused("REG2FLOP", target_sel=2, flop_index=64) == "reg2flop-mode"
    words = machine.state.arch.global_config - machine.state.arch.reg2flop_base
    assert machine.refused("REG2FLOP", size_sel=1, flop_index=words) == "reg2flop-range"


MACHINE = Scalar()


@given(st.integers(0, 7), st.integers(0, 3), st.integers(0, 1), st.integers(0, 3),
       st.integers(0, 3), st.integers(0, 1), st.integers(0, 3))  # fmt: skip
def test_counters(
    which: int, unit: int, channel: int, size: int, shift: int, override: int, thread: int
) -> None:
    adc = MACHINE.state.record["adc"]
    adc[:] = np.zeros((), adc.dtype)
    MACHINE.gpr[7] = 0x89ABCDEF
    MACHINE.run(
        "REG2FLOP",
        size_sel=size,
        target_sel=2 + override,
        byte_offset=shift,
        context_id_2=thread,
        flop_index=channel << 5 | unit << 3 | which,
        reg_index=7,
    )
    value = {
        (1, 0): 0x89ABCDEF, (2, 0): 0xCDEF, (2, 2): 0x89AB,
        (3, 0): 0xEF, (3, 1): 0xCD, (3, 2): 0xAB, (3, 3): 0x89,
    }.get((size, shift), 0)  # fmt: skip
    name = COUNTERS[which]
    expected = np.zeros_like(adc)
    target = thread if override else THREAD
    if target < 3 and unit < 3:
        expected[name][target, unit, channel] = value & ((1 << WIDTHS[name[0]]) - 1)
    assert (adc == expected).all()
