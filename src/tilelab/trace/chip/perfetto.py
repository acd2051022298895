"""Writes a chip's recording as one Perfetto trace: a process for each piece of a tile, and the NoC.

Pieces stand where they were in time. Those of tiles that issued most come first, and as many as
:data:`MOST_EVENTS` allow.
"""

from collections.abc import Iterator
from typing import IO, Final

from tilelab.tensix.words.origin import CORE_NAMES
from tilelab.trace.chip.activity import size_of
from tilelab.trace.chip.page import REQUESTS, Nodes, kinds_of
from tilelab.trace.chip.recorded import ChipRecorded, Piece
from tilelab.trace.perfetto import PerfettoWriter
from tilelab.trace.perfetto_flows import OWN
from tilelab.trace.perfetto_packets import INSTANT, Packets, Timed, write_packets

MOST_EVENTS: Final = 2_000_000


def chosen(recorded: ChipRecorded) -> list[Piece]:
    """The pieces that are written, by start; of a chip that ran no kernels, its firmware's."""
    found = [piece for pieces in recorded.pieces.values() for piece in pieces]
    found = [piece for piece in found if piece.kernels] or found
    room = MOST_EVENTS
    kept: list[Piece] = []
    for piece in sorted(found, key=lambda piece: -piece.issued):
        room -= len(piece.events)
        if room < 0 and kept:
            break
        kept.append(piece)
    return sorted(kept, key=lambda piece: piece.start)


def write_chip_perfetto(recorded: ChipRecorded, file: IO[bytes]) -> None:
    """Write the trace; one nanosecond is one cycle."""
    write_packets(_packets(recorded), file)


def _packets(recorded: ChipRecorded) -> Iterator[bytes]:
    made = Packets()
    yield made.start()
    streams: list[Iterator[Timed]] = []
    arrows = 0
    for piece in chosen(recorded):
        writer = PerfettoWriter(piece, made, arrows)
        arrows += OWN + len(piece.events)
        yield from writer.tracks(f"{piece.name}: {piece.label}")
        streams += writer.streams(piece.start)
    root, packet = made.process(f"{recorded.name}: NoC ({recorded.chip.arch.name})")
    yield packet
    for number, place in enumerate(recorded.chip.tiles):
        stream = _requests(recorded, made, number)
        track, packet = made.track(root, f"tile {place[0]},{place[1]}")
        yield packet
        streams.append(stream_on(track, stream, made))
    yield from made.in_order(streams)


Named = tuple[int, str, bytes]


def stream_on(track: int, found: list[Named], made: Packets) -> Iterator[Timed]:
    """Events of a track that take no time."""
    for clock, name, notes in found:
        yield clock, made.begin(track, name, notes, kind=INSTANT)


def _requests(recorded: ChipRecorded, made: Packets, number: int) -> list[Named]:
    """What a tile asked of the NoC: when, what, and what one sees on clicking it."""
    every = recorded.requests
    which = (every["tile"] == number).nonzero()[0]
    found, sites, texts = every[which], recorded.sites[which].tolist(), recorded.texts
    nodes = Nodes(recorded)
    rows: list[Named] = []
    for i, (kind, size) in enumerate(zip(kinds_of(found), size_of(found), strict=True)):
        row = found[i]
        to = int(row["to"])
        many = int(row["control"]) >> 5 & 1
        reached = f"{len(nodes.within(to))} tiles" if many else nodes.name(to)
        notes: list[tuple[str, str | int]] = [
            ("from", nodes.name(int(row["from"]))),
            ("to", reached),
            ("bytes", int(size)),
            ("core", f"{CORE_NAMES.get(int(row['core']), 'host')} {int(row['pc']):#x}"),
        ]
        if texts[sites[i]]:
            notes.append(("source", texts[sites[i]]))
        data = b"".join(made.note(name, value) for name, value in notes)
        rows.append((int(row["clock"]), f"{REQUESTS[kind]} {size} bytes", data))
    return rows
