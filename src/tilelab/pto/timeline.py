"""A run as a timeline: text, and Chrome's trace-event JSON, which Perfetto opens.

The time axis is the order of events: one unit per event. It is logical time, not hardware time.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tilelab.pto.trace import Event, Result

SIGNALS = {"RECORD": "WAIT", "FREE": "ALLOCATE", "INIT": "ALLOCATE"}


@dataclass
class Span:
    """One operation of one core: from its first to past its last event; blocked until ``ready``."""

    core: str
    op: str
    ring: str
    tile: int
    slot: int
    start: int
    end: int
    ready: int
    events: list[tuple[int, Event]]

    @property
    def title(self) -> str:
        """Operation and tile."""
        return f"{self.op} {self.tile}" if self.tile >= 0 else self.op


def spans(result: Result) -> list[Span]:
    """The operations of a run, in order of their first event."""
    found: list[Span] = []
    current: dict[str, Span] = {}
    for time, event in enumerate(result.trace):
        span = current.get(event.core)
        same = span is not None and (span.op, span.ring, span.tile) == (
            event.op,
            event.ring,
            event.tile,
        )
        if span is None or not same or (event.op not in ("OPEN", "CLOSE") and _starts(event, span)):
            span = Span(
                event.core, event.op, event.ring, event.tile, event.slot, time, time + 1, time, []
            )
            current[event.core] = span
            found.append(span)
        span.events.append((time, event))
        span.end = time + 1
        if event.phase in ("WAIT", "ALLOCATE", "DRAIN"):
            span.ready = time
    for span in found:
        if span.events[-1][1].phase == "BLOCK":  # it never went on
            span.end = span.ready = max(len(result.raw), span.end)
    return found


def _starts(event: Event, span: Span) -> bool:
    """Whether an event of the same operation and tile begins another one (a sub-tile)."""
    last = span.events[-1][1].phase
    if last == "BLOCK":
        return False
    order = [
        "BLOCK",
        "ALLOCATE",
        "WAIT",
        "PUSH",
        "POP",
        "ASSIGN",
        "NOTHING",
        "RECORD",
        "FREE",
        "RELEASE",
    ]
    if event.phase not in order or last not in order:
        return True
    if event.phase == "BLOCK":
        return last not in ("ALLOCATE", "WAIT")
    return order.index(event.phase) < order.index(last)


def arrows(result: Result) -> list[tuple[int, str, int, str]]:
    """(time, core) of each signal, then of the wait it satisfied; the oldest signal first."""
    queues: dict[tuple[str, str, str, str, int], deque[int]] = defaultdict(deque)
    vectors = sorted({event.core for event in result.trace} - {"cube"})
    found = []
    for time, event in enumerate(result.trace):
        broadcast = event.primitive in ("ffts_cross_core_sync", "wait_flag_dev")
        peers = ["cube"] if event.core != "cube" else vectors
        if event.core == "cube" and not broadcast:
            peers = [f"vec{event.flag // 16}"]
        for peer in peers if event.flag >= 0 and event.ring else ():
            at = (event.ring, event.flag % 16)
            if event.phase in SIGNALS:
                queues[(event.core, peer, SIGNALS[event.phase], *at)].append(time)
            elif event.phase in ("WAIT", "ALLOCATE"):
                sent = queues[(peer, event.core, event.phase, *at)]
                if sent:
                    found.append((sent.popleft(), peer, time, event.core))
    return found


def text(result: Result, width: int = 34) -> str:
    """One line per event, one column per core."""
    cores = list(dict.fromkeys(["cube", *sorted({event.core for event in result.trace})]))
    lines = ["time  " + "".join(f"{core:{width}}" for core in cores).rstrip()]
    for time, event in enumerate(result.trace):
        tile = f" {event.tile}" if event.tile >= 0 else ""
        flag = f" f{event.flag}" if event.flag >= 0 else ""
        pipe = f" {event.pipe}" if event.pipe else ""
        slot = f" [slot {event.slot}]" if event.phase in ("PUSH", "POP") else ""
        how = f" {event.primitive}" if event.phase == "POP" and event.primitive else ""
        cell = f"{event.op}{tile} {event.phase}{how}{pipe}{flag}{slot}"
        lines.append(f"{time:<6}" + " " * (width * cores.index(event.core)) + cell)
    return "\n".join(lines) + "\n"


def perfetto(result: Result) -> dict[str, Any]:
    """Trace-event JSON: a track per core, operations with phases inside, each ring's tiles."""
    cores = list(dict.fromkeys(["cube", *sorted({event.core for event in result.trace})]))
    events = tracks("PTO cluster", cores)
    for span in spans(result):
        tid = cores.index(span.core)
        base = {"ph": "X", "pid": 1, "tid": tid}
        details = {"ring": span.ring, "tile": span.tile, "slot": span.slot}
        events.append(
            base | {"name": span.title, "cat": span.op, "ts": span.start,
                    "dur": span.end - span.start, "args": details}
        )  # fmt: skip
        if span.ready > span.start:
            events.append(
                base | {"name": "blocked", "cat": "blocked", "ts": span.start,
                        "dur": span.ready - span.start, "args": {}}
            )  # fmt: skip
        for time, event in span.events:
            if event.phase != "BLOCK":
                args = {"primitive": event.primitive, "pipe": event.pipe, "flag": event.flag,
                        "bytes": event.nbytes}  # fmt: skip
                events.append(base | {"name": event.phase, "ts": time, "dur": 1, "args": args})
    for number, (sent, sender, taken, waiter) in enumerate(arrows(result)):
        flow = {"pid": 1, "id": number, "name": "flag", "cat": "flag"}
        events.append(flow | {"ph": "s", "tid": cores.index(sender), "ts": sent})
        events.append(flow | {"ph": "f", "bp": "e", "tid": cores.index(waiter), "ts": taken})
    events += counters(result, range(len(result.raw) + 2))
    return {"traceEvents": events, "displayTimeUnit": "ns"}


