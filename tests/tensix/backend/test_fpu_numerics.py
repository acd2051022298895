"""Rounding, alignment and fidelity, against arithmetic done another way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrix_harness import FP16, INT8, TF32, THREAD, Bench, int8_to_src, to_src
from tilelab.tensix.backend.dst import bf16_from_dst, bf16_to_dst, fp32_from_dst, fp32_to_dst
from tilelab.tensix.backend.matrix_unit.numerics import (
    DST_BF16,
    DST_FP32,
    accumulate,
    load_dst,
    locate_rows,
)

CHIPS = ["blackhole", "wormhole"]
ONE = 1 << 10
"""A sum of products of 1.0 at its exponent."""
seeds = st.integers(0, 2**32 - 1)


def set_phase(bench: Bench, phase: int) -> None:
    bench.record["rwc"][THREAD]["fidelity"] = phase


@pytest.mark.parametrize("chip", CHIPS)
def test_fidelity_phases_add_up_to_the_exact_product(chip: str) -> None:
    bench = Bench(chip)
    for name in ("src_a", "src_b"):
        bench.record[name] = to_src(np.float32(1.9921875))
    totals = []
    for phase in range(4):
        set_phase(bench, phase)
        bench.run("MVMUL")
        totals.append(float(bench.dst_floats(0)[0, 0]))
    assert totals == [61.515625, 63.251953125, 63.494140625, 63.5009765625]
    assert totals[-1] == 16 * 1.9921875**2


@pytest.mark.parametrize("phase", range(4))
def test_a_single_phase_multiplies_its_slices(phase: int) -> None:
    bench = Bench()
    for name in ("src_a", "src_b"):
        bench.record[name] = to_src(np.float32(1.9921875))
    set_phase(bench, phase)
    bench.run("ELWMUL")
    expected = [3.8447265625, 0.1085205078125, 0.01513671875, 0.00042724609375]
    assert (bench.dst_floats(0) == expected[phase]).all()


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_mvmul_of_small_integers_is_matrix_multiplication(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bench = Bench(CHIPS[seed % 2])
    a = rng.integers(-31, 32, (16, 16))
    b = rng.integers(-31, 32, (8, 16))
    start = rng.integers(-1000, 1000, (8, 16))
    bench.record["src_a"][0, :16] = to_src(a)
    bench.record["src_b"][0, :8] = to_src(b)
    bench.run("ZEROACC", clear_mode=3)
    bench.run("MVMUL", dst=8)
    assert (bench.dst_floats(8) == b @ a).all()
    bench.record["src_a"][0, :16] = to_src(np.eye(16))
    bench.record["src_b"][0, :8] = to_src(np.clip(start, -127, 127))
    bench.run("MVMUL", dst=8)
    assert (bench.dst_floats(8) == b @ a + np.clip(start, -127, 127)).all()


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_int8_mvmul_in_four_phases_is_exact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bench = Bench(CHIPS[seed % 2], INT8, fp32=0)
    a = rng.integers(-255, 256, (16, 16))
    b = rng.integers(-1023, 1024, (8, 16))
    bench.record["src_a"][0, :16] = int8_to_src(a)
    bench.record["src_b"][0, :8] = int8_to_src(b)
    bench.run("ZEROACC", clear_mode=3)
    for phase in range(4):
        set_phase(bench, phase)
        bench.run("MVMUL")
    assert (bench.dst_integers(0) == b @ a).all()


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_bf16_elwmul_in_four_phases_is_the_exact_product(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bench = Bench(CHIPS[seed % 2])
    a, b = (
        (rng.integers(128, 256, (8, 16)) * rng.choice([-1, 1], (8, 16))).astype(np.float32)
        * np.exp2(rng.integers(-40, 40, (8, 16)).astype(np.float32))
        for _ in range(2)
    )
    bench.record["src_a"][0, :8] = to_src(a)
    bench.record["src_b"][0, :8] = to_src(b)
    bench.run("ZEROACC", clear_mode=3)
    for phase in range(4):
        set_phase(bench, phase)
        bench.run("ELWMUL")
    assert (bench.dst_floats(0) == a * b).all()


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_elementwise_sums_of_small_integers_are_exact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bench = Bench(CHIPS[seed % 2])
    a, b = rng.integers(-255, 256, (2, 8, 16))
    bench.record["src_a"][0, :8] = to_src(a)
    bench.record["src_b"][0, :8] = to_src(b)
    bench.run("ELWADD")
    assert (bench.dst_floats(0) == a + b).all()
    bench.run("ELWSUB", dest_accum_en=1)
    assert (bench.dst_floats(0) == 2 * a).all()


@pytest.mark.parametrize(
    ("down", "expected"),
    [(1, 1536), (10, 1025), (11, 1025), (12, 1024)],
    ids=["half", "last bit", "rounds up", "lost"],
)
def test_elwadd_aligns_the_smaller_operand_to_11_bits(down: int, expected: int) -> None:
    bench = Bench(data_format=TF32)
    bench.record["src_a"] = to_src(np.float32(1024))
    bench.record["src_b"] = to_src(np.float32(1024 * 2.0**-down))
    bench.run("ELWADD")
    assert (bench.dst_floats(0) == expected).all()


def test_products_in_a_group_round_to_the_groups_largest_exponent() -> None:
    bench = Bench()
    a = np.zeros((16, 16))
    a[:8, 0] = [1024, 0.5, 0.5, 0.5, 0, 0, 0, 0]  # resolution 1: each half rounds up to 1
    a[:8, 1] = [1024, -0.5, -0.5, 0.25, 0, 0, 0, 0]  # and away from zero; a quarter is lost
    a[8:, 2] = [1024, 0.5, 0, 0, 0, 0, 0, 0]
    a[:8, 2] = [0.5, 0, 0, 0, 0, 0, 0, 0]  # the other group keeps its own exponent
    bench.record["src_a"][0, :16] = to_src(a)
    bench.record["src_b"] = to_src(np.float32(1))
    bench.run("ZEROACC", clear_mode=3)
    bench.run("MVMUL")
    assert bench.dst_floats(0)[0, :3].tolist() == [1027, 1022, 1025.5]


def accumulated(bench: Bench, total: int, dst: int, kind: int) -> int:
    """A Dst value, as fp32's bits, to which a sum of products was added at exponent 127."""
    word = fp32_to_dst(dst) if kind == DST_FP32 else bf16_to_dst(dst >> 16) << 16
    bench.record["dst"][[0, 8]] = np.array([[word >> 16], [word & 0xFFFF]])
    work = bench.record["scratch_matrix"]
    work["exponent"][0] = [127, 0] * 16  # the second exponent and sum are 0
    work["sum"][0] = [total, 0] * 16
    locate_rows(bench.state.s, 0, 1, 1, kind)
    load_dst(bench.state.s, 1, kind, 1)
    accumulate(bench.state.s, 1, kind, 2, 1)
    two = bench.record["dst"].copy()
    work["sum"][0].view("<i4")[:] = total
    accumulate(bench.state.s, 1, kind, 1, 1)
    assert (bench.record["dst"] == two).all(), "as with a second group that is zero"
    high, low = map(int, two[[0, 8], 5])
    return fp32_from_dst(high << 16 | low) if kind == DST_FP32 else bf16_from_dst(high) << 16


