"""pto-isa's flash-attention kernels, unmodified, against NumPy: four shapes, causal and not.

TILELAB_PTO_ISA names a checkout; without it these are skipped. What is told is told for a reason:
docs/pto-results.md gives it, and the last tests here show it.
"""

from __future__ import annotations

import os
import re
from functools import cache, partial
from pathlib import Path

import pytest
from attention_rows import CLOCK, DEMOS, NOW, SEQUENCES, cycles, demo, misplaced, sequence
from flash_attention import SHAPES, attend, compiled

from tilelab.pto import schedules as ways

ISA = Path(os.environ.get("TILELAB_PTO_ISA", ""))
pytestmark = pytest.mark.skipif(
    "TILELAB_PTO_ISA" not in os.environ,
    reason="TILELAB_PTO_ISA is not set; git clone https://github.com/hw-native-sys/pto-isa",
)
CLOSE = 1e-3
ORDERS = (ways.in_turn, partial(ways.first, "cube"), partial(ways.first, "vec"))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Kernels, each compiled once, with the folder that each runs in."""

    @cache
    def one(kernel, causal, shapes=SHAPES, preload=4, repaired=False):
        folder = tmp_path_factory.mktemp(kernel)
        return compiled(ISA, kernel, causal, shapes, folder, preload, repaired), folder

    return one


def codes(done):
    return {finding.code for finding in done.outcome.findings}


@pytest.mark.parametrize(
    ("kernel", "causal", "told"),
    [
        ("common", False, set()),
        ("common", True, {"H15"}),
        ("a5", False, {"H14"}),
        ("a5", True, {"H14"}),
        ("automode_a5", False, set()),
    ],
)
def test_it_matches_numpy_at_four_shapes(kernel, causal, told, built):
    one, folder = built(kernel, causal)
    found = set()
    for rows, keys in SHAPES:
        done = attend(one, rows, keys, folder)
        assert done.outcome.error is None
        assert done.error < CLOSE
        found |= codes(done)
    assert found == told


def test_the_race_that_is_told_on_a5_is_real(built):
    one, folder = built("a5", False)
    done = attend(one, 128, 1024, folder, ways.first("cube"))
    assert done.outcome.error is None
    assert done.error > 0.1


@pytest.mark.parametrize("order", ORDERS)
def test_the_causal_automode_kernel_waits_for_tiles_that_its_cube_skips(order, built):
    one, folder = built("automode_a5", True)
    for rows, keys in SHAPES:
        error = attend(one, rows, keys, folder, order()).outcome.error
        assert "deadlock" in error.summary
        assert "fa_performance_kernel.cpp:442" in error.summary + error.detail


def test_with_the_skipped_tiles_not_waited_for_it_matches_numpy(built):
    one, folder = built("automode_a5", True, repaired=True)
    for rows, keys in SHAPES:
        done = attend(one, rows, keys, folder)
        assert done.outcome.error is None
        assert done.error < CLOSE
        assert codes(done) == {"H15"}


@pytest.mark.parametrize(
    ("preload", "keys", "ends"), [(16, 4096, True), (16, 8192, False), (17, 4352, False)]
)
def test_how_far_qk_may_run_ahead(preload, keys, ends, built):
    one, folder = built("common", False, ((128, keys),), preload)
    error = attend(one, 128, keys, folder).outcome.error
    if ends:
        assert error is None
    else:
        assert re.search(r"fa_performance_kernel.cpp:\d+: deadlock", error.summary)


@pytest.mark.parametrize("keys", [1024, 4096])
def test_a_whole_sequence_takes_what_it_took_on_all_cores_of_a_910b2(keys):
    found = sequence(cycles(ISA / NOW, ISA, keys), keys) / CLOCK
    assert found == pytest.approx(SEQUENCES[keys], rel=0.1)


def test_the_demo_is_right_and_its_times_stand_in_the_order_of_the_cards():
    ran = {keys: demo(ISA, keys) for keys in (1024, 2048, 4096)}
    assert all(error < CLOSE for _, error in ran.values())
    found = {keys: total / CLOCK for keys, (total, _) in ran.items()}
    for stated in DEMOS.values():
        assert not misplaced(found, {keys: stated[keys] for keys in found})
    card = DEMOS["x86_64", 1]
    assert found == pytest.approx({keys: card[keys] for keys in found}, rel=0.05)
