"""Counting arrays of issued instructions gives what counting them word by word gives."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine_pair import CHIPS
from tilelab.kernels import expansions
from tilelab.kernels.expansions import ExpansionTally, PushSite, SiteTally
from tilelab.tensix.run.engine import ISSUED
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.origin import (
    origin_of,
    unpack_origin,
    with_mop_step,
    with_replay_slot,
)

Event = tuple[int, int, int, int]


def word_by_word(events: list[Event], kept: int) -> dict[PushSite, SiteTally]:
    """The definition: a run begins where (step, slot) does not advance."""
    sites: dict[PushSite, SiteTally] = {}
    last: dict[PushSite, tuple[int, int]] = {}
    for _, thread, word, origin in events:
        where = unpack_origin(origin)
        if where.mop_step is None and where.replay_slot is None:
            continue
        site = PushSite(thread, where.core, where.pc)
        tally = sites.setdefault(site, SiteTally())
        step = where.mop_step if where.mop_step is not None else 0
        slot = where.replay_slot if where.replay_slot is not None else -1
        tally.runs += site not in last or (step, slot) <= last[site]
        last[site] = (step, slot)
        tally.issued += 1
        tally.steps = max(tally.steps, step + 1)
        tally.played += slot >= 0
        tally.opcodes[word >> 24] += 1
        if tally.runs == 1 and len(tally.first) < kept:
            tally.first.append((word, origin))
    return sites


def ordered(sites: dict[PushSite, SiteTally]) -> list[Any]:
    """Everything that reports show, in its order."""
    return [(site, tally, list(tally.opcodes.items())) for site, tally in sites.items()]


def array(events: list[Event]) -> npt.NDArray[Any]:
    return np.array(events, ISSUED)


origins = st.builds(
    lambda core, pc, step, slot: (
        origin_of(core, pc)
        | (0 if step is None else with_mop_step(0, step))
        | (0 if slot is None else with_replay_slot(0, slot))
    ),
    st.sampled_from([0, 2, 7]),
    st.sampled_from([0, 0x6000, 0xFFFFFFFF]),
    st.sampled_from([None, 0, 1, 2, 40, 0xFFFE]),
    st.sampled_from([None, 0, 1, 2, 31]),
)
words = st.sampled_from([0, 0x26000000, 0x26000001, 0x37123456, 0xFFFFFFFF])
streams = st.lists(st.tuples(st.integers(0, 2**40), st.integers(0, 2), words, origins), max_size=60)


@given(streams, st.data(), st.integers(1, 30), st.integers(1, 6))
def test_random_streams_in_random_batches(
    events: list[Event], data: st.DataObject, together: int, kept: int
) -> None:
    """However a stream is cut, counted at once, and read in between."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expansions, "TOGETHER", together)
        patch.setattr(expansions, "KEPT", kept)
        tally = ExpansionTally()
        rest = events
        while rest:
            cut = data.draw(st.integers(1, len(rest)))
            tally.batch(array(rest[:cut]))
            rest = rest[cut:]
            if data.draw(st.booleans()):
                seen = events[: len(events) - len(rest)]
                assert ordered(tally.sites) == ordered(word_by_word(seen, kept))
        assert ordered(tally.sites) == ordered(word_by_word(events, kept))


def test_a_long_stream_fills_what_is_kept() -> None:
    """Expansions that are longer than what is kept, over more words than are counted at once."""
    rng = np.random.default_rng(1)
    events: list[Event] = []
    at = dict.fromkeys([(1, 0x100), (1, 0x104), (2, 0x100)], 0)
    for _ in range(60):
        thread, pc = site = list(at)[rng.integers(len(at))]
        for _ in range(int(rng.integers(1, 2500))):
            origin = with_replay_slot(with_mop_step(origin_of(0, pc), at[site] >> 5), at[site] & 31)
            word = int(rng.choice([0x26, 0x37])) << 24
            events.append((len(events), thread, word, origin))
            at[site] += 1
        if rng.random() < 0.2:
            at[site] = 0
    assert len(events) > 2 * expansions.TOGETHER
    tally = ExpansionTally()
    rest = array(events)
    while len(rest):
        cut = int(rng.integers(1, 4096))
        tally.batch(rest[:cut])
        rest = rest[cut:]
    want = word_by_word(events, expansions.KEPT)
    assert ordered(tally.sites) == ordered(want)
    assert any(len(site.first) == expansions.KEPT for site in want.values())
    assert any(site.runs > 2 for site in want.values())
    largest = tally.largest()
    assert largest is not None
    assert largest[1].issued == max(site.issued for site in want.values())


def test_nothing_expanded() -> None:
    """Words that were pushed as they are belong to no expansion."""
    tally = ExpansionTally()
    tally.batch(array([(0, 0, 0x02000000, origin_of(0, 0x100))]))
    assert tally.sites == {}
    assert tally.largest() is None


class Batches:
    """Keeps every array."""

    def __init__(self) -> None:
        self.arrays: list[npt.NDArray[Any]] = []

    def batch(self, issued: npt.NDArray[Any]) -> None:
        self.arrays.append(issued)


def observed(chip: str, engine: str, rounds: int) -> tuple[list[Event], list[Event]]:
    """What both kinds of observers see of 6,000 words and more of one thread, then of two."""
    tile = Tile(chip, engine=engine)
    word = tile.arch.instructions
    nop, plays = word["NOP"].encode(), word["REPLAY"].encode(start_idx=3, len=30)
    single: list[Event] = []
    batches = Batches()
    tile.observe(lambda *event: single.append(event))
    tile.observe(batches)
    for threads in ((1,), (0, 1)):
        for t in threads:
            tile.state.frontend["replay_buffer"][t] = [word["SEMPOST"].encode(), *([nop] * 31)]
            for index, value in enumerate([2, 60, nop, nop, nop, plays, nop, plays, plays]):
                tile.write_mop_cfg(index, value, t)
            tile.push(word["MOP"].encode(mop_type=1), t)
        while not tile.idle:
            tile.run(rounds)
    return single, [event for part in batches.arrays for event in part.tolist()]


@pytest.mark.parametrize("chip", CHIPS)
def test_observers_see_every_word_at_its_clock(chip: str) -> None:
    """Both engines, both kinds of observers: the same records, more than the buffer holds."""
    single, batched = observed(chip, "reference", 1_000)
    assert single == batched
    assert len(single) > 6_000
    assert single[0][0] < single[-1][0]
    for rounds in (7, 100_000):
        assert observed(chip, "fast", rounds) == (single, single), rounds
