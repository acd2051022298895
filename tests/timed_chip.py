"""Tiles of a chip under the cycle clock that stream to each other, and for how long."""

import numpy as np

from chip_program import READ, WRITE, at, counter, request, wait_register
from tilelab.chip.chip import REQUEST_NOTE, Chip
from tilelab.tensix.arch import arch
from tilelab.tensix.noc import niu as n
from tilelab.tensix.tables.layout import Place

LINE = {
    "blackhole": tuple((x, 2) for x in range(1, 8)),
    "wormhole": tuple((x, 18) for x in range(18, 22)),
}
"""Tiles in a row whose physical columns follow each other."""
KIB = 1024


def make(
    chip: str, places: tuple[Place, ...], clock: str = "cycle"
) -> tuple[Chip, list[np.ndarray]]:
    made = Chip(chip, places, clock=clock)
    noted: list[np.ndarray] = [np.empty(0, REQUEST_NOTE)]
    made.trace_requests(lambda batch: noted.append(batch.copy()))
    return made, noted


def writes(chip: str, own: Place, there: Place, size: int, count: int) -> list[int]:
    """A stream of writes and the barrier behind it."""
    one = request(arch(chip), WRITE, (0x10000, at(own)), (0x40000, at(there)), size)
    return [*one * count, *wait_register(counter(0, n.WRITE_ACKS), count)]


def reads(chip: str, own: Place, there: Place, size: int, count: int) -> list[int]:
    one = request(arch(chip), READ, (0x10000, at(there)), (0x40000, at(own)), size)
    return [*one * count, *wait_register(counter(0, n.READ_RESPONSES), count)]


def ended(chip: Chip, noted: list[np.ndarray], place: Place) -> int:
    """From when a tile first asked to when its last request was over, in cycles."""
    found = np.concatenate(noted)
    mine = found[found["tile"] == list(chip.tiles).index(place)]
    return int((mine["clock"] + mine["took"]).max() - mine["clock"].min())
