"""Writes a recording as a Perfetto trace (ui.perfetto.dev): one nanosecond is one cycle.

Flow arrows lead from each push to the first word that it became, and from each word that left an
expander to where it was issued.
"""

from collections.abc import Iterator
from functools import cache
from typing import IO

import numpy as np

from tilelab.tensix.cycle import events
from tilelab.tensix.state.cycle_record import BUFFERS
from tilelab.tensix.tables.figures import SEMAPHORES
from tilelab.tensix.words.mop import unpack_place
from tilelab.tensix.words.origin import mop_ordinal, origin_of, without_mop_step
from tilelab.trace.perfetto_flows import Flows
from tilelab.trace.perfetto_packets import (
    INSTANT,
    Packets,
    Timed,
)
from tilelab.trace.recorded import (
    BANKS,
    CORE_NAMES,
    THREAD_NAMES,
    Places,
    Recorded,
    Span,
    origin,
    place_text,
)

STAGES = (
    ("MOP expander", events.MOP_OUT),
    ("replay expander", events.REPLAY_OUT),
    ("issued", events.ISSUE),
)
FIFOS = (("input FIFO", 0), ("FIFO behind the MOP", 8), ("FIFO at the gate", 16))
"""Name and lowest bit in a depth event."""


class PerfettoWriter:
    """Puts one recording into a trace, from the cycle ``start`` of that on.

    ``arrows``: how many the trace has already.
    """

    def __init__(self, recording: Recorded, made: Packets, arrows: int = 0, start: int = 0) -> None:
        self.recording = recording
        self.source = Places(recording).source
        self.assembly = cache(recording.assembly)
        self.mnemonic = cache(recording.mnemonic)
        self._made = made
        self._chains: dict[tuple[int, ...], bytes] = {}
        self._flows = Flows(recording.links, arrows)
        self._places = _places(recording)
        self._start = start

    def tracks(self, name: str) -> None:
        """Make all tracks, below a process of this name."""
        root = self._made.process(name)
        self._cores(root)
        for t in range(3):
            self._thread(root, t)
        self._units(root)
        self._synchronisation(root)
        self._buffers(root)

    def _add(self, stream: Iterator[Timed]) -> None:
        self._made.add((clock + self._start, event) for clock, event in stream)

    # ------------------------------------------------------------------ tracks

    def _cores(self, root: int) -> None:
        group = self._made.track(root, "RISC-V cores")
        for core, name in enumerate(CORE_NAMES):
            track = self._made.track(group, name)
            self._add(self._core(track, core))
            track = self._made.track(group, f"{name} pushes")
            self._add(self._pushes(track, core))

    def _thread(self, root: int, t: int) -> None:
        group = self._made.track(root, THREAD_NAMES[t])
        for name, kind in STAGES:
            track = self._made.track(group, name)
            self._add(self._words(track, kind, t))
        track = self._made.track(group, "wait gate")
        self._add(self._gate(track, t))
        for name, low in FIFOS:
            track = self._made.track(group, name, counter=True)
            spans = self.recording.states(events.DEPTH, t)
            self._add(self._levels(track, spans, low, 0xFF))

    def _units(self, root: int) -> None:
        group = self._made.track(root, "units")
        for name, spans in sorted(self.recording.units().items()):
            track = self._made.track(group, name)
            self._add(self._unit(track, spans))

    def _synchronisation(self, root: int) -> None:
        group = self._made.track(root, "semaphores and banks")
        spans = self.recording.states(events.SEMAPHORE, 0)
        for i in range(SEMAPHORES):
            if any(span.value >> (4 * i) & 15 for span in spans):
                track = self._made.track(group, f"semaphore {i}", counter=True)
                self._add(self._levels(track, spans, 4 * i, 15))
        for i, name in enumerate(BANKS):
            track = self._made.track(group, name)
            valid = _merged(self.recording.states(events.BANKS, 0), i)
            self._add(self._bank(track, valid))

    def _buffers(self, root: int) -> None:
        levels = {part: self.recording.states(events.BUFFER, part) for part in range(BUFFERS)}
        if not any(levels.values()):
            return
        group = self._made.track(root, "circular buffers")
        for part, spans in levels.items():
            if spans:
                track = self._made.track(group, f"c_{part}", counter=True)
                self._add(self._levels(track, spans, 0, 0xFFFFFFFF))

    # ------------------------------------------------------------------ events

    def _core(self, track: int, core: int) -> Iterator[Timed]:
        for span in self.recording.states(events.CORE, core):
            notes = self._source(origin_of(core, span.extra)) + self._made.note(
                "pc", f"{span.extra:#x}"
            )
            yield (
                span.start,
                self._made.begin(track, self.recording.core_cause(span.value), notes),
            )
            yield span.end, self._made.end(track)

    def _pushes(self, track: int, core: int) -> Iterator[Timed]:
        for i, clock, word, pc in self._listed(events.PUSH, core):
            notes = self._source(origin_of(core, pc)) + self._made.note(
                "assembly", self.assembly(word)
            )
            notes += self._flows.fields(i)
            yield clock, self._made.begin(track, self.mnemonic(word), notes, kind=INSTANT)

    def _words(self, track: int, kind: int, t: int) -> Iterator[Timed]:
        """Slices of one cycle for each word that a stage emitted."""
        end = self._made.end(track)
        for i, clock, word, packed in self._listed(kind, t):
            notes = self._notes(i, kind, word, packed) + self._flows.fields(i)
            yield clock, self._made.begin(track, self.mnemonic(word), notes)
            yield clock + 1, end

    def _gate(self, track: int, t: int) -> Iterator[Timed]:
        for span in self.recording.states(events.GATE, t):
            if span.value:
                name = self.recording.gate_cause(span.value, span.extra)
                yield span.start, self._made.begin(track, name)
                yield span.end, self._made.end(track)

    def _unit(self, track: int, spans: list[tuple[int, Span, int]]) -> Iterator[Timed]:
        for thread, span, i in spans:
            notes = self._notes(i, events.ISSUE, span.value, span.extra, thread)
            yield span.start, self._made.begin(track, self.mnemonic(span.value), notes)
            yield span.end, self._made.end(track)

    def _levels(self, track: int, spans: list[Span], low: int, bits: int) -> Iterator[Timed]:
        last = -1
        for span in spans:
            value = span.value >> low & bits
            if value != last:
                yield span.start, self._made.count(track, value)
            last = value

    def _bank(self, track: int, spans: list[Span]) -> Iterator[Timed]:
        for span in spans:
            if span.value:
                yield span.start, self._made.begin(track, "valid: the matrix unit's")
                yield span.end, self._made.end(track)

    def _listed(self, kind: int, part: int) -> Iterator[tuple[int, ...]]:
        """Events of a kind: number, clock, value, extra."""
        which = self.recording.indices(kind, part)
        found = self.recording.events[which]
        columns = (found[name].tolist() for name in ("clock", "value", "extra"))
        return zip(which.tolist(), *columns, strict=True)

    # ------------------------------------------------------------------ annotations

    def _source(self, packed: int) -> bytes:
        source = self.source(packed)
        return self._made.note("source", source) if source else b""

    def _notes(self, i: int, kind: int, word: int, packed: int, thread: int = -1) -> bytes:
        """What one sees on clicking event ``i``'s word: source, assembly, the way that it came.

        A place in a MOP's loops stands with the words that left the MOP expander and the gate.
        """
        place = -1 if kind == events.REPLAY_OUT else self._places[i]
        key = (word, without_mop_step(packed), thread, place)
        found = self._chains.get(key)
        if found is None:
            found = self._chains[key] = self._chain(word, packed, thread, place)
        return found

    def _chain(self, word: int, packed: int, thread: int, place: int) -> bytes:
        where = origin(packed)
        pairs: list[tuple[str, str | int]] = [
            ("assembly", self.assembly(word)),
            ("pushed by", f"{where.core_name} {where.pc:#x}"),
        ]
        if place >= 0:
            pairs.append(("place in the MOP", place_text(unpack_place(place))))
        if where.replay_slot is not None:
            pairs.append(("replay slot", where.replay_slot))
        if thread >= 0:
            pairs.append(("thread", THREAD_NAMES[thread]))
        notes = b"".join(self._made.note(name, value) for name, value in pairs)
        return self._source(packed) + notes


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


def _places(recording: Recorded) -> list[int]:
    """For each event the place in a MOP's loops where its word was emitted, -1 if nowhere."""
    chain = recording.links
    kind, length = chain.events["kind"], chain.events["length"]
    at = np.arange(len(kind))
    for _ in (events.ISSUE, events.REPLAY_OUT):
        later = np.flatnonzero((at >= 0) & (kind[at] != events.MOP_OUT))
        at[later] = chain.made_by[at[later]]
    known = (at >= 0) & (kind[at] == events.MOP_OUT) & (mop_ordinal(chain.events["extra"][at]) > 0)
    return np.where(known, length[at].astype(np.int64), -1).tolist()  # type: ignore[no-any-return]


def write_perfetto(recording: Recorded, file: IO[bytes]) -> None:
    """Write a recording as a Perfetto trace."""
    made = Packets()
    PerfettoWriter(recording, made).tracks(f"{recording.name} ({recording.tile.arch.name})")
    made.write(file)
