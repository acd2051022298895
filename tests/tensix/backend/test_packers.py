"""Packing beyond the recordings: interfaces, edges, tiles' ends, refusals; the adders by NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tdma_bench import BASE, Bench

from tilelab.formats import DataFormat, from_l1_bytes, to_l1_bytes
from tilelab.sim.checks import CHECKS_BY_NAME
from tilelab.sim.kernel import OK
from tilelab.tensix.backend.dst import bf16_to_dst, fp16_to_dst
from tilelab.tensix.backend.packers.accumulate import add_bf16, add_fp16, add_fp32

CHIPS = ("blackhole", "wormhole")


@pytest.fixture(params=CHIPS)
def bench(request: pytest.FixtureRequest) -> Bench:
    return Bench(request.param)


def fill_dst(bench: Bench, rows: np.ndarray, name: str = "bf16") -> None:
    encode = {"bf16": bf16_to_dst, "fp16": fp16_to_dst}[name]
    bits = np.frombuffer(to_l1_bytes(rows, name, "row_major"), "<u2")
    bench.record["dst"][: len(rows)] = [[encode(int(x)) for x in r] for r in bits.reshape(-1, 16)]


def pack(bench: Bench, interfaces: int = 1, **fields: int) -> int:
    if bench.chip == "blackhole":
        return bench.issue("PACR", 2, read_intf_sel=interfaces, **fields)
    return bench.issue("PACR", 2, pack_sel=1, **fields)


ROWS = np.arange(64, dtype=np.float32).reshape(4, 16)


@pytest.mark.parametrize(
    ("mask", "rows"),
    [(0, [0, 1, 2, 3]), (1, [0]), (3, [0, 1]), (5, [0, 2]), (7, [0, 1, 2]), (10, [1, 3]), (8, [3])],
)
def test_blackhole_packs_the_rows_of_its_interfaces(mask: int, rows: list[int]) -> None:
    bench = Bench("blackhole")
    fill_dst(bench, ROWS)
    bench.packer(DataFormat.BF16, DataFormat.BF16)
    assert pack(bench, mask, last=1) == OK
    assert bench.bytes_at(BASE, 32 * len(rows)) == to_l1_bytes(ROWS[rows], "bf16", "row_major")
    assert not any(bench.bytes_at(BASE + 32 * len(rows), 32))


@pytest.mark.parametrize("which", ["Packer", "Gasket"])
def test_stochastic_rounding_of_packers_is_left_out_with_a_warning(
    bench: Bench, which: str
) -> None:
    fill_dst(bench, ROWS)
    bench.packer(DataFormat.BF16, DataFormat.BF16)
    bench.set(**{f"ALU_ROUNDING_MODE_{which}_srnd_en": 1})
    assert pack(bench, last=1) == OK
    fault = bench.record["fault"]
    code = CHECKS_BY_NAME[f"pack-alu-rounding-mode-{which.lower()}-srnd-en"].code
    assert (fault["warnings"], fault["warning_code"][0]) == (1, code)
    assert bench.bytes_at(BASE, 32) == to_l1_bytes(ROWS[:1], "bf16", "row_major")


def test_bf16_in_a_dst_of_16_bits_is_packed_as_fp32(bench: Bench) -> None:
    """tt-llk's fast tilize does so on Wormhole; no page has it (decision 3)."""
    numbers = ROWS - np.float32(31.5)
    fill_dst(bench, numbers)
    bench.packer(DataFormat.FP32, DataFormat.FP32)
    bench.set(PCK0_ADDR_CTRL_XY_REG_0_Ystride=64)
    assert pack(bench, last=1) == OK
    assert bench.bytes_at(BASE, 64) == numbers[0].tobytes()


def test_blackhole_strided_reads_are_16_rows_apart() -> None:
    bench = Bench("blackhole")
    bench.set(DEST_ACCESS_CFG_swizzle_32b=1, DEST_ACCESS_CFG_remap_addrs=1)
    bench.packer(DataFormat.INT16, DataFormat.INT16)
    for row in range(64):
        at = (row & 0x3C7) ^ ((row & 0x30) >> 1) ^ ((row & 8) << 2)
        bench.record["dst"][at] = row
    assert pack(bench, 0, dst_access_mode=1, last=1) == OK
    packed = np.frombuffer(bench.bytes_at(BASE, 128), "<u2").reshape(4, 16)
    assert packed[:, 0].tolist() == [0, 16, 32, 48]


