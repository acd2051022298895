"""What happened at the tiles, of a log of a host's calls: independent of windows and of polling."""

from collections.abc import Iterator

from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.tables.layout import HostSide, Place
from tilelab.traffic.calls import (
    DMA_READ,
    DMA_WRITE,
    READ,
    WRITE,
    AllWindows,
    Call,
    CallLog,
    Windows,
)
from tilelab.traffic.recording import Event

Where = tuple[int, tuple[Place, ...], int, int]
"""A device, places (none: the host's side), address, size."""


def condensed(log: CallLog) -> Iterator[Event]:
    """A log as a recording's events: of reads that the host repeats before it writes, the last.

    BadInputError for a log with transfers by the chip itself, or writes to several tiles at once.
    """
    about = ARCHES[log.arch].layout.host
    every = AllWindows(log)
    reads: dict[Where, tuple[int, bytes]] = {}
    for line, made in enumerate(log.calls):
        if made.kind in (DMA_READ, DMA_WRITE):
            raise BadInputError(f"{log.name}: the chip itself moves host memory (fast dispatch)")
        if made.kind not in (READ, WRITE):
            continue
        device, windows, call = every.of(made)
        if call.kind == WRITE and windows.wrote(call):
            continue
        if windows.several(call.address):
            raise BadInputError(f"{log.name}: call {line} reaches several tiles at once")
        places, address = _where(windows, call)
        if call.kind == READ:
            where = device, places, address, call.size
            times, _ = reads.get(where, (0, b""))
            reads[where] = times + 1, call.data
            continue
        yield from _read(about, line, reads)
        kind = "W" if places else "I" if address >= about.bar2 else "B"
        base = {"W": 0, "I": about.bar2, "B": about.bar0}[kind]
        yield Event(line, kind, places, address - base, call.data, device)
    yield from _read(about, len(log.calls), reads)


def _where(windows: Windows, call: Call) -> tuple[tuple[Place, ...], int]:
    target = windows.target(call.address)
    return ((target[0],), target[1]) if target else ((), call.address)


def _read(about: HostSide, line: int, reads: dict[Where, tuple[int, bytes]]) -> Iterator[Event]:
    """The reads since the last write, the last of each."""
    for (device, places, address, _), (times, reply) in reads.items():
        kind = ("P" if times > 1 else "R") if places else "N"
        base = 0 if places else about.bar0
        yield Event(line, kind, places, address - base, reply, device)
    reads.clear()