@pytest.mark.parametrize("chip", CHIPS)
def test_a_sum_of_minus_one_unit_shows_wormholes_normaliser(chip: str) -> None:
    result = accumulated(Bench(chip), ONE, 0xBF800001, DST_FP32)
    assert result == {"blackhole": 0xB4000000, "wormhole": 0xC1800000}[chip]


@pytest.mark.parametrize(
    ("sop", "dst", "kind", "expected"),
    [
        (ONE, 0xBF800000, DST_FP32, 0),  # exact cancellation gives +0
        (-ONE, 0x7F7FFFFF, DST_FP32, 0x7F7FFFFF),  # far below the last bit
        (ONE >> 8, 0x3F800000, DST_BF16, 0x3F810000),  # half a bf16 step rounds away from zero
        (-(ONE >> 9), 0x3F800000, DST_BF16, 0x3F800000),
        (0, 0x00400000, DST_FP32, 0),  # a denormal is zero
    ],
)
def test_accumulating(sop: int, dst: int, kind: int, expected: int) -> None:
    assert accumulated(Bench(), sop, dst, kind) == expected


def test_overflow_and_underflow_of_wide_exponents() -> None:
    bench = Bench()
    bench.record["src_a"] = to_src(np.float32(2.0**120))
    bench.record["src_b"] = to_src(np.float32(-(2.0**120)))
    bench.run("ELWMUL")
    assert (bench.dst_floats(0) == -np.inf).all()
    bench.run("ZEROACC", clear_mode=3)
    bench.record["src_a"] = to_src(np.float32(2.0**-120))
    bench.record["src_b"] = to_src(np.float32(-(2.0**-120)))
    bench.run("ELWMUL", dst=8)
    assert (bench.dst_floats(8).view(np.uint32) == 0).all()


def test_fp16_saturates_to_its_largest_number() -> None:
    bench = Bench(data_format=FP16, fp32=0)
    datum = int(np.float16(60000).view(np.uint16)) << 13
    bench.record["src_a"] = datum
    bench.record["src_b"] = datum
    bench.run("ELWADD")
    assert (bench.record["dst"][:8] & 31 == 31).all()  # 120000: IEEE's infinity is ordinary here
    assert (bench.record["dst"][:8] >> 5 == 1024 * 120000 // 65536 - 1024).all()
    bench.run("ELWADD", dest_accum_en=1)
    assert (bench.record["dst"][:8] == (0x3FF << 5 | 31)).all()


def test_int32_saturates() -> None:
    bench = Bench(data_format=INT8)
    bench.record["src_a"] = int8_to_src(255)
    bench.record["src_b"] = int8_to_src(1023)
    bench.record["dst"][0:8] = 0x7FFF
    bench.record["dst"][8:16] = 0xFFFF
    bench.run("MVMUL")
    assert (bench.dst_integers(0) == 0x7FFFFFFF).all()
