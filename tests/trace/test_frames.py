"""States of the run that the page shows: what is kept, and that it decodes to what was there."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilelab.tensix import Tile
from tilelab.tensix.kernel_file import read_kernel_file
from tilelab.tensix.kernel_run import run_kernel
from tilelab.trace.page.frames import PICTURES
from tilelab.trace.page.frames import frames as make_frames
from tilelab.trace.recording import FIRST_PAUSE, FRAMES, Recording

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def recording() -> Recording:
    tile = Tile(clock="cycle")
    made = Recording(tile, "matmul")
    assert run_kernel(read_kernel_file(EXAMPLES / "matmul"), tile).passed
    return made


def decoded(recording: Recording) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The frames as the page decodes them."""
    about, columns = make_frames(recording)
    count = len(about["clocks"])
    shown = {name: np.bitwise_xor.accumulate(columns[name].reshape(count, -1)) for name in PICTURES}
    return about, shown


def test_frames_are_the_states_of_the_run(recording: Recording) -> None:
    about, shown = decoded(recording)
    record = recording.tile.state.record
    assert 3 < len(about["clocks"]) <= FRAMES + 1
    assert about["clocks"] == sorted(about["clocks"])
    for name in PICTURES:
        assert (shown[name][-1] == record[name].reshape(-1)).all()
        assert (shown[name][0] == recording.frames[0][1][name].reshape(-1)).all()
    filled = (shown["dst"] != 0).any(axis=1)
    assert 0 < filled.argmax() < len(filled) - 1  # the first product appears in mid-run
    assert about["dropped"] == 0


def test_long_runs_keep_few_frames() -> None:
    tile = Tile(clock="cycle")
    recording = Recording(tile, "long")
    word = tile.arch.instructions["SFPNOP"].encode()
    for _ in range(12_000):
        tile.push(word)
    tile.run()
    clocks = [clock for clock, _ in recording.frames]
    assert clocks[-1] > 100 * FRAMES
    assert len(clocks) <= FRAMES
    assert tile.engine.pause > FIRST_PAUSE
    assert clocks[0] == 0


def test_registers_decode_to_their_last_values(recording: Recording) -> None:
    about, columns = make_frames(recording)
    values = list(about["first"])
    for register, value in zip(
        columns["change_register"].tolist(), columns["change_value"].tolist(), strict=True
    ):
        values[register] = value
    last = dict(zip(about["registers"], values, strict=True))
    record = recording.tile.state.record
    assert last["semaphore[1].max"] == int(record["semaphore"][1]["max"]) != 0
    assert last["frontend[1].replay_buffer[16]"] == 0x26000000
    assert last["clock"] == recording.end
    assert not any(name.startswith(("dst", "src_", "cycle", "engine")) for name in last)
