"""The drop-in library of several chips, as the vendor's host software calls it."""

import ctypes
import os
import sys
from pathlib import Path

import pytest

from chips_program import (
    BYTES,
    DATA,
    FLAG,
    PLACE,
    SENDS,
    TAKES,
    THERE,
    send_bytes,
    send_word,
    start,
)
from riscv_program import store, wait_for
from tilelab.bench.traffic import aim
from tilelab.tensix.arch import arch
from tilelab.tensix.tables.layout import Place
from tilelab.vendor.library.folder import lay_out

LINUX = sys.platform == "linux" and os.uname().machine == "x86_64"
pytestmark = pytest.mark.skipif(not LINUX, reason="the library is made for x86-64 Linux")
U64 = ctypes.c_uint64
ABOUT = arch("blackhole").layout.host


class OneOf:
    """One of a library's chips, through its windows."""

    def __init__(self, library: ctypes.CDLL, number: int) -> None:
        self.library, self.first = library, number << 36

    def write(self, place: Place, address: int, data: bytes) -> None:
        self._write(self._aim(place, address), data)

    def read(self, place: Place, address: int, count: int) -> bytes:
        data = ctypes.create_string_buffer(count)
        where = self._aim(place, address)
        self.library.libttsim_pci_mem_rd_bytes(U64(self.first + where), data, count)
        self.library.libttsim_clock(1)
        return data.raw

    def poll(self, place: Place, address: int, wanted: bytes) -> None:
        found = b""
        for _ in range(2000):
            found = self.read(place, address, len(wanted))
            if found == wanted:
                return
        raise AssertionError(f"{address:#x} of {place} is {found!r}")

    def _aim(self, place: Place, address: int) -> int:
        where, aims = aim(ABOUT, place, address)
        for _, at, data in aims:
            self._write(at, data)
        return where

    def _write(self, at: int, data: bytes) -> None:
        self.library.libttsim_pci_mem_wr_bytes(U64(self.first + at), data, len(data))


def there_and_back(chips: list[OneOf]) -> None:
    """Bytes go to the other chip; there a word of them is stored, and all come back."""
    first, second = chips
    (_, place), (_, other) = SENDS, TAKES
    first.write(place, DATA, BYTES)
    second.write(PLACE, DATA, b"else")
    goes = [*send_bytes(DATA, 64, THERE), *send_word(FLAG, 1), *wait_for(FLAG, 2)]
    comes = [*wait_for(FLAG, 1), *store(THERE, 0x1234), *send_bytes(THERE, 64, THERE)]
    start(first, place, [*goes, *store(FLAG, 3)])
    start(second, other, [*comes, *send_word(FLAG, 2)])
    first.poll(place, FLAG, bytes([3, 0, 0, 0]))
    assert first.read(place, THERE, 64) == bytes([0x34, 0x12, 0, 0]) + BYTES[4:]
    assert first.read(PLACE, DATA, 4) == bytes(4)


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("in_step", [False, True], ids=["ahead", "in step"])
def test_chips_of_a_library_reach_each_other(
    in_step: bool, threads: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILELAB_THREADS", threads)
    at = lay_out(tmp_path, "blackhole", [PLACE], in_step=in_step, chips=2)
    library = ctypes.CDLL(str(at))
    read = library.libttsim_pci_config_rd32
    for _ in range(2):  # fresh after exit and init
        library.libttsim_init()
        assert [read(bdf, 0) & 0xFFFF for bdf in (0, 8, 1, 16)] == [0x1E52, 0x1E52, 0xFFFF, 0xFFFF]
        assert [read(bdf, 0x14) for bdf in (0, 8)] == [1, 0x11]
        there_and_back([OneOf(library, number) for number in range(2)])
        library.libttsim_exit()
