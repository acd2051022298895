import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.tensix.arch import arch
from tilelab.tensix.backend import dst
from tilelab.tensix.state import TensixState


@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_32_bit_rows_map_as_the_manual_says(chip: str) -> None:
    s = TensixState(arch(chip)).s
    upper = {0: 0, 7: 7, 8: 16, 63: 119, 64: 128, 504: 1008, 512: 512, 256: 512}
    assert {row: dst.dst32_row(s, row) for row in upper} == upper
    assert len({dst.dst32_row(s, row) for row in range(1024)}) == 512


def test_remap_moves_rows_as_the_manual_says() -> None:
    state = TensixState(arch("blackhole"))
    state.set_config_field("DEST_ACCESS_CFG_remap_addrs", 1)
    moved = {8: 32, 16: 8, 24: 40, 32: 16, 40: 48, 48: 24, 56: 56}
    assert {row: dst.dst16_row(state.s, row) for row in moved} == moved
    assert {dst.dst16_row(state.s, row) for row in range(1024)} == set(range(1024))


@pytest.mark.parametrize("remap", [0, 1])
def test_swizzle_keeps_the_upper_halves_distinct_from_the_lower(remap: int) -> None:
    state = TensixState(arch("blackhole"))
    state.set_config_field("DEST_ACCESS_CFG_remap_addrs", remap)
    state.set_config_field("DEST_ACCESS_CFG_swizzle_32b", 1)
    upper = {dst.dst32_row(state.s, row) for row in range(512)}
    assert len(upper) == 512
    assert not upper & {row + dst.LOW_HALF for row in upper}
    # Adj32 of row 4 sets bit 3 of the row, of row 8 bit 2, of row 16 bits 3 and 4 (Dst.md)
    if not remap:
        assert [dst.dst32_row(state.s, row) for row in (4, 8, 16)] == [16, 4, 48]


def test_debug_bit_11_makes_16_bit_rows_the_upper_halves() -> None:
    state = TensixState(arch("wormhole"))
    assert dst.dst16_row(state.s, 8) == 8
    state.record["debug_register"][0x68 // 4] = 1 << 11
    assert dst.dst16_row(state.s, 8) == dst.dst32_row(state.s, 8) == 16


def test_undefined_rows_read_as_zero_until_written() -> None:
    state = TensixState(arch("blackhole"))
    state.record["dst"] = 0xABCD
    state.record["dst_valid"][[16, 3]] = 0
    assert dst.read_dst32(state.s, 8, 5) == 0
    assert dst.read_dst16(state.s, 3, 5) == 0
    assert dst.read_dst16(state.s, 24, 5) == 0xABCD  # the lower half's flag does not count
    dst.write_dst32(state.s, 8, 5, 0x12345678)
    dst.write_dst16(state.s, 3, 5, 0x4321)
    assert dst.read_dst32(state.s, 8, 5) == 0x12345678
    assert state.record["dst"][[16, 24], 5].tolist() == [0x1234, 0x5678]
    assert dst.read_dst16(state.s, 3, 5) == 0x4321
    assert dst.read_dst32(state.s, 8, 6) == 0xABCDABCD


def test_layouts_put_the_mantissa_above_the_exponent() -> None:
    assert dst.bf16_to_dst(0xBF81) == 0x8000 | 0x01 << 8 | 0x7F
    assert dst.fp16_to_dst(0xBC01) == 0x8000 | 0x001 << 5 | 0x0F
    assert dst.fp32_to_dst(0xBF812345) == (0x8000 | 0x01 << 8 | 0x7F) << 16 | 0x2345


@given(st.integers(0, 0xFFFFFFFF))
def test_layouts_are_reversible(x: int) -> None:
    assert dst.fp32_from_dst(dst.fp32_to_dst(x)) == x
    assert dst.bf16_from_dst(dst.bf16_to_dst(x >> 16)) == x >> 16
    assert dst.fp16_from_dst(dst.fp16_to_dst(x >> 16)) == x >> 16


@given(st.integers(-0x7FFFFFFF, 0x7FFFFFFF))
def test_integers_are_sign_and_magnitude(x: int) -> None:
    word = dst.int32_to_dst(x)
    assert word >> 31 == (x < 0)
    assert dst.fp32_from_dst(word) & 0x7FFFFFFF == abs(x)
    assert dst.int32_from_dst(word) == x
