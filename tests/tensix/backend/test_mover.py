"""XMOV: copies, clears and configuration loads."""

import numpy as np
import pytest

from scalar_harness import CHIPS, Scalar

ZERO_L1, LOAD_REGISTERS, ZERO_REGISTERS, COPY_L1 = range(4)


class Mover(Scalar):
    """L1 holds noise; a move is described in units of 16 bytes."""

    def __init__(self, chip: str) -> None:
        super().__init__(chip)
        self.state.l1[:] = np.random.default_rng(1).integers(0, 256, len(self.state.l1), np.uint8)

    def set(self, target: int, source: int, count: int, direction: int) -> None:
        for name, value in (
            ("Destination_address", target),
            ("Source_address", source),
            ("Buffer_size", count),
            ("Transfer_direction", direction),
        ):
            self.state.set_config_field(f"THCON_SEC0_REG6_{name}", value)


@pytest.fixture(params=CHIPS)
def mover(request: pytest.FixtureRequest) -> Mover:
    return Mover(request.param)


def test_copy(mover: Mover) -> None:
    expected = mover.state.l1.copy()
    expected[0x2000:0x2030] = expected[0x1000:0x1030]
    mover.set(0x200, 0x100, 3, COPY_L1)
    mover.run("XMOV")
    assert (mover.state.l1 == expected).all()


def test_clear(mover: Mover) -> None:
    expected = mover.state.l1.copy()
    expected[0x2000:0x2030] = 0
    mover.set(0x200, 0xFFFFFFF, 0x10003, ZERO_L1)  # sizes have 16 bits; no source is read
    mover.run("XMOV")
    assert (mover.state.l1 == expected).all()


def test_configuration(mover: Mover) -> None:
    words = mover.state.arch.config_words
    second = words + 40  # word 40 of the second bank
    mover.set(second // 4, 0x100, 2, LOAD_REGISTERS)
    mover.run("XMOV")
    masks = mover.state.s.config_mask[40:48]
    loaded = [int(a) & b for a, b in zip(mover.l1[0x400:0x408], masks, strict=True)]
    assert mover.state.record["config"][1, 40:48].tolist() == loaded
    assert any(loaded)
    mover.set(second // 4, 0x100, 1, ZERO_REGISTERS)
    mover.run("XMOV")
    assert mover.state.record["config"][1, 40:48].tolist() == [0, 0, 0, 0, *loaded[4:]]


def test_registers_of_no_region_are_nowhere(mover: Mover) -> None:
    mover.set(0x2000, 0x100, 4, LOAD_REGISTERS)
    before, memory = mover.state.snapshot(), mover.state.l1.copy()
    mover.run("XMOV")
    assert not mover.state.diff(before)
    assert (mover.state.l1 == memory).all()


def test_what_cannot_be_moved(mover: Mover) -> None:
    end = mover.state.arch.l1_size // 16
    for target, source, count, direction, name in [
        (0x200, end - 1, 2, COPY_L1, "l1-bounds"),
        (end, 0x200, 1, COPY_L1, "l1-bounds"),
        (end - 1, 0, 2, ZERO_L1, "l1-bounds"),
        (0, end, 1, LOAD_REGISTERS, "l1-bounds"),
        (0x201, 0x200, 2, COPY_L1, "xmov-overlap"),
        (0xFFF, 0x200, 2, LOAD_REGISTERS, "xmov-region"),
        (0x4400, 0x200, 2, ZERO_REGISTERS, "xmov-instruction-ram"),
        (0xFFF, 0x200, 1, LOAD_REGISTERS, "unmapped-address"),
    ]:
        mover.set(target, source, count, direction)
        assert mover.refused("XMOV") == name
    first = (3 if mover.state.arch.config_dual_write else 2) * mover.state.arch.config_words
    mover.set(first // 4, 0x200, 1, LOAD_REGISTERS)
    assert mover.refused("XMOV") == "thread-config-store"
    assert mover.refused("XMOV", mov_block_selection=1) == "xmov-form"
    assert mover.refused("XMOV", last=1) == "xmov-form"
