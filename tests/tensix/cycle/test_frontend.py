"""Timing of the frontends: the manual's performance tables (MOPExpander.md, REPLAY.md) as tests."""

import pytest

from cycle_harness import MOP1, NOP, CycleTile, mop_cfg, plain
from tilelab.tensix.cycle.cores import accepts
from tilelab.tensix.frontend.fifo import push
from tilelab.tensix.tables.causes import FIFO_EMPTY, ISSUED, MOP_TRANSITION, RECORDED

A, B, C, D, X, Y = (plain(i) for i in range(1, 7))
MOP_CFG_WORD = 0x03000000


def replay(start: int, length: int, execute: int = 0, load: int = 0) -> int:
    return 0x04000000 | start << 14 | length << 4 | execute << 1 | load


def bench(*words: int, cfg: list[int] | None = None) -> CycleTile:
    made = CycleTile()
    made.mop_cfg(*(cfg or mop_cfg(A, B, C, D)))
    made.feed(*words)
    made.run()
    return made


@pytest.mark.parametrize(
    ("words", "cycles"),
    [
        ([A, B, C], [0, 1, 2]),  # pass-through
        ([MOP1, X, Y], [0, 1, 2, 3, 5, 6]),  # expansion, transition
        ([MOP1, MOP1, X], [0, 1, 2, 3, 4, 5, 6, 7, 9]),
        ([MOP_CFG_WORD, MOP1, X], [1, 2, 3, 4, 6]),
        ([MOP1, MOP_CFG_WORD, MOP1], [0, 1, 2, 3, 6, 7, 8, 9]),
    ],
)
def test_mop_expander_emits_in_these_cycles(words: list[int], cycles: list[int]) -> None:
    assert bench(*words).mop() == cycles


def test_transition_elapses_while_the_fifo_is_empty() -> None:
    made = bench(MOP1)
    made.feed(X)
    made.run()
    assert made.mop()[4] > 5
    causes = made.tile.state.record["cycle"]["thread_cycles"][1]
    assert causes[MOP_TRANSITION] <= 1


def test_empty_expansion_takes_its_ingest_cycle() -> None:
    made = bench(A, MOP1, B, cfg=[0, 1, A, A, A, A, A, A, A])
    assert made.mop() == [0, 2]


@pytest.mark.parametrize(
    ("last", "cycles"),
    [
        (D, [0, 1, 2, 3, 5]),
        (replay(0, 1), [0, 1, 2, 3, 5]),
        (replay(0, 2), [0, 1, 2, 3, 4, 5]),
    ],
)
def test_only_a_replay_of_two_hides_the_transition(last: int, cycles: list[int]) -> None:
    made = CycleTile()
    for slot in range(2):
        made.s.frontend[1].replay_buffer[slot] = D
    made.mop_cfg(A, B, C, last)
    made.feed(MOP1, X)
    made.run()
    assert made.issued() == cycles
    causes = made.tile.state.record["cycle"]["thread_cycles"][1]
    assert causes[MOP_TRANSITION] == (len(cycles) == 5)
    assert causes[ISSUED] == len(cycles)


@pytest.mark.parametrize(
    ("words", "issued"),
    [
        ([replay(0, 3, 1, 1), A, B, C], [0, 1, 2]),  # record and execute: 1 in, 1 out
        ([A, replay(0, 3), X], [0, 1, 2, 3, 4]),  # playback of n: n cycles, no ingest
        ([A, replay(0, 3, 0, 1), B, C, D, X], [0, 5]),  # record only: 1 + n idle cycles
        ([A, replay(0, 3, 1, 1), B, C, D, X], [0, 2, 3, 4, 5]),
    ],
)
def test_replay_expander_emits_in_these_cycles(words: list[int], issued: list[int]) -> None:
    made = CycleTile()
    for slot in range(32):
        made.s.frontend[1].replay_buffer[slot] = plain(slot)
    made.feed(*words)
    made.run()
    assert made.issued() == issued


