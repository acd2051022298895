"""Traces of NoC events as tt-npe takes them: read, and replayed to a chip with their own times.

A trace has what each kernel asked of the NoC on a card, when, and when its barriers began and
ended. Each request is made on the chip at its time, so nothing but the NoC and DRAM is modelled;
how long the barriers then wait is compared.
Source: tenstorrent/tt-npe@1021603, tt_npe/doc/noc_trace_format.md, npeWorkloadIngest.cpp.
"""

import json
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.chip.chip import Chip
from tilelab.chip.timed import take_requests
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import read_file
from tilelab.tensix.noc import niu as n
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.words.origin import CORE_NAMES

CORES: Final = {name: core for core, name in CORE_NAMES.items()}
BURST: Final = {"wormhole": 8192, "blackhole": 16384}
"""Bytes to which tt-metal cuts requests (NOC_MAX_BURST_SIZE)."""
READS: Final = (
    "READ",
    "READ_WITH_STATE",
    "READ_WITH_STATE_AND_TRID",
    "READ_DRAM_SHARDED_WITH_STATE",
)
WRITES: Final = (
    "WRITE", "WRITE_", "WRITE_WITH_TRID", "WRITE_WITH_STATE", "WRITE_WITH_TRID_WITH_STATE",
    "WRITE_INLINE", "WRITE_MULTICAST",
)  # fmt: skip
ATOMICS: Final = ("SEMAPHORE_INC",)
BARRIERS: Final = ("READ_BARRIER", "WRITE_BARRIER")
SOURCE, TARGET = 0x10000, 0x80000
"""Where in L1 data are read and written; the trace does not say, and it does not matter."""
AHEAD: Final = 2000
"""Requests that are laid out at a time; and cycles before the first."""
RECORDED: Final = 77
"""Cycles from a recorded time to what it was recorded of: so long did a barrier with nothing to
wait for last at least (tenstorrent/tt-npe@1021603, noc_trace_json, 3,098 barriers)."""
INCREMENT_WORD: Final = 1 << 12 | 31 << 2
"""The length register of an atomic that increments a word."""
MOST: Final = 1 << 32
"""Cycles."""
WORD: Final = 4


@dataclass(frozen=True)
class Asked:
    """A request: who asked when, and for what; places are physical, ``end`` of a multicast."""

    own: Place
    core: int
    niu: int
    kind: int
    at: int
    there: Place
    end: Place | None
    count: int


@dataclass
class Barrier:
    """A barrier of a core: when it began and ended on the card; and the requests before it."""

    own: Place
    core: int
    kind: str
    start: int
    end: int
    requests: list[int]
    done: int = 0
    """When the last of these was over on the chip."""

    @property
    def waited(self) -> int:
        """Cycles on the card."""
        return self.end - self.start

    @property
    def predicted(self) -> int:
        """Cycles on the chip."""
        return max(RECORDED, self.done - self.start)


@dataclass
class NpeTrace:
    """A trace: its requests by time, its barriers, how many events of other types there were."""

    name: str
    requests: list[Asked] = field(default_factory=list)
    barriers: list[Barrier] = field(default_factory=list)
    others: dict[str, int] = field(default_factory=dict)

    @cached_property
    def places(self) -> set[Place]:
        """Who asks, physically."""
        return {one.own for one in self.requests}


def read_npe_trace(path: str | Path) -> NpeTrace:
    """Read a trace; BadInputError if it is none, or of several chips."""
    try:
        events = json.loads(read_file(path))
    except ValueError as error:
        raise BadInputError(f"{path}: no JSON: {error}") from None
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise BadInputError(f"{path}: a trace for tt-npe is a list of objects")
    made = NpeTrace(Path(path).name)
    reader = _Reader(made)
    try:
        for event in sorted(events, key=lambda event: int(event["timestamp"])):
            reader.take(event)
    except (KeyError, TypeError, ValueError) as error:
        raise BadInputError(f"{path}: an event without what it needs: {error!r}") from None
    return made


