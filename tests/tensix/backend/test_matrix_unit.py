"""What the manual says of the matrix unit: rows, banks, waits, refusals."""

from typing import Any

import numpy as np
import pytest

from matrix_harness import BF16, FP16, INT8, TF32, THREAD, Bench, int8_to_src, to_src
from tilelab.sim.checks import CHECKS_BY_NAME, Policy
from tilelab.sim.errors import MachineError
from tilelab.tensix.arch import ARCHES, arch
from tilelab.tensix.backend.semantics import SEMANTICS
from tilelab.tensix.tables.units import Unit
from tilelab.tensix.words.waits import WAIT_SRC_A_MATRIX, WAIT_SRC_B_MATRIX

CHIPS = ["blackhole", "wormhole"]
MATRIX_ROWS = [
    (chip, row.name)
    for chip in CHIPS
    for row in arch(chip).instructions.values()
    if row.unit == Unit.MATRIX
]
NEEDS_A = {"MVMUL", "GAPOOL", "DOTPV", "GMPOOL", "ELWADD", "ELWSUB", "ELWMUL", "MOVA2D", "SHIFTXA"}
NEEDS_B = NEEDS_A - {"MOVA2D", "SHIFTXA"} | {"MOVB2D", "MOVB2A", "TRNSPSRCB", "SHIFTXB"}


def ones(bench: Bench) -> None:
    for name in ("src_a", "src_b"):
        bench.record[name] = to_src(np.float32(1))


def test_every_row_of_the_unit_has_a_kernel() -> None:
    assert [(c, n) for c, n in MATRIX_ROWS if n not in SEMANTICS[c]] == []


@pytest.mark.parametrize(("chip", "name"), MATRIX_ROWS)
def test_banks_that_the_unpackers_own_make_an_instruction_wait(chip: str, name: str) -> None:
    bench = Bench(chip)
    ones(bench)
    for field, needing, wait in (
        ("src_a_valid", NEEDS_A, WAIT_SRC_A_MATRIX),
        ("src_b_valid", NEEDS_B, WAIT_SRC_B_MATRIX),
    ):
        bench.record[field] = [0, 1]  # the other bank's owner does not matter
        before = bench.state.snapshot()
        code = bench.code(name)
        if name in needing:
            assert code == wait
            assert not bench.state.diff(before)
        else:
            assert code >= 0
        bench.record[field] = 1


@pytest.mark.parametrize("chip", CHIPS)
def test_mvmul_masks_its_dst_row(chip: str) -> None:
    bench = Bench(chip, fp32=0)
    ones(bench)
    before = bench.state.snapshot()
    bench.run("MVMUL", dst=5)
    assert bench.written_rows(before) == list(range(8))
    bench.config("DEST_TARGET_REG_CFG_MATH_Offset", 512)
    before = bench.state.snapshot()
    bench.run("MVMUL", dst=64)
    assert bench.written_rows(before) == list(range(576, 584))


def test_mvmul_masks_its_source_rows() -> None:
    bench = Bench(fp32=1)
    bench.record["src_a"][0, 8:24] = to_src(np.eye(16))
    bench.record["src_b"][0, 8:16] = to_src(np.arange(128).reshape(8, 16))
    bench.record["rwc"][THREAD]["src_a"] = 8 + 5
    bench.record["rwc"][THREAD]["src_b"] = 8 + 3
    bench.run("MVMUL")
    assert (bench.dst_floats(0) == np.arange(128).reshape(8, 16)).all()


def test_mvmul_broadcasts_a_row_to_every_other_row() -> None:
    bench = Bench(fp32=0)
    ones(bench)
    bench.record["src_b"][0, 3] = to_src(np.float32(2))
    bench.record["rwc"][THREAD]["src_b"] = 3
    before = bench.state.snapshot()
    bench.run("MVMUL", instr_mod19=1, dst=9)
    assert bench.written_rows(before) == [9, 11, 13, 15]
    assert (bench.record["dst"][[9, 11, 13, 15]] == 0x84).all()  # 32 in bf16