def tracks(process: str, names: Iterable[str]) -> list[dict[str, Any]]:
    """What names a process of Chrome's JSON and its tracks, numbered from 0."""
    head = {"ph": "M", "pid": 1}
    threads = [
        {**head, "tid": tid, "name": "thread_name", "args": {"name": name}}
        for tid, name in enumerate(names)
    ]
    return [{**head, "name": "process_name", "args": {"name": process}}, *threads]


def counters(result: Result, times: Sequence[float]) -> Iterator[dict[str, Any]]:
    """How many tiles each ring holds, as Chrome's JSON has it; ``times``: when events were."""
    changes: list[tuple[float, int, str]] = []
    for ring, _, _, written, released in lifetimes(result):
        changes += [(times[written], 1, ring), (times[released], -1, ring)]
    held: dict[str, int] = defaultdict(int)
    for time, change, ring in sorted(changes):
        held[ring] += change
        args = {"held": held[ring]}
        yield {"ph": "C", "pid": 1, "name": f"{ring} tiles", "ts": time, "args": args}


def lifetimes(result: Result) -> list[tuple[str, int, int, int, int]]:
    """(ring, slot, tile, written at, released at) of every tile; released at the end if never."""
    consumers: dict[str, set[str]] = defaultdict(set)
    for event in result.trace:
        if event.phase == "POP":
            consumers[event.ring].add(event.core)
    written: dict[tuple[str, int], tuple[int, int]] = {}
    released: dict[tuple[str, int], set[str]] = defaultdict(set)
    found = []
    for time, event in enumerate(result.trace):
        key = (event.ring, event.tile)
        if event.phase in ("PUSH", "ASSIGN"):
            written.setdefault(key, (time, event.slot))
        elif event.phase in ("FREE", "RELEASE") and key in written:
            released[key].add(event.core)
            if released[key] >= consumers[event.ring]:
                start, slot = written.pop(key)
                found.append((event.ring, slot, event.tile, start, time + 1))
    end = len(result.raw)
    found += [(ring, slot, tile, at, end) for (ring, tile), (at, slot) in written.items()]
    return sorted(found, key=lambda life: life[3])