class _Reader:
    """Reads events in the order of their times."""

    def __init__(self, made: NpeTrace) -> None:
        self.made = made
        self.state: dict[tuple[Place, str, str], dict[str, Any]] = {}
        self.before: dict[tuple[Place, str, str], list[int]] = defaultdict(list)
        self.open: dict[tuple[Place, str, str], Barrier] = {}

    def take(self, event: dict[str, Any]) -> None:
        """Take an event."""
        kind = str(event.get("type", ""))
        if not kind:
            return  # a zone
        own, proc = (int(event["sx"]), int(event["sy"])), str(event["proc"])
        if event.get("dst_device_id", event.get("src_device_id", 0)) != event.get(
            "src_device_id", 0
        ):
            raise ValueError("it goes to another chip")
        if proc not in CORES:
            raise ValueError(f"no core is called {proc}")
        family = kind.partition("_")[0]
        key = (own, proc, family)
        if kind.endswith("SET_STATE"):
            self.state[key] = event
        elif kind in READS + WRITES + ATOMICS:
            self._request(key, event | self._kept(key, kind))
        elif kind.rpartition("_")[0] in BARRIERS:
            self._barrier(key, kind, int(event["timestamp"]))
        else:
            self.made.others[kind] = self.made.others.get(kind, 0) + 1

    def _kept(self, key: tuple[Place, str, str], kind: str) -> dict[str, Any]:
        """What a request takes from the state that was set before it."""
        if "WITH_STATE" not in kind:
            return {}
        found = self.state.get(key)
        if found is None:
            raise ValueError(f"{kind} without a state")
        kept = {name: found[name] for name in ("dx", "dy")}
        return kept | ({"num_bytes": found["num_bytes"]} if found.get("num_bytes") else {})

    def _request(self, key: tuple[Place, str, str], event: dict[str, Any]) -> None:
        own, proc, _ = key
        kind = str(event["type"])
        many = kind == "WRITE_MULTICAST"
        names = ("mcast_start_x", "mcast_start_y") if many else ("dx", "dy")
        there = (int(event[names[0]]), int(event[names[1]]))
        end = (int(event["mcast_end_x"]), int(event["mcast_end_y"])) if many else None
        what = n.READ if kind in READS else n.ATOMIC if kind in ATOMICS else n.WRITE
        count = int(event.get("num_bytes") or 0) or WORD
        self.before[key].append(len(self.made.requests))
        niu = 1 if event.get("noc") == "NOC_1" else 0
        at = int(event["timestamp"])
        self.made.requests.append(Asked(own, CORES[proc], niu, what, at, there, end, count))

    def _barrier(self, key: tuple[Place, str, str], kind: str, at: int) -> None:
        own, proc, family = key
        if kind.endswith("START"):
            requests = self.before.pop(key, [])
            self.open[key] = Barrier(own, CORES[proc], family, at, at, requests)
        elif kind.endswith("END") and key in self.open:
            one = self.open.pop(key)
            one.end = at
            self.made.barriers.append(one)


@dataclass(frozen=True)
class NpeReplayed:
    """What a replay shows: cycles from the first request to the end of the last, and barriers."""

    chip: Chip
    cycles: int
    barriers: list[Barrier]

    @property
    def medians(self) -> tuple[float, float]:
        """Of the barriers' waits, cycles: on the card, and here."""
        if not self.barriers:
            return 0.0, 0.0
        waited = median(one.waited for one in self.barriers)
        return waited, median(one.predicted for one in self.barriers)

    @property
    def error(self) -> float | None:
        """By which part of the card's median wait the chip's is off; None without barriers."""
        card, here = self.medians
        return (here - card) / card if card else None


