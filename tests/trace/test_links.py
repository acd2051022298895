"""Events are linked to what made them: whole kernels, and cases made by hand."""

from pathlib import Path

import numpy as np
import pytest

from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.tensix import Tile
from tilelab.tensix.cycle.events import EVENT, ISSUE, MOP_OUT, PUSH, RECORD_SLOT, REPLAY_OUT
from tilelab.tensix.words.origin import BRISC, HOST, with_mop_step, with_replay_slot
from tilelab.trace.links import links
from tilelab.trace.recording import Recording

EXAMPLES = Path(__file__).parents[2] / "examples"
PLAIN, MOP1 = 0x50200000, 0x01800000
PC1, PC2 = 1 << 56 | 0x100, 1 << 56 | 0x104


def linked(*rows: tuple[int, int, int, int, int]) -> list[int]:
    """Links of events (kind, part, value, length, extra), one a cycle."""
    found = np.array([(clock, *row) for clock, row in enumerate(rows)], EVENT)
    return links(found, 64).made_by.tolist()


@pytest.mark.parametrize("name", ["matmul", "eltwise_add", "datacopy"])
def test_every_word_of_a_kernel_goes_back_to_its_push(name: str) -> None:
    tile = Tile(clock="cycle")
    recording = Recording(tile, name)
    run_kernel(read_kernel_file(EXAMPLES / name), tile)
    found, chain = recording.events, recording.links
    words = np.isin(found["kind"], (ISSUE, REPLAY_OUT, MOP_OUT, RECORD_SLOT))
    assert (chain.made_by[words] >= 0).all()
    assert (found["clock"][chain.made_by[words]] <= found["clock"][words]).all()
    for t in range(3):
        issues = recording.indices(ISSUE, t).tolist()
        pushes = [chain.origin(i, PUSH) for i in issues]
        assert pushes == sorted(pushes)  # nothing overtakes
        assert (found["part"][pushes] == t).all()
        for i, push in zip(issues, pushes, strict=True):
            assert found["extra"][push] == found["extra"][i] & 0xFFFFFFFF
            if not found["extra"][i] >> 32 & 0x3FFFFF:
                assert found["value"][push] == found["value"][i]
    played = (found["kind"] == REPLAY_OUT) & (found["extra"] >> 48 & 63 > 0)
    slots = chain.recorded[played]
    assert (slots >= 0).all()
    assert (found["value"][slots] == found["value"][played]).all()


def test_two_mops_pushed_at_one_place_are_told_apart() -> None:
    step = [with_mop_step(PC1, i) for i in range(2)]
    assert linked(
        (PUSH, 1, MOP1, 1, 0x100),
        (PUSH, 1, MOP1, 1, 0x100),
        (MOP_OUT, 1, PLAIN, 0, step[0]),
        (MOP_OUT, 1, PLAIN, 0, step[1]),
        (MOP_OUT, 1, PLAIN, 0, step[0]),
        (MOP_OUT, 1, PLAIN, 0, step[1]),
    ) == [-1, -1, 0, 0, 1, 1]


def test_mop_cfg_and_a_mop_that_emits_nothing_are_passed_over() -> None:
    assert linked(
        (PUSH, 1, 0x03000001, 1, 0x100),
        (PUSH, 1, MOP1, 1, 0x104),
        (PUSH, 1, PLAIN, 1, 0x100),
        (MOP_OUT, 1, PLAIN, 0, PC1),
    ) == [-1, -1, -1, 2]


def test_recorded_words_and_playback() -> None:
    record, play = 0x04000021, 0x04000020  # two words from slot 0
    found = np.array(
        [
            (0, MOP_OUT, 1, record, 0, PC1),
            (1, MOP_OUT, 1, PLAIN, 0, PC2),
            (2, RECORD_SLOT, 1, PLAIN, 0, PC2),
            (3, MOP_OUT, 1, PLAIN + 1, 0, PC2),
            (4, RECORD_SLOT, 1, PLAIN + 1, 1, PC2),
            (5, MOP_OUT, 1, play, 0, PC1),
            (6, REPLAY_OUT, 1, PLAIN, 0, with_replay_slot(PC1, 0)),
            (7, REPLAY_OUT, 1, PLAIN + 1, 0, with_replay_slot(PC1, 1)),
            (8, ISSUE, 1, PLAIN, 1, with_replay_slot(PC1, 0)),
        ],
        EVENT,
    )
    chain = links(found, 64)
    assert chain.made_by.tolist() == [-1, -1, 1, -1, 3, -1, 5, 5, 6]
    assert chain.recorded.tolist() == [-1] * 6 + [2, 4, -1]


def test_briscs_words_enter_behind_the_mop_expander() -> None:
    brisc = BRISC << 56 | 0x200
    assert linked(
        (PUSH, 1, PLAIN, 1, 0x100),
        (PUSH, BRISC, PLAIN, 1, 0x200),
        (PUSH, BRISC, PLAIN, 2, 0x200),  # for another thread
        (MOP_OUT, 1, PLAIN, 0, PC1),
        (REPLAY_OUT, 1, PLAIN, 0, brisc),
        (REPLAY_OUT, 1, PLAIN, 0, PC1),
        (ISSUE, 1, PLAIN, 1, brisc),
    ) == [-1, -1, -1, 0, 1, 3, 4]


def test_what_was_under_way_before_has_no_link() -> None:
    host = HOST << 56 | 3
    assert linked(
        (ISSUE, 1, PLAIN, 1, PC1),
        (MOP_OUT, 1, PLAIN, 0, host),
        (REPLAY_OUT, 1, PLAIN, 0, PC2),
    ) == [-1, -1, -1]