def test_dotpv_is_mvmul_and_gapool_its_upper_half() -> None:
    results = []
    for name in ("MVMUL", "DOTPV", "GAPOOL"):
        bench = Bench()
        bench.record["src_a"][0, :16] = to_src(np.arange(256).reshape(16, 16) % 7)
        bench.record["src_b"][0, :8] = to_src(np.arange(128).reshape(8, 16) % 5)
        bench.run(name)
        results.append(bench.dst_floats(0))
    assert (results[0] == results[1]).all()
    assert (results[0][:4] == results[2][:4]).all()
    assert results[0].all()
    assert not results[2][4:].any()


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("disable", [0, 1])
def test_clearing_a_bank_flips_and_gives_it_back_unless_disabled(chip: str, disable: int) -> None:
    bench = Bench(chip)
    bench.config("CLR_DVALID_SrcA_Disable", disable)
    before = bench.state.snapshot()
    bench.run("SETRWC", clear_ab_vld=1)
    changed = {path for path, _, _ in bench.state.diff(before)}
    assert changed == {"src_a_matrix_bank"} | (set() if disable else {"src_a_valid[0]"})
    bench.run("CLEARDVALID", cleardvalid=1)  # whatever the disable bit says
    assert bench.record["src_a_valid"].tolist() == [disable, 0]
    assert bench.record["src_a_matrix_bank"] == 0


def test_bank_ping_pong() -> None:
    bench = Bench()
    ones(bench)
    bench.run("MVMUL", clear_dvalid=3)
    assert [int(bench.record[f"src_{x}_matrix_bank"]) for x in "ab"] == [1, 1]
    bench.run("MVMUL", clear_dvalid=3)
    assert bench.code("MVMUL") == WAIT_SRC_A_MATRIX
    bench.record["src_a_valid"][0] = 1
    assert bench.code("MVMUL") == WAIT_SRC_B_MATRIX
    bench.record["src_b_valid"][0] = 1
    bench.run("MVMUL")


def test_clearing_a_bank_that_is_not_owned_is_refused_or_done() -> None:
    bench = Bench()
    bench.record["src_a_valid"] = 0
    bench.record["src_b_valid"] = 0
    assert bench.refusal("SETRWC", clear_ab_vld=1) == "src-a-clear-not-valid"
    assert bench.refusal("CLEARDVALID", cleardvalid=2) == "src-b-clear-not-valid"
    code = CHECKS_BY_NAME["src-a-clear-not-valid"].code
    bench.record["fault"]["policy"][code] = Policy.WARN
    bench.run("SETRWC", clear_ab_vld=1)
    assert bench.record["src_a_matrix_bank"] == 1
    assert bench.record["fault"]["warning_code"][0] == code


@pytest.mark.parametrize("name", ["MVMUL", "ELWADD", "ELWMUL", "GAPOOL"])
@pytest.mark.parametrize("chip", CHIPS)
def test_stochastic_rounding_is_left_out_with_a_warning(chip: str, name: str) -> None:
    bench = Bench(chip)
    ones(bench)
    bench.run(name)
    plain, warned = bench.record["dst"].copy(), bench.record["fault"]["warnings"]
    bench = Bench(chip)
    ones(bench)
    bench.config("ALU_ROUNDING_MODE_Fpu_srnd_en", 1)
    bench.run(name)
    fault = bench.record["fault"]
    code = CHECKS_BY_NAME["matrix-alu-rounding-mode-fpu-srnd-en"].code
    assert (warned, fault["warnings"], fault["warning_code"][0]) == (0, 1, code)
    assert np.array_equal(bench.record["dst"], plain)


