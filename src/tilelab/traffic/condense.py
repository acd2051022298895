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
    Call,
    CallLog,
    Windows,
)
from tilelab.traffic.recording import Event

Where = tuple[tuple[Place, ...], int, int]
"""Places (none: the host's side), address, size."""


def condensed(log: CallLog) -> Iterator[Event]:
    """A log as a recording's events: of reads that the host repeats before it writes, the last.

    BadInputError for a log with transfers by the chip itself, or writes to several tiles at once.
    """
    if log.chips > 1:
        raise BadInputError(f"{log.name}: a recording of {log.chips} chips")
    about = ARCHES[log.arch].layout.host
    windows = Windows(about)
    reads: dict[Where, tuple[int, bytes]] = {}
    for line, call in enumerate(log.calls):
        if call.kind in (DMA_READ, DMA_WRITE):
            raise BadInputError(f"{log.name}: the chip itself moves host memory (fast dispatch)")
        if call.kind not in (READ, WRITE) or (call.kind == WRITE and windows.wrote(call)):
            continue
        if windows.several(call.address):
            raise BadInputError(f"{log.name}: call {line} reaches several tiles at once")
        places, address = _where(windows, call)
        if call.kind == READ:
            times, _ = reads.get((places, address, call.size), (0, b""))
            reads[places, address, call.size] = times + 1, call.data
            continue
        yield from _read(about, line, reads)
        kind = "W" if places else "I" if address >= about.bar2 else "B"
        base = {"W": 0, "I": about.bar2, "B": about.bar0}[kind]
        yield Event(line, kind, places, address - base, call.data)
    yield from _read(about, len(log.calls), reads)


def _where(windows: Windows, call: Call) -> tuple[tuple[Place, ...], int]:
    target = windows.target(call.address)
    return ((target[0],), target[1]) if target else ((), call.address)


def _read(about: HostSide, line: int, reads: dict[Where, tuple[int, bytes]]) -> Iterator[Event]:
    """The reads since the last write, the last of each."""
    for (places, address, _), (times, reply) in reads.items():
        if places:
            yield Event(line, "P" if times > 1 else "R", places, address, reply)
        else:
            yield Event(line, "N", places, address - about.bar0, reply)
    reads.clear()
