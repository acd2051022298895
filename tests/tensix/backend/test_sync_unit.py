"""Semaphores, mutexes, latched waits (T22 and T29 of the requirements)."""

from collections import deque
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.sim.checks import CHECKS_BY_NAME, Policy
from tilelab.sim.fifo import pop
from tilelab.sim.kernel import OK
from tilelab.tensix.arch import arch
from tilelab.tensix.backend.sync_unit import SEMPOST_ABOVE_MAX, keeps_waiting
from tilelab.tensix.frontend.fifo import push
from tilelab.tensix.frontend.wait_gate import blocked, evaluate_wait
from tilelab.tensix.run.execute import execute
from tilelab.tensix.state import TensixState
from tilelab.tensix.words.waits import WAIT_FIFO_FULL, WAIT_MUTEX

CHIPS = ("blackhole", "wormhole")


def issue(state: TensixState, name: str, t: int = 0, **fields: int) -> int:
    row = state.arch.instructions[name]
    return execute(state.s, t, row.encode(**fields))


@pytest.fixture(params=CHIPS)
def state(request: pytest.FixtureRequest) -> TensixState:
    return TensixState(arch(request.param))


def test_t22_sempost_counts_past_its_maximum_to_15(state: TensixState) -> None:
    issue(state, "SEMINIT", sem_sel=2, max_value=2, init_value=0)
    for _ in range(3):
        assert issue(state, "SEMPOST", sem_sel=2) == OK
    assert state.semaphore[1]["value"] == 3
    assert state.s.fault.warnings == 1
    issue(state, "SEMWAIT", sem_sel=2, wait_sem_cond=2)
    assert keeps_waiting(state.s, 0)
    issue(state, "SEMWAIT", sem_sel=2, wait_sem_cond=1)
    assert not keeps_waiting(state.s, 0)
    for _ in range(16):
        issue(state, "SEMPOST", sem_sel=2)
    assert state.semaphore[1]["value"] == 15


def test_t22_semget_stays_at_0(state: TensixState) -> None:
    assert issue(state, "SEMGET", sem_sel=8) == OK
    assert state.semaphore[3]["value"] == 0


def test_t22_semwait_over_several_semaphores(state: TensixState) -> None:
    issue(state, "SEMINIT", sem_sel=6, max_value=3, init_value=1)
    issue(state, "SEMWAIT", sem_sel=6, wait_sem_cond=1)
    assert not keeps_waiting(state.s, 0)
    issue(state, "SEMGET", sem_sel=4)
    assert keeps_waiting(state.s, 0)


def test_t22_max_0_waits_for_ever_on_max(state: TensixState) -> None:
    issue(state, "SEMWAIT", sem_sel=1, wait_sem_cond=2)
    assert keeps_waiting(state.s, 0)


def test_sempost_refused_when_the_policy_says_so_changes_nothing(state: TensixState) -> None:
    state.record["fault"]["policy"][SEMPOST_ABOVE_MAX] = Policy.ERROR
    issue(state, "SEMINIT", sem_sel=1, max_value=2, init_value=0)
    assert issue(state, "SEMPOST", sem_sel=3) == SEMPOST_ABOVE_MAX
    assert state.semaphore["value"].tolist() == [0] * 8


def test_semwait_without_a_condition_is_undefined(state: TensixState) -> None:
    assert issue(state, "SEMWAIT", sem_sel=1) == CHECKS_BY_NAME["semwait-no-condition"].code


@pytest.mark.parametrize(("chip", "condition"), [("blackhole", 0x0F), ("wormhole", 0x7F)])
def test_t29_stallwait_defaults(chip: str, condition: int) -> None:
    state = TensixState(arch(chip))
    issue(state, "STALLWAIT")
    assert state.s.frontend[0].wait.block_mask == 1 << 6
    assert state.s.frontend[0].wait.condition_mask == condition


@pytest.mark.parametrize("chip", CHIPS)
def test_r54_a_wait_replaces_the_latched_one_where_the_older_manual_is_read(chip: str) -> None:
    state = TensixState(replace(arch(chip), wait_replaces=1))
    waits = [state.arch.instructions[name].opcode << 24 for name in ("STALLWAIT", "SEMWAIT")]
    issue(state, "STALLWAIT")
    assert not any(blocked(state.s, 0, word) for word in waits)
    issue(state, "STALLWAIT", stall_res=2)  # B1 holds the sync unit's instructions back
    assert all(blocked(state.s, 0, word) for word in waits)


def test_t29_what_a_wait_blocks(state: TensixState) -> None:
    rows = state.arch.instructions

    def holds(name: str) -> bool:
        return bool(blocked(state.s, 0, rows[name].opcode << 24))

    assert not holds("MVMUL")
    issue(state, "STALLWAIT")
    assert holds("MVMUL")
    assert not holds("NOP")
    assert not holds("UNPACR")
    assert holds("STALLWAIT"), "a wait waits behind a latched wait, whatever that blocks"
    assert holds("SEMWAIT")
    evaluate_wait(state.s, 0)
    assert not holds("MVMUL")
    issue(state, "STALLWAIT", stall_res=0x1FF)
    assert holds("NOP")
    evaluate_wait(state.s, 0)
    issue(state, "STALLWAIT", stall_res=1)
    assert [holds(n) for n in ("UNPACR", "PACR", "DMANOP", "SETADCXX", "MVMUL", "SETC16")] == [
        True,
        True,
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(("chip", "first"), [("blackhole", 5), ("wormhole", 8)])
def test_stallwait_on_banks(chip: str, first: int) -> None:
    state = TensixState(arch(chip))
    issue(state, "STALLWAIT", wait_res=1 << first)
    assert not keeps_waiting(state.s, 0)
    state.src_a_valid[0] = 1
    assert keeps_waiting(state.s, 0)
    issue(state, "STALLWAIT", wait_res=1 << first + 1)
    assert not keeps_waiting(state.s, 0)
    issue(state, "STALLWAIT", wait_res=1 << first + 2)
    assert not keeps_waiting(state.s, 0)
    issue(state, "STALLWAIT", wait_res=1 << first + 3)
    assert keeps_waiting(state.s, 0)


def test_mutexes(state: TensixState) -> None:
    assert issue(state, "ATGETM", 0, mutex_index=0) == OK
    assert issue(state, "ATGETM", 0, mutex_index=0) == OK
    assert issue(state, "ATGETM", 1, mutex_index=0) == WAIT_MUTEX
    assert issue(state, "ATRELM", 1, mutex_index=0) == OK
    assert state.mutex[0] == 1
    assert issue(state, "ATRELM", 0, mutex_index=0) == OK
    assert issue(state, "ATGETM", 1, mutex_index=0) == OK
    assert issue(state, "ATGETM", 1, mutex_index=1) == CHECKS_BY_NAME["mutex-missing"].code


@given(st.lists(st.one_of(st.none(), st.integers(0, 0xFFFFFFFF)), max_size=120))
def test_the_input_fifo_is_a_bounded_queue(events: list[int | None]) -> None:
    state = TensixState(arch("wormhole"))
    f = state.s.frontend[1]
    model: deque[int] = deque()
    for event in events:
        if event is None:
            if model:
                assert pop(f.input_fifo) == model.popleft()
        elif len(model) == 16:
            assert push(state.s, 1, event, 0) == WAIT_FIFO_FULL
        else:
            assert push(state.s, 1, event, 0) == OK
            model.append(event)
        assert f.input_fifo.count == len(model)
