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
from tilelab.trace.perfetto_packets import INSTANT, Packets, Timed

MOST_EVENTS: Final = 2_000_000


def chosen(recorded: ChipRecorded) -> list[Piece]:
    """The pieces that are written, by start; of a chip that ran no kernels, its firmware's."""
    room = MOST_EVENTS
    kept: list[Piece] = []
    for piece in sorted((piece for _, piece in recorded.work), key=lambda piece: -piece.issued):
        room -= len(piece.events)
        if room < 0 and kept:
            break
        kept.append(piece)
    return sorted(kept, key=lambda piece: piece.start)


def write_chip_perfetto(recorded: ChipRecorded, file: IO[bytes]) -> None:
    """Write the trace; one nanosecond is one cycle."""
    made = Packets()
    arrows = 0
    for piece in chosen(recorded):
        PerfettoWriter(piece, made, arrows, piece.start).tracks(f"{piece.name}: {piece.label}")
        arrows += OWN + len(piece.events)
    root = made.process(f"{recorded.name}: NoC ({recorded.chip.arch.name})")
    for number, place in enumerate(recorded.chip.tiles):
        stream = _requests(recorded, made, number)
        made.add(stream_on(made.track(root, f"tile {place[0]},{place[1]}"), stream, made))
    made.write(file)


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
