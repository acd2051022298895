"""Packets by hand: a loop of ours for what boopdotpng/tenstorrent-docs times on a Blackhole.

Theirs assembles itself out of Python; ours asks for the same packets and waits for the same answers
(``standin_mover/packets.cpp``). What hangs on their loop's own instructions is not asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilelab.calibrate import chips
from tilelab.calibrate.machine import RESULTS, NotRunError
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.programs import Source
from tilelab.chip.chip import Chip
from tilelab.chip.memory import number
from tilelab.chip.ways import ways_between
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.tables.layout import Place
from tilelab.traffic.npe import BURST

KERNEL: Final = Path(__file__).parent / "standin_mover" / "packets.cpp"
READ, WRITE, INCREMENT, MULTICAST, LINKED = range(5)
MAGIC: Final = 0x5041434B
ITERATIONS: Final = 256
LARGEST: Final = 16384
STREAM: Final = 64
"""Packets of a stream: a MiB."""
LONG: Final = 8 << 20
"""Bytes of one whose beginning and end are not to be seen."""
DATA: Final = 0x90000
CORNER: Final = 12
"""Bits by which a multicast's first corner stands above its last."""


@dataclass(frozen=True)
class Stream:
    """So many packets of so many bytes from a tile to another one, or from there."""

    source: Place
    target: Place
    kind: int = WRITE
    count: int = STREAM
    size: int = LARGEST
    blocking: bool = False
    address: int = DATA
    """There."""
    further: tuple[Place, ...] = ()
    """Targets that have the packets in turns; of a multicast, all tiles between its corners."""


def run(bench: Perfbench, arch: str, streams: Sequence[Stream]) -> list[int]:
    """Cycles of streams that begin together; NotRunError as chips has it."""
    source = Source(KERNEL.name, {KERNEL.name: KERNEL.read_bytes()})
    image = bench.image(source, arch, chips.CORE, chips.DATAFLOW)
    tiles = dict.fromkeys(
        place for one in streams for place in (one.source, one.target, *one.further)
    )
    dram = ARCHES[arch].layout.dram
    chip = Chip(arch, [place for place in tiles if place not in dram], clock="cycle")
    sources = [stream.source for stream in streams]
    for one in streams:
        arguments = [RESULTS, DATA, one.kind, int(one.blocking), one.count, one.size, one.address]
        targets = (one.target, *one.further)
        corners = [number(targets[-1]) | number(one.target) << CORNER]
        places_ = [number(place) for place in targets] if one.kind < MULTICAST else corners
        arguments += [len(targets), *places_]
        chips.load(chip, one.source, image, arguments)
    chips.run(chip, sources)
    return [chips.result(chip, place, 1, MAGIC) for place in sources]


def a_packet(bench: Perfbench, arch: str, where: str, kind: int, size: int) -> float:
    """Cycles of a packet that is waited for; ``where`` is near, or far, along x, y or both."""
    places, width = chips.places(arch), len(chips.PHYSICAL[arch][0])
    targets = {
        **{"x-near": places[1], "x-far": places[width - 1]},
        **{"y-near": places[width], "y-far": places[-width], "2d-far": places[-1]},
    }
    if where not in targets or size > LARGEST:
        raise NotRunError(f"{size} bytes to {where}: a packet has at most {LARGEST}")
    one = Stream(places[0], targets[where], kind, ITERATIONS, size, blocking=True)
    return run(bench, arch, [one])[0] / ITERATIONS


def neighbours(arch: str, pairs: int, by_row: bool = False) -> list[Stream]:
    """Streams between so many pairs of neighbours, row by row; or one in each row."""
    places, width = chips.places(arch), len(chips.PHYSICAL[arch][0])
    step = width if by_row else 2
    starts = range(0, len(places) - 1, step)
    if pairs > len(starts):
        raise NotRunError(f"{pairs} pairs: the card has {len(starts)}")
    return [Stream(places[at], places[at + 1]) for at in starts[:pairs]]


def to_one(arch: str, senders: int, kind: int = WRITE) -> list[Stream]:
    """Streams of so many tiles of a column to another tile of it."""
    places, width = chips.places(arch), len(chips.PHYSICAL[arch][0])
    column = places[::width]
    if senders >= len(column):
        raise NotRunError(f"{senders} senders: a column has {len(column)} tiles")
    count, size = (STREAM, LARGEST) if kind == WRITE else (ITERATIONS, 4)
    return [Stream(place, column[0], kind, count, size) for place in column[1 : senders + 1]]


def alone(arch: str, test: str, kind: int) -> Stream:
    """One stream of the largest packets, long as in the vendor's tests of a direction."""
    own, other = chips.places(arch)[:2]
    port, _ = chips.bank_places(arch)[0]
    size = BURST[arch]
    target = {"DRAM": port, "Loopback": own}.get(test, other)
    further = tuple(chips.places(arch)[2:]) if " All" in test else ()
    if kind >= MULTICAST:  # the sender stands aside: a whole rectangle has the packets
        others = [place for place in chips.places(arch) if place[1] != own[1]]
        target, further = others[0], tuple(others[1:])
    return Stream(own, target, kind, LONG // size, size, further=further)


def placed(arch: str, kind: int) -> list[Stream]:
    """A stream between each bank of DRAM and a tile, none of which share a link (NoC 0)."""
    chip = ARCHES[arch]
    at = {p: (chip.layout.columns[p[0]], chip.layout.rows[p[1]]) for p in chips.places(arch)}
    found = []
    for bank, view in enumerate(chip.soc.views):
        for port in (place for place, own in chip.layout.dram.items() if own == view.channel):
            for tile, place in at.items():
                ends = (port, place) if kind == READ else (place, port)
                way = ways_between(chip, 0, *map(number, ends))
                found.append((len(way), bank, port, tile, way))
    taken: set[object] = set()
    streams: dict[int, Stream] = {}
    for _, bank, port, tile, way in sorted(found):
        if bank not in streams and taken.isdisjoint({port, tile, *way}):
            taken |= {port, tile, *way}
            size, address = BURST[arch], DATA + chip.soc.views[bank].offset
            count = STREAM * LARGEST // size
            streams[bank] = Stream(tile, port, kind, count, size, address=address)
    if len(streams) < len(chip.soc.views):
        raise NotRunError("no placement without shared links was found")
    return list(streams.values())


def rate(bench: Perfbench, arch: str, streams: Sequence[Stream]) -> float:
    """Bytes a cycle of all streams together, until the last one is over."""
    return sum(one.count * one.size for one in streams) / max(run(bench, arch, streams))
