"""The clock on pto-isa's GEMM, whose times its README states."""

from gemm_rows import STATED, timed


def test_the_cube_bounds_the_product_and_it_takes_less_than_with_a_start_up():
    found = timed(1536)
    assert max(found.pipes().items(), key=lambda item: item[1][0])[0] == ("cube", "M")
    assert 0.5 < found.microseconds / STATED[1536] < 1
