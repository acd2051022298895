"""Unpacking beyond the recordings: paths, waits, contexts, refusals."""

import numpy as np
import pytest
from tdma_bench import BASE, Bench

from tilelab.formats import DataFormat, to_l1_bytes
from tilelab.sim.checks import CHECKS_BY_NAME, Policy
from tilelab.sim.kernel import OK
from tilelab.tensix.words.waits import WAIT_SRC_A_UNPACK, WAIT_SRC_B_UNPACK

CHIPS = ("blackhole", "wormhole")


@pytest.fixture(params=CHIPS)
def bench(request: pytest.FixtureRequest) -> Bench:
    return Bench(request.param)


def src_values(rows: np.ndarray) -> np.ndarray:
    """Src data of the 8-bit-exponent family as float32."""
    return np.ascontiguousarray(rows).view(np.float32)


FACE = np.resize(np.array([1, -2, 0.5, 3, -0.25, 96, 0, 1.5], np.float32), (16, 16))


@pytest.mark.parametrize("unpacker", [0, 1])
def test_a_face_of_bf16_lands_in_order(bench: Bench, unpacker: int) -> None:
    face = np.arange(256, dtype=np.float32).reshape(16, 16)
    bench.put(to_l1_bytes(face, "bf16", "row_major"))
    bench.unpacker(unpacker, DataFormat.BF16, DataFormat.BF16)
    assert bench.unpack(unpacker) == OK
    src = bench.record["src_b" if unpacker else "src_a"][0]
    np.testing.assert_array_equal(src_values(src[:16]), face)
    assert not src[16:].any()


def test_rows_of_srcb_go_round(bench: Bench) -> None:
    face = np.arange(1, 257, dtype=np.float32).reshape(16, 16)
    bench.put(to_l1_bytes(face, "bf16", "row_major"))
    bench.unpacker(1, DataFormat.BF16, DataFormat.BF16)
    bench.record["unpack_src_row"][1] = 56
    assert bench.unpack(1) == OK
    src = src_values(bench.record["src_b"][0])
    np.testing.assert_array_equal(np.concatenate([src[56:], src[:8]]), src_values(face))
    assert not src[8:56].any()


@pytest.mark.parametrize(
    ("name", "code"),
    [("bfp8", DataFormat.BFP8), ("bfp4", DataFormat.BFP4), ("bfp2", DataFormat.BFP2)],
)
def test_blocks_unpack_to_what_the_host_decodes(bench: Bench, name: str, code: int) -> None:
    face = np.where(np.arange(256).reshape(16, 16) % 3, 1.0, -1.0) * 2.0 ** np.arange(16)[:, None]
    bench.put(to_l1_bytes(np.resize(face, 1024), name, "row_major"))
    bench.unpacker(0, code, code)
    assert bench.unpack(0) == OK
    np.testing.assert_array_equal(src_values(bench.record["src_a"][0, :16]), face)


def test_bfp8a_unpacks_to_the_fp16_family(bench: Bench) -> None:
    bench.put(to_l1_bytes(np.resize(FACE, 1024), "bfp8a", "row_major"))
    bench.unpacker(0, DataFormat.BFP8A, DataFormat.BFP8A)
    assert bench.unpack(0) == OK
    one, minus_two = bench.record["src_a"][0, 0, :2].tolist()
    assert (one, minus_two) == (15 << 23, 0x80000000 | 16 << 23)


def test_a_5_bit_exponent_out_of_range_is_refused(bench: Bench) -> None:
    bench.put(bytes([32] * 64 + [0x40] * 1024))
    bench.unpacker(0, DataFormat.BFP8A, DataFormat.BFP8A)
    fields = {"ovrd_thread_id": 1, "last": 1}
    assert bench.refused("UNPACR", **fields) == "unpack-exponent-range"


def test_haloize_transposes_a_face_of_srca(bench: Bench) -> None:
    face = np.arange(256, dtype=np.float32).reshape(16, 16)
    bench.put(to_l1_bytes(face, "bf16", "row_major"))
    bench.unpacker(0, DataFormat.BF16, DataFormat.BF16)
    bench.set(THCON_SEC0_REG2_Haloize_mode=1)
    assert bench.unpack(0) == OK
    np.testing.assert_array_equal(src_values(bench.record["src_a"][0, :16]), face.T)


