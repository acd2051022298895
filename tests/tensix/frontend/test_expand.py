"""The expanders' sharp edges (T1 to T14 of the requirements), and their two forms' agreement."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontend_harness import StreamingThread
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import Arch, arch
from tilelab.tensix.frontend.expand import ThreadExpander, thread_expander
from tilelab.tensix.frontend.expand_words import expand

N = 0x02000000
S, E0, E1, L, L1, A, B = (0x10000000 + i for i in range(7))
T1_MOP = 0x01800000
A0, A1, A2, A3, SKIP_A, SKIP_B = (0x20000000 + i for i in range(6))


def run1(*cfg: int) -> list[int]:
    return expand([T1_MOP], cfg).tolist()


def replay(start: int, length: int, execute: int = 0, load: int = 0) -> int:
    return 0x04000000 | start << 14 | length << 4 | execute << 1 | load


def mop0(count: int, mask_lo: int) -> int:
    return 0x01000000 | (count - 1) << 16 | mask_lo


def cfg0(flags: int) -> list[int]:
    return [0, flags, B, A0, A1, A2, A3, SKIP_A, SKIP_B]


def test_t1_the_longest_expansion() -> None:
    out = run1(127, 127, S, E0, E1, L, L1, A, B)
    assert len(out) == 32639
    counts = {word: out.count(word) for word in (S, L, L1, B, A, E0, E1)}
    assert counts == {S: 127, L: 16129, L1: 16002, B: 126, A: 1, E0: 127, E1: 127}


@pytest.mark.parametrize(
    ("cfg", "expected"),
    [
        ([1, 0, N, E0, N, L, N, A, B], [E0] * 129),
        ([1, 0, N, E0, E1, L, N, A, B], [E0, E1] * 129),
        ([129, 128, N, E0, N, L, L1, A, B], [E0] * 129),
        ([2, 0, N, E0, E1, L, N, A, B], [E0, E1] * 2),
        ([1, 0, 0x60000000, E0, N, L, N, A, B], [0x60000000, E0]),
        ([1, 0, N, N, E1, L, N, A, B], []),
        ([1, 0, S, E0, N, L, N, A, B], [S, E0]),
    ],
)
def test_t2_the_outer_count_bug_and_its_near_misses(cfg: list[int], expected: list[int]) -> None:
    assert run1(*cfg) == expected


def test_t3_zero_counts_and_masking() -> None:
    assert run1(0, 5, S, E0, E1, L, L1, A, B) == []
    assert run1(128, 5, S, E0, E1, L, L1, A, B) == []
    assert run1(1, 1, N, N, E1, L, N, A, B) == [A]


def test_t4_alternation() -> None:
    assert run1(2, 2, N, N, N, L, L1, A, B) == [L, L1, L, B, L, L1, L, A]
    assert run1(3, 1, S, E0, N, L, L1, A, B) == [S, L, B, E0, S, L, B, E0, S, L, A, E0]


def test_t5_nop_is_a_matter_of_the_opcode() -> None:
    assert run1(1, 2, N, N, N, L, 0x0200BEEF, A, B) == [L, A]
    assert run1(2, 1, 0x8F000000, N, N, L, N, A, B) == [0x8F000000, B, 0x8F000000, A]
    assert run1(1, 3, N, N, N, N, N, A, B) == [N, N, A]


def test_t6_template_0_flags() -> None:
    full = [A0, A1, A2, A3, B]
    assert expand([mop0(3, 2)], cfg0(3)).tolist() == [*full, SKIP_A, SKIP_B, *full]
    assert len(expand([mop0(3, 2)], cfg0(2))) == 9
    assert expand([mop0(3, 2)], cfg0(0xFC)).tolist() == [A0, SKIP_A, A0]


def test_t7_template_0_beyond_32_iterations() -> None:
    out = expand([mop0(40, 0xFFFF)], cfg0(0), mask_hi=0xFFFF).tolist()
    assert out == [SKIP_A] * 32 + [A0] * 8
    assert len(expand([mop0(128, 0xFFFF)], cfg0(3), mask_hi=0xFFFF)) == 544
    assert len(expand([mop0(128, 0)], cfg0(3))) == 640


def test_t8_mask_hi_is_sticky() -> None:
    words = [0x0300FFFF, mop0(32, 0), T1_MOP, mop0(32, 0)]
    cfg = cfg0(0)
    cfg[0] = 0  # the template 1 MOP between them expands to nothing
    assert expand(words, cfg).tolist() == ([A0] * 16 + [SKIP_A] * 16) * 2
    assert expand([mop0(32, 0)], cfg).tolist() == [A0] * 32
    thread = thread_expander("blackhole")
    assert list(thread.push(0x03FFABCD)) == []
    assert thread.mask_hi == 0xABCD


def test_t9_template_1_ignores_the_mops_other_fields() -> None:
    cfg = [2, 3, S, E0, E1, L, L1, A, B]
    assert expand([0x01FFFFFF], cfg).tolist() == expand([T1_MOP], cfg).tolist()


def test_t10_replay_wraps() -> None:
    body = [S, E0, E1, L]
    assert expand([replay(30, 4, load=1), *body]).tolist() == []
    assert expand([replay(30, 4, load=1), *body, replay(31, 3)]).tolist() == body[1:]
    assert expand([replay(30, 4, load=1), *body, replay(0, 2)]).tolist() == body[2:]


def test_t11_field_masks_and_length_0() -> None:
    assert expand([replay(33, 1, load=1), S, replay(1, 65)]).tolist() == [S]
    numbers = list(range(0x30000000, 0x30000040))
    for length in (0, 64):
        loaded = [replay(0, length, load=1), *numbers, replay(0, 32)]
        assert expand(loaded).tolist() == numbers[32:]
    twice = [replay(0, 32, load=1), *numbers[:32], replay(5, 0)]
    assert expand(twice).tolist() == (numbers[5:32] + numbers[:5]) * 2
    newest = ThreadExpander(arch_with_count0_32())
    out = [w.word for word in twice for w in newest.push(word)]
    assert out == numbers[5:32] + numbers[:5]


def arch_with_count0_32() -> Arch:
    return replace(arch("blackhole"), replay_count0=32)


def test_t12_recording_captures_what_a_mop_emits() -> None:
    cfg = [2, 2, N, E0, N, L, N, A, B]
    expansion = [L, B, E0, L, A, E0]
    words = [replay(0, 6, 1, 1), 0x03000001, T1_MOP, replay(0, 6)]
    assert expand(words, cfg).tolist() == expansion * 2
    thread = thread_expander("blackhole")
    out = [*thread.push(replay(0, 1, 0, 1)), *thread.push(S, after_mop_expander=True)]
    assert out == []
    assert [w.word for w in thread.push(replay(0, 1))] == [S]
    with pytest.raises(BadInputError, match="BRISC cannot push"):
        list(thread.push(T1_MOP, after_mop_expander=True))


def test_t13_a_recorded_replay_is_never_expanded() -> None:
    thread = thread_expander("blackhole")
    thread.replay.buffer[5:8] = [1, 2, 3]
    nested = replay(5, 3)
    assert nested == 0x04014030
    out = [w.word for word in (replay(0, 2, 1, 1), nested, S) for w in thread.push(word)]
    assert out == [nested, S]
    assert thread.replay.buffer[0] == nested
    assert thread.replay.buffer[5:8] == [1, 2, 3]


def test_t14_the_seeds_examples() -> None:
    body = list(range(0x26000000, 0x26000010))
    record = [replay(16, 16, load=1), *body]
    loop, last = replay(16, 16), 0x2640C000
    with_override = [1, 4, N, N, N, loop, N, last, last]
    out = expand([*record, T1_MOP], with_override).tolist()
    assert out == body * 3 + [last]
    assert expand([*record, T1_MOP], [1, 1, *with_override[2:]]).tolist() == [last]
    hifi4 = [1, 4, N, 0x3740000F, N, loop, N, loop, loop]
    assert expand([*record, T1_MOP], hifi4).tolist() == [*body * 4, 0x3740000F]
    five = [S, E0, E1, L, A]
    assert len(expand([replay(0, 5, 1, 1), *five, *[replay(0, 5)] * 6])) == 35
    sfpu = [replay(0, 4, load=1), *five[:4], T1_MOP]
    loop4 = replay(0, 4)
    assert len(expand(sfpu, [1, 32, N, N, N, loop4, N, loop4, loop4])) == 128


def test_provenance_names_loop_and_slot() -> None:
    body = [0x26000000 + i for i in range(4)]
    thread = thread_expander("blackhole", [1, 2, N, E0, N, replay(8, 4), N, replay(8, 4), B])
    words = [w for word in (replay(8, 4, load=1), *body, T1_MOP) for w in thread.push(word)]
    assert [w.word for w in words] == [*body * 2, E0]
    last = words[7]
    assert last.push == 5
    assert last.mop is not None
    assert last.mop.role == "Loop0Last"
    assert last.replay is not None
    assert (last.replay.slot, last.replay.recorded_by) == (11, 4)


def test_bad_arguments() -> None:
    with pytest.raises(BadInputError, match="32-bit"):
        expand([1 << 32])
    with pytest.raises(BadInputError, match="9 registers"):
        expand([], [0] * 10)
    with pytest.raises(BadInputError, match="unknown architecture"):
        expand([], arch="grayskull")


words = st.one_of(
    st.sampled_from([N, 0x0200BEEF, S, L, 0x8F000000, 0x60000000]),
    st.builds(
        replay,
        st.integers(0, 1023),
        st.sampled_from([0, 1, 2, 3, 31, 32, 33, 63, 64]),
        st.integers(0, 1),
        st.integers(0, 1),
    ),
    st.integers(0, 0xFFFF).map(lambda v: 0x03000000 | v),
    st.integers(0, 0xFFFFFF).map(lambda v: 0x01000000 | v & 0x8FFFFF),
    st.integers(0x05000000, 0xFFFFFFFF),
)
events = st.lists(
    st.one_of(
        words,
        st.tuples(
            st.integers(0, 8),
            st.one_of(words, st.sampled_from([0, 1, 2, 3, 4, 5, 127, 128, 129])),
        ),
    ),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(events)
def test_functional_and_streaming_expanders_agree(program: list[int | tuple[int, int]]) -> None:
    functional, streaming = thread_expander("blackhole"), StreamingThread()
    for counts in (0, 1):
        for thread in (functional, streaming):
            thread.write_mop_cfg(counts, 2)
    for event in program:
        if isinstance(event, tuple):
            index, value = event
            if index < 2:
                value %= 256
            functional.write_mop_cfg(index, value)
            streaming.write_mop_cfg(index, value)
        else:
            assert [w.word for w in functional.push(event)] == streaming.push(event)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(words, max_size=60),
    st.tuples(*[st.sampled_from([0, 1, 2, 3, 129])] * 2, *[words] * 7),
    st.integers(0, 0xFFFF),
    st.sampled_from(["blackhole", "wormhole"]),
)
def test_arrays_and_single_words_agree(
    program: list[int], mop_cfg: tuple[int, ...], mask_hi: int, chip: str
) -> None:
    program = program + program[:8]  # what was kept of a MOP may be used again, or no longer hold
    thread = thread_expander(chip, mop_cfg, mask_hi)
    expected = [emitted.word for word in program for emitted in thread.push(word)]
    assert expand(program, mop_cfg, chip, mask_hi).tolist() == expected
    as_array = np.array(program, dtype=np.uint32)
    assert expand(as_array, mop_cfg, chip, mask_hi).tolist() == expected


def test_an_expansion_beyond_all_memory_is_refused() -> None:
    longest = [127, 127, N, N, N, *[replay(0, 63)] * 4]
    with pytest.raises(BadInputError, match="more than 1,073,741,824 words"):
        expand([T1_MOP] * 1000, longest)
