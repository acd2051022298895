"""How busy each tile was over time: shares of equal parts of the recording."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.tensix.cycle import events
from tilelab.tensix.state import CORES
from tilelab.tensix.tables.causes import CORE_RETIRED
from tilelab.tensix.tables.layout import Place
from tilelab.trace.chip.recorded import ChipRecorded, Piece

Numbers = npt.NDArray[Any]
PARTS: Final = 320
"""Of the recording's time."""
KINDS: Final = {
    "tensix": "Tensix instructions issued in a cycle",
    "riscv": "RISC-V cores that execute",
    "noc": "bytes on the NoC in a cycle",
}


def activity(recorded: ChipRecorded, places: list[Place]) -> dict[str, Numbers]:
    """Of each kind a table of places and parts of the time."""
    edges = np.linspace(0, max(1, recorded.end), PARTS + 1)
    width = edges[1]
    made = {kind: np.zeros((len(places), PARTS)) for kind in KINDS}
    for place, pieces in recorded.pieces.items():
        row = places.index(place)
        for piece in pieces:
            found = piece.of(events.ISSUE)["clock"] + np.uint64(piece.start)
            made["tensix"][row] += np.histogram(found, edges)[0] / width
            for core in range(CORES):
                made["riscv"][row] += np.diff(_executed(piece, core, edges)) / width
    requests = recorded.requests
    size = size_of(requests)
    for row, place in enumerate(places):
        number = place[0] | place[1] << 6
        mine = (requests["from"] == number) | (requests["to"] == number)
        moved, _ = np.histogram(requests["clock"][mine], edges, weights=size[mine])
        made["noc"][row] = moved / width
    return made


def _executed(piece: Piece, core: int, edges: Numbers) -> Numbers:
    """In how many cycles a core had executed an instruction up to each of some clocks."""
    spans = piece.states(events.CORE, core)
    if not spans:
        return np.zeros(len(edges))
    starts = np.array([span.start for span in spans] + [spans[-1].end]) + piece.start
    active = np.array([span.value == CORE_RETIRED for span in spans])
    done = np.concatenate([[0], np.cumsum(np.diff(starts) * active)])
    made: Numbers = np.interp(edges, starts, done)
    return made


def size_of(requests: Numbers) -> Numbers:
    """Bytes that requests move; an atomic and an inline write move a word."""
    plain = (requests["control"] & 3 != 1) & (requests["control"] & 8 == 0)
    return np.where(plain, requests["length"], 4)