def test_wormholes_packers_work_at_once() -> None:
    bench = Bench("wormhole")
    fill_dst(bench, ROWS)
    bench.packer(DataFormat.BF16, DataFormat.BF16)
    for p in range(4):
        bench.set(**{f"DEST_TARGET_REG_CFG_PACK_SEC{p}_Offset": p})
    assert bench.issue("PACR", 2, pack_sel=15, last=1) == OK
    for p in range(4):
        packed = bench.bytes_at(BASE + 0x1000 * p, 32)
        assert packed == to_l1_bytes(ROWS[p], "bf16", "row_major")
    assert bench.refused("PACR", 2, pack_sel=5) == "pacr-packer-mask"


def test_a_tile_goes_on_until_last_and_its_tail_is_zeroed(bench: Bench) -> None:
    fill_dst(bench, ROWS)
    bench.packer(DataFormat.BF16, DataFormat.BF16, count=4)
    bench.set(ADDR_MOD_PACK_SEC0_YsrcIncr=1)
    bench.put(b"\xee" * 64)
    assert pack(bench) == OK
    assert bench.bytes_at(BASE + 8, 8) == b"\xee" * 8
    assert pack(bench) == OK
    assert pack(bench, last=1) == OK
    wanted = to_l1_bytes(ROWS[:3, :4], "bf16", "row_major")
    assert bench.bytes_at(BASE, 40) == wanted + bytes(8) + b"\xee" * 8
    assert pack(bench, last=1) == OK
    assert bench.bytes_at(BASE, 8) == to_l1_bytes(ROWS[3, :4], "bf16", "row_major")


def test_flush_only_ends_the_tile(bench: Bench) -> None:
    fill_dst(bench, ROWS)
    bench.packer(DataFormat.BF16, DataFormat.BF16, count=4)
    bench.put(b"\xee" * 64)
    assert pack(bench) == OK
    assert pack(bench, flush=1) == OK
    wanted = to_l1_bytes(ROWS[0, :4], "bf16", "row_major")
    assert bench.bytes_at(BASE, 24) == wanted + bytes(8) + b"\xee" * 8


def test_zero_write_reads_no_dst(bench: Bench) -> None:
    fill_dst(bench, ROWS)
    bench.packer(DataFormat.BF16, DataFormat.BF16)
    bench.put(b"\xee" * 32)
    assert pack(bench, zero_write=1, last=1) == OK
    assert bench.bytes_at(BASE, 32) == bytes(32)


def test_undefined_rows_are_packed_as_zero(bench: Bench) -> None:
    bench.record["dst"] = 0xFFFF
    bench.record["dst_valid"] = 0
    bench.packer(DataFormat.BF16, DataFormat.BF16)
    bench.put(b"\xee" * 32)
    assert pack(bench, last=1) == OK
    assert bench.bytes_at(BASE, 32) == bytes(32)


def test_edges_are_masked_by_row_and_column(bench: Bench) -> None:
    fill_dst(bench, ROWS + 1)
    bench.packer(DataFormat.BF16, DataFormat.BF16)
    bench.set(
        ADDR_MOD_PACK_SEC0_YsrcIncr=1,
        PCK_EDGE_OFFSET_SEC0_mask=0x00FF,
        PCK_EDGE_OFFSET_SEC2_mask=0xFF00,
        TILE_ROW_SET_MAPPING_0_row_set_mapping_1=2,
    )
    assert pack(bench) == OK
    bench.set(PCK_EDGE_MODE_mode=1)
    assert pack(bench, last=1) == OK
    first, second = from_l1_bytes(bench.bytes_at(BASE, 64), (2, 16), "bf16", "row_major")
    assert first.tolist() == [*range(1, 9), *[0] * 8]
    assert second.tolist() == [-np.inf] * 8 + list(range(25, 33))


