"""What a tile's compute kernel was given at each of its launches, and what it gave.

Recorded calls are played to a chip, a few rounds at a time. Pages are taken out of L1 when the
counters of a circular buffer say that they are there. Which core has filled or drained a buffer
is read from the records that firmware keeps for each core, where its symbols say that they are.

Not modelled: kernels that read a buffer that nobody has filled (a shard that lies there), or by
another way than by its counters.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

import numpy as np

from tilelab.chip.chip import Chip
from tilelab.chip.running import running_programs
from tilelab.elf.reader import Elf
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import read_file
from tilelab.tensix.tables.cores import CORE_IDS
from tilelab.tensix.tables.tile_registers import LOCAL_RAM
from tilelab.tensix.tile.tile import Tile
from tilelab.traffic.ahead import watch_ahead
from tilelab.traffic.calls import CallLog

BUFFERS: Final = 32
RECORD_WORDS: Final = 8
"""Of LocalCBInterface: size, limit, page, pages, read and write place, counts, a tile's place."""
UNIT: Final = 16
"""Bytes in which a TRISC's records count."""
MOST_ARGUMENTS: Final = 64
WATCHED: Final = ("trisc0", "trisc2", "brisc", "ncrisc")
COMPUTING: Final = ("trisc0", "trisc1", "trisc2")
ROUNDS: Final = 8
"""Between two looks: a page that is pushed is there at least until its core has pushed the next."""
LOOK_EVERY: Final = 16
"""Looks between two at which kernel runs."""


@dataclass(frozen=True)
class Ring:
    """A circular buffer as firmware has it: bytes, and pages that unpackers and packer moved."""

    address: int
    bytes: int
    page: int
    drained: int
    filled: int


@dataclass
class Launch:
    """One launch of a compute kernel: its folder among what the host compiled."""

    folder: Path
    runtime_args: list[int]
    common_runtime_args: list[int]
    rings: dict[int, Ring] = field(default_factory=dict)
    pages: dict[int, list[bytes]] = field(default_factory=dict)
    """Of each buffer the pages that were pushed, in order."""
    before: dict[int, list[bytes]] = field(default_factory=dict)
    """What lay in the place of each of these pages until then."""


class _Firmware:
    """Where firmware keeps its variables, by core."""

    def __init__(self, cache: Path) -> None:
        self._places: dict[str, dict[str, int]] = {}
        for core in WATCHED:
            found = sorted(cache.rglob(f"firmware/{core}/{core}.elf"))
            if not found:
                raise BadInputError(f"{cache}: has no firmware of {core}")
            elf = Elf(read_file(found[0]))
            self._places[core] = {each.name: each.value for each in elf.symbols()}

    def words(self, tile: Tile, core: str, name: str, first: int = 0, count: int = 1) -> list[int]:
        """Words of a variable in a core's own RAM."""
        at = (self._places[core][name] - LOCAL_RAM >> 2) + first
        ram = np.asarray(tile.state.s.riscv[CORE_IDS[core]].local_ram)
        return [int(word) for word in ram[at : at + count]]

    def record(self, tile: Tile, core: str, number: int) -> tuple[int, int, int, int]:
        """A buffer's first address, bytes, bytes of a page, and its two counts in one word."""
        words = self.words(tile, core, "cb_interface", RECORD_WORDS * number, RECORD_WORDS)
        unit = UNIT if core.startswith("trisc") else 1
        return (words[1] - words[0]) * unit, words[0] * unit, words[2] * unit, words[6]


