"""Address counters beyond the recordings: wrap-around, copies, refusals."""

import pytest
from tdma_bench import Bench

from tilelab.sim.kernel import OK

PACKER, BOTH_UNPACKERS = 4, 3


@pytest.fixture(params=["blackhole", "wormhole"])
def bench(request: pytest.FixtureRequest) -> Bench:
    return Bench(request.param)


def test_counters_wrap_at_their_widths(bench: Bench) -> None:
    adc = bench.record["adc"][1, 2]
    adc["x"][0], adc["y"][0], adc["z"][1], adc["w"][1] = 0x3FFFF, 0x1FFF, 0xFF, 0xFE
    assert bench.issue("INCADCXY", 1, cnt_set_mask=PACKER, ch0_x=1, ch0_y=2) == OK
    assert bench.issue("INCADCZW", 1, cnt_set_mask=PACKER, ch1_x=3, ch1_y=7) == OK
    assert (adc["x"][0], adc["y"][0], adc["z"][1], adc["w"][1]) == (0, 1, 2, 5)


def test_addrcr_counts_from_the_copy(bench: Bench) -> None:
    assert bench.issue("SETADCZW", 0, cnt_set_mask=1, ch0_x=4, bit_mask=1) == OK
    assert bench.issue("INCADCZW", 0, cnt_set_mask=1, ch0_x=3) == OK
    adc = bench.record["adc"][0, 0]
    assert (adc["z"][0], adc["z_cr"][0]) == (7, 4)
    assert bench.issue("ADDRCRZW", 0, cnt_set_mask=1, ch0_x=1, bit_mask=1) == OK
    assert (adc["z"][0], adc["z_cr"][0]) == (5, 5)


def test_only_the_named_units_of_the_thread_change(bench: Bench) -> None:
    before = bench.record["adc"].copy()
    assert bench.issue("SETADCXX", 2, cnt_set_mask=BOTH_UNPACKERS, x_start=3, x_end2=9) == OK
    after = bench.record["adc"]
    assert after["x"][2].tolist() == [[3, 9], [3, 9], [0, 0]]
    assert after["x_cr"][2].tolist() == [[3, 9], [3, 9], [0, 0]]
    assert (after[:2] == before[:2]).all()


@pytest.mark.parametrize(
    ("name", "fields", "check"),
    [
        ("SETADC", {"cnt_set_mask": 1, "value": 1 << 16}, "adc-thread-override"),
        ("SETADC", {"value": 1}, "adc-no-unit"),
        ("INCADCXY", {"ch0_x": 1}, "adc-no-unit"),
        ("SETADCXY", {"cnt_set_mask": 1}, "adc-no-counter"),
        ("ADDRCRZW", {"cnt_set_mask": 1}, "adc-no-counter"),
    ],
)
def test_what_is_refused(bench: Bench, name: str, fields: dict[str, int], check: str) -> None:
    assert bench.refused(name, **fields) == check
