"""The page of a chip: a map of its tiles over time, NoC transfers, and each tile's timeline."""

import base64
import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.chip.state import (
    ARC,
    DRAM,
    ETHERNET,
    HOST,
)
from tilelab.report import palette
from tilelab.tensix.noc import niu
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.words.origin import CORE_NAMES
from tilelab.trace.chip.activity import KINDS, PARTS, activity, size_of
from tilelab.trace.chip.listings import Listings
from tilelab.trace.chip.recorded import ChipRecorded, Piece
from tilelab.trace.chip.ways_used import row_of
from tilelab.trace.page.build import CHIP, DATA_LATER, fill
from tilelab.trace.page.columns import packed, rising
from tilelab.trace.page.data import document

Numbers = npt.NDArray[Any]
MOST_BYTES: Final = 12 << 20
"""Of all timelines in a page; those of tiles that issued most come first."""
OTHERS: Final = {DRAM: "DRAM", ETHERNET: "Ethernet", ARC: "ARC", HOST: "PCIe"}
TOP: Final = 0xFFFF
FULL: Final = 0xFF
"""A way that is taken all the time."""
REQUESTS: Final = ("read", "write", "atomic", "inline write")
MODELLED: Final = (
    "Tiles run by the cycle clock; what they ask of NoC and DRAM takes its ways, waits for links "
    "and channels, and is answered. Not modelled: most virtual channels, the host's link."
)


class Nodes:
    """What a map shows: Tensix tiles where they are, then whatever else requests reached."""

    def __init__(self, recorded: ChipRecorded) -> None:
        chip = recorded.chip
        self.record = chip.memory.record
        self.tiles: list[Place] = list(chip.arch.layout.tensix)
        self.rows: list[dict[str, Any]] = []
        self._of: dict[int, int] = {}
        layout = chip.arch.layout
        for x, y in self.tiles:
            self._of[x | y << 6] = len(self.rows)
            there = (x, y) in chip.tiles
            at = [layout.columns[x], layout.rows[y]]
            self.rows.append({"name": f"{x},{y}", "kind": "Tensix", "at": at, "there": there})
        self._names: dict[str, int] = {}

    def number(self, place: int) -> int:
        """The number of a place's node."""
        if place not in self._of:
            kind = OTHERS.get(int(self.record["kind"][place]), "?")
            name = f"{kind} {place & 63},{place >> 6}"
            if kind == "DRAM":
                name = f"DRAM bank {int(self.record['index'][place])}"
            if name not in self._names:
                self._names[name] = len(self.rows)
                self.rows.append({"name": name, "kind": kind, "there": True})
            self._of[place] = self._names[name]
        return self._of[place]

    def name(self, place: int) -> str:
        """What a place is called."""
        name: str = self.rows[self.number(place)]["name"]
        return name

    def within(self, corners: int) -> list[int]:
        """The Tensix tiles of a broadcast's rectangle; it may wrap around."""
        (x0, y0), (x1, y1) = _corners(corners)
        return [
            i
            for i, (x, y) in enumerate(self.tiles)
            if self.rows[i]["there"] and _spans(x0, x, x1) and _spans(y0, y, y1)
        ]


def _corners(packed_place: int) -> tuple[Place, Place]:
    first, last = packed_place >> 12, packed_place & 0xFFF
    return (first & 63, first >> 6), (last & 63, last >> 6)


def _spans(start: int, value: int, end: int) -> bool:
    return start <= value <= end if start <= end else value <= end or start <= value


def kinds_of(requests: Numbers) -> Numbers:
    """Of each request which of :data:`REQUESTS` it is."""
    control = requests["control"]
    plain = np.where(control & 3 == niu.READ, 0, np.where(control & 3 == niu.ATOMIC, 2, 1))
    return np.where((control & 3 == niu.WRITE) & (control & niu.INLINE > 0), 3, plain)


def chip_page(
    recorded: ChipRecorded,
    report: dict[str, Any],
    roots: Iterable[Path] = (),
    show: Callable[[str], None] = lambda text: None,
) -> str:
    """The page; ``report``: ``verdict`` (a line), ``problem`` (one, or "") and ``notes`` (lines).

    If it was checked, also ``checked`` and ``findings``: each as the checker's JSON has it, with
    ``at`` and ``relation``.
    ``roots``: folders below which sources of kernels are looked for, by their names.
    """
    made = chip_document(recorded, report, Listings(roots), show)
    text = json.dumps(made, separators=(",", ":"))
    return fill(recorded.name, text, summary(recorded, report), CHIP)


def summary(recorded: ChipRecorded, report: dict[str, Any]) -> str:
    """What the page says where no script runs."""
    chip = recorded.chip
    lines = [f"{chip.arch.name}, {len(chip.tiles)} tiles, {recorded.end:,} cycles"]
    lines += [report[key] for key in ("verdict", "problem") if report.get(key)]
    for place, pieces in recorded.pieces.items():
        lines += [
            f"tile {place[0]},{place[1]}: cycle {piece.start:,} and {piece.end:,} more: "
            f"{piece.label}, {piece.issued:,} Tensix instructions"
            for piece in pieces
            if piece.kernels
        ]
    lines += [f"{one['check']}: {one['at']}{one['message']}" for one in report.get("findings", ())]
    return "\n".join([*lines, MODELLED])