class _Watch:
    """One tile's launches."""

    def __init__(self, tile: Tile, firmware: _Firmware) -> None:
        self.tile, self.firmware = tile, firmware
        self.noc = tile.state.s.noc
        self.done: list[Launch] = []
        self._begin()

    def _begin(self) -> None:
        """Nothing is known of the next launch."""
        self.received = np.zeros(BUFFERS, np.int64)
        self.pages: dict[int, list[bytes]] = {}
        self.before: dict[int, list[bytes]] = {}
        self.last = self.tile.state.l1.copy()
        """L1 as it was, but for what has been pushed since."""
        self.rings: dict[int, Ring] = {}
        self.found: dict[str, set[Path]] = {}
        self.arguments: tuple[list[int], list[int]] | None = None

    def look(self, clock: int) -> None:
        """After a few rounds: take what was pushed; close what has ended."""
        now = np.asarray(self.noc.stream_size)[:BUFFERS].astype(np.int64)
        if not np.array_equal(now, self.received):
            if (now < self.received).any():
                self.close()
            for number in np.flatnonzero(now > self.received):
                self._take(int(number), int(now[number] - self.received[number]))
            self.received = now.copy()
            self.rings = self._rings()
        if len(self.found) < len(COMPUTING) and clock % LOOK_EVERY == 0:
            self._identify()

    def _take(self, number: int, count: int) -> None:
        before = int(self.received[number])
        for core in ("ncrisc", "brisc", "trisc2"):
            start, size, page, _ = self.firmware.record(self.tile, core, number)
            if 0 < page <= size and start + size <= len(self.tile.state.l1):
                break
        else:
            return
        for index in range(before, before + count):
            at = start + index * page % size
            now, last = self.tile.state.l1[at : at + page], self.last[at : at + page]
            self.pages.setdefault(number, []).append(now.tobytes())
            self.before.setdefault(number, []).append(last.tobytes())
            last[:] = now

    def _identify(self) -> None:
        for core in COMPUTING:
            if core in self.found:
                continue
            number = CORE_IDS[core]
            pc = int(self.tile.state.s.riscv[number].pc)
            programs = running_programs(self.tile.state, number, pc)
            paths = [each.path for each in programs if "kernels" in each.path.parts]
            if paths:
                self.found[core] = {path.parent.parent for path in paths}
        if self.arguments is None and "trisc0" in self.found:
            self.arguments = self._arguments("rta_l1_base"), self._arguments("crta_l1_base")

    def _folder(self) -> Path | None:
        """The folder of the kernel: the one that has the code of all cores that were seen in it."""
        folders = set.intersection(*self.found.values()) if self.found else set()
        return max(folders, key=lambda folder: folder.stat().st_mtime, default=None)

    def _arguments(self, name: str) -> list[int]:
        """The words from an address on, up to where other arguments begin."""
        bases = [
            self.firmware.words(self.tile, core, base)[0]
            for core in WATCHED
            for base in ("rta_l1_base", "crta_l1_base")
        ]
        start = self.firmware.words(self.tile, "trisc0", name)[0]
        if not 0 < start < len(self.tile.state.l1):
            return []
        end = min([base for base in bases if base > start] + [start + 4 * MOST_ARGUMENTS])
        return [int(word) for word in self.tile.state.l1[start:end].view("<u4")]

    def close(self) -> None:
        """A launch has ended."""
        if (folder := self._folder()) is not None:
            launch = Launch(folder, *(self.arguments or ([], [])), {}, self.pages, self.before)
            for number, ring in self._rings().items():
                # the next launch may have placed its own by now
                last = self.rings.get(number, ring)
                same = (last.address, last.bytes, last.page) == (
                    ring.address,
                    ring.bytes,
                    ring.page,
                )
                launch.rings[number] = ring if same else last
            self.done.append(launch)
        self._begin()

    def _rings(self) -> dict[int, Ring]:
        """Circular buffers as the unpackers' core has them, and pages that the packer filled."""
        rings = {}
        for number in range(BUFFERS):
            start, size, page, counts = self.firmware.record(self.tile, "trisc0", number)
            if 0 < page <= size:
                filled = self.firmware.record(self.tile, "trisc2", number)[3] >> 16
                rings[number] = Ring(start, size, page, counts & 0xFFFF, filled)
        return rings


def launches(
    log: CallLog, cache: Path, show: Callable[[str], None] = lambda text: None
) -> Iterator[Launch]:
    """Play a program's calls; each launch of a compute kernel on the first tile that has one.

    ``cache`` is where the host keeps what it compiles. BadInputError where the chip's replies
    are not the recorded ones.
    """
    firmware = _Firmware(cache)
    chip = Chip(log.arch, log.tiles)
    chip.c.slice = ROUNDS
    watches = [_Watch(tile, firmware) for tile in chip.tiles.values()]
    looks = count()

    def look() -> None:
        number = next(looks)
        for watch in watches:
            watch.look(number)

    made = watch_ahead(log, chip, ROUNDS, look, show)
    if made.differences:
        raise BadInputError(f"{log.name}: played again, {made.differences[0]}")
    for watch in watches:
        watch.close()
        yield from watch.done
