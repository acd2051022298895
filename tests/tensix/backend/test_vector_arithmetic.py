"""Arithmetic modes that the recorded data do not reach, against independent definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.sim.checks import CHECKS
from vector_machine import CHIPS, LANES, VectorMachine, fp32

SIGN = 0x80000000
words = st.integers(0, 0xFFFFFFFF)


@pytest.fixture(params=CHIPS)
def machine(request: pytest.FixtureRequest) -> VectorMachine:
    return VectorMachine(request.param)


def as_float(x: int) -> float:
    return float(np.uint32(x).view(np.float32))


def test_indices_can_come_from_a_register(machine: VectorMachine) -> None:
    for i in range(7):
        machine.lreg[i] = fp32(float(i))
    machine.lreg[7] = LANES % 8
    fields = {"lreg_src_b": 10, "lreg_src_c": 9, "lreg_dest": 0, "instr_mod1": 4}
    machine.run("SFPMAD", lreg_src_a=3, **fields)
    assert machine.lreg[0].view(np.float32)[1:7].tolist() == [1, 2, 3, 4, 5, 6]
    before = machine.lreg[:8].copy()
    machine.run("SFPADDI", imm16_math=0x4120, lreg_dest=2, instr_mod1=8)
    for lane in range(32):
        changed = np.flatnonzero(machine.lreg[:8, lane] != before[:, lane])
        assert changed.tolist() == [lane % 8]
        assert machine.lreg[lane % 8, lane] == fp32(12.0)


def test_blackhole_negates_factors_and_addends(machine: VectorMachine) -> None:
    machine.lreg[1], machine.lreg[2] = fp32(3.0), fp32(5.0)
    fields = {"lreg_src_a": 1, "lreg_src_b": 1, "lreg_src_c": 2, "lreg_dest": 0}
    machine.allow("vector-reserved-modifier")
    results = []
    for mode in range(4):
        machine.run("SFPMAD", **fields, instr_mod1=mode)
        results.append(float(machine.lreg[0].view(np.float32)[0]))
    assert results == ([14, -4, 4, -14] if machine.chip == "blackhole" else [14] * 4)


@given(a=words, b=words)
def test_integer_products_have_two_halves(a: int, b: int) -> None:
    machine = VectorMachine("blackhole")
    machine.lreg[1], machine.lreg[2] = a, b
    fields = {"lreg_src_a": 1, "lreg_src_b": 2, "lreg_src_c": 9, "lreg_dest": 0}
    machine.run("SFPMUL24", **fields)
    low = int(machine.lreg[0, 0])
    machine.run("SFPMUL24", **fields, instr_mod1=1)
    assert int(machine.lreg[0, 0]) << 23 | low == (a & 0x7FFFFF) * (b & 0x7FFFFF)


def test_an_addend_disturbs_an_integer_product() -> None:
    machine = VectorMachine("blackhole")
    machine.lreg[1] = 3
    machine.lreg[2] = 129 << 23  # 4.0: aligned with the product, three guard bits up
    fields = {"lreg_src_a": 1, "lreg_src_b": 1, "lreg_src_c": 2, "lreg_dest": 0}
    assert machine.attempt("SFPMUL24", **fields) == "vector-multiply-addend"
    machine.allow("vector-multiply-addend")
    machine.run("SFPMUL24", **fields)
    assert machine.lreg[0, 0] == (9 + (1 << 26)) & 0x7FFFFF
    machine.lreg[2] = 127 << 23 | 1  # two places lower
    machine.run("SFPMUL24", **fields)
    assert machine.lreg[0, 0] == (9 + ((0x800001 << 3) >> 2)) & 0x7FFFFF


@given(x=st.floats(2.0**-125, 2.0**125, width=32), negative=st.booleans())
def test_reciprocals_are_close(x: float, negative: bool) -> None:
    machine = VectorMachine("blackhole")
    machine.lreg[1] = fp32(-x if negative else x)
    machine.lreg[2] = SIGN
    machine.run("SFPARECIP", lreg_c=1, lreg_dest=0)
    result = as_float(machine.lreg[0, 0])
    assert (result < 0) == negative
    assert 0.9944 < abs(result) * x < 1.0054
    machine.run("SFPARECIP", imm12_math=2, lreg_c=1, lreg_dest=0, instr_mod1=1)
    assert as_float(machine.lreg[0, 0]) == abs(result)
    machine.run("SFPARECIP", imm12_math=9, lreg_c=1, lreg_dest=0, instr_mod1=1)
    assert machine.lreg[0, 0] == machine.lreg[1, 0]


@given(x=st.floats(0, 2, width=32, exclude_max=True))
def test_exponentials_are_close(x: float) -> None:
    machine = VectorMachine("blackhole")
    machine.lreg[1] = fp32(x)
    machine.run("SFPARECIP", lreg_c=1, lreg_dest=0, instr_mod1=2)
    assert 0.9922 < as_float(machine.lreg[0, 0]) / math.exp(x) < 1.016


def test_documented_approximations_of_one() -> None:
    machine = VectorMachine("blackhole")
    machine.run("SFPARECIP", lreg_c=10, lreg_dest=0)
    machine.run("SFPARECIP", lreg_c=10, lreg_dest=1, instr_mod1=2)
    assert as_float(machine.lreg[0, 0]) == 0.99609375
    assert as_float(machine.lreg[1, 0]) == 2.703125


def test_tables_of_fp32_and_fp16(machine: VectorMachine) -> None:
    x = np.linspace(-4.9, 4.9, 32, dtype=np.float32)
    machine.lreg[3] = fp32(x)
    magnitude = np.abs(x)
    piece = np.where(magnitude < 1, 0, np.where(magnitude < 2, 1, 2))
    for i in range(3):
        machine.lreg[i], machine.lreg[4 + i] = fp32(i + 1.0), fp32(8.0 * i)
    expected = (piece + 1) * magnitude + 8.0 * piece
    machine.run("SFPLUTFP32", lreg_dest=7, instr_mod1=4)
    np.testing.assert_allclose(
        machine.lreg[7].view(np.float32), np.copysign(expected, x), rtol=1e-6
    )

    def halves(low: float, high: float) -> int:
        pair = np.array([low, high], np.float16)
        return int(pair.view(np.uint32)[0])

    for i in range(3):
        machine.lreg[i] = halves(1.0 + i, 2.0 + i)
        machine.lreg[4 + i] = halves(16.0 * i + 4.0, 8.0)  # no zero: it would read as 2**-15
    machine.run("SFPLUTFP32", lreg_dest=7, instr_mod1=3)
    middle = np.array([0.5, 1.5, 4.0])[piece]
    upper = magnitude >= middle
    expected = (1.0 + piece + upper) * magnitude + np.where(upper, 8.0, 16.0 * piece + 4.0)
    np.testing.assert_allclose(machine.lreg[7].view(np.float32), expected, rtol=1e-6)

    machine.lreg[7] = 6  # where the three-entry mode really writes
    machine.run("SFPLUTFP32", lreg_dest=0, instr_mod1=10)
    expected = (2.0 + piece) * magnitude + 1.0 + piece
    np.testing.assert_allclose(machine.lreg[6].view(np.float32), expected, rtol=1e-6)


def test_arithmetic_shifts_are_blackholes(machine: VectorMachine) -> None:
    machine.allow("vector-reserved-modifier")
    machine.lreg[0], machine.lreg[1] = 0x80000000, 0xC0000000
    machine.run("SFPSHFT", imm12_math=0xFFC, lreg_c=1, lreg_dest=0, instr_mod1=3)
    assert machine.lreg[0, 0] == (0xF8000000 if machine.chip == "blackhole" else 0x08000000)
    machine.run("SFPSHFT", imm12_math=0xFFF, lreg_c=1, lreg_dest=0, instr_mod1=5)
    assert machine.lreg[0, 0] == (0x60000000 if machine.chip == "blackhole" else 0x04000000)


# rounding


@given(x=words, seed=words)
def test_stochastic_rounding_goes_to_a_neighbour(x: int, seed: int) -> None:
    machine = VectorMachine("wormhole")
    machine.lreg[1], machine.record["prng"] = x, seed
    exponent = x >> 23 & 255
    for mode, bits in ((0, 13), (1, 16)):
        machine.run("SFP_STOCH_RND", rnd_mode=1, lreg_src_c=1, lreg_dest=0, instr_mod1=mode)
        down = x >> bits << bits
        result = int(machine.lreg[0, 0])
        if exponent == 0:
            assert result == 0
        elif exponent == 255:
            assert result == x & 0xFF800000
        else:
            assert result in (down, down + (1 << bits))


def test_stochastic_rounding_is_fair_and_reproducible(machine: VectorMachine) -> None:
    rng = np.random.default_rng(3)
    seeds = rng.integers(0, 2**32, 32, np.uint32)
    counts = []
    for _ in range(2):
        machine.record["prng"] = seeds
        machine.lreg[1] = 0x3F804000  # a quarter of the way between two BF16 numbers
        up = 0
        for _ in range(64):
            machine.run("SFP_STOCH_RND", rnd_mode=1, lreg_src_c=1, lreg_dest=0, instr_mod1=1)
            up += int((machine.lreg[0] == 0x3F810000).sum())
        counts.append(up)
    assert counts[0] == counts[1]
    assert 0.20 < counts[0] / 2048 < 0.30


@pytest.mark.parametrize(
    ("value", "mode", "shift", "expected"),
    [
        (1000, 5, 3, 125),
        (1004, 5, 3, 126),  # a tie goes away from zero
        (SIGN | 1000, 5, 3, SIGN | 125),
        (SIGN | 100000, 5, 3, SIGN | 127),
        (SIGN | 1, 5, 3, 0),
        (SIGN | 2000, 4, 3, 250),
        (100000, 4, 3, 255),
    ],
)
def test_integers_shrink_to_bytes(
    machine: VectorMachine, value: int, mode: int, shift: int, expected: int
) -> None:
    machine.lreg[1], machine.lreg[2] = value, 32 + shift
    fields = {"lreg_src_c": 1, "lreg_dest": 0}
    machine.run("SFP_STOCH_RND", imm8_math=shift, instr_mod1=mode | 8, **fields)
    assert machine.lreg[0, 0] == expected
    machine.run("SFP_STOCH_RND", lreg_src_b=2, instr_mod1=mode, **fields)
    assert machine.lreg[0, 0] == expected


@pytest.mark.parametrize("mode", [0, 1, 2, 3, 6, 7])
def test_a_conversion_of_floats_ignores_the_integers_bit(machine: VectorMachine, mode: int) -> None:
    """The vendor's list of instructions: bits 2:0 choose, bit 3 only says where the shift is."""
    machine.lreg[1] = fp32(np.linspace(-300, 70000, 32))
    machine.run("SFP_STOCH_RND", lreg_src_c=1, lreg_dest=0, instr_mod1=mode)
    machine.run("SFP_STOCH_RND", lreg_src_c=1, lreg_dest=2, imm8_math=5, instr_mod1=mode | 8)
    assert (machine.lreg[2] == machine.lreg[0]).all()
    fault = machine.record["fault"]
    assert fault["warnings"] == 1
    assert CHECKS[fault["warning_code"][0]].name == "vector-conversion"


