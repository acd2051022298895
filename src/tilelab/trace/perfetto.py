"""Writes a recording as a Perfetto trace (ui.perfetto.dev): one nanosecond is one cycle.

Messages and field numbers: perfetto, protos/perfetto/trace: trace_packet.proto,
track_event/{track_event,track_descriptor,counter_descriptor,debug_annotation}.proto.
"""

from collections.abc import Iterator
from typing import IO

from tilelab.tensix.cycle import events
from tilelab.trace.protobuf import chunk, number
from tilelab.trace.recording import (
    CORE_NAMES,
    THREAD_NAMES,
    Recording,
    Span,
    origin,
    place_text,
    source_of,
)

# TracePacket
TIMESTAMP, SEQUENCE, TRACK_EVENT, INTERNED, FLAGS, DESCRIPTOR = 8, 10, 11, 12, 13, 60
INCREMENTAL_STATE_CLEARED, NEEDS_INCREMENTAL_STATE = 1, 2
# TrackEvent
EVENT_TYPE, NAME_ID, TRACK, ANNOTATION, COUNTER_VALUE = 9, 10, 11, 4, 30
SLICE_BEGIN, SLICE_END, INSTANT, COUNTER = 1, 2, 3, 4
# TrackDescriptor, ProcessDescriptor, CounterDescriptor
UUID, TRACK_NAME, PARENT, PROCESS, COUNTER_TRACK = 1, 2, 5, 3, 8
PID, PROCESS_NAME, COUNTER_UNIT = 1, 6, 6
# DebugAnnotation
ANNOTATION_NAME, ANNOTATION_TEXT, ANNOTATION_NUMBER = 10, 6, 3
ONE_SEQUENCE = number(SEQUENCE, 1)
SEMAPHORES = 8
FIFOS = (("input FIFO", 0), ("FIFO behind the MOP", 8), ("FIFO at the gate", 16))
"""Name and lowest bit in a depth event."""


