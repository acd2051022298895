"""Says what became of a chip in the drop-in library, which hands over a copy of its memory.

``python -m tilelab.vendor.library.explain CHIP``, with that copy as descriptor 3 (``shim.c``
writes it). What the host did wrong, and what a program on the chip did wrong, is one message on
stderr; a report of what ran is a file.
"""

import json
import os
import struct
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from tilelab.chip import chip as one
from tilelab.chip.chip import Chip, tile_report
from tilelab.chip.pci import refusal
from tilelab.chip.programs import Finder
from tilelab.chip.running import running_program
from tilelab.chip.several import members
from tilelab.chip.state import CHIP, PROBLEM
from tilelab.chip.waiting import who_waits
from tilelab.sim.errors import TilelabError
from tilelab.tensix.arch import arch
from tilelab.tensix.state import state_type
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.origin import pushed_at, pusher

COPY: Final = 3
HEADER: Final = struct.Struct("<qqqqq")
FACTS: Final = struct.Struct("<qqq")
RUN, READ, WRITE, REPORTED, STUCK = range(5)
"""What the chip was asked for: to run, to answer an access, to say what it did, who waits."""
REPORT: Final = "TILELAB_CHIP_REPORT"
"""Environment variable: a file in which to say at the end what ran."""


def chip_text(arch: str, tiles: list[tuple[int, int]] | None, in_step: bool, chips: int = 1) -> str:
    """How the library names its chips to this process."""
    about = {"arch": arch, "tiles": tiles, "in_step": in_step, "chips": chips}
    return json.dumps(about, separators=(",", ":"))


def parse_chip(text: str, number: int = 0) -> Chip:
    """A chip of those that :func:`chip_text` named; it is looked at, not run."""
    about = json.loads(text)
    tiles = about["tiles"]
    chosen = None if tiles is None else [(x, y) for x, y in tiles]
    among = members(arch(about["arch"]), about["chips"], None)[number]
    return Chip(about["arch"], chosen, "reference", in_step=about["in_step"], among=among)


def fill(chip: Chip, data: memoryview, whole: bool) -> None:
    """Take over a copy: the chip's record, each tile's, and L1 of the tile whose turn it is.

    ``whole``: each tile's record is followed by its L1.
    """
    chip.memory.record[...] = np.frombuffer(data[: CHIP.itemsize], CHIP)[0]
    at = CHIP.itemsize
    for _name, tile in chip.running:
        kind = tile.state.record.dtype
        tile.state.record[...] = np.frombuffer(data[at : at + kind.itemsize], kind)[0]
        at += kind.itemsize
        if whole:
            at += _fill_code(tile, data[at:])
    if not whole:
        number = chip.c.turn if chip.c.turn < len(chip.running) else 0
        _fill_code(chip.running[number][1], data[at:])


def _fill_code(tile: Tile, data: memoryview) -> int:
    """Take over L1 (and NCRISC's memory behind it); how many bytes that are."""
    code = tile.state.code
    code[...] = np.frombuffer(data[: code.size], np.uint8)
    return int(code.size)


def find_program(chip: Chip, code: int) -> None:
    """Find what the core runs that did something wrong, for the report to name the line."""
    _name, tile = chip.running[chip.c.turn]
    if code == PROBLEM:
        noc = tile.state.s.noc
        request = noc.request[chip.c.next % (noc.requests or len(noc.request))]
        core, pc = request.core, request.pc
    else:
        origin = int(tile.state.s.engine.fault_origin)
        core, pc = pusher(origin), pushed_at(origin)
    program = running_program(tile.state, core, pc)
    if program:
        tile.sources.programs[core] = program


def report(text: str, data: memoryview) -> dict[str, Any]:
    """What ran on all chips: as :meth:`Chip.report`, of any but the first with its number."""
    about = json.loads(text)
    profile = arch(about["arch"])
    places = profile.layout.tensix if about["tiles"] is None else about["tiles"]
    kinds = [state_type(profile)[part] for part in one.REPORTED]
    said: dict[str, Any] = {"arch": profile.name, "rounds": 0, "noc_requests": 0, "tiles": []}
    for number in range(about["chips"]):
        rounds, requests, states = FACTS.unpack_from(data)
        data = data[FACTS.size :]
        said["rounds"] = max(said["rounds"], rounds)
        said["noc_requests"] += requests
        which = {"chip": number} if number else {}
        for i in range(states):
            parts = []
            for kind in kinds:
                parts.append(np.frombuffer(data[: kind.itemsize], kind.base).reshape(kind.shape))
                data = data[kind.itemsize :]
            if i < len(places):
                said["tiles"] += [ran | which for ran in tile_report(places[i], *parts)]
    return said


def say_who_waits(chip: Chip) -> None:
    """Say which kernels wait for what, if any does."""
    lines = who_waits(chip.running, Finder().runs_kernel)
    if lines:
        print("tilelab: the host polls, and nothing on the chip can change:", file=sys.stderr)
        print("\n".join(f"  {line}" for line in lines), file=sys.stderr)


def main(argv: list[str]) -> int:
    """Explain one chip; the exit code is 1 if something was wrong with it."""
    with open(COPY, "rb") as file:
        file.seek(0)
        data = file.read()
    kind, code, _address, size, number = HEADER.unpack_from(data)
    if kind == REPORTED:
        said = report(argv[0], memoryview(data)[HEADER.size :])
        Path(os.environ[REPORT]).write_text(json.dumps(said), encoding="utf-8")
        return 0
    chip = parse_chip(argv[0], number)
    fill(chip, memoryview(data)[HEADER.size :], kind == STUCK)
    if kind == STUCK:
        say_who_waits(chip)
        return 0
    if kind in (READ, WRITE):
        does = "reads" if kind == READ else "writes"
        print(f"tilelab: {refusal(chip, does, size)}", file=sys.stderr)
        return 1
    find_program(chip, code)
    try:
        chip.fail(code)
    except TilelabError as error:
        notes = "".join(f" ({note})" for note in getattr(error, "__notes__", []))
        print(f"tilelab: {error.summary}{notes}", file=sys.stderr)
        if error.detail:
            print(error.detail, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
