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
        ("SETADC", {"value": 1}, "adc-no-unit"),
        ("INCADCXY", {"ch0_x": 1}, "adc-no-unit"),
        ("SETADCXY", {"cnt_set_mask": 1}, "adc-no-counter"),
        ("ADDRCRZW", {"cnt_set_mask": 1}, "adc-no-counter"),
    ],
)
def test_what_is_refused(bench: Bench, name: str, fields: dict[str, int], check: str) -> None:
    assert bench.refused(name, **fields) == check


@pytest.mark.parametrize(("override", "thread"), [(0, 2), (1, 0), (2, 1), (3, 2)])
def test_a_thread_may_name_another_threads_counters(
    bench: Bench, override: int, thread: int
) -> None:
    def changed(name: str, **fields: int) -> tuple[list[int], list[int]]:
        """The threads whose counters an instruction of thread 2 changed, and thread's own."""
        before = bench.record["adc"].copy()
        assert bench.issue(name, 2, cnt_set_mask=BOTH_UNPACKERS, **fields) == OK
        after = bench.record["adc"]
        threads = [t for t in range(3) if (before[t] != after[t]).any()]
        adc = after[thread, 1]
        return threads, [int(adc[each][channel]) for each in "xyzw" for channel in (0, 1)]

    whose = {"thread_override": override}
    assert changed("SETADCXY", ch0_y=1, ch1_x=2, bit_mask=6, **whose) == (
        [thread],
        [0, 2, 1, 0, 0, 0, 0, 0],
    )
    assert changed("INCADCXY", ch0_x=1, ch1_y=3, **whose) == ([thread], [1, 2, 1, 3, 0, 0, 0, 0])
    assert changed("ADDRCRXY", ch0_y=3, bit_mask=2, **whose) == (
        [thread],
        [1, 2, 4, 3, 0, 0, 0, 0],
    )
    assert changed("SETADCZW", ch0_x=5, ch1_y=6, bit_mask=9, **whose) == (
        [thread],
        [1, 2, 4, 3, 5, 0, 0, 6],
    )
    assert changed("INCADCZW", ch1_x=7, **whose) == ([thread], [1, 2, 4, 3, 5, 7, 0, 6])
    assert changed("ADDRCRZW", ch0_x=1, bit_mask=1, **whose) == ([thread], [1, 2, 4, 3, 6, 7, 0, 6])
    value = override << 16 | 0xFF
    assert changed("SETADC", channel_index=1, value=value) == ([thread], [1, 255, 4, 3, 6, 7, 0, 6])
