"""States that last until they change (depths, semaphores, banks) as the page's tracks."""

from typing import Any

import numpy as np

from tilelab.tensix.cycle import events
from tilelab.tensix.frontend.fifo import LATE_CAPACITY
from tilelab.tensix.report.explain import SEMAPHORE_NAMES
from tilelab.tensix.state import THREADS
from tilelab.tensix.state.cycle_record import BUFFERS
from tilelab.trace.page.columns import Numbers, rising
from tilelab.trace.recorded import BANKS, Recorded

STATES = (events.DEPTH, events.SEMAPHORE, events.BANKS, events.BUFFER)
MOST_OF_A_BYTE = 255
Level = tuple[Numbers, Numbers]
"""Clocks, and the values from then on."""


def states(recording: Recorded) -> tuple[list[dict[str, Any]], dict[str, Numbers]]:
    """Tracks, and two columns for each: when its value changed (``…_clock``), and to what.

    A track has a name, a kind (``depth``, ``buffer`` or ``bank``), its thread or None, and its
    largest value.
    """
    tracks: list[dict[str, Any]] = []
    columns: dict[str, Numbers] = {}

    def add(name: str, kind: str, thread: int | None, most: int, found: Level) -> None:
        clock, value = found
        kept = np.flatnonzero(np.diff(value.astype(np.int64), prepend=-1))
        key = f"state_{len(tracks)}"
        columns[f"{key}_clock"] = rising(clock[kept])
        size = np.uint8 if most <= MOST_OF_A_BYTE else np.uint32
        columns[f"{key}_value"] = value[kept].astype(size)
        tracks.append({"name": name, "kind": kind, "thread": thread, "most": most, "key": key})

    def part(found: Numbers, low: int, bits: int) -> Level:
        return found["clock"], found["value"] >> np.uint32(low) & np.uint32((1 << bits) - 1)

    for t in range(THREADS):
        depths = recording.of(events.DEPTH, t)
        if len(depths):
            add("input FIFO", "depth", t, recording.tile.arch.input_fifo[t], part(depths, 0, 8))
            add("FIFO behind MOP", "depth", t, LATE_CAPACITY, part(depths, 8, 8))
    semaphores = recording.of(events.SEMAPHORE)
    for i in range(8):
        clock, value = part(semaphores, 4 * i, 4)
        if value.any():
            add(f"{i} {SEMAPHORE_NAMES[i]}", "depth", None, int(value.max()), (clock, value))
    banks = recording.of(events.BANKS)
    for i, name in enumerate(BANKS if len(banks) else ()):
        add(name, "bank", None, 1, part(banks, i, 1))
    for i in range(BUFFERS):
        found = recording.of(events.BUFFER, i)
        if len(found):
            most = max(1, int(found["value"].max()))
            add(f"c_{i}", "buffer", None, most, (found["clock"], found["value"]))
    return tracks, columns