def test_cleardvalid_can_stay_at_its_bank_or_reset_all() -> None:
    bench = Bench()
    bench.run("CLEARDVALID", cleardvalid=3, reset=2)
    assert bench.record["src_a_valid"].tolist() == bench.record["src_b_valid"].tolist() == [0, 1]
    assert bench.record["src_a_matrix_bank"] == bench.record["src_b_matrix_bank"] == 0
    assert bench.refusal("CLEARDVALID", reset=1) == "cleardvalid-reset"
    for name in ("src_a_unpack_bank", "src_b_matrix_bank"):
        bench.record[name] = 1
    bench.record["fault"]["policy"][CHECKS_BY_NAME["cleardvalid-reset"].code] = Policy.OFF
    bench.run("CLEARDVALID", reset=1)
    assert not any(
        bench.record[f"src_{x}_{what}"].any()
        for x in "ab"
        for what in ("valid", "unpack_bank", "matrix_bank", "format")
    )


@pytest.mark.parametrize(
    ("fields", "banks_a", "banks_b", "fill"),
    [
        ({"src_mask": 3, "bank_mask": 1}, [0, 1], [0, 1], 0),
        ({"src_mask": 3, "write_mode": 1}, [0], [1], 0),  # the matrix unit's
        ({"src_mask": 3}, [1], [0], 0),  # the unpackers'
        ({"src_mask": 1, "write_mode": 1, "zero_val": 1}, [0], [], 0xFFFFE000),
        ({"src_mask": 2, "write_mode": 1, "zero_val": 1}, [], [1], 0),
    ],
)
def test_zerosrc_fills_banks(
    fields: dict[str, int], banks_a: list[int], banks_b: list[int], fill: int
) -> None:
    bench = Bench()
    ones(bench)
    bench.record["src_a_unpack_bank"] = 1
    bench.record["src_b_matrix_bank"] = 1
    bench.run("ZEROSRC", **fields)
    one = int(to_src(np.float32(1)))
    for bank in range(2):
        assert (bench.record["src_a"][bank] == (fill if bank in banks_a else one)).all()
        assert (bench.record["src_b"][bank] == (0 if bank in banks_b else one)).all()


def test_moves_of_single_rows_and_their_masks() -> None:
    bench = Bench(fp32=0)
    data = to_src(np.arange(1, 1025).reshape(64, 16)) & np.uint32(0xFFFF0000)
    bench.record["src_a"][0] = data
    bench.record["src_b"][0] = data
    before = bench.state.snapshot()
    bench.run("MOVA2D", src=3, dst=21)
    bench.run("MOVB2D", src=5, dst=42)
    bench.run("MOVB2D", src=6, dst=87, movb2d_instr_mod=4)
    assert bench.written_rows(before) == [21, 42, 84, 85, 86, 87]
    bench.run("MOVD2A", src=60, dst=21)
    bench.run("MOVD2B", src=61, dst=42)
    bench.run("MOVD2B", src=50, dst=86, instr_mod=2)
    assert (bench.record["src_a"][0, 60] == data[3]).all()
    assert (bench.record["src_b"][0, 61] == data[5]).all()
    assert (bench.record["src_b"][0, 48:52] == data[4:8]).all()
    bench.run("MOVB2A", srca=7, srcb=9)
    bench.run("MOVB2A", srca=15, srcb=18, instr_mod=2)
    assert (bench.record["src_a"][0, 7] == data[9]).all()
    assert (bench.record["src_a"][0, 12:16] == data[16:20]).all()


def test_moves_to_and_from_the_low_half_of_32_bits() -> None:
    bench = Bench(data_format=BF16)
    bench.record["src_a"][0, 0] = to_src(np.float32(-1.5))
    bench.record["dst"][0] = 0x1234
    bench.run("MOVA2D", dest_32b_lo=1)
    assert (bench.record["dst"][0] == 0x1234).all()
    assert (bench.record["dst"][8] == 0xC07F).all()
    bench.run("MOVD2A", dest_32b_lo=1, src=4)
    assert (bench.record["src_a"][0, 4] == to_src(np.float32(-1.5))).all()
    bench = Bench(data_format=TF32)
    bench.record["dst"][8] = 0x1F80  # the 13 bits that tf32 lacks: exponent and low mantissa
    bench.run("MOVD2B", dest_32b_lo=1)
    assert (bench.record["src_b"][0, 0] == (0x80 << 23 | 0x1F << 13)).all()