@given(st.integers(0, 1 << 32), st.integers(0, 15), st.integers(0, 1))
@settings(max_examples=15)
def test_rows_that_are_copied_are_what_the_long_way_packs(
    seed: int, mask: int, strided: int
) -> None:
    """Masks of columns that are full, but need looking at, take the long way."""
    random, left = np.random.default_rng(seed), []
    dst = random.integers(0, 1 << 16, (1024, 16), np.uint16)
    valid = random.integers(0, 2, 1024, np.uint8)
    for rows in (0, 1):
        bench = Bench("blackhole")
        bench.set(DEST_ACCESS_CFG_swizzle_32b=strided, DEST_ACCESS_CFG_remap_addrs=strided)
        bench.packer(DataFormat.BF16, DataFormat.BF16)
        bench.set(PCK_EDGE_OFFSET_SEC1_mask=0xFFFF, TILE_ROW_SET_MAPPING_0_row_set_mapping_1=rows)
        bench.record["dst"], bench.record["dst_valid"] = dst, valid
        for _ in range(3):
            interfaces = mask if not strided or mask in (0, 1, 3) else 3
            assert pack(bench, interfaces, dst_access_mode=strided) == OK
        places = bench.record["pack_position"].tolist()
        left.append((bench.bytes_at(BASE, 512), places, bench.record["cycle"]["work"]))
    assert left[0] == left[1]


@pytest.mark.parametrize(
    ("mode", "expected"), [(1, [0, 0.5, 1, 2]), (2, [0, 0, 0, 2]), (3, [0, 0.5, 1, 1])]
)
def test_relu(bench: Bench, mode: int, expected: list[float]) -> None:
    fill_dst(bench, np.resize(np.array([-1, 0.5, 1, 2], np.float32), (1, 16)))
    bench.packer(DataFormat.BF16, DataFormat.BF16)
    bench.set(STACC_RELU_ApplyRelu=mode, STACC_RELU_ReluThreshold=0x3F80)
    assert pack(bench, last=1) == OK
    got = from_l1_bytes(bench.bytes_at(BASE, 8), (4,), "bf16", "row_major")
    assert got.tolist() == expected


@pytest.mark.parametrize(
    ("in_format", "out_format", "name", "registers"),
    [
        (DataFormat.BF16, DataFormat.BFP8, "bfp8", "bf16"),
        (DataFormat.BF16, DataFormat.BFP4, "bfp4", "bf16"),
        (DataFormat.BF16, DataFormat.BFP2, "bfp2", "bf16"),
        (DataFormat.BF16, DataFormat.TF32, "tf32", "bf16"),
        (DataFormat.FP16, DataFormat.BFP8A, "bfp8a", "fp16"),
        (DataFormat.FP16, DataFormat.BFP4A, "bfp4a", "fp16"),
        (DataFormat.FP16, DataFormat.FP8, "fp8_e5m2", "fp16"),
        (DataFormat.FP16, DataFormat.FP32, "fp32", "fp16"),
    ],
)
def test_packed_is_what_the_host_encodes(
    bench: Bench, in_format: int, out_format: int, name: str, registers: str
) -> None:
    row = np.resize(np.array([1, -2, 0.5, 3, -0.25, 7, 0, 1.5], np.float32), (1, 16))
    fill_dst(bench, row, registers)
    bench.packer(in_format, out_format)
    for section in ("SEC0_REG1", "SEC0_REG8"):
        bench.set(**{f"THCON_{section}_Exp_section_size": 1 if "bfp" in name else 0})
    assert pack(bench, last=1) == OK
    wanted = to_l1_bytes(row.ravel(), name, "row_major")
    assert bench.bytes_at(BASE, len(wanted)) == wanted


