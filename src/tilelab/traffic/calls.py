"""Logs of a host's calls into a chip's library, and their replay to a chip in step, call by call.

A log (``.bin``) begins with ``TTLOG1``, a line feed and a zero. Its records are a kind (a byte,
then three of zeros), a size (4 bytes), an address (8), little-endian, and the bytes read or
written. The chip's own transfers to and from host memory stand where they happened, so nothing but
the log is needed to replay a program with fast dispatch. Polls have the replies that they had,
since every clock is worth as much as it was (``clocks``).
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from tilelab.chip.pci import ALONE, PciBus
from tilelab.chip.several import Chips
from tilelab.chip.state import ENTRY_BYTES
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.tables.layout import HostSide, Place
from tilelab.traffic.messages import read_messages
from tilelab.traffic.recording import (
    Difference,
    Event,
    Replayed,
    TrafficRecording,
    read_recording,
    replay,
)
from tilelab.traffic.sniff import LOG, MESSAGES, read_recorded

RECORD: Final = struct.Struct("<B3xIQ")
NAMES: Final = (
    "", "init", "exit", "host memory", "configuration read", "configuration write", "read", "write",
    "clock", "read of host memory", "write to host memory",
)  # fmt: skip
"""What kinds of records say happened, by number."""
INIT, EXIT, HOST_MEMORY, CONFIG_READ, CONFIG_WRITE, READ, WRITE, CLOCK, DMA_READ, DMA_WRITE = range(
    1, 11
)
WORDS: Final = (CONFIG_READ, CONFIG_WRITE)
"""Kinds whose size is a device and whose data are a word."""
WITH_DATA: Final = (READ, WRITE, DMA_READ, DMA_WRITE)


class Call(NamedTuple):
    """One record; ``data`` is what was written, or the reply."""

    kind: int
    size: int
    address: int
    data: bytes


@dataclass(frozen=True)
class CallLog:
    """A log that has been read."""

    name: str
    arch: str
    calls: tuple[Call, ...]
    chips: int = 1

    @cached_property
    def tiles(self) -> tuple[Place, ...]:
        """The Tensix tiles that the host writes to."""
        layout = ARCHES[self.arch].layout
        touched = set(_places(self))
        return tuple(place for place in layout.tensix if place in touched)


class CallDifference(Difference):
    """A call that went otherwise than recorded; its number counts from 0."""

    def __str__(self) -> str:
        what = f"call {self.event.line}: {self.event.kind} at {self.event.address:#x}: "
        return what + (self.note or self.replies())


def read_any(path: str | Path) -> TrafficRecording | CallLog:
    """Read a recording of either form; BadInputError for what is none."""
    data = read_recorded(path)
    if data.startswith(MESSAGES):
        return read_messages(str(path), data.decode("ascii", "replace").splitlines())
    return parse_log(str(path), data) if data.startswith(LOG) else read_recording(path)


def replay_any(
    recording: TrafficRecording | CallLog,
    engine: str = "fast",
    max_rounds: int = 10_000_000,
    show: Callable[[str], None] = lambda text: None,
) -> Replayed:
    """Play a recording of either form; ``max_rounds`` as :func:`recording.replay`."""
    if isinstance(recording, CallLog):
        return replay_log(recording, engine, show)
    return replay(recording, engine, max_rounds, show)


def parse_log(name: str, data: bytes) -> CallLog:
    """Parse a log; BadInputError for what is none."""
    calls = tuple(_calls(name, data))
    ids = [call.data for call in calls if call.kind == CONFIG_READ and not call.address]
    chips = {
        chip.layout.host.config[0].to_bytes(4, "little"): arch for arch, chip in ARCHES.items()
    }
    found = [chips[data] for data in ids if data in chips]
    if not found:
        raise BadInputError(f"{name}: no call reads which chip it is")
    answering = {call.size for call in calls if _answers(call, set(chips))}
    return CallLog(name, found[0], calls, len(answering))


def _answers(call: Call, known: set[bytes]) -> bool:
    """Whether a call reads which chip a device is, and there is one."""
    return call.kind == CONFIG_READ and not call.address and call.data in known


def _calls(name: str, data: bytes) -> Iterator[Call]:
    at = len(LOG)
    while at < len(data):
        if at + RECORD.size > len(data):
            raise BadInputError(f"{name}: ends within a record, at byte {at}")
        kind, size, address = RECORD.unpack_from(data, at)
        if not INIT <= kind <= DMA_WRITE:
            raise BadInputError(f"{name}: no record is of kind {kind}, at byte {at}")
        at += RECORD.size
        count = 4 if kind in WORDS else size if kind in WITH_DATA else 0
        if at + count > len(data):
            raise BadInputError(f"{name}: ends within a record, at byte {at}")
        yield Call(kind, size, address, data[at : at + count])
        at += count


class Windows:
    """Where the host's windows onto the NoC point, by what it writes to their entries."""

    def __init__(self, about: HostSide) -> None:
        self.about = about
        self.entries = bytearray(ENTRY_BYTES)

    def wrote(self, call: Call) -> bool:
        """Take note of a write; whether it was to entries."""
        entry = call.address - self.about.bar0 - self.about.entries
        if not 0 <= entry <= len(self.entries) - call.size:
            return False
        self.entries[entry : entry + call.size] = call.data
        return True

    def target(self, address: int) -> tuple[Place, int] | None:
        """The place and the address there that an address of the host means; None: no tile's."""
        found = self._entry(address)
        if found is None:
            return None
        value, high, inside = found
        return (value & 63, value >> 6 & 63), high + inside

    def several(self, address: int) -> bool:
        """Whether an address of the host means several places."""
        found = self._entry(address)
        return bool(found and found[0] >> 24 + self.about.noc_bits & 1)

    def _entry(self, address: int) -> tuple[int, int, int] | None:
        """Of the window at an address: its entry above the place's address, where that begins, and
        how far inside.
        """
        offset = address - self.about.bar0
        for windows in self.about.windows:
            number, inside = divmod(offset - windows.base, windows.size)
            if 0 <= number < windows.count:
                at = (windows.first + number) * self.about.entry_bytes
                value = int.from_bytes(self.entries[at : at + self.about.entry_bytes], "little")
                bits = self.about.address_bits - (windows.size.bit_length() - 1)
                return value >> bits, (value & ((1 << bits) - 1)) * windows.size, inside
        return None


