"""Which cells of Dst the lanes of SFPLOAD and SFPSTORE are (T21)."""

import numpy as np
import pytest

from tilelab.tensix import Tile

LO16 = 6


@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_t21_a_slice_is_four_rows_of_even_or_odd_columns(chip: str) -> None:
    tile = Tile(chip, engine="reference")
    tile.state.dst = np.arange(1024 * 16).reshape(1024, 16)
    row = tile.arch.instructions["SFPLOAD"]
    width = next(field.width for field in row.fields if field.name == "dest_reg_addr")
    assert width >= 10

    def cells(address: int) -> list[tuple[int, int]]:
        tile.execute(row.encode(lreg_ind=0, instr_mod0=LO16, dest_reg_addr=address))
        return [divmod(int(cell) & 0xFFFF, 16) for cell in tile.state.lreg[0]]

    slice6 = cells(6)
    assert [slice6[lane] for lane in (0, 7, 8, 31)] == [(4, 1), (4, 15), (5, 1), (7, 15)]
    seen = [cell for step in range(32) for cell in cells(2 * step)]
    assert sorted(seen) == [(r, c) for r in range(64) for c in range(16)]
