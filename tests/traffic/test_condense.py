"""A log of a host's calls as events: what is left when windows and polling are taken away."""

import os
import sys
from pathlib import Path

import pytest

from chip_program import CHIPS
from chip_traffic import write_recording
from tilelab.bench.traffic import POLL, WRITE, Player, accesses
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import arch
from tilelab.traffic import calls
from tilelab.traffic.calls import Call, CallLog, parse_log
from tilelab.traffic.condense import condensed
from tilelab.traffic.recording import Event, TrafficRecording, read_recording
from traffic.test_calls import as_bytes

LINUX = sys.platform == "linux" and os.uname().machine == "x86_64"


def logged(recording: TrafficRecording) -> list[Call]:
    """The calls of a host whose polls are answered the third time."""
    host = arch(recording.arch).layout.host
    made = [Call(calls.CONFIG_READ, 0, 0, host.config[0].to_bytes(4, "little"))]
    for kind, at, data in accesses(host, recording.events):
        if kind == POLL:
            made += 2 * [Call(calls.READ, len(data), at, bytes(len(data)))]
        made.append(Call(calls.WRITE if kind == WRITE else calls.READ, len(data), at, data))
        made.append(Call(calls.CLOCK, 1, 0, b""))
    return made


@pytest.mark.parametrize("chip", CHIPS)
def test_a_log_holds_the_events_of_its_recording(chip: str, tmp_path: Path) -> None:
    recording = read_recording(write_recording(tmp_path, chip))
    found = condensed(parse_log("log", as_bytes(logged(recording))))
    expected = [(e.kind, e.places, e.address, e.data) for e in recording.events]
    assert [(e.kind, e.places, e.address, e.data) for e in found] == expected


def test_events_of_several_chips_say_whose_they_are() -> None:
    layout = arch("blackhole").layout
    assert layout.several
    place = layout.tensix[:1]
    events = (
        Event(0, "W", place, 0x4000, bytes([1, 2, 3, 4]), 1),
        Event(0, "R", place, 0x4000, bytes(4), 0),
        Event(0, "R", place, 0x4000, bytes([1, 2, 3, 4]), 1),
    )
    number = layout.host.config[0].to_bytes(4, "little")
    made = [Call(calls.CONFIG_READ, device << 3, 0, number) for device in range(2)]
    for kind, at, data in accesses(layout.host, events, layout.several.stride):
        made.append(Call(calls.WRITE if kind == WRITE else calls.READ, len(data), at, data))
    log = parse_log("log", as_bytes(made))
    assert log.chips == 2
    found = [(e.kind, e.places, e.address, e.data, e.device) for e in condensed(log)]
    assert found == [(e.kind, e.places, e.address, e.data, e.device) for e in events]


@pytest.mark.skipif(not LINUX, reason="the library is made for x86-64 Linux")
def test_a_log_is_played_as_a_benchmark(tmp_path: Path) -> None:
    path = tmp_path / "log.bin"
    path.write_bytes(as_bytes(logged(read_recording(write_recording(tmp_path, "blackhole")))))
    assert Player(str(path), None, 1).play() > 0


def test_what_has_no_events_is_refused() -> None:
    host = arch("blackhole").layout.host
    moved = CallLog("log", "blackhole", (Call(calls.DMA_READ, 4, 0, bytes(4)),))
    with pytest.raises(BadInputError, match="itself moves host memory"):
        list(condensed(moved))
    aimed = Call(
        calls.WRITE, host.entry_bytes, host.bar0 + host.entries, b"\xff" * host.entry_bytes
    )
    several = CallLog("log", "blackhole", (aimed, Call(calls.WRITE, 4, host.bar0, bytes(4))))
    with pytest.raises(BadInputError, match="call 1 reaches several tiles"):
        list(condensed(several))
