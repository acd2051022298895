"""The NoC and DRAM probes of mesham/tt-sim's ``perfbench`` (BSD-3), on a chip with a cycle clock.

``nocbench`` has flows of writes between tiles, ``dramratebench`` tiles that read DRAM at once; the
kernels are theirs, what they include and the host's side are ours. Tiles are where they were on the
cards (tt-sim's captured grids): rows and columns that were harvested have none.
"""

import csv
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilelab.calibrate import movers
from tilelab.calibrate.machine import RESULTS, NotRunError
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.programs import ARGUMENTS, Source, done_at
from tilelab.chip.chip import Chip
from tilelab.sim.errors import TilelabError
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.riscv.elf import program_of
from tilelab.tensix.tables.layout import Place

CORE: Final = "brisc"
DATAFLOW: Final = "DATAFLOW"
MOST_CYCLES: Final = 20_000_000
DATA, ARRIVALS, LANDING, LANDING_BYTES = 0x90000, 0x83000, 0xA0000, 0x20000
DRAM_AT, SLICE, SLICES = 0x100000, 1 << 20, 16
ROW_BYTES: Final = 4096
LARGEST: Final = 1 << 18
"""Bytes that a tile has room for, there and at what it writes to."""
TRANSACTIONS: Final = 64
"""Of a flow, in every row."""
PHYSICAL: Final = {
    "blackhole": ((1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16), tuple(range(2, 12))),
    "wormhole": ((1, 2, 3, 4, 6, 7, 8, 9), (1, 2, 4, 5, 7, 8, 9, 10)),
}
"""Columns and rows of the cards' tiles."""


@dataclass(frozen=True)
class Flow:
    """A tile that writes to another one; its peers begin when it does."""

    master: Place
    subordinate: Place


def places(arch: str) -> list[Place]:
    """The card's tiles, row by row, by the coordinates that programs use."""
    columns, rows = PHYSICAL[arch]
    return [_translated(arch, x, y) for y in rows for x in columns]


def _translated(arch: str, x: int, y: int) -> Place:
    """The coordinates that programs use, of physical ones."""
    layout = ARCHES[arch].layout
    column = {physical: x for x, physical in layout.columns.items()}
    row = {physical: y for y, physical in layout.rows.items()}
    return column[x], row[y]


def hops(arch: str, row: bool, column: bool) -> Flow:
    """A flow to a tile in another column, in another row, or both."""
    all_, width = places(arch), len(PHYSICAL[arch][0])
    return Flow(all_[0], all_[row + column * width])


def planned(bench: Perfbench, arch: str, point: str) -> list[Flow]:
    """The flows of a point of nocbench's plan for a chip; NotRunError if it has none."""
    path = f"perfbench/nocbench/noc-plan-{arch}.csv"
    text = bench.kernels.read(path)
    if text is None:
        raise NotRunError(f"needs {path}: --kernels with a checkout of mesham/tt-sim")
    lines = [line for line in text.decode().splitlines() if line and not line.startswith("#")]

    def place(cells: dict[str, str], who: str) -> Place:
        return _translated(arch, int(cells[f"{who}_px"]), int(cells[f"{who}_py"]))

    found = [cells for cells in csv.DictReader(lines) if cells["point"] == point]
    if not found:
        raise NotRunError(f"nocbench's plan has no point {point}")
    first = found[0]["run"]
    return [Flow(place(c, "mst"), place(c, "sub")) for c in found if c["run"] == first]


def program(bench: Perfbench, arch: str, source: Source) -> bytes:
    """A kernel's program for BRISC on NoC 0, with the vendor's headers where a checkout has them.

    Without them, with a stand-in of theirs.
    """
    mover = movers.Mover(source.files, source.name, CORE, 0)
    if movers.headers(bench, mover.needs) is None:
        return bench.image(source, arch, CORE, DATAFLOW)
    return movers.image(bench, arch, mover)


def written(bench: Perfbench, arch: str, flows: Sequence[Flow], size: int) -> list[int]:
    """Cycles in which each flow's transactions of so many bytes are written."""
    source, number = bench.source("nocbench/src/kernels", "dataflow/flow.cpp", "nocbench_layout.h")
    image = program(bench, arch, source)
    chip = Chip(arch, _tiles(flows), clock="cycle")
    masters = [flow.master for flow in flows]
    for index, flow in enumerate(flows):
        peers = [cell for place in masters if place != flow.master for cell in place]
        arguments = [RESULTS, DATA, 0, len(masters) - 1, index, *flow.subordinate]
        arguments += [TRANSACTIONS, size, number["NOCBENCH_DIR_WRITE"], 1, *peers]
        load(chip, flow.master, image, arguments)
    run(chip, masters)
    at, magic = number["NOCBENCH_R_CYCLES"], number["NOCBENCH_MAGIC"]
    return [result(chip, place, at, magic) for place in masters]


