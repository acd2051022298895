"""Recorded traffic between a host and a chip, and its replay: every reply is compared.

A recording is text, one event a line (``docs/chip-recordings.md``), possibly compressed by xz::

    chip ID | W x y address data | M x0 y0 x1 y1 address data | R x y address reply
    P x y address reply | N offset reply | B offset data | I offset data

It asks for the same replies however fast a device is: what was polled (P, N) may take its time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tilelab.chip.pci import Device, PciBus
from tilelab.chip.several import MOST_CHIPS, QUIET, Chips
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.tables.layout import Place
from tilelab.traffic.sniff import LOG, read_recorded

FIELDS: Final = {"W": 4, "M": 6, "R": 4, "P": 4, "N": 2, "B": 2, "I": 2}
DEVICE: Final = "D"
"""A line that says of which device those behind it are."""
SHOWN: Final = 32
"""Bytes of a reply that a message shows."""


POLL: Final = "P"
"""The kind of an event that the host waited for."""


@dataclass(frozen=True)
class Event:
    """One line of a recording; ``data`` is what is written, or the reply."""

    line: int
    kind: str
    places: tuple[Place, ...]
    """Nothing (a register of the host's side), a tile, or a rectangle's corners."""
    address: int
    data: bytes
    device: int = 0


@dataclass(frozen=True)
class TrafficRecording:
    """A recording that has been read."""

    name: str
    arch: str
    events: tuple[Event, ...]
    both_ways: bool = False
    """Whether programs may name tiles on NoC 1 by physical coordinates of NoC 0."""

    @property
    def chips(self) -> int:
        """How many devices take part."""
        return 1 + max((event.device for event in self.events), default=0)

    @property
    def tiles(self) -> tuple[Place, ...]:
        """The Tensix tiles that take part."""
        known = ARCHES[self.arch].layout.tensix
        touched = {place for event in self.events for place in event.places}
        return tuple(place for place in known if place in touched)


@dataclass(frozen=True)
class Difference:
    """A reply that is not the recorded one."""

    event: Event
    reply: bytes
    note: str = ""

    def __str__(self) -> str:
        where = "".join(f" {x},{y}" for x, y in self.event.places) or " the host's registers"
        text = f"line {self.event.line}: read{where} at {self.event.address:#x}: {self.replies()}"
        return f"{text}; {self.note}" if self.note else text

    def replies(self) -> str:
        """What came, and what was recorded."""
        return f"{_hex(self.reply)} instead of {_hex(self.event.data)}"


@dataclass
class Replayed:
    """What came of a replay."""

    name: str
    arch: str
    tiles: int
    rounds: int = 0
    """Of the tile that ran longest."""
    requests: int = 0
    """NoC requests of all tiles."""
    events: Counter[str] = field(default_factory=Counter)
    """Events by kind."""
    replies: int = 0
    differences: list[Difference] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether every reply is the recorded one."""
        return not self.differences


def _hex(data: bytes) -> str:
    return data[:SHOWN].hex() + ("..." if len(data) > SHOWN else "")


def read_recording(path: str | Path) -> TrafficRecording:
    """Read a recording by events; BadInputError, naming the line, for what is none."""
    data = read_recorded(path)
    if data.startswith(LOG):
        raise BadInputError(f"{path}: a log of calls; the recording by events (.txt) is wanted")
    try:
        lines = data.decode("ascii").splitlines()
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: not a recording (byte {error.start})") from None
    return _parse(str(path), lines)


def _parse(name: str, lines: list[str]) -> TrafficRecording:
    head = lines[0].split() if lines else []
    chips = {f"{chip.layout.host.config[0] >> 16:x}": arch for arch, chip in ARCHES.items()}
    if len(head) != 2 or head[0] != "chip" or head[1] not in chips:
        known = ", ".join(f"chip {number}" for number in chips)
        raise BadInputError(f"{name}: line 1: {known} was expected")
    return TrafficRecording(name, chips[head[1]], tuple(_events(name, lines[1:])))


def _events(name: str, lines: list[str]) -> Iterator[Event]:
    device = 0
    for number, line in enumerate(lines, 2):
        kind, _, rest = line.partition(" ")
        if kind == DEVICE and rest.isdigit() and int(rest) < MOST_CHIPS:
            device = int(rest)
        elif line:
            yield _event(name, number, line, device)


def _event(name: str, number: int, line: str, device: int) -> Event:
    kind, *fields = line.split()
    try:
        if len(fields) != FIELDS[kind]:
            raise ValueError
        *where, address, data = fields
        numbers = [int(text) for text in where]
        places = tuple(zip(numbers[::2], numbers[1::2], strict=True))
        event = Event(number, kind, places, int(address, 16), bytes.fromhex(data), device)
    except (KeyError, ValueError):
        raise BadInputError(f"{name}: line {number}: {line[:60]!r} is no event") from None
    if not event.data or event.address < 0 or min(numbers, default=0) < 0:
        raise BadInputError(f"{name}: line {number}: {line[:60]!r} is no event")
    return event


def replay(
    recording: TrafficRecording,
    engine: str = "fast",
    max_rounds: int = 10_000_000,
    show: Callable[[str], None] = lambda text: None,
) -> Replayed:
    """Play a recording to a fresh chip with the tiles that take part; stop at the first difference.

    ``max_rounds``: how long what was polled may take. Errors of the program raise.
    """
    chips = Chips(recording.arch, recording.chips, tiles=recording.tiles, engine=engine)
    return play(recording, PciBus(chips), max_rounds, show)


def play(
    recording: TrafficRecording, bus: PciBus, max_rounds: int, show: Callable[[str], None]
) -> Replayed:
    """Play a recording to the chips of a bus; as :func:`replay`."""
    chips = bus.chips
    chips.both_ways(recording.both_ways)
    made = Replayed(recording.name, recording.arch, chips.tiles)
    for event in recording.events:
        device = bus.devices[event.device]
        made.events[event.kind] += 1
        if event.kind in "RPN":
            made.replies += 1
            show(f"{recording.name}: line {event.line}, {chips.time:,} rounds")
            made.differences += _ask(bus, device, event, max_rounds)
            if made.differences:
                break
        else:
            _tell(bus, device, event)
    made.rounds, made.requests = chips.time, chips.requests
    return made


def _tell(bus: PciBus, device: Device, event: Event) -> None:
    if event.kind == "W":
        device.tile_write(event.places[0], event.address, event.data)
    elif event.kind == "M":
        first, last = event.places
        device.broadcast((first, last), event.address, event.data)
    else:
        base = bus.about.bar0 if event.kind == "B" else bus.about.bar2
        device.write(base + event.address, event.data)


def _ask(bus: PciBus, device: Device, event: Event, max_rounds: int) -> Iterable[Difference]:
    """The difference that a reply shows, if any."""
    if event.kind == "N":
        reply = device.read(bus.about.bar0 + event.address, len(event.data))
    else:
        end = bus.chips.time + max_rounds
        asleep = bus.chips.run(max_rounds, QUIET)
        reply = device.tile_read(event.places[0], event.address, len(event.data))
        while reply != event.data and not asleep and bus.chips.time < end:
            asleep = bus.chips.run(end - bus.chips.time, QUIET)
            reply = device.tile_read(event.places[0], event.address, len(event.data))
    if reply == event.data:
        return []
    note = "" if event.kind != POLL else _waiting(bus.chips, max_rounds)
    return [Difference(event, reply, note)]


def _waiting(chips: Chips, max_rounds: int) -> str:
    """Why what was polled does not come."""
    if not chips.asleep:
        return f"tiles still run after {max_rounds:,} rounds"
    return "\n".join(["nothing on the chip can change any more", *chips.who_waits()])