def test_blackhole_rounds_to_zero_nearly_always() -> None:
    machine = VectorMachine("blackhole")
    machine.lreg[1, :3] = fp32([1.96875, 1.999999880791, -1.5])
    machine.run("SFP_STOCH_RND", rnd_mode=2, lreg_src_c=1, lreg_dest=0, instr_mod1=3)
    assert machine.lreg[0, :3].tolist() == [1, 2, SIGN | 1]
    assert machine.attempt("SFP_STOCH_RND", rnd_mode=3) == "vector-rounding-mode"


@given(x=words, seed=words)
def test_casts_round_stochastically_to_a_neighbour(x: int, seed: int) -> None:
    machine = VectorMachine("blackhole")
    machine.lreg[1], machine.record["prng"] = x, seed
    machine.run("SFPCAST", lreg_src_c=1, lreg_dest=0, instr_mod1=1)
    magnitude, result = x & ~SIGN, int(machine.lreg[0, 0])
    assert result & SIGN == x & SIGN
    spacing = max(1, 1 << max(0, magnitude.bit_length() - 24))
    down = magnitude // spacing * spacing
    assert as_float(result & ~SIGN) in (down, down + (spacing if down != magnitude else 0))


@given(x=words)
def test_integer_casts_are_blackholes(x: int) -> None:
    machine = VectorMachine("blackhole")
    machine.lreg[1] = x
    machine.run("SFPCAST", lreg_src_c=1, lreg_dest=0, instr_mod1=3)
    machine.run("SFPCAST", lreg_src_c=0, lreg_dest=0, instr_mod1=3)
    assert machine.lreg[0, 0] == x, "the conversion is its own inverse"
    machine.run("SFPCAST", lreg_src_c=1, lreg_dest=0, instr_mod1=2)
    machine.run("SFPABS", lreg_c=1, lreg_dest=2)
    assert machine.lreg[0, 0] == machine.lreg[2, 0]
