"""The vendor's simulator, where ``TILELAB_TTSIM`` names a folder with its ``libttsim_bh.so``.

It is one global chip to a process and ends the process on an error. The interface is the vendor's
public C ABI (ttsim, docs/libttsim_api.md); a tile is reached through two windows of 2 MiB of the
first BAR.
"""

import ctypes
import os
from pathlib import Path
from typing import Any

from tilelab.bench.backends import UnableError
from tilelab.bench.work import CHIP

VARIABLE = "TILELAB_TTSIM"
LIBRARIES = {"blackhole": "libttsim_bh.so", "wormhole": "libttsim_wh.so"}
WINDOW, WINDOW_CONFIG, CONFIG_STRIDE = 1 << 21, 0x1FC00000, 12
TILE_X, TILE_Y = 1, 2
REGISTERS = 0xFFB00000
CLOCKS, MAX_CLOCKS = 500, 100_000_000


class TtsimHost:
    """A tile of the vendor's simulator."""

    def __init__(self, folder: Path, clocks: int = 0) -> None:
        self.clocks = clocks
        self.chip: Any = ctypes.CDLL(str(folder / LIBRARIES[CHIP]))
        self.chip.libttsim_pci_config_rd32.restype = ctypes.c_uint32
        for name in ("rd", "wr"):
            function = getattr(self.chip, f"libttsim_pci_mem_{name}_bytes")
            function.argtypes = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint32]
        self.chip.libttsim_clock.argtypes = [ctypes.c_uint32]
        self.chip.libttsim_init()
        low, high = (self.chip.libttsim_pci_config_rd32(0, at) for at in (0x10, 0x14))
        self.bar = low & ~0xF | high << 32
        for window, address in enumerate((0, REGISTERS)):
            for word, value in enumerate((address // WINDOW, (TILE_X | TILE_Y << 6) << 11, 0)):
                at = self.bar + WINDOW_CONFIG + CONFIG_STRIDE * window + 4 * word
                self._write(at, value.to_bytes(4, "little"))

    def _write(self, place: int, data: bytes) -> None:
        self.chip.libttsim_pci_mem_wr_bytes(place, data, len(data))

    def _read(self, place: int, count: int) -> bytes:
        data = ctypes.create_string_buffer(count)
        self.chip.libttsim_pci_mem_rd_bytes(place, data, count)
        return data.raw

    def _register(self, address: int) -> int:
        place: int = self.bar + WINDOW + address % WINDOW
        return place

    def _clock(self) -> None:
        if self.clocks:
            self.chip.libttsim_clock(self.clocks)

    def write(self, address: int, data: bytes) -> None:
        """Write L1."""
        self._write(self.bar + address, data)
        self._clock()

    def read(self, address: int, count: int) -> bytes:
        """Read L1."""
        data = self._read(self.bar + address, count)
        self._clock()
        return data

    def reg_write(self, address: int, value: int) -> None:
        """Write a tile register."""
        self._write(self._register(address), value.to_bytes(4, "little"))
        self._clock()

    def reg_read(self, address: int) -> int:
        """Read a tile register."""
        value = int.from_bytes(self._read(self._register(address), 4), "little")
        self._clock()
        return value

    def run_until(self, words: dict[int, int]) -> None:
        """Run until words of L1 have their values."""
        wanted = {at: value.to_bytes(4, "little") for at, value in words.items()}
        for _ in range(MAX_CLOCKS // CLOCKS):
            self.chip.libttsim_clock(CLOCKS)
            if all(self.read(at, 4) == value for at, value in wanted.items()):
                return
        raise UnableError(f"not done after {MAX_CLOCKS} clocks")


def folder() -> Path | None:
    """Where the vendor's simulator is, if the environment says so; UnableError if it is not."""
    named = os.environ.get(VARIABLE)
    if not named:
        return None
    if not (Path(named) / LIBRARIES[CHIP]).is_file():
        raise UnableError(f"{VARIABLE}={named}: there is no {LIBRARIES[CHIP]}")
    return Path(named)
