"""A plain run says which circular buffers its kernel leaves uneven."""

from pathlib import Path

import pytest

from faulty.harness import PROGRAMS, read
from tilelab.kernels.page_counts import uneven
from tilelab.kernels.run import run_kernel


@pytest.mark.parametrize(("healthy", "told"), [(False, 1), (True, 0)])
def test_a_tile_that_is_left_is_a_warning(healthy: bool, told: int, tmp_path: Path) -> None:
    faulty = read(PROGRAMS / "cb_tile_left.cpp")
    kernel = faulty.kernel("\n".join(faulty.lines(healthy)) + "\n", tmp_path)
    warnings = [line for line in run_kernel(kernel).warnings if "cb-pages-left" in line]
    assert len(warnings) == told


def test_what_one_side_never_counts_is_right() -> None:
    assert uneven(16, 4, 8, 0) == ""
    assert uneven(0, 4, 4, 4) == ""
    assert "3 acknowledged" in uneven(0, 4, 4, 3)
    assert "which is for 4" in uneven(16, 4, 3, 0)
