"""Perfetto's packets: tracks, slices, counters, with texts interned and times as differences.

Messages and field numbers: perfetto, protos/perfetto/trace: trace_packet.proto,
clock_snapshot.proto, interned_data.proto, and of track_event track_event.proto,
track_descriptor.proto, counter_descriptor.proto, debug_annotation.proto.
"""

from collections.abc import Iterator
from heapq import merge
from itertools import chain
from operator import itemgetter
from typing import IO
from zlib import compress

from tilelab.trace.protobuf import chunk, number, varint

# TracePacket
TIMESTAMP, SEQUENCE, TRACK_EVENT, INTERNED, FLAGS = 8, 10, 11, 12, 13
SNAPSHOT, COMPRESSED, DEFAULTS, DESCRIPTOR = 6, 50, 59, 60
INCREMENTAL_STATE_CLEARED, NEEDS_INCREMENTAL_STATE = 1, 2
# ClockSnapshot, TracePacketDefaults: boot time, and a clock whose times are differences
CLOCK, CLOCK_ID, CLOCK_TIME, CLOCK_IS_INCREMENTAL, DEFAULT_CLOCK = 1, 1, 2, 3, 58
BOOT_TIME, DIFFERENCES = 6, 64
# TrackEvent
EVENT_TYPE, NAME_ID, TRACK, ANNOTATION, COUNTER_VALUE = 9, 10, 11, 4, 30
FLOW, LAST_OF_FLOW = 47, 48
SLICE_BEGIN, SLICE_END, INSTANT, COUNTER = 1, 2, 3, 4
# TrackDescriptor, ProcessDescriptor, CounterDescriptor
UUID, TRACK_NAME, PARENT, PROCESS, COUNTER_TRACK = 1, 2, 5, 3, 8
PID, PROCESS_NAME, COUNTER_UNIT = 1, 6, 6
# DebugAnnotation
ANNOTATION_NAME, ANNOTATION_TEXT, ANNOTATION_NUMBER = 1, 17, 3
# InternedData, and what it holds
EVENT_NAMES, ANNOTATION_NAMES, ANNOTATION_TEXTS = 2, 3, 29
INTERNED_ID, INTERNED_TEXT = 1, 2
ONE_SEQUENCE = number(SEQUENCE, 1)
OF_SEQUENCE = ONE_SEQUENCE + number(FLAGS, NEEDS_INCREMENTAL_STATE)
AT, EVENT = varint(TIMESTAMP << 3), varint(TRACK_EVENT << 3 | 2)
BLOCK = 1 << 20
"""Bytes that are compressed together."""

Timed = tuple[int, bytes]
"""A cycle, and a TrackEvent."""


class Texts:
    """Texts of one kind by number; ``new`` holds the definitions that have yet to be written."""

    def __init__(self, kind: int) -> None:
        self.kind = kind
        self.known: dict[str, int] = {}
        self.new = b""

    def __getitem__(self, text: str) -> int:
        found = self.known.get(text)
        if found is None:
            found = self.known[text] = len(self.known) + 1
            self.new += chunk(self.kind, number(INTERNED_ID, found) + chunk(INTERNED_TEXT, text))
        return found