def test_lane_config_keeps_columns_from_moving() -> None:
    bench = Bench(fp32=0)
    ones(bench)
    bench.record["lane_config"] = 1 << 10  # odd columns
    bench.run("MOVA2D")
    assert (bench.record["dst"][0, 0::2] != 0).all()
    assert (bench.record["dst"][0, 1::2] == 0).all()


def test_movdbga2d_does_not_wait() -> None:
    bench = Bench(fp32=0)
    ones(bench)
    bench.record["src_a_valid"] = 0
    bench.run("MOVDBGA2D", instr_mod=2)
    assert (bench.record["dst"][:8] == 0x7F).all()


@pytest.mark.parametrize("shift_in_zero", [0, 1])
def test_shiftxb_moves_a_row_left(shift_in_zero: int) -> None:
    bench = Bench()
    row = np.arange(16, dtype=np.uint32) << 13
    bench.record["src_b"][0, 7] = row
    bench.record["rwc"][THREAD]["src_b"] = 3
    bench.run("SHIFTXB", shift_row=4, rot_shift=shift_in_zero)
    expected = np.roll(row, -1)
    if shift_in_zero:
        expected[15] = 0
    assert (bench.record["src_b"][0, 7] == expected).all()


def max_pooled(chip: str, data_format: int, fp32: int, a: Any, b: Any, **fields: int) -> Bench:
    bench = Bench(chip, data_format, fp32)
    bench.record["src_a"][0, :16] = a
    bench.record["src_b"][0, 0] = b
    bench.run("ZEROACC", clear_mode=3)
    bench.run("GMPOOL", instr_mod19=1, **fields)
    return bench


@pytest.mark.parametrize("chip", CHIPS)
def test_gmpool_takes_the_largest_of_each_column_scaled_by_exponents(chip: str) -> None:
    rng = np.random.default_rng(5)
    a = rng.integers(-127, 128, (16, 16))
    scale = np.exp2(rng.integers(-3, 4, 16))
    bench = max_pooled(chip, BF16, 1, to_src(a), to_src(scale * 1.5))
    assert (bench.dst_floats(0, 1) == (a * scale[:, None]).max(axis=0)).all()


def test_gmpool_of_integers_and_of_half_precision() -> None:
    a = np.arange(256).reshape(16, 16)
    bench = max_pooled("blackhole", INT8, 0, int8_to_src(a - 300), int8_to_src(np.ones(16)))
    assert (bench.dst_integers(0, 1) == a.max(axis=0) - 300).all()
    half = a.astype(np.float16).view(np.uint16).astype(np.uint32) << 13
    one = int(np.float16(1).view(np.uint16)) << 13
    bench = max_pooled("blackhole", FP16, 0, half, one)
    words = bench.record["dst"][0]
    assert ((words & 31) << 10 | words >> 5).view(np.float16).tolist() == a.max(axis=0).tolist()


def test_gmpool_returns_the_hardwares_index_of_the_first_eight_rows() -> None:
    a = np.zeros((16, 16))
    for column in range(8):
        a[column, column] = 5
    bench = max_pooled("blackhole", BF16, 1, to_src(a), to_src(np.float32(1)), max_pool_index_en=1)
    assert (bench.record["dst"][0, :8] == 0x2081).all()  # 5 in bf16
    # the undefined row's phase, 0xf00 + 0x100, is 0
    assert bench.record["dst"][8, :8].tolist() == [0, 3, 6, 1, 4, 7, 2, 5]