def test_recording_is_a_bubble_with_its_own_cause() -> None:
    made = bench(A, replay(0, 3, 0, 1), B, C, D, X)
    assert made.tile.state.record["cycle"]["thread_cycles"][1][RECORDED] == 4


def test_word_needs_a_cycle_for_each_stage() -> None:
    made = CycleTile()
    made.feed(A)
    made.run()
    issue = [event[0] for event in made.events if event[1] == 1]
    assert (made.mop(), made.replay(), issue) == ([0], [1], [2])
    assert made.tile.state.record["cycle"]["thread_cycles"][1][FIFO_EMPTY] == 2


def test_hifi4_matmul_mop_issues_65_words_in_65_cycles() -> None:
    made = CycleTile()
    made.operands()
    instructions = made.tile.arch.instructions
    for slot in range(16):
        word = instructions["MVMUL"].encode(dst=8 * (slot % 8))
        made.s.frontend[1].replay_buffer[16 + slot] = word
    setrwc = instructions["SETRWC"].encode(bit_mask=15)
    loop = replay(16, 16)
    made.mop_cfg(1, 4, NOP, setrwc, NOP, loop, NOP, loop, loop)
    made.feed(MOP1, setrwc)
    made.run()
    assert made.issued() == list(range(66))
    assert made.words() == [instructions["MVMUL"].encode(dst=8 * (i % 8)) for i in range(64)] + [
        setrwc,
        setrwc,
    ]


# ---------------------------------------------------------------- FIFOs and back-pressure (T26)


def block_gate(made: CycleTile, t: int) -> None:
    """Latch a wait for semaphore 0, which is 0, that blocks every instruction."""
    wait = made.s.frontend[t].wait
    wait.kind, wait.block_mask, wait.condition_mask, wait.semaphore_mask = 2, 0x1FF, 1, 1
    made.s.semaphore[0].max = 1


def accepted(made: CycleTile, t: int) -> int:
    """How many single pushes a thread takes while its gate is blocked."""
    count = 0
    for _ in range(200):
        if accepts(made.s, t) and push(made.s, t, plain(count + 1), 7 << 56) == 0:
            count += 1
        made.tile.run(1)
    return count


@pytest.mark.parametrize(
    ("chip", "options", "capacities"),
    [
        ("blackhole", {}, (29, 29, 29)),
        ("blackhole", {"push_accept": 31}, (32, 32, 32)),  # the seed's one FIFO of 32
        ("wormhole", {}, (42, 26, 26)),  # 32 or 16, then 8, then 2
    ],
)
def test_blocked_gate_lets_this_many_words_in(
    chip: str, options: dict[str, int], capacities: tuple[int, int, int]
) -> None:
    for t, capacity in enumerate(capacities):
        made = CycleTile(chip, **options)
        block_gate(made, t)
        assert accepted(made, t) == capacity
        made.s.semaphore[0].value = 1
        made.run()
        assert made.words(t) == [plain(i + 1) for i in range(capacity)]  # none lost, in order


def test_expanded_words_do_not_count_against_the_fifo() -> None:
    made = CycleTile()
    block_gate(made, 1)
    made.mop_cfg(100, 100, NOP, NOP, NOP, plain(1), NOP, plain(1), plain(1))
    made.feed(MOP1)
    made.tile.run(20)
    assert accepted(made, 1) == 29


def test_blocked_gate_counts_back_pressure() -> None:
    made = CycleTile()
    block_gate(made, 1)
    made.mop_cfg(100, 100, NOP, NOP, NOP, plain(1), NOP, plain(1), plain(1))
    made.feed(MOP1)
    made.tile.run(50)
    stalled = made.tile.state.record["cycle"]["stage_stalled"][1]
    # the gate's FIFO takes 2 words, the one between the expanders 8: then each stage stands still
    assert stalled.tolist() == [40, 47]


def test_recording_goes_on_behind_a_blocked_gate() -> None:
    made = CycleTile()
    block_gate(made, 1)
    made.feed(A, B, replay(0, 4, 0, 1), A, B, C, D)
    made.tile.run(20)
    assert list(made.s.frontend[1].replay_buffer[:4]) == [A, B, C, D]
