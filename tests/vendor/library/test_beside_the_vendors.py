"""A chip in step beside the vendor's simulator: the same calls have the same replies in each clock.

Random programs of two tiles; what the vendor's simulator does not do ends its process, and is
passed over. TILELAB_TTSIM names the folder of its libraries.
"""

import ctypes
import os
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from chip.random_programs import CLOCKS, CORES, DATA, FLAGS, Writer, act
from chip_program import CHIPS, PLACES, RESET_BITS, SOFT_RESET, boot
from riscv_program import INSTRN_BUF, store
from tilelab.bench.ttsim import LIBRARIES
from tilelab.tensix import ops
from tilelab.tensix.arch import arch
from tilelab.tensix.tables.layout import Place
from tilelab.vendor.library.folder import lay_out

VENDORS = os.environ.get("TILELAB_TTSIM", "")
SEEDS = range(16)
REGISTERS = 0xFFB00000
TRISC0 = 0


class Host:
    """A host that reaches tiles through windows, by a library's calls alone."""

    def __init__(self, library: Path, chip: str) -> None:
        self.made = ctypes.CDLL(str(library))
        for name in ("rd", "wr"):
            call = getattr(self.made, f"libttsim_pci_mem_{name}_bytes")
            call.argtypes = [ctypes.c_uint64, ctypes.c_char_p, ctypes.c_uint32]
        self.made.libttsim_init()
        self.side = arch(chip).layout.host
        self.windows = self.side.windows[-1]
        self.open = {
            (place, base): self._window(2 * number + half, place, base)
            for number, place in enumerate(PLACES[chip])
            for half, base in enumerate((0, REGISTERS & -self.windows.size))
        }

    def _window(self, number: int, place: Place, base: int) -> int:
        """Point a window to a tile; where it begins."""
        bits = self.side.address_bits - (self.windows.size.bit_length() - 1)
        entry = base // self.windows.size | (place[0] | place[1] << 6) << bits
        at = self.side.entries + self.side.entry_bytes * (self.windows.first + number)
        for word in range(self.side.entry_bytes // 4):
            part = entry >> 32 * word & 0xFFFFFFFF
            self._put(self.side.bar0 + at + 4 * word, part.to_bytes(4, "little"))
        return self.side.bar0 + self.windows.base + number * self.windows.size

    def _put(self, address: int, data: bytes) -> None:
        self.made.libttsim_pci_mem_wr_bytes(address, data, len(data))

    def _at(self, place: Place, address: int) -> int:
        base = address & -self.windows.size if address >= REGISTERS else 0
        return self.open[place, base] + address - base

    def read(self, place: Place, address: int, count: int) -> bytes:
        data = ctypes.create_string_buffer(count)
        self.made.libttsim_pci_mem_rd_bytes(self._at(place, address), data, count)
        return data.raw

    def write(self, place: Place, address: int, data: bytes) -> None:
        self._put(self._at(place, address), bytes(data))

    def clock(self) -> None:
        self.made.libttsim_clock(1)


def prepare(host: Host, place: Place) -> None:
    """Make L1 known, and let a semaphore hold all that is posted."""
    host.write(place, 0, bytes(0x14000))
    boot(host, place, {TRISC0: store(INSTRN_BUF, ops.TT_OP_SEMINIT(15, 0, 1))})
    for _ in range(60):
        host.clock()
    reset = int.from_bytes(host.read(place, SOFT_RESET, 4), "little") | 1 << RESET_BITS[TRISC0]
    host.write(place, SOFT_RESET, reset.to_bytes(4, "little"))


def replies(library: Path, chip: str, seed: int) -> list[bytes]:
    host, writer, places = Host(library, chip), Writer(seed, chip, common=True), PLACES[chip][:2]
    for place in places:
        prepare(host, place)
    for number, place in enumerate(places):
        boot(host, place, {core: writer.program(core, number) for core in range(CORES)})
    seen: list[bytes] = []
    for _ in range(CLOCKS):
        host.clock()
        if writer.random.random() < 0.08:
            act(host, places, writer.random, seen)
    return seen + [host.read(place, FLAGS, DATA + 0x800 - FLAGS) for place in places]


def in_a_process(
    function: Callable[[Path, str, int], list[bytes]], *arguments: object
) -> list[bytes] | None:
    """What a function returns; None if its process ended without it."""

    def send(pipe: Connection) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        pipe.send(function(*arguments))

    context = get_context("fork")
    mine, its = context.Pipe(duplex=False)
    process = context.Process(target=send, args=(its,))
    process.start()
    its.close()
    try:
        return mine.recv()
    except EOFError:
        return None
    finally:
        process.join()


@pytest.mark.skipif(not VENDORS, reason="TILELAB_TTSIM names no folder with the vendor's libraries")
@pytest.mark.parametrize("chip", CHIPS)
def test_random_programs_have_the_vendors_replies(chip: str, tmp_path: Path) -> None:
    ours = lay_out(tmp_path, chip, in_step=True)
    compared = 0
    for seed in SEEDS:
        expected = in_a_process(replies, Path(VENDORS) / LIBRARIES[chip], chip, seed)
        if expected is not None:
            assert in_a_process(replies, ours, chip, seed) == expected, f"seed {seed}"
            compared += 1
    assert compared > len(SEEDS) // 2