@pytest.mark.parametrize(("chip", "width"), [("blackhole", 32), ("wormhole", 16)])
def test_tilizing_takes_rows_a_stride_apart(chip: str, width: int) -> None:
    bench = Bench(chip)
    image = np.arange(16 * 128, dtype=np.float32).reshape(16, 128) % 251
    bench.put(to_l1_bytes(image, "bf16", "row_major"))
    bench.unpacker(0, DataFormat.BF16, DataFormat.BF16)
    stride = 128 * 2 >> 4
    bench.set(
        THCON_SEC0_REG2_Tileize_mode=1,
        THCON_SEC0_REG2_Shift_amount_cntx0=stride & 15,
        THCON_SEC0_REG2_Shift_amount_cntx1=stride >> 4,
    )
    assert bench.unpack(0) == OK
    got = src_values(bench.record["src_a"][0, :16]).reshape(-1, width)
    np.testing.assert_array_equal(got, image[: 256 // width, :width])


def test_unpacking_to_dst_keeps_all_32_bits(bench: Bench) -> None:
    face = (np.arange(256) / 3).astype(np.float32).reshape(16, 16)
    bench.put(face.tobytes())
    bench.unpacker(0, DataFormat.FP32, DataFormat.FP32)
    bench.set(THCON_SEC0_REG2_Unpack_if_sel_cntx0=1, SRCA_SET_SetOvrdWithAddr=0)
    bench.record["dst_valid"] = 0
    assert bench.unpack(0) == OK
    bench.packer(DataFormat.FP32, DataFormat.FP32, wide=1)
    sel = {"read_intf_sel": 1} if bench.chip == "blackhole" else {"pack_sel": 1}
    assert bench.issue("PACR", 2, last=1, **sel) == OK
    assert bench.bytes_at(BASE, 64) == face[0].tobytes()
    assert not bench.record["src_a"].any()


def test_unpacking_waits_for_the_matrix_unit(bench: Bench) -> None:
    for unpacker, wait in ((0, WAIT_SRC_A_UNPACK), (1, WAIT_SRC_B_UNPACK)):
        bench.unpacker(unpacker, DataFormat.BF16, DataFormat.BF16)
        assert bench.unpack(unpacker, set_dat_valid=1) == OK
        assert bench.unpack(unpacker, set_dat_valid=1) == OK
        before = bench.record.copy()
        assert bench.unpack(unpacker, set_dat_valid=1, addr_mode=0xFF) == wait
        assert bench.record == before
    assert bench.record["src_a_valid"].tolist() == [1, 1]
    assert bench.record["src_b_unpack_bank"] == 0


def test_only_blackhole_marks_a_bank_with_its_format(bench: Bench) -> None:
    bench.unpacker(0, DataFormat.FP16, DataFormat.FP16)
    assert bench.unpack(0, set_dat_valid=1) == OK
    expected = DataFormat.FP16 if bench.chip == "blackhole" else 0
    assert bench.record["src_a_format"][0] == expected


def test_contexts_choose_base_addresses(bench: Bench) -> None:
    bench.put(to_l1_bytes(FACE, "bf16", "row_major"), BASE + 0x1000)
    bench.unpacker(0, DataFormat.BF16, DataFormat.BF16)
    bench.set(
        THCON_SEC0_REG2_Disable_zero_compress_cntx5=1,
        THCON_SEC0_REG4_Base_cntx5_address=(BASE + 0x1000 >> 4) - 1,
        THCON_SEC0_REG5_Dest_cntx1_address=64,
        THCON_SEC0_REG5_Tile_x_dim_cntx1=256,
    )
    assert bench.unpack(0, cfg_context_id=5) == OK
    np.testing.assert_array_equal(src_values(bench.record["src_a"][0, :16]), FACE)


def test_the_context_counter_goes_round(bench: Bench) -> None:
    bench.unpacker(1, DataFormat.BF16, DataFormat.BF16)
    bench.set(THCON_SEC1_REG2_Context_count=1, THCON_SEC1_REG2_Disable_zero_compress_cntx1=1)
    seen = []
    for _ in range(3):
        assert bench.unpack(1, auto_inc_context_id=1) == OK
        seen.append(int(bench.record["unpack_context"][1, 0]))
    assert seen == [1, 0, 1]
    assert bench.issue("UNPACR", unpack_block_selection=1, cfg_context_cnt_inc=1) == OK
    assert bench.record["unpack_context"][1, 0] == 0


def test_all_data_zero_writes_zeros(bench: Bench) -> None:
    bench.put(b"\xff" * 512)
    bench.unpacker(1, DataFormat.BF16, DataFormat.BF16)
    bench.record["src_b"] = 1 << 20
    assert bench.unpack(1, zero_write2=1) == OK
    assert not bench.record["src_b"][0, :16].any()
    assert bench.record["src_b"][0, 16:].all()


def test_increments_advance_both_channels(bench: Bench) -> None:
    bench.unpacker(0, DataFormat.BF16, DataFormat.BF16)
    assert bench.unpack(0, addr_mode=0b11_10_01_10) == OK
    adc = bench.record["adc"][0, 0]
    assert (adc["z"].tolist(), adc["y"].tolist()) == ([2, 2], [1, 3])


@pytest.mark.parametrize(
    ("settings", "fields", "name"),
    [
        ({"THCON_SEC0_REG2_Disable_zero_compress_cntx0": 0}, {}, "unpack-compressed"),
        ({"THCON_SEC0_REG2_Out_data_format": DataFormat.FP16}, {}, "unpack-conversion"),
        ({"THCON_SEC0_REG3_Base_address": 0xFFFFF}, {}, "l1-bounds"),
        ({"THCON_SEC0_REG2_Upsample_rate": 1}, {}, "unpack-upsample"),
        ({"THCON_SEC0_REG5_Dest_cntx0_address": 65}, {}, "unpack-output-alignment"),
        ({"THCON_SEC0_REG5_Dest_cntx0_address": 80}, {}, "unpack-burst"),
        ({"THCON_SEC0_REG2_Throttle_mode": 2, "SRCA_SET_SetOvrdWithAddr": 0}, {}, None),
        ({}, {"row_search": 1}, "unpacr-row-search"),
        ({}, {"addr_cnt_context_id": 3}, "unpack-context-adc"),
    ],
)
def test_what_is_refused(
    bench: Bench, settings: dict[str, int], fields: dict[str, int], name: str | None
) -> None:
    bench.unpacker(0, DataFormat.BF16, DataFormat.BF16)
    bench.set(THCON_SEC0_REG2_Throttle_mode=2)
    bench.set(**settings)
    fields = {"ovrd_thread_id": 1, "last": 1} | fields
    if name is None:
        assert bench.issue("UNPACR", **fields) == OK
    else:
        assert bench.refused("UNPACR", **fields) == name


def test_last_does_nothing(bench: Bench) -> None:
    bench.put(to_l1_bytes(FACE, "bf16", "row_major"))
    bench.unpacker(0, DataFormat.BF16, DataFormat.BF16)
    assert bench.issue("UNPACR", ovrd_thread_id=1, last=0) == OK
    np.testing.assert_array_equal(src_values(bench.record["src_a"][0, :16]), FACE)


def test_of_two_block_formats_only_the_one_in_l1_counts(bench: Bench) -> None:
    """Undefined by the manual, which adds that the second has no meaning; on Blackhole tt-llk
    depends on it."""
    bench.put(bytes(range(64, 256)))
    bench.unpacker(0, DataFormat.BFP4, DataFormat.BFP4)
    assert bench.unpack(0) == OK
    expected = bench.record["src_a"].copy()
    assert expected.any()
    bench.record["src_a"] = 0
    bench.set(THCON_SEC0_REG2_Out_data_format=DataFormat.BFP8)
    if bench.state.arch.unpack_mixes_blocks:
        assert bench.unpack(0) == OK
        name = "unpack-block-widths"
        bench.record["src_a"] = 0
        bench.record["fault"]["policy"][CHECKS_BY_NAME[name].code] = Policy.ERROR
        assert bench.refused("UNPACR", ovrd_thread_id=1, last=1) == name
    else:
        name = "unpack-block-formats"
        assert bench.refused("UNPACR", ovrd_thread_id=1, last=1) == name
    bench.record["fault"]["policy"][CHECKS_BY_NAME[name].code] = Policy.OFF
    assert bench.unpack(0) == OK
    np.testing.assert_array_equal(bench.record["src_a"], expected)
    bench.set(THCON_SEC0_REG2_Out_data_format=DataFormat.BFP8A)
    assert bench.refused("UNPACR", ovrd_thread_id=1, last=1) == "unpack-conversion"


def test_unpacker_1_has_two_contexts(bench: Bench) -> None:
    bench.unpacker(1, DataFormat.BF16, DataFormat.BF16)
    fields = {"unpack_block_selection": 1, "ovrd_thread_id": 1, "last": 1, "cfg_context_id": 2}
    assert bench.refused("UNPACR", **fields) == "unpack-context"


ZEROS = {"ovrd_thread_id": 1, "last": 1, "zero_write2": 1}


@pytest.mark.parametrize("number", [DataFormat.INT32, DataFormat.FP32])
def test_zeros_need_no_conversion(bench: Bench, number: DataFormat) -> None:
    """As tt-llk ends each unpacking to Dst: zeros into SrcA, in a format that only Dst takes."""
    bench.put(bytes(range(1, 65)))
    bench.unpacker(0, number, number, count=16)
    bench.record["src_a"] = 0xFFFFE000
    assert bench.issue("UNPACR", **ZEROS) == OK
    assert (bench.record["src_a"][0, 0] == 0).all()
    assert (bench.record["src_a"][0, 1:] == 0xFFFFE000).all()
    assert bench.record["src_a_valid"].tolist() == [0, 0]


def test_what_does_not_convert_is_written_as_zeros_if_the_policy_lets_it_pass(bench: Bench) -> None:
    bench.put(bytes(range(1, 65)))
    bench.unpacker(0, DataFormat.INT32, DataFormat.INT32, count=16)
    bench.record["src_a"] = 0xFFFFE000
    plain = {"ovrd_thread_id": 1, "last": 1}
    assert bench.refused("UNPACR", **plain) == "unpack-conversion"
    bench.record["fault"]["policy"][CHECKS_BY_NAME["unpack-conversion"].code] = Policy.WARN
    assert bench.issue("UNPACR", **plain) == OK
    assert (bench.record["src_a"][0, 0] == 0).all()
    fault = bench.record["fault"]
    assert fault["warnings"] == 1
    assert (fault["warning_value"][0], fault["warning_value2"][0]) == (8, 8)


@pytest.mark.parametrize("zero", [0, 1])
def test_a_format_that_does_not_exist_is_refused(bench: Bench, zero: int) -> None:
    for pair in ((12, 5), (5, 12), (13, 13)):
        bench.unpacker(0, *pair)
        fields = {**ZEROS, "zero_write2": zero}
        assert bench.refused("UNPACR", **fields) == "unpack-no-format", pair


def test_setdvalid(bench: Bench) -> None:
    if bench.chip == "blackhole":
        bench.set(DISABLE_IMPLIED_SRCA_FMT_Base=1, DISABLE_IMPLIED_SRCB_FMT_Base=1)
    assert bench.issue("SETDVALID", setvalid=3) == OK
    assert bench.record["src_a_valid"].tolist() == [1, 0]
    assert (bench.record["src_a_unpack_bank"], bench.record["src_b_unpack_bank"]) == (1, 1)
    assert bench.issue("SETDVALID", setvalid=1) == OK
    assert bench.refused("SETDVALID", setvalid=1) == "srca-already-valid"
    assert bench.record["fault"]["warnings"] == 0


@pytest.mark.parametrize("given", [1, 2, 3])
def test_a_bank_that_setdvalid_gives_keeps_its_format(given: int) -> None:
    bench = Bench("blackhole")
    bench.record["src_a_format"], bench.record["src_b_format"] = [4, 5], [1, 6]
    bench.record["fault"]["policy"][CHECKS_BY_NAME["setdvalid-format"].code] = Policy.ERROR
    assert bench.refused("SETDVALID", setvalid=given) == "setdvalid-format"
    bench.record["fault"]["policy"][CHECKS_BY_NAME["setdvalid-format"].code] = Policy.WARN
    assert bench.issue("SETDVALID", setvalid=given) == OK
    assert bench.record["src_a_format"].tolist() == [4, 5]
    assert bench.record["src_b_format"].tolist() == [1, 6]
    assert bench.record["src_a_valid"].tolist() == [given & 1, 0]
    assert bench.record["src_b_valid"].tolist() == [given >> 1, 0]
    assert bench.record["fault"]["warnings"] == 1


@pytest.mark.parametrize("name", ["PACR_SETREG", "RSTDMA", "TBUFCMD"])
def test_what_no_unit_models_is_refused(bench: Bench, name: str) -> None:
    assert bench.refused(name) == name.lower().replace("_", "-")


def test_writing_the_context_offsets_resets_the_thread_s_context_counters(bench: Bench) -> None:
    register = bench.s.f.UNPACK_MISC_CFG_CfgContextCntReset_0 >> 16
    bench.record["unpack_context"] = 1
    assert bench.issue("SETC16", thread=1, setc16_reg=register - 1, setc16_value=0) == OK
    assert bench.record["unpack_context"].tolist() == [[1, 1, 1], [1, 1, 1]]
    assert bench.issue("SETC16", thread=1, setc16_reg=register, setc16_value=0x0101) == OK
    assert bench.record["unpack_context"].tolist() == [[1, 0, 1], [1, 0, 1]]