class PerfettoWriter:
    """Writes one recording."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.source = source_of(recording)
        self._names: dict[str, int] = {}
        self._tracks = 0

    def write(self, file: IO[bytes]) -> None:
        """Write the whole trace."""
        for packet in self.packets():
            file.write(chunk(1, packet))

    def packets(self) -> Iterator[bytes]:
        """The trace's packets, tracks by tracks; within a track in order."""
        yield ONE_SEQUENCE + number(FLAGS, INCREMENTAL_STATE_CLEARED)
        root = self._new()
        process = number(PID, 1) + chunk(PROCESS_NAME, f"Tensix tile: {self.recording.name}")
        yield self._descriptor(number(UUID, root) + chunk(PROCESS, process))
        yield from self._cores(root)
        for t in range(3):
            yield from self._thread(root, t)
        yield from self._units(root)
        yield from self._synchronisation(root)

    def _new(self) -> int:
        self._tracks += 1
        return self._tracks

    def _descriptor(self, fields: bytes) -> bytes:
        return ONE_SEQUENCE + chunk(DESCRIPTOR, fields)

    def _track(self, parent: int, name: str, counter: bool = False) -> tuple[int, bytes]:
        uuid = self._new()
        fields = number(UUID, uuid) + number(PARENT, parent) + chunk(TRACK_NAME, name)
        if counter:
            fields += chunk(COUNTER_TRACK, chunk(COUNTER_UNIT, "words"))
        return uuid, self._descriptor(fields)

    # ------------------------------------------------------------------ events

    def _packet(self, clock: int, event: bytes, interned: bytes = b"") -> bytes:
        packet = number(TIMESTAMP, clock) + ONE_SEQUENCE + number(FLAGS, NEEDS_INCREMENTAL_STATE)
        if interned:
            packet += chunk(INTERNED, interned)
        return packet + chunk(TRACK_EVENT, event)

    def _named(self, name: str) -> tuple[bytes, bytes]:
        """The field that names an event, and what defines the name if it is new."""
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = len(self._names) + 1
            return number(NAME_ID, known), chunk(2, number(1, known) + chunk(2, name))
        return number(NAME_ID, known), b""

    def _begin(
        self, track: int, clock: int, name: str, notes: bytes = b"", kind: int = SLICE_BEGIN
    ) -> bytes:
        label, interned = self._named(name)
        event = number(EVENT_TYPE, kind) + number(TRACK, track) + label + notes
        return self._packet(clock, event, interned)

    def _end(self, track: int, clock: int) -> bytes:
        return self._packet(clock, number(EVENT_TYPE, SLICE_END) + number(TRACK, track))

    def _count(self, track: int, clock: int, value: int) -> bytes:
        event = number(EVENT_TYPE, COUNTER) + number(TRACK, track) + number(COUNTER_VALUE, value)
        return self._packet(clock, event)

    def _notes(self, i: int, word: int, packed: int, thread: int | None = None) -> bytes:
        """What one sees on clicking event ``i``'s word: assembly, the chain back to its source."""
        where = origin(packed)
        pairs: list[tuple[str, str | int]] = [
            ("assembly", self.recording.assembly(word)),
            ("pushed by", f"{where.core_name} {where.pc:#x}"),
        ]
        if source := self.source(packed):
            pairs.append(("source", source))
        if where.mop_step is not None:
            pairs.append(("word of the MOP", where.mop_step))
        if place := place_text(self.recording.links.place(i)):
            pairs.append(("place in the MOP", place))
        if where.replay_slot is not None:
            pairs.append(("replay slot", where.replay_slot))
        if thread is not None:
            pairs.append(("thread", THREAD_NAMES[thread]))
        return b"".join(_annotation(name, value) for name, value in pairs)

    def _words(self, track: int, kind: int, t: int) -> Iterator[bytes]:
        """Slices of one cycle for each word that a stage emitted."""
        which = self.recording.indices(kind, t)
        found = self.recording.events[which]
        columns = (found[name].tolist() for name in ("clock", "value", "extra"))
        for i, clock, word, packed in zip(which.tolist(), *columns, strict=True):
            name = self.recording.mnemonic(word)
            yield self._begin(track, clock, name, self._notes(i, word, packed))
            yield self._end(track, clock + 1)

    # ------------------------------------------------------------------ tracks

    def _cores(self, root: int) -> Iterator[bytes]:
        group, packet = self._track(root, "RISC-V cores")
        yield packet
        for core, name in enumerate(CORE_NAMES):
            track, packet = self._track(group, name)
            yield packet
            for span in self.recording.states(events.CORE, core):
                notes = _annotation("pc", f"{span.extra:#x}")
                if source := self.recording.source(core, span.extra):
                    notes += _annotation("source", source)
                yield self._begin(track, span.start, self.recording.core_cause(span.value), notes)
                yield self._end(track, span.end)
            track, packet = self._track(group, f"{name} pushes")
            yield packet
            pushes = self.recording.of(events.PUSH, core)
            for clock, word in zip(pushes["clock"].tolist(), pushes["value"].tolist(), strict=True):
                yield self._begin(track, clock, self.recording.mnemonic(word), b"", kind=INSTANT)

    def _thread(self, root: int, t: int) -> Iterator[bytes]:
        group, packet = self._track(root, THREAD_NAMES[t])
        yield packet
        for name, kind in (
            ("MOP expander", events.MOP_OUT),
            ("replay expander", events.REPLAY_OUT),
            ("issued", events.ISSUE),
        ):
            track, packet = self._track(group, name)
            yield packet
            yield from self._words(track, kind, t)
        track, packet = self._track(group, "wait gate")
        yield packet
        for span in self.recording.states(events.GATE, t):
            if span.value:
                name = self.recording.gate_cause(span.value, span.extra)
                yield self._begin(track, span.start, name)
                yield self._end(track, span.end)
        for name, shift in (
            ("input FIFO", 0),
            ("FIFO behind the MOP", 8),
            ("FIFO at the gate", 16),
        ):
            track, packet = self._track(group, name, counter=True)
            yield packet
            last = -1
            for span in self.recording.states(events.DEPTH, t):
                depth = span.value >> shift & 0xFF
                if depth != last:
                    yield self._count(track, span.start, depth)
                last = depth

    def _units(self, root: int) -> Iterator[bytes]:
        group, packet = self._track(root, "units")
        yield packet
        for name, spans in sorted(self.recording.units().items()):
            track, packet = self._track(group, name)
            yield packet
            for thread, span, i in spans:
                notes = self._notes(i, span.value, span.extra, thread)
                yield self._begin(track, span.start, self.recording.mnemonic(span.value), notes)
                yield self._end(track, span.end)

    def _synchronisation(self, root: int) -> Iterator[bytes]:
        group, packet = self._track(root, "semaphores and banks")
        yield packet
        spans = self.recording.states(events.SEMAPHORE, 0)
        for i in range(SEMAPHORES):
            values = [(span.start, span.value >> (4 * i) & 15) for span in spans]
            if any(value for _, value in values):
                track, packet = self._track(group, f"semaphore {i}", counter=True)
                yield packet
                for clock, value in values:
                    yield self._count(track, clock, value)
        for i, name in enumerate(("SrcA bank 0", "SrcA bank 1", "SrcB bank 0", "SrcB bank 1")):
            track, packet = self._track(group, name)
            yield packet
            for span in _merged(self.recording.states(events.BANKS, 0), i):
                if span.value:
                    yield self._begin(track, span.start, "valid: the matrix unit's")
                    yield self._end(track, span.end)


def _merged(spans: list[Span], bit: int) -> list[Span]:
    """One bit of a state, as spans in which it does not change."""
    found: list[Span] = []
    for span in spans:
        value = span.value >> bit & 1
        if found and found[-1].value == value and found[-1].end == span.start:
            found[-1] = found[-1]._replace(end=span.end)
        else:
            found.append(Span(span.start, span.end, value, 0))
    return found


def _annotation(name: str, value: str | int) -> bytes:
    text = (
        chunk(ANNOTATION_TEXT, value)
        if isinstance(value, str)
        else (number(ANNOTATION_NUMBER, value))
    )
    return chunk(ANNOTATION, chunk(ANNOTATION_NAME, name) + text)


def write_perfetto(recording: Recording, file: IO[bytes]) -> None:
    """Write a recording as a Perfetto trace."""
    PerfettoWriter(recording).write(file)
