"""Traces of a run under the cycle clock: JSON Lines, text, and Perfetto by its own schema."""

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tilelab.cli.main import main
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile
from tilelab.tensix.cycle.events import ISSUE
from tilelab.tensix.kernel_file import read_kernel_file
from tilelab.tensix.kernel_run import run_kernel
from tilelab.trace.protobuf import chunk, number, varint
from tilelab.trace.recording import Recording
from tilelab.trace.writers import json_bytes, needs_cycles, perfetto_bytes, text_bytes, write

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def recording() -> Recording:
    tile = Tile(clock="cycle")
    made = Recording(tile, "eltwise_add")
    run_kernel(read_kernel_file(EXAMPLES / "eltwise_add"), tile)
    return made


@pytest.fixture(scope="module")
def lines(recording: Recording) -> list[dict[str, Any]]:
    return [json.loads(line) for line in json_bytes(recording).splitlines()]


def test_every_issued_word_has_a_line_with_the_functional_keys_and_more(
    recording: Recording, lines: list[dict[str, Any]]
) -> None:
    issued = [line for line in lines if line["event"] == "issue"]
    assert len(issued) == int(recording.tile.state.engine["issued"].sum())
    keys = {"cycle", "thread", "word", "assembly", "core", "pc", "mop_step", "replay_slot"}
    more = {"event", "unit", "length", "source"}
    chain = {"mop_role", "mop_outer", "mop_inner", "pushed", "recorded"}
    for line in issued:
        assert keys | more | chain == set(line)
        assert line["pushed"] < line["cycle"]
        assert (line["mop_role"] is None) == (line["mop_step"] is None)
        assert (line["recorded"] is None) == (line["replay_slot"] is None)
    assert any(line["source"] and ":" in line["source"] for line in issued)  # DWARF lines


def test_events_are_in_order_and_of_every_kind(lines: list[dict[str, Any]]) -> None:
    cycles = [line["cycle"] for line in lines]
    assert cycles == sorted(cycles)
    kinds = {"issue", "gate", "core", "depth", "semaphores", "banks", "mop", "replay", "push"}
    assert kinds <= {line["event"] for line in lines}


def test_every_issued_word_left_the_replay_expander_before(lines: list[dict[str, Any]]) -> None:
    for t in range(3):
        left = [line["word"] for line in lines if line["event"] == "replay" and line["thread"] == t]
        passed = [
            line["word"] for line in lines if line["event"] == "issue" and line["thread"] == t
        ]
        assert passed == left


def test_text_names_words_and_waits(recording: Recording) -> None:
    text = text_bytes(recording).decode()
    assert "ttelwadd" in text
    assert "-- operands" in text
    assert "TRISC0  -- " in text


def test_wire_format() -> None:
    assert varint(300) == b"\xac\x02"
    assert number(1, 150) == b"\x08\x96\x01"
    assert chunk(2, "testing") == b"\x12\x07testing"


def test_perfetto_file_follows_the_official_schema(recording: Recording) -> None:
    schema = pytest.importorskip(
        "perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="pip install perfetto"
    )
    unknown = pytest.importorskip("google.protobuf.unknown_fields").UnknownFieldSet
    trace = schema.Trace()
    trace.ParseFromString(perfetto_bytes(recording))
    names: dict[int, str] = {}
    tracks: dict[int, str] = {}
    slices: dict[int, list[tuple[int, int]]] = defaultdict(list)
    opened: dict[int, int] = {}
    counts: dict[str, list[int]] = defaultdict(list)
    places: set[str] = set()
    kinds = schema.TrackEvent
    for packet in trace.packet:
        assert not unknown(packet)
        assert not unknown(packet.track_event)
        for entry in packet.interned_data.event_names:
            names[entry.iid] = entry.name
        if packet.HasField("track_descriptor"):
            descriptor = packet.track_descriptor
            if descriptor.parent_uuid:
                assert descriptor.parent_uuid in tracks
            tracks[descriptor.uuid] = descriptor.name or descriptor.process.process_name
            continue
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        assert event.track_uuid in tracks
        for note in event.debug_annotations:
            if note.name == "place in the MOP":
                places.add(note.string_value)
        if event.type == kinds.TYPE_SLICE_BEGIN:
            assert event.track_uuid not in opened  # slices of a track do not overlap
            assert names[event.name_iid]
            opened[event.track_uuid] = packet.timestamp
        elif event.type == kinds.TYPE_SLICE_END:
            start = opened.pop(event.track_uuid)
            assert start < packet.timestamp <= recording.end + 8
            slices[event.track_uuid].append((start, packet.timestamp))
        elif event.type == kinds.TYPE_COUNTER:
            counts[tracks[event.track_uuid]].append(event.counter_value)
    assert not opened
    assert places == {
        f"{step.role}, outer {step.outer}, inner {step.inner}"
        for i in recording.indices(ISSUE)
        if (step := recording.links.place(int(i)))
    }
    assert len(places) > 1
    for track, found in slices.items():
        for (_, end), (start, _) in pairwise(found):
            assert end <= start, tracks[track]
    issued = [track for track, name in tracks.items() if name == "issued"]
    assert sum(len(slices[track]) for track in issued) == int(
        recording.tile.state.engine["issued"].sum()
    )
    for name in ("TRISC0", "T1 math", "MOP expander", "wait gate", "matrix_unit", "SrcA bank 0"):
        assert name in tracks.values()
    assert max(counts["input FIFO"]) > 0
    assert max(counts["semaphore 1"]) > 0


@pytest.mark.parametrize("suffix", [".pftrace", ".txt", ".jsonl"])
def test_suffix_chooses_the_writer(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"trace{suffix}"
    assert main(["run", str(EXAMPLES / "datacopy"), "--trace", str(path)]) == 0
    assert needs_cycles(path) == (suffix != ".jsonl")
    data = path.read_bytes()
    if suffix == ".jsonl":
        assert "event" not in json.loads(data.splitlines()[0])  # functional clock
    elif suffix == ".txt":
        assert b"--" in data
    else:
        assert data[0] == 0x0A


def test_json_lines_of_the_cycle_clock(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trace.jsonl"
    assert main(["run", "--cycles", str(EXAMPLES / "datacopy"), "--trace", str(path)]) == 0
    assert all("event" in json.loads(line) for line in path.read_text().splitlines())


def test_perfetto_holds_one_run(recording: Recording, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="one run"):
        write(recording, tmp_path / "x.pftrace", append=True)


def test_file_that_cannot_be_written(recording: Recording) -> None:
    with pytest.raises(BadInputError, match="/nonexistent/x"):
        write(recording, Path("/nonexistent/x.txt"))
