"""The two readings of what MOVB2D writes while Fp32_enabled (option ``movb2d_fp32``)."""

import numpy as np
import pytest

from matrix_harness import BF16, Bench, to_src


@pytest.mark.parametrize("fp32", [0, 1])
@pytest.mark.parametrize("option", [0, 1])
def test_movb2d_goes_by_fp32_enabled_where_that_reading_is_chosen(fp32: int, option: int) -> None:
    bench = Bench(fp32=fp32, data_format=BF16, movb2d_fp32=option)
    bench.record["src_b"][0, 5] = to_src(np.float32(-1.5))
    bench.record["dst"][:] = 0x1234
    bench.run("MOVB2D", src=5, dst=0, movb2d_instr_mod=2)
    high = bench.record["dst"][:16, 0].tolist()
    if option and fp32:
        assert high == [0xC07F] * 8 + [0] * 8  # Dst32b rows 0 to 7: their halves lie 8 rows apart
        before = bench.record["dst"].copy()
        bench.run("MOVB2D", dest_32b_lo=1, src=5, dst=0, movb2d_instr_mod=2)
        assert (bench.record["dst"] == before).all()
    else:
        assert high == [0xC07F] * 8 + [0x1234] * 8
        bench.run("MOVB2D", dest_32b_lo=1, src=5, dst=0, movb2d_instr_mod=2)
        assert bench.record["dst"][8:16, 0].tolist() == [0xC07F] * 8