class AllWindows:
    """The windows of all devices of a log; as :class:`Windows`."""

    def __init__(self, log: CallLog) -> None:
        layout = ARCHES[log.arch].layout
        self.stride = layout.several.stride if layout.several else ALONE
        self.windows = [Windows(layout.host) for _ in range(log.chips)]

    def of(self, call: Call) -> tuple[int, Windows, Call]:
        """The device that a call is for, its windows, and the call as if it were the only one."""
        number, address = divmod(call.address, self.stride)
        if number == 0 or number >= len(self.windows):
            return 0, self.windows[0], call
        return number, self.windows[number], Call(call.kind, call.size, address, call.data)


def _places(log: CallLog) -> Iterator[Place]:
    """Where the host writes through its windows."""
    every = AllWindows(log)
    for made in log.calls:
        if made.kind == WRITE:
            _number, windows, call = every.of(made)
            if not windows.wrote(call) and (at := windows.target(call.address)):
                yield at[0]


class _Player:
    """A chip, and how far its host has come."""

    def __init__(self, log: CallLog, engine: str) -> None:
        self.log = log
        self.engine = engine
        self.made = Replayed(log.name, log.arch, len(log.tiles))
        self.next = 0
        self.device = self._fresh()

    def _fresh(self) -> PciBus:
        log = self.log
        chips = Chips(log.arch, log.chips, tiles=log.tiles, engine=self.engine, in_step=True)
        chips.host_memory(self._read_host, self._write_host)
        return PciBus(chips)

    def play(self, call: Call) -> None:
        """Make one call, and compare its reply."""
        self.made.events[NAMES[call.kind]] += 1
        reply = call.data
        if call.kind == INIT and self.device.chips.time:
            self.device = self._fresh()
        elif call.kind == CONFIG_READ:
            reply = self.device.config_read(call.size, call.address).to_bytes(4, "little")
        elif call.kind == READ:
            reply = self.device.read(call.address, call.size)
        elif call.kind == WRITE:
            self.device.write(call.address, call.data)
        elif call.kind == CLOCK:
            self.device.clock(call.size)
        elif call.kind in (DMA_READ, DMA_WRITE):
            self.differ(call, b"", "the recorded chip did this here, ours did not")
        if call.kind in (CONFIG_READ, READ):
            self.made.replies += 1
            if reply != call.data:
                self.differ(call, reply)

    def differ(self, call: Call, reply: bytes, note: str = "") -> None:
        """Note a difference."""
        event = Event(self.next - 1, NAMES[call.kind], (), call.address, call.data)
        self.made.differences.append(CallDifference(event, reply, note))

    def _transfer(self, kind: int, address: int, count: int) -> Call:
        """The next record, which must be this transfer of the chip's."""
        calls = self.log.calls
        done = Call(kind, count, address, bytes(count))
        call = calls[self.next] if self.next < len(calls) else Call(CLOCK, 0, 0, b"")
        if (call.kind, call.address, call.size) == (kind, address, count):
            self.next += 1
            self.made.events[NAMES[kind]] += 1
            return call
        self.differ(call, b"", f"a {NAMES[kind]}, {count} bytes at {address:#x}, came before it")
        return done

    def _read_host(self, address: int, count: int) -> bytes:
        return self._transfer(DMA_READ, address, count).data

    def _write_host(self, address: int, data: bytes) -> None:
        call = self._transfer(DMA_WRITE, address, len(data))
        self.made.replies += 1
        if call.data != data and not self.made.differences:
            self.differ(call, data)


def replay_log(
    log: CallLog, engine: str = "fast", show: Callable[[str], None] = lambda text: None
) -> Replayed:
    """Make the calls of a log to a fresh chip in step; stop at the first difference.

    Errors of the program raise.
    """
    player = _Player(log, engine)
    while player.next < len(log.calls) and not player.made.differences:
        call = log.calls[player.next]
        player.next += 1
        if call.kind == CLOCK:
            show(f"{log.name}: call {player.next:,}, clock {player.device.chips.time:,}")
        player.play(call)
    player.made.rounds = player.device.chips.time
    player.made.requests = player.device.chips.requests
    return player.made
