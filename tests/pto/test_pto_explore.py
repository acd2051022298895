"""The search over credits: the study's table, proofs, shortest schedules, and agreement with real
runs."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_harness import UP_DOWN, Stream
from tilelab.pto import Direction
from tilelab.pto.errors import DeadlockError, HazardError, PipeConfigError
from tilelab.pto.explore import ExploreLimitError, Model, explore
from tilelab.pto.protocol import Protocol

D = Direction

# SlotNum: (A2/A3 overrun, A5 initial credits, A5 overrun, A5 leftover), 40 tiles, protocol sparse
STUDY = {
    1: (0, 1, 1, 1), 2: (0, 2, 4, 1), 3: (0, 1, 1, 3), 4: (0, 2, 4, 2), 5: (1, 2, 5, 3),
    6: (0, 3, 9, 1), 7: (2, 3, 11, 2), 8: (0, 4, 16, 2), 9: (3, 4, 19, 3),
}  # fmt: skip


def sparse(slots, arch, protocol="sparse", **options):
    return explore(Model(slots, arch, protocol=protocol, tiles=40, vec=1, flag_bits=0, **options))


@pytest.mark.parametrize("slots", STUDY)
def test_the_studys_table(slots):
    a2a3_overrun, initial, a5_overrun, leftover = STUDY[slots]
    a2a3, a5 = sparse(slots, "a2a3"), sparse(slots, "a5")
    assert (a2a3.max_overrun, a2a3.leftover) == (a2a3_overrun, 0)
    assert a2a3.safe == (a2a3_overrun == 0)
    assert (a5.max_overrun, a5.leftover) == (a5_overrun, leftover)
    assert Protocol("sparse", slots, "a5").initial_credits == initial


def test_sparse_a2a3_leaves_no_flags_for_any_count():
    for slots in range(1, 11):
        for tiles in (1, 2, 7, 16, 39):
            verdict = explore(Model(slots, protocol="sparse", tiles=tiles, vec=1, flag_bits=0))
            assert verdict.leftover == 0


def test_the_seed_is_safe_for_every_slot_num_up_to_15_in_seconds():
    start = time.process_time()
    for slots in range(1, 16):
        for arch in ("a2a3", "a5"):
            verdict = explore(Model(slots, arch))
            assert verdict.safe, verdict.found
            assert (verdict.max_ready, verdict.max_lead) == (slots, slots)
    assert time.process_time() - start < 20


@pytest.mark.parametrize("direction", [d for d in Direction if d is not D.DIR_C2V])
def test_the_seed_is_safe_in_every_direction(direction):
    for slots in (1, 2, 3):
        assert explore(Model(slots, "a5", direction)).safe
        if direction.name in ("DIR_V2C", "DIR_BOTH", "DIR_V2C_CTRL"):
            assert explore(Model(slots, "a2a3", direction)).safe


@pytest.mark.parametrize("slots", [*range(1, 10), 15])
def test_sparse_fixed_is_safe_and_uses_what_it_can_prove_free(slots):
    for arch in ("a2a3", "a5"):
        verdict = explore(Model(slots, arch, protocol="sparse_fixed", vec=1))
        assert verdict.safe, verdict.found
        assert verdict.max_lead == slots


@pytest.mark.parametrize("slots", range(1, 4))
def test_tagged_is_safe(slots):
    for arch in ("a2a3", "a5"):
        assert explore(Model(slots, arch, protocol="tagged")).safe


def test_the_seed_overflows_4_bits_at_16():
    verdict = explore(Model(16))
    assert [(bad.kind, bad.code) for bad in verdict.found] == [("flag-overflow", "E14")]
    assert verdict.found[0].schedule == ["vec0 open"]
    assert explore(Model(16, flag_bits=5)).safe
    lead = explore(Model(16, protocol="sparse_fixed"))
    assert [bad.kind for bad in lead.found] == ["flag-overflow"]
    assert [step for step in lead.found[0].schedule if "TPUSH" in step][-1].endswith("tile 15")


def test_shortest_overrun_schedule():
    verdict = explore(Model(5, protocol="sparse", vec=1))
    overrun = next(bad for bad in verdict.found if bad.kind == "overrun")
    assert overrun.schedule == [
        "cube open",
        *(f"cube TPUSH of C2V tile {tile}" for tile in range(6)),
    ]
    assert "tile 5 overwrites tile 0" in overrun.message


def test_circular_waits_are_found_and_orders_without_them_proved():
    both = {"direction": D.DIR_BOTH, "vec": 1}
    stuck = explore(Model(2, **both, cube=("pop", "push"), vec_ops=("pop", "push")))
    assert [bad.kind for bad in stuck.found] == ["deadlock"]
    assert stuck.found[0].schedule == ["cube open", "vec0 open"]
    assert explore(Model(2, **both, cube=("push", "pop"), vec_ops=("pop", "push"))).safe
    greedy = explore(
        Model(
            1, **both, cube=("push", "push", "pop", "pop"), vec_ops=("push", "push", "pop", "pop")
        )
    )
    assert [bad.kind for bad in greedy.found] == ["deadlock"]


@pytest.mark.parametrize(
    ("toggles", "kinds"),
    [
        ({"free": False}, {"deadlock"}),
        ({"record_period": 0}, {"deadlock"}),
        ({"wait_period": 0}, {"stale-read"}),
        ({"wait_period": 2, "record_period": 2}, set()),
        ({"wait_period": 2}, {"stale-read"}),
        ({"allocate": False}, {"overrun"}),
    ],
)
def test_toggles(toggles, kinds):
    verdict = explore(Model(4, vec=1, **toggles))
    assert {bad.kind for bad in verdict.found} - {"flag-overflow"} == kinds


def test_zero_copy_use_after_the_seeds_early_free():
    model = {"arch": "a5", "use_after_pop": True}
    assert {bad.kind for bad in explore(Model(4, **model)).found} == {"use-after-free"}
    assert explore(Model(4, **model, protocol="sparse_fixed")).safe
    assert explore(Model(4, **model, protocol="tagged")).safe


@pytest.mark.parametrize("slots", [1, 2, 4, 8])
def test_tmpipe_credits_of_the_code_lead_by_one(slots):
    for arch in ("a2a3", "a5"):
        verdict = explore(Model(slots, arch, protocol="sparse", multi=True, tiles=20))
        assert (verdict.safe, verdict.max_lead, verdict.leftover) == (True, 1, 0)


def test_bad_models_and_limits():
    with pytest.raises(PipeConfigError, match="cannot pop"):
        explore(Model(2, cube=("pop",)))
    with pytest.raises(PipeConfigError, match="slots cannot be 0"):
        explore(Model(0))
    with pytest.raises(ExploreLimitError, match="nothing is proved"):
        explore(Model(8), max_states=100)


@settings(max_examples=150, deadline=None)
@given(
    arch=st.sampled_from(["a2a3", "a5"]),
    slots=st.integers(1, 6),
    protocol=st.sampled_from(["seed", "sparse", "sparse_fixed"]),
    direction=st.sampled_from([D.DIR_C2V, D.DIR_V2C]),
    tiles=st.integers(1, 12),
    schedule=st.integers(0, 1000),
    free=st.booleans(),
)
def test_no_run_shows_a_fault_that_the_search_missed(
    arch, slots, protocol, direction, tiles, schedule, free
):
    verdict = explore(Model(slots, arch, direction, protocol, tiles=tiles, free=free))
    stream = Stream(
        arch, direction, slots=slots, pushes=tiles, protocol=protocol, split=UP_DOWN,
        leaks="record",
        cons=lambda pipe: pipe.cons.set_free_status(free),
    )  # fmt: skip
    codes = {bad.code for bad in verdict.found}
    try:
        result = stream.run(schedule)
    except DeadlockError:
        assert "E9" in codes
    except HazardError as error:
        assert error.code in codes  # noqa: PT017 - most runs raise nothing
    else:
        stream.check()
        assert bool(result.flags) == ("E15" in codes)