def replay_npe(trace: NpeTrace, chip: Chip) -> NpeReplayed:
    """Make a trace's requests on a fresh chip under the cycle clock, at their own times.

    BadInputError where the trace asks for what the chip does not have.
    """
    if not trace.requests:
        raise BadInputError(f"{trace.name}: it asks for nothing that is modelled")
    chip.run(10_000)
    done: dict[int, int] = defaultdict(int)

    def note(batch: npt.NDArray[Any]) -> None:
        ends = (batch["clock"] + batch["took"]).tolist()
        for number, end in zip(batch["pc"].tolist(), ends, strict=True):
            done[number] = max(done[number], end)

    chip.trace_requests(note)
    first = trace.requests[0].at
    start = chip.time + AHEAD - first
    asks = _Asks(trace, chip)
    for k in range(0, len(trace.requests), AHEAD):
        until = trace.requests[k].at + start
        if k:
            chip.run(max(1, until - AHEAD - chip.time))
        for number in range(k, min(k + AHEAD, len(trace.requests))):
            asks.ask(number, start)
    chip.run(MOST)
    barriers = [
        replace(one, done=max((done[k] - start for k in one.requests), default=0))
        for one in trace.barriers
    ]
    return NpeReplayed(chip, max(done.values()) - start - first, barriers)


class _Asks:
    """Makes a trace's requests on a chip."""

    def __init__(self, trace: NpeTrace, chip: Chip) -> None:
        self.trace, self.chip = trace, chip
        record = chip.memory.record
        self.places = {
            int(record["physical_at"][place]): int(place)
            for place in np.flatnonzero(record["kind"])
        }
        soc = chip.arch.soc
        self.offsets = {
            soc.dram[view.channel][view.worker_endpoints[0]]: view.offset for view in soc.views
        }
        self.numbers = {place: i for i, place in enumerate(chip.tiles)}

    def ask(self, number: int, start: int) -> None:
        """Make a request, as tt-metal cuts it."""
        one = self.trace.requests[number]
        i = self._tile(one.own)
        s, c = self.chip.running[i][1].state.s, self.chip.c
        there, own = self._at(one.there, one.niu), self._at(one.own, one.niu)
        if one.end is not None:
            there = self._at(one.end, one.niu) | there << 12
        far = self.offsets.get(one.there, 0) + SOURCE
        r = s.noc.request[0]
        for at in range(0, one.count, BURST[self.chip.arch.name]):
            r.niu, r.core, r.pc, r.tag, r.data = one.niu, one.core, number, 0, 1
            r.control = one.kind | (n.RESPONSE if one.kind != n.READ else 0)
            r.control |= n.BROADCAST if one.end is not None else 0
            r.length = min(one.count - at, BURST[self.chip.arch.name])
            r.target, r.target_at, r.ret, r.ret_at = SOURCE, own, far, there
            if one.kind != n.WRITE:
                r.target, r.target_at, r.ret, r.ret_at = far, there, SOURCE, own
            if one.kind == n.ATOMIC:
                r.length = INCREMENT_WORD
            c.asked_at[i, 0] = one.at + start + RECORDED
            s.noc.requests = 1
            take_requests(c, s, i, int(c.time))

    def _tile(self, own: Place) -> int:
        place = self.places.get(own[0] | own[1] << 6, 0)
        i = self.numbers.get((place & 63, place >> 6))
        if i is None:
            name = self.chip.arch.name
            raise BadInputError(
                f"{self.trace.name}: {name} has no Tensix tile at {own[0]},{own[1]}"
            )
        return i

    def _at(self, place: Place, niu: int) -> int:
        """A physical place as coordinates of an interface."""
        x, y = place
        found = self.places.get(x | y << 6)
        if found is None:
            raise BadInputError(f"{self.trace.name}: {self.chip.arch.name} has nothing at {x},{y}")
        if niu and found & 63 < self.chip.arch.layout.mirrored_below:
            size = self.chip.arch.noc
            return size.width - 1 - (found & 63) | (size.height - 1 - (found >> 6)) << 6
        return found