def _tiles(flows: Sequence[Flow]) -> list[Place]:
    return list(dict.fromkeys(place for flow in flows for place in (flow.master, flow.subordinate)))


def bank_places(arch: str) -> list[tuple[Place, int]]:
    """Where NoC 0 reads each bank of the vendor's allocator, and its offset there."""
    chip = ARCHES[arch]
    found = []
    for view in chip.soc.views:
        ports = [place for place, bank in chip.layout.dram.items() if bank == view.channel]
        found.append((ports[view.worker_endpoints[0]], view.offset))
    return found


def read_rate(bench: Perfbench, arch: str, readers: int, fanned: bool) -> float:
    """Bytes a cycle that so many tiles read, each a MiB, from one bank or from all."""
    source, number = bench.source(
        "dramratebench/src/kernels", "dataflow/dram_reader.cpp", "dramratebench_layout.h"
    )
    image = program(bench, arch, source)
    tiles = places(arch)[:readers]
    if len(tiles) < readers:
        raise NotRunError(f"{readers} readers: the card has {len(tiles)} tiles")
    banks = bank_places(arch)
    chip = Chip(arch, tiles, clock="cycle")
    peers = [cell for place in tiles for cell in place]
    for index, place in enumerate(tiles):
        bank = index % len(banks) if fanned else 0
        there, offset = banks[bank]
        address = DRAM_AT + offset + index % SLICES * SLICE
        tag = 0xDB000000 | bank << 8 | index % SLICES
        chip.write(there, address, struct.pack("<8I", *[tag] * 8))
        arguments = [RESULTS, ARRIVALS, LANDING, LANDING_BYTES, 0, index, readers]
        arguments += [SLICE // ROW_BYTES, ROW_BYTES, *there, address, SLICE, tag, 0, *peers]
        load(chip, place, image, arguments)
    run(chip, tiles)
    at, magic = number["DRAMRATEBENCH_R_CYCLES"], number["DRAMRATEBENCH_MAGIC"]
    return readers * SLICE / max(result(chip, place, at, magic) for place in tiles)


def read_burst(bench: Perfbench, arch: str, count: int, size: int, word: str) -> int:
    """A word that nocreadbench leaves of so many reads of so many bytes from a tile's L1."""
    source, number = bench.source(
        "nocreadbench/src/kernels", "dataflow/reader.cpp", "nocreadbench_layout.h"
    )
    image = movers.image(bench, arch, movers.Mover(source.files, source.name, CORE, 0))
    width = len(PHYSICAL[arch][0])
    own, there, witness = (places(arch)[at] for at in (0, width - 1, width + 1))
    chip = Chip(arch, [own, there, witness], clock="cycle")
    half = LANDING_BYTES // 2
    arguments = [RESULTS, DATA, 2 * half, 0, count, size, 0, 0, 1, 0, 1, 0, *witness, *there]
    load(chip, own, image, arguments)
    run(chip, [own])
    at, magic = number[f"NOCREADBENCH_R_{word}"], number["NOCREADBENCH_MAGIC"]
    return result(chip, own, at, magic)


def load(
    chip: Chip, place: Place, image: bytes, arguments: Sequence[int], core: str = CORE
) -> None:
    """Give a tile a core's program, its arguments, and where DRAM's banks are."""
    tile = chip.tiles[place]
    tile.load_programs({core: program_of(image, Path(f"{core}.elf"))})
    for at, words in (ARGUMENTS, arguments), (movers.BANKS, movers.bank_words(chip.arch.name)):
        tile.write(at, struct.pack(f"<{len(words)}I", *words))


def run(chip: Chip, tiles: Sequence[Place], core: str = CORE) -> None:
    """Start the tiles' programs and run until all are done; NotRunError if they fail."""
    for place in tiles:
        chip.tiles[place].start(core)
        chip.wake(place)
    try:
        chip.run(MOST_CYCLES)
    except TilelabError as error:
        raise NotRunError(f"the program failed: {error.summary}") from None
    for place in tiles:
        if chip.read(place, done_at(core), 4) != b"\1\0\0\0":
            raise NotRunError(f"the program of tile {place[0]},{place[1]} did not end")


def result(chip: Chip, place: Place, word: int, magic: int) -> int:
    """A word of a tile's results; NotRunError if its program left none."""
    if chip.read(place, RESULTS, 4) != magic.to_bytes(4, "little"):
        raise NotRunError("the program left no results")
    return int.from_bytes(chip.read(place, RESULTS + 4 * word, 4), "little")