def chip_document(
    recorded: ChipRecorded,
    report: dict[str, Any],
    listings: Listings,
    show: Callable[[str], None],
) -> dict[str, Any]:
    """Everything that the page shows."""
    nodes = Nodes(recorded)
    requests, rectangles = _requests(recorded, nodes)
    measured = activity(recorded, nodes.tiles)
    tops = {kind: float(table.max()) or 1.0 for kind, table in measured.items()}
    pieces, pages = _pieces(recorded, nodes, listings, show)
    ways, shares = recorded.ways.shares(recorded.end, PARTS)
    return {
        "name": recorded.name,
        "arch": recorded.chip.arch.name,
        "end": recorded.end,
        "report": report,
        "modelled": MODELLED,
        "nodes": nodes.rows,
        "kinds": KINDS,
        "tops": tops,
        "activity": packed(
            {
                kind: np.round(table * (TOP / tops[kind])).astype(np.uint16).reshape(-1)
                for kind, table in measured.items()
            }
        ),
        "ways": [row_of(k) for k in ways],
        "routers": [recorded.chip.arch.noc.width, recorded.chip.arch.noc.height],
        "used": packed({"used": np.round(shares * FULL).astype(np.uint8).reshape(-1)}),
        "requests": packed(requests),
        "request_kinds": REQUESTS,
        "rectangles": rectangles,
        "cores": [CORE_NAMES.get(core, "host") for core in range(8)],
        "texts": recorded.texts,
        "dropped": recorded.dropped,
        "pieces": pieces,
        "pages": pages,
        "listings": [_compressed(listing) for listing in listings.rows],
        "template": fill("@@TITLE@@", DATA_LATER, ""),
        "colours": {"other": palette.OTHER},
    }


def _requests(recorded: ChipRecorded, nodes: Nodes) -> tuple[dict[str, Numbers], list[list[int]]]:
    """Columns of requests, and the tiles that broadcasts reached."""
    found = recorded.requests
    order = np.argsort(found["clock"], kind="stable")
    found, sites = found[order], recorded.sites[order]
    broadcast = found["control"] & niu.BROADCAST > 0
    corners, index = np.unique(found["to"][broadcast], return_inverse=True)
    rectangles = [nodes.within(int(place)) for place in corners]
    to = np.zeros(len(found), np.uint16)
    to[broadcast] = index.reshape(-1)
    to[~broadcast] = [nodes.number(place) for place in found["to"][~broadcast].tolist()]
    return {
        "clock": rising(found["clock"]),
        "from": np.array([nodes.number(p) for p in found["from"].tolist()], np.uint16),
        "to": to,
        "broadcast": broadcast.astype(np.uint8),
        "kind": kinds_of(found).astype(np.uint8),
        "bytes": size_of(found).astype(np.uint32),
        "tile": found["tile"].astype(np.uint16),
        "noc": found["niu"].astype(np.uint8),
        "core": found["core"].astype(np.uint8),
        "site": sites.astype(np.uint32),
        "target": (found["target"] & np.uint64(0xFFFFFFFF)).astype(np.uint32),
        "ret": (found["ret"] & np.uint64(0xFFFFFFFF)).astype(np.uint32),
    }, rectangles


def _pieces(
    recorded: ChipRecorded, nodes: Nodes, listings: Listings, show: Callable[[str], None]
) -> tuple[list[dict[str, Any]], list[str]]:
    """What tiles did, by start, and the timelines that the page takes in."""
    rows: list[dict[str, Any]] = []
    by_work: list[tuple[int, int, Piece]] = []
    for place, pieces in recorded.pieces.items():
        node = nodes.number(place[0] | place[1] << 6)
        for piece in pieces:
            by_work.append((piece.issued if piece.kernels else -1, len(rows), piece))
            rows.append(
                {
                    "node": node,
                    "start": piece.start,
                    "length": piece.end,
                    "label": piece.label,
                    "issued": piece.issued,
                    "page": -1,
                    "listing": -1,
                }
            )
    pages: list[str] = []
    room = MOST_BYTES
    for _issued, row, piece in sorted(by_work, key=lambda entry: -entry[0]):
        if room <= 0:
            break
        show(f"{recorded.name}: drawing tile {piece.name.rpartition(' ')[2]} ({len(pages) + 1:,})")
        text = _timeline(piece)
        room -= len(text)
        rows[row]["page"], rows[row]["listing"] = len(pages), listings.number(piece)
        pages.append(text)
    return sorted(rows, key=lambda row: (row["start"], row["node"])), pages


def _timeline(piece: Piece) -> str:
    """The data of a tile's own page, compressed."""
    if not piece.frames:
        piece.frames = [(piece.end, piece.final)]
    report = piece.report.as_dict() if piece.report else {}
    report |= {"verdict": piece.label, "throttled": []}
    return _compressed(document(piece, report, {}))


def _compressed(data: dict[str, Any]) -> str:
    text = json.dumps(data, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(text, 6, mtime=0)).decode()
