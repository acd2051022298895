"""Random programs: under the cycle clock a thread issues what the manual's generators emit."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cycle_harness import MOP1, NOP, CycleTile, plain
from tilelab.tensix.arch import arch
from tilelab.tensix.cycle.events import EVENT, ISSUE
from tilelab.tensix.frontend.expand import ThreadExpander, Word
from tilelab.tensix.tables.causes import ISSUED
from tilelab.trace.links import links

INSTRUCTIONS = arch("blackhole").instructions
SLOW = [INSTRUCTIONS[name].encode() for name in ("ADDDMAREG", "NOP", "SFPNOP", "SETRWC")]
PLAIN = st.one_of(st.integers(0, 60).map(plain), st.sampled_from(SLOW))


def replay(start: int, length: int, execute: int = 0, load: int = 0) -> int:
    return 0x04000000 | start << 14 | length << 4 | execute << 1 | load


RECORD = st.builds(
    lambda start, words, execute: [replay(start, len(words), execute, 1), *words],
    st.integers(0, 31),
    st.lists(PLAIN, min_size=1, max_size=6),
    st.booleans(),
)
PLAY = st.builds(
    lambda start, length: [replay(start, length)],
    st.integers(0, 31),
    st.integers(1, 8),
)
STEP = st.one_of(
    PLAIN.map(lambda word: [word]),
    RECORD,
    PLAY,
    st.just([MOP1]),
    st.builds(lambda mask: [0x03000000 | mask], st.integers(0, 0xFFFF)),
    st.builds(
        lambda count, mask: [0x01000000 | count << 16 | mask],
        st.integers(0, 7),
        st.integers(0, 0xFFFF),
    ),
)
IN_MOP = st.one_of(PLAIN, PLAY.map(lambda words: words[0]), st.just(NOP))
CONFIGURATION = st.builds(
    lambda outer, inner, rest: [outer, inner, *rest],
    st.integers(0, 3),
    st.integers(0, 3),
    st.lists(IN_MOP, min_size=7, max_size=7),
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    steps=st.lists(STEP, min_size=1, max_size=12),
    mop_cfg=CONFIGURATION,
    gaps=st.lists(st.integers(0, 6), min_size=8, max_size=8),
)
def test_issues_what_the_generators_emit(
    steps: list[list[int]], mop_cfg: list[int], gaps: list[int]
) -> None:
    made = CycleTile()
    expander = ThreadExpander(arch("blackhole"))
    record = made.tile.state.record
    record["fault"]["policy"][:] = 2  # the hardware's oddities are welcome here
    for slot in range(32):
        made.s.frontend[1].replay_buffer[slot] = expander.replay.buffer[slot] = plain(slot)
    for i, value in enumerate(mop_cfg):
        made.s.frontend[1].mop_cfg[i] = value
        expander.write_mop_cfg(i, value)
    expected: list[Word] = []
    words = [word for step in steps for word in step]
    for number, word in enumerate(words):
        expected += expander.push(word)
        while made.s.frontend[1].input_fifo.count > 20:
            made.tile.run(1)
        made.feed(word)
        for _ in range(gaps[number % len(gaps)]):
            made.tile.run(1)
    made.run(100_000)
    assert made.words() == [emitted.word for emitted in expected]
    clocks = made.issued() if expected else []
    for emitted in (clocks, made.mop(), made.replay()):
        assert len(set(emitted)) == len(emitted)  # at most one in a cycle, at every stage
    found = np.array(made.events, EVENT)
    chain = links(found, 64)
    issues = np.flatnonzero(found["kind"] == ISSUE).tolist()
    assert [chain.place(i) for i in issues] == [emitted.mop for emitted in expected]
    left = chain.made_by[issues]  # every word leaves the replay expander a cycle before, at least
    assert (found["clock"][left] < found["clock"][issues]).all()
    assert record["cycle"]["thread_cycles"][1].sum() == int(made.s.clock)
    assert record["cycle"]["thread_cycles"][1][ISSUED] == len(expected)
