"""Recorded host traffic as a benchmark: our own recording, played to our own library."""

import os
import sys
from pathlib import Path

import pytest

from chip_traffic import recording, write_recording
from tilelab.bench.backends import UnableError
from tilelab.bench.traffic import Player, measure_traffic, recordings

LINUX = sys.platform == "linux" and os.uname().machine == "x86_64"


@pytest.mark.skipif(not LINUX, reason="the library is made for x86-64 Linux")
@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_a_recording_is_played_and_its_replies_compared(chip: str, tmp_path: Path) -> None:
    player = Player(str(write_recording(tmp_path, chip)), None)
    assert player.play() > 0
    assert player.play() > 0  # the chip powers up anew
    text = recording(chip)
    line = next(line for line in text.splitlines() if line.startswith("R"))
    changed = text.replace(line, line[:-1] + ("1" if line[-1] == "0" else "0"))
    with pytest.raises(UnableError, match="of the recording does not come"):
        Player(str(write_recording(tmp_path, chip, changed)), None).play()


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TILELAB_TTNN", "TILELAB_TTSIM"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UnableError, match="TILELAB_TTSIM names no folder"):
        measure_traffic(1, lambda text: None, {})
    with pytest.raises(UnableError, match="TILELAB_TTNN names no folder"):
        recordings()
    monkeypatch.setenv("TILELAB_TTNN", str(tmp_path))
    with pytest.raises(UnableError, match="holds no recordings"):
        recordings()
