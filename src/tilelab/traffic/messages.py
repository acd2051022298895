"""Traces of the messages between a host and a simulation server, as events of a recording.

A line is one message of the host, as mesham/tt-sim writes them down (``server/README.md`` there)::

    WRITE core=1,1 addr=0x2010 size=4 data=01020304
    READ core=1,1 addr=0x4a0 size=4 data=- reply=00000080
    RESET_ASSERT core=1,1 …     RESET_DEASSERT core=1,1 …     EXIT …

Coordinates are physical. The chip is not named: it is the one that has all these places. A place
that is read again before anything is written is polled, and only the last reply counts.

That server has those Tensix tiles only that programs run on, and answers for others itself: these
are left out, and the tiles that the host polls are the chip. Its programs name tiles on NoC 1 by
coordinates of NoC 0, or of NoC 1: whichever there is (``TT_Device._register_tile_internals``).
"""

from collections.abc import Iterator
from typing import Any, Final

from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.chips.profile import Arch
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, SOFT_RESET_0
from tilelab.traffic.recording import Event, TrafficRecording

RESET: Final = DEBUG_REGISTERS + SOFT_RESET_0
HELD: Final = {"RESET_ASSERT": 0x47800, "RESET_DEASSERT": 0x47000}
"""What a reset message writes to the soft reset register: all five cores are held, or all but
BRISC, whose firmware releases the others (tt-umd's tensix_soft_reset_options)."""
KINDS: Final = ("WRITE", "READ", *HELD, "EXIT")


def physical_places(chip: Arch) -> dict[Place, Place]:
    """The places that a host addresses physically, and as programs know them."""
    layout = chip.layout
    found = {place: place for place in (*layout.dram, layout.arc, layout.pcie)}
    for x, y in layout.tensix:
        found[layout.columns[x], layout.rows[y]] = (x, y)
    about = layout.ethernet
    for x, y in about.places:
        found[about.columns.get(x, x), about.rows.get(y, y)] = (x, y)
    return found


def read_messages(name: str, lines: list[str]) -> TrafficRecording:
    """The recording of a trace; BadInputError, naming the line, for what is none."""
    events = [
        _event(name, number, line)
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.startswith("#")
    ]
    used = {place for event in events for place in event.places}
    for arch, chip in ARCHES.items():
        known = physical_places(chip)
        if used and used <= known.keys():
            settled = list(_settled(_translated(events, known)))
            tiles = {event.places[0] for event in settled if event.kind == "P"}
            absent = set(chip.layout.tensix) - tiles
            kept = (event for event in settled if event.places[0] not in absent)
            return TrafficRecording(name, arch, tuple(kept), both_ways=True)
    raise BadInputError(f"{name}: no chip has tiles at all of the {len(used)} places addressed")


def _event(name: str, number: int, line: str) -> Event:
    """A message as an event; one that does nothing has no places."""
    kind, *fields = line.split()
    wrong = BadInputError(f"{name}: line {number}: {line[:60]!r} is no message")
    if kind not in KINDS:
        raise wrong
    if kind == "EXIT":
        return Event(number, "", (), 0, b"")
    try:
        given: dict[str, Any] = dict(field.split("=", 1) for field in fields)
        x, y = map(int, given["core"].split(","))
        if kind in HELD:
            return Event(number, "W", ((x, y),), RESET, HELD[kind].to_bytes(4, "little"))
        data = bytes.fromhex(given["data" if kind == "WRITE" else "reply"])
        return Event(number, kind[0], ((x, y),), int(given["addr"], 16), data)
    except (KeyError, ValueError):
        raise wrong from None


def _translated(events: list[Event], known: dict[Place, Place]) -> list[Event]:
    """Events that do something, with the coordinates of programs."""
    return [
        Event(event.line, event.kind, (known[event.places[0]],), event.address, event.data)
        for event in events
        if event.kind and event.data
    ]


def _settled(events: list[Event]) -> Iterator[Event]:
    """Of reads of the same between two writes, the last; it was polled, if there were others."""
    run: dict[tuple[Place, int, int], Event] = {}
    for event in events:
        key = event.places[0], event.address, len(event.data)
        if event.kind == "R":
            polled = run.pop(key, None)
            run[key] = event if polled is None else _polled(event)
        else:
            yield from run.values()
            run = {}
            yield event
    yield from run.values()


def _polled(event: Event) -> Event:
    return Event(event.line, "P", event.places, event.address, event.data)