class Packets:
    """Makes one trace, all of one sequence: first its tracks, then the events on them, in order."""

    def __init__(self) -> None:
        self._names, self._keys = Texts(EVENT_NAMES), Texts(ANNOTATION_NAMES)
        self._values = Texts(ANNOTATION_TEXTS)
        self._texts = (self._names, self._keys, self._values)
        self._begins: dict[tuple[int, str, int], bytes] = {}
        self._ends: dict[int, bytes] = {}
        self._tracks: list[bytes] = []
        self._streams: list[Iterator[Timed]] = []

    def add(self, stream: Iterator[Timed]) -> None:
        """Events of a track, in order; they are asked for when the trace is written."""
        self._streams.append(stream)

    def write(self, file: IO[bytes]) -> None:
        """Write the trace, compressed in blocks."""
        block: list[bytes] = []
        size = 0
        for packet in chain((self._start(),), self._tracks, self._events()):
            block.append(chunk(1, packet))
            size += len(block[-1])
            if size > BLOCK:
                file.write(chunk(1, chunk(COMPRESSED, compress(b"".join(block)))))
                block, size = [], 0
        file.write(chunk(1, chunk(COMPRESSED, compress(b"".join(block)))))

    @staticmethod
    def _start() -> bytes:
        """The first packet: cycle 0 is boot time 0, and times are differences from now on."""
        boot = number(CLOCK_ID, BOOT_TIME) + number(CLOCK_TIME, 0)
        own = number(CLOCK_ID, DIFFERENCES) + number(CLOCK_TIME, 0)
        clocks = chunk(CLOCK, boot) + chunk(CLOCK, own + number(CLOCK_IS_INCREMENTAL, 1))
        defaults = number(DEFAULT_CLOCK, DIFFERENCES)
        flags = number(FLAGS, INCREMENTAL_STATE_CLEARED)
        return ONE_SEQUENCE + flags + chunk(SNAPSHOT, clocks) + chunk(DEFAULTS, defaults)

    def process(self, name: str) -> int:
        """Make a process; its track's number."""
        pid = number(PID, len(self._tracks) + 1)
        return self._describe(chunk(PROCESS, pid + chunk(PROCESS_NAME, name)))

    def track(self, parent: int, name: str, counter: bool = False) -> int:
        """Make a track; its number."""
        fields = number(PARENT, parent) + chunk(TRACK_NAME, name)
        if counter:
            fields += chunk(COUNTER_TRACK, chunk(COUNTER_UNIT, "words"))
        return self._describe(fields)

    def _describe(self, fields: bytes) -> int:
        uuid = len(self._tracks) + 1
        self._tracks.append(ONE_SEQUENCE + chunk(DESCRIPTOR, number(UUID, uuid) + fields))
        return uuid

    # ------------------------------------------------------------------ events

    def begin(self, track: int, name: str, notes: bytes = b"", kind: int = SLICE_BEGIN) -> bytes:
        """A slice begins, or something happens that takes no time (``INSTANT``)."""
        key = (track, name, kind)
        found = self._begins.get(key)
        if found is None:
            found = number(EVENT_TYPE, kind) + number(TRACK, track)
            found = self._begins[key] = found + number(NAME_ID, self._names[name])
        return found + notes

    def end(self, track: int) -> bytes:
        """The track's slice ends."""
        found = self._ends.get(track)
        if found is None:
            found = self._ends[track] = number(EVENT_TYPE, SLICE_END) + number(TRACK, track)
        return found

    @staticmethod
    def count(track: int, value: int) -> bytes:
        """A counter's value from now on."""
        return number(EVENT_TYPE, COUNTER) + number(TRACK, track) + number(COUNTER_VALUE, value)

    def note(self, name: str, value: str | int) -> bytes:
        """An annotation of an event."""
        key = number(ANNOTATION_NAME, self._keys[name])
        if isinstance(value, int):
            return chunk(ANNOTATION, key + number(ANNOTATION_NUMBER, value))
        return chunk(ANNOTATION, key + number(ANNOTATION_TEXT, self._values[value]))

    def _events(self) -> Iterator[bytes]:
        """Packets of all events, in order."""
        before = 0
        for clock, event in merge(*self._streams, key=itemgetter(0)):
            if any(texts.new for texts in self._texts):
                yield self._definitions()
            size = varint(len(event))
            yield b"".join((AT, varint(clock - before), OF_SEQUENCE, EVENT, size, event))
            before = clock

    def _definitions(self) -> bytes:
        """The texts that have come up since the last time."""
        new = b"".join(texts.new for texts in self._texts)
        for texts in self._texts:
            texts.new = b""
        return OF_SEQUENCE + chunk(INTERNED, new)