@pytest.mark.parametrize(
    ("name", "setup", "fields", "check"),
    [
        ("MVMUL", {"ALU_FORMAT_SPEC_REG0_SrcA": 12}, {}, "matrix-format-unknown"),
        ("MVMUL", {"ALU_FORMAT_SPEC_REG1_SrcB": 1}, {}, "matrix-formats-differ"),
        ("ELWADD", {"ALU_ACC_CTRL_INT8_math_enabled": 1}, {}, "matrix-int8-format"),
        ("ELWADD", {"FIDELITY_BASE_Phase": 1}, {}, "elwadd-fidelity"),
        ("ELWMUL", {}, {"dest_accum_en": 1}, "elwmul-accumulate"),
        ("MVMUL", {"FP16A_FORCE_Enable": 1}, {}, "matrix-fp16-exponent"),
        ("GMPOOL", {}, {"instr_mod19": 0}, "gmpool-mode"),
        ("GAPOOL", {}, {"max_pool_index_en": 1}, "gapool-index"),
        ("MOVD2A", {"ALU_ACC_CTRL_Fp32_enabled": 0}, {"dest_32b_lo": 1}, "move-dst16-low"),
        ("SHIFTXA", {}, {}, "shiftxa"),
        ("CONV3S1", {}, {}, "matrix-legacy"),
        ("RAREB", {}, {}, "matrix-undocumented"),
        ("CLREXPHIST", {}, {}, "matrix-histogram"),
    ],
)
@pytest.mark.parametrize("chip", CHIPS)
def test_refusals(
    chip: str, name: str, setup: dict[str, int], fields: dict[str, int], check: str
) -> None:
    bench = Bench(chip)
    ones(bench)
    bench.record["src_a"] |= 0x40000000
    if chip == "blackhole":
        bench.config("DISABLE_IMPLIED_SRCA_FMT_Base", 1)
        bench.config("DISABLE_IMPLIED_SRCB_FMT_Base", 1)
    for field, value in setup.items():
        bench.config(field, value)
    assert bench.refusal(name, **fields) == check
    declared = CHECKS_BY_NAME[check]
    assert issubclass(declared.category, MachineError)
    assert declared.page.endswith(".md")


def test_mvmul_refuses_rows_that_run_over_and_denormals_it_cannot_keep() -> None:
    bench = Bench()
    ones(bench)
    bench.record["rwc"][THREAD]["src_a"] = 56
    assert bench.refusal("MVMUL") == "matmul-src-a-row"
    bench.record["rwc"][THREAD]["src_a"] = 0
    bench.config("ALU_ACC_CTRL_Zero_Flag_disabled_src", 1)
    bench.run("MVMUL")  # no datum has exponent 0
    bench.record["src_b"][0, 2, 2] = 0x00010000
    assert bench.refusal("MVMUL") == "matmul-src-b-denormals"


def test_tf32_needs_a_wide_dst() -> None:
    bench = Bench(data_format=TF32, fp32=0)
    assert bench.refusal("MOVD2A") == bench.refusal("MOVD2B") == "move-dst16-tf32"
    assert bench.refusal("MOVA2D", dest_32b_lo=1) == "move-tf32-low"


def test_blackhole_takes_the_format_that_a_bank_was_unpacked_as() -> None:
    bench = Bench("blackhole", data_format=BF16, fp32=0)
    assert ARCHES["blackhole"].implied_src_format
    bench.record["src_a_format"] = FP16
    bench.record["src_a"] = 0x0F << 23  # 1.0 in fp16, a tiny number in bf16
    bench.run("MOVA2D")
    assert (bench.record["dst"][0] == 15).all()
    bench.config("DISABLE_IMPLIED_SRCA_FMT_Base", 1)
    bench.record["src_a"] |= 0x13 << 13
    bench.run("MOVA2D")
    assert (bench.record["dst"][0] == (0x13 >> 3 << 8 | 15)).all()
