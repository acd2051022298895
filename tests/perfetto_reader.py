"""Reads a Perfetto trace by its official schema, as a viewer does."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from zlib import decompress

import pytest


def unpacked(data: bytes) -> Any:
    """A trace by the official schema, its compressed packets taken out."""
    schema = pytest.importorskip(
        "perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="pip install perfetto"
    )
    outer, trace = schema.Trace(), schema.Trace()
    outer.ParseFromString(data)
    for packet in outer.packet:
        inner = schema.Trace()
        inner.ParseFromString(decompress(packet.compressed_packets))
        trace.packet.extend(inner.packet)
    return trace


class Step(NamedTuple):
    """An event that a flow goes through."""

    flow: int
    clock: int
    track: str
    name: str
    ends: bool


@dataclass
class Read:
    """What a trace holds, as a viewer sees it."""

    process: str = ""
    tracks: dict[int, str] = field(default_factory=dict)
    slices: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    counts: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    notes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    steps: list[Step] = field(default_factory=list)


def read_perfetto(data: bytes) -> Read:
    trace = unpacked(data)
    unknown = pytest.importorskip("google.protobuf.unknown_fields").UnknownFieldSet
    found = Read()
    texts: list[dict[int, str]] = [{}, {}, {}]
    opened: dict[int, int] = {}
    clocks = {c.clock_id: c.is_incremental for c in trace.packet[0].clock_snapshot.clocks}
    clock = trace.packet[0].trace_packet_defaults.timestamp_clock_id
    assert clocks == {6: False, clock: True}  # boot time, and a clock of this sequence
    now = 0
    for packet in trace.packet:
        now += packet.timestamp
        assert not unknown(packet)
        assert not unknown(packet.track_event)
        for entry in packet.interned_data.event_names:
            assert texts[0].setdefault(entry.iid, entry.name) == entry.name
        for entry in packet.interned_data.debug_annotation_names:
            assert texts[1].setdefault(entry.iid, entry.name) == entry.name
        for entry in packet.interned_data.debug_annotation_string_values:
            text = entry.str.decode()
            assert texts[2].setdefault(entry.iid, text) == text
        if packet.HasField("track_descriptor"):
            descriptor = packet.track_descriptor
            if descriptor.parent_uuid:
                assert descriptor.parent_uuid in found.tracks
            else:
                found.process = descriptor.process.process_name
            found.tracks[descriptor.uuid] = descriptor.name
            continue
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        assert event.track_uuid in found.tracks
        for note in event.debug_annotations:
            if note.WhichOneof("value") == "string_value_iid":
                found.notes[texts[1][note.name_iid]].add(texts[2][note.string_value_iid])
        for last, flows in enumerate((event.flow_ids, event.terminating_flow_ids)):
            for flow in flows:
                track, name = found.tracks[event.track_uuid], texts[0][event.name_iid]
                found.steps.append(Step(flow, now, track, name, bool(last)))
        if event.type == event.TYPE_SLICE_BEGIN:
            assert event.track_uuid not in opened  # slices of a track do not overlap
            assert texts[0][event.name_iid]
            opened[event.track_uuid] = now
        elif event.type == event.TYPE_SLICE_END:
            start = opened.pop(event.track_uuid)
            assert start < now
            found.slices[event.track_uuid].append((start, now))
        elif event.type == event.TYPE_COUNTER:
            found.counts[found.tracks[event.track_uuid]].append(event.counter_value)
    assert not opened
    return found
