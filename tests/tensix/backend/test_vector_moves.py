"""Moves between lanes and registers: what the recorded data do not reach."""

import numpy as np
import pytest

from vector_machine import CHIPS, LANES, VectorMachine


@pytest.fixture(params=CHIPS)
def machine(request: pytest.FixtureRequest) -> VectorMachine:
    return VectorMachine(request.param)


def test_copies_move_registers_down(machine: VectorMachine) -> None:
    original = np.arange(4 * 32).reshape(4, 32)
    for mode in (0, 1, 2):
        machine.lreg[:4] = original
        machine.lreg[5] = LANES + 500
        machine.run("SFPSHFT2", lreg_src_c=5, lreg_dest=0, instr_mod1=mode)
        np.testing.assert_array_equal(machine.lreg[:3], original[1:])
        last = machine.lreg[3].tolist()
        if mode == 0:
            assert last == [0] * 32
        elif mode == 1:
            assert last == [*range(8, 32), *[0] * 8]
        else:
            rotated = (LANES + 500).reshape(4, 8)
            assert last == np.roll(rotated, 1, axis=1).ravel().tolist()


def test_shifting_lanes_leaks_the_last_rotation_on_wormhole(machine: VectorMachine) -> None:
    machine.lreg[1] = LANES + 1000
    machine.lreg[2] = LANES
    machine.run("SFPSHFT2", lreg_src_c=1, lreg_dest=3, instr_mod1=3)
    machine.run("SFPSHFT2", lreg_src_c=2, lreg_dest=3, instr_mod1=4)
    leaked = [1007, 1015, 1023, 1031] if machine.chip == "wormhole" else [0] * 4
    assert machine.lreg[3, ::8].tolist() == leaked
    assert machine.lreg[3, 1:8].tolist() == list(range(7))
    machine.run("SFPSHFT2", lreg_src_c=9, lreg_dest=9, instr_mod1=3)  # the documented cure
    machine.run("SFPSHFT2", lreg_src_c=2, lreg_dest=3, instr_mod1=4)
    assert not machine.lreg[3, ::8].any()


def test_an_immediate_shift_names_its_source_by_the_same_bits(machine: VectorMachine) -> None:
    machine.lreg[2] = 3
    machine.run("SFPSHFT2", imm12_math=0x002, lreg_dest=0, instr_mod1=6)
    assert machine.lreg[0, 0] == 12
    machine.lreg[14] = 0x80000000
    machine.run("SFPSHFT2", imm12_math=0xFFE, lreg_dest=0, instr_mod1=6)
    assert machine.lreg[0, 0] == 0x20000000


@pytest.mark.parametrize(
    ("mode", "rows"),
    [(4, (0, 3)), (5, (0,)), (6, (1,)), (7, (2,)), (8, (3,)), (9, ()), (15, ())],
)
def test_swap_orders_by_rows(machine: VectorMachine, mode: int, rows: tuple[int, ...]) -> None:
    machine.lreg[0], machine.lreg[1] = 5, 3
    machine.run("SFPSWAP", lreg_src_c=0, lreg_dest=1, instr_mod1=mode)
    assert machine.lreg[1].tolist() == [3 if lane // 8 in rows else 5 for lane in range(32)]
    assert (machine.lreg[0] + machine.lreg[1] == 8).all()
