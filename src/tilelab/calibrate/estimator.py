"""tt-metal's ``noc_latencies.yaml``: its kernels of ``noc_estimator``, each a zone of one tile.

The host's side is as ``test_noc_estimator.cpp`` has it: a tile, and its neighbour in the next row
of the same column, or of the next column; reads by NCRISC on NoC 1, writes by BRISC on NoC 0.
"""

import struct
from dataclasses import dataclass
from typing import Final

from tilelab.calibrate import chips, movers
from tilelab.calibrate.machine import NotRunError
from tilelab.calibrate.perfbench import Perfbench
from tilelab.chip.chip import Chip

FOLDERS: Final = tuple(
    f"tests/tt_metal/tt_metal/data_movement/{name}/kernels"
    for name in ("noc_estimator_tests", "noc_estimator")
)
"""Where tt-metal has, or had, the kernels."""
HELPERS: Final = "log_helpers.hpp"
NEEDS: Final = "experimental/endpoints.h"
DATA: Final = 0x90000
ROOM: Final = 0x80000
"""Bytes of L1 that the data may take."""
DRAM_AT: Final = 0x100000
READ, WRITE, DRAM_READ = "reader.cpp", "writer.cpp", "dram_reader.cpp"
CORES: Final = {READ: "ncrisc", WRITE: "brisc", DRAM_READ: "ncrisc"}
NOCS: Final = {READ: 1, WRITE: 0, DRAM_READ: 1}


@dataclass(frozen=True)
class Transfers:
    """So many transactions of so many bytes behind one barrier."""

    kernel: str
    count: int
    size: int
    same_axis: bool = False
    stateful: bool = False


def zone(bench: Perfbench, arch: str, what: Transfers) -> int:
    """Cycles of the kernel's zone, the loop that asks and its barrier; NotRunError as it says."""
    if what.size > ROOM:
        raise NotRunError(f"a transaction of {what.size} bytes: at most {ROOM} have room")
    files = _files(bench, what.kernel)
    rows, width = chips.places(arch), len(chips.PHYSICAL[arch][0])
    own, other = rows[0], rows[width if what.same_axis else width + 1]
    arguments = _arguments(what, other)
    core = CORES[what.kernel]
    mover = movers.Mover(files, what.kernel, core, NOCS[what.kernel], arguments, NEEDS)
    image = movers.image(bench, arch, mover)
    chip = Chip(arch, [own, other], clock="cycle")
    chips.load(chip, own, image, other, core)
    chips.run(chip, [own], core)
    first, low, second, high = struct.unpack("<4I", chip.read(own, movers.ZONES, 16))
    if not first or not second:
        raise NotRunError("the kernel left no zone")
    return int(high - low & 0xFFFFFFFF)


def _files(bench: Perfbench, kernel: str) -> dict[str, bytes]:
    """The kernel and what it includes; NotRunError if no checkout has it."""
    for folder in FOLDERS:
        found = {name: bench.kernels.read(f"{folder}/{name}") for name in (kernel, HELPERS)}
        files = {name: content for name, content in found.items() if content is not None}
        if len(files) == len(found):
            return files
    raise NotRunError(f"needs {FOLDERS[0]}/{kernel}: --kernels with a checkout of tt-metal")


def _arguments(what: Transfers, other: tuple[int, int]) -> tuple[int, ...]:
    """What the host gives a kernel at compile time; what only its log has is 0."""
    if what.kernel == DRAM_READ:
        banks = 1
        return (DATA, DRAM_AT, what.count, what.size, 0, 0, banks, 1, 0, 0)
    if what.kernel == READ:
        return (DATA, what.count, what.size, 0, 0, 0, int(what.stateful), 1, *[0] * 5)
    packed = other[0] << 16 | other[1]
    stateful = (0, 0, 0, int(what.stateful), 1, *[0] * 5)
    return (DATA, DATA, what.count, what.size, *stateful, packed, *[0] * 5)