def test_accumulation_adds_to_what_l1_holds(bench: Bench) -> None:
    fill_dst(bench, ROWS)
    bench.packer(DataFormat.BF16, DataFormat.BF16)
    bench.set(THCON_SEC0_REG1_Pack_L1_Acc=1)
    bench.put(to_l1_bytes(np.full(16, 0.5), "bf16", "row_major"))
    assert pack(bench, last=1) == OK
    got = from_l1_bytes(bench.bytes_at(BASE, 32), (16,), "bf16", "row_major")
    np.testing.assert_array_equal(got, ROWS[0] + 0.5)


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ({"ALU_FORMAT_SPEC_REG2_Dstacc": DataFormat.FP16}, "pack-intermediate-format"),
        ({"THCON_SEC0_REG1_Out_data_format": DataFormat.INT8}, "pack-conversion"),
        ({"THCON_SEC0_REG1_Exp_threshold_en": 1}, "pack-exp-threshold-en"),
        ({"THCON_SEC0_REG1_Downsample_mask": 0x5555}, "pack-downsample-mask"),
        ({"THCON_SEC0_REG1_L1_Dest_addr": 0x1FFF0}, "l1-bounds"),
        ({"PACK_COUNTERS_SEC0_pack_reads_per_xy_plane": 0}, "pack-plane-rows"),
        ({"STACC_RELU_ApplyRelu": 4}, "pack-relu-mode"),
        ({"STACC_RELU_ApplyRelu": 1, "STACC_RELU_ReluThreshold": 0x8000}, "pack-relu-threshold"),
    ],
)
def test_what_is_refused(bench: Bench, setting: dict[str, int], name: str) -> None:
    bench.packer(DataFormat.BF16, DataFormat.BF16)
    bench.set(**setting)
    fields = {"read_intf_sel": 1} if bench.chip == "blackhole" else {"pack_sel": 1}
    assert bench.refused("PACR", 2, last=1, **fields) == name


def as_float(bits: int) -> np.float32:
    return np.array([bits], np.uint32).view(np.float32)[0]


FP32 = st.integers(0, 0xFFFFFFFF)
NEAR = st.tuples(FP32, st.integers(-3 << 23, 3 << 23)).map(
    lambda x: (x[0], (x[0] + x[1] ^ 0x80000000) & 0xFFFFFFFF)
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.tuples(FP32, FP32), NEAR))
def test_fp32_sums_are_numpys_with_denormals_flushed(pair: tuple[int, int]) -> None:
    a, b = (x if x & 0x7F800000 else x & 0x80000000 for x in pair)
    with np.errstate(all="ignore"):
        total = as_float(a) + as_float(b)
    expected = int(np.array([total], np.float32).view(np.uint32)[0])
    if np.isnan(total):
        expected = 0x7FC00000
    elif not expected & 0x7F800000:
        expected &= 0x80000000
    assert add_fp32(*pair) == expected


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF))
def test_bf16_sums_round_the_exact_sum(old: int, new: int) -> None:
    if max(old & 0x7FFF, new & 0x7FFF) >= 0x7F80:
        return
    x, y = (as_float((v if v & 0x7F80 else v & 0x8000) << 16) for v in (old, new))
    total = np.float64(x) + np.float64(y)
    if abs(total) < 2.0**-126:
        assert add_bf16(old, new) & 0x7FFF == 0
        return
    raw = np.frombuffer(to_l1_bytes(np.array([total]), "fp32", "row_major"), "<u4")[0]
    if np.float64(as_float(int(raw))) == total:
        expected = np.frombuffer(to_l1_bytes(np.array([total]), "bf16", "row_major"), "<u2")[0]
        assert add_bf16(old, new) == expected


def test_odd_accumulations() -> None:
    assert add_bf16(0x7F80, 0xFF80) == 0x7FC0
    assert add_bf16(0x7FC1, 0x3F80) == 0x7F80
    assert add_bf16(0x3F80, 0x7FC1) == 0x7F80
    assert add_bf16(0x0001, 0x8001) == 0
    assert add_fp16(0x3C00, 0x4000) == 0x4200
    assert add_fp16(0x7C00, 0xFC00) == 0x7FFF
    assert add_fp16(0x3C00, 0xBC00) == 0
    assert add_fp16(0x7FFF, 0x7FFF) == 0x7FFF
