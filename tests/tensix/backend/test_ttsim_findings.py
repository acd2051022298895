"""What a comparison with ttsim 1.10.0 on random states found: its results, of one case each.

The numbers are what ttsim (https://github.com/tenstorrent/ttsim) leaves for the states made here.
"""

import numpy as np
import pytest
from tdma_bench import BASE
from tdma_bench import Bench as TdmaBench

from matrix_harness import BF16, FP16, INT8, THREAD, Bench
from tilelab.formats import DataFormat
from tilelab.sim.kernel import OK

CHIPS = ("blackhole", "wormhole")

# columns of Dst before; low halves of 32-bit data are 0x1234
DST = (
    0x0000,
    0x0001,
    0x0002,
    0x8102,
    0x2A09,
    0xAA09,
    0x7F16,
    0x9217,
    0x551E,
    0xD51F,
    0x1220,
    0x7F7F,
)
LOW = 0x1234
# (format, 32-bit Dst): what subtracting +0 from 0 leaves, if zeros of SrcB are kept
KEPT_ZERO = {
    (BF16, 0): (
        (0x0000, 0x8009, 0x0109, 0x7D08, 0x150A, 0xA907, *DST[6:]),
        (LOW,) * 12,
    ),
    (BF16, 1): (
        (0x0000, 0xFF08, 0x0009, 0x7D08, 0x140A, 0xA907, *DST[6:]),
        (0, 0x7FDC, 0xC024, 0x7BB7, 0xE91A, 0x48D0, 0x1632, 0x1035, *(LOW,) * 4),
    ),
    (FP16, 0): (
        (0x0000, 0xFF88, 0x00C9, 0x7D88, 0x14EA, 0xA907, *DST[6:10], 0, DST[11]),
        (LOW,) * 12,
    ),
    (FP16, 1): (
        (*(0x8061,) * 11, DST[11]),
        (*(0,) * 11, LOW),
    ),
}


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("data_format", "fp32"), KEPT_ZERO)
def test_a_kept_minus_zero_is_subtracted_from_zero_without_a_sign(
    chip: str, data_format: int, fp32: int
) -> None:
    bench = Bench(chip, data_format, fp32)
    bench.config("ALU_ACC_CTRL_Zero_Flag_disabled_src", 1)
    bench.record["dst"][0, :12] = DST
    bench.record["dst"][8, :12] = LOW
    bench.run("ELWSUB", dest_accum_en=1)
    high, low = KEPT_ZERO[data_format, fp32]
    assert tuple(bench.record["dst"][0, :12]) == high
    assert tuple(bench.record["dst"][8, :12]) == low


@pytest.mark.parametrize(
    ("own_format", "expected"),
    [(INT8, 0x441C), (12, 0x441C), (10, 0x441C), (FP16, 0x44FC), (4, 0x44FC)],
)
def test_movb2d_reads_the_bits_that_srcbs_own_format_has(own_format: int, expected: int) -> None:
    bench = Bench("wormhole", FP16, fp32=0)
    bench.config("ALU_FORMAT_SPEC_REG1_SrcB", own_format)
    bench.record["src_b"][0, :8] = 0x0E440000 | 0x2000 * 7 | 0x50000000 * (own_format == FP16)
    bench.run("MOVB2D", instr_mod=2)
    assert hex(bench.record["dst"][0, 0]) == hex(expected)


def test_zeroacc_of_a_half_does_not_mind_the_bias_that_only_address_modes_read() -> None:
    bench = Bench("blackhole")
    bench.record["rwc"][THREAD]["bias"] = 1
    bench.run("ZEROACC", clear_mode=2, where=1)
    assert bench.record["dst_valid"].tolist() == [1] * 512 + [0] * 512
    assert bench.refusal("ZEROACC", clear_mode=0) == "rwc-bias"


def test_short_runs_advance_the_place_that_edge_masks_are_taken_at() -> None:
    bench = TdmaBench("wormhole")
    bench.record["dst"][0] = np.arange(1, 17) << 8 | 0x7F  # bf16 1 + n / 128
    bench.packer(DataFormat.BF16, DataFormat.BF16, count=4)
    bench.set(PCK_EDGE_OFFSET_SEC0_mask=0xFFFF, PCK_EDGE_OFFSET_SEC1_mask=0)
    bench.set(TILE_ROW_SET_MAPPING_0_row_set_mapping_1=1)
    for last in (0, 0, 0, 0, 1):
        assert bench.issue("PACR", 2, pack_sel=1, last=last) == OK
    packed = np.frombuffer(bench.bytes_at(BASE, 40), "<u2")
    assert packed.tolist() == [0x3F81, 0x3F82, 0x3F83, 0x3F84] * 4 + [0] * 4
