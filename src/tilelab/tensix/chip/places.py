"""What answers at a place of the NoC: Tensix tiles, DRAM, Ethernet, ARC, the host behind PCIe.

A place reads and writes bytes; whoever asks has split nothing yet, so a place says itself what it
cannot do, by raising :class:`NoSuchPlaceError` with what is wrong. The asker adds who it is.
"""

from collections.abc import Callable
from typing import Protocol

from tilelab.sim.checks import CHECKS
from tilelab.sim.kernel import OK
from tilelab.tensix.riscv.host import host_read, host_write
from tilelab.tensix.run.rounds import forget_stuck
from tilelab.tensix.tables.layout import EthernetTiles, Place
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, LOCAL_RAM, SOFT_RESET_0
from tilelab.tensix.tile import Tile

WORD_BYTES = 4
DRAM_PAGE = 1 << 16
REGISTERS = LOCAL_RAM
SOFT_RESET = DEBUG_REGISTERS + SOFT_RESET_0
FIRST_CORE = 1 << 11
"""Of an Ethernet tile: its firmware releases the others."""


class NoSuchPlaceError(Exception):
    """Nothing that is modelled answers an access; the text says what."""


class Answering(Protocol):
    """Something on the NoC."""

    name: str
    alignment: int
    """1: addresses are not checked (ARC, host); 16: L1; more: memory behind a controller."""

    def read(self, address: int, count: int) -> bytes:
        """Read bytes."""

    def write(self, address: int, data: bytes) -> None:
        """Write bytes."""


class TensixPlace:
    """A Tensix tile on the NoC; ``wake`` is called when something was written to it."""

    alignment = 16

    def __init__(self, place: Place, tile: Tile, wake: Callable[[], None]) -> None:
        self.place, self.tile, self._wake = place, tile, wake
        self.name = f"Tensix tile {place[0]},{place[1]}"
        self._l1 = tile.state.l1
        self._size = tile.arch.l1_size

    def _words(self, address: int, count: int) -> range:
        if address % WORD_BYTES or count % WORD_BYTES or not REGISTERS <= address < 1 << 32:
            raise NoSuchPlaceError(f"{count} bytes at {address:#x} of {self.name} do not exist")
        return range(address, address + count, WORD_BYTES)

    def _check(self, code: int) -> None:
        if code != OK:
            fault = self.tile.state.s.fault
            why = CHECKS[code].message.format(value=int(fault.value), value2=int(fault.value2))
            raise NoSuchPlaceError(f"{self.name}: {why}")

    def read(self, address: int, count: int) -> bytes:
        """Read L1, or whole registers."""
        if address + count <= self._size:
            return self._l1[address : address + count].tobytes()
        data = b""
        for at in self._words(address, count):
            code, value = host_read(self.tile.state.s, at)
            self._check(code)
            data += int(value).to_bytes(WORD_BYTES, "little")
        return data

    def write(self, address: int, data: bytes) -> None:
        """Write L1, or whole registers."""
        if address + len(data) <= self._size:
            self._l1[address : address + len(data)] = memoryview(data)
        else:
            for at in self._words(address, len(data)):
                word = int.from_bytes(data[at - address :][:WORD_BYTES], "little")
                self._check(host_write(self.tile.state.s, at, word))
        forget_stuck(self.tile.state.s)
        self._wake()


class DramPlace:
    """One bank of DRAM; memory exists where it was written to, and reads 0 elsewhere."""

    def __init__(self, bank: int, size: int, alignment: int) -> None:
        self.name, self.size, self.alignment = f"DRAM bank {bank}", size, alignment
        self.pages: dict[int, bytearray] = {}

    def _check(self, address: int, count: int) -> None:
        if address + count > self.size:
            raise NoSuchPlaceError(f"{count} bytes at {address:#x} are not within {self.name}")

    def read(self, address: int, count: int) -> bytes:
        """Read bytes."""
        self._check(address, count)
        parts = []
        while count:
            page, offset = divmod(address, DRAM_PAGE)
            n = min(count, DRAM_PAGE - offset)
            held = self.pages.get(page)
            parts.append(bytes(n) if held is None else bytes(held[offset : offset + n]))
            address, count = address + n, count - n
        return b"".join(parts)

    def write(self, address: int, data: bytes) -> None:
        """Write bytes."""
        self._check(address, len(data))
        at = 0
        while at < len(data):
            page, offset = divmod(address + at, DRAM_PAGE)
            n = min(len(data) - at, DRAM_PAGE - offset)
            held = self.pages.setdefault(page, bytearray(DRAM_PAGE))
            held[offset : offset + n] = data[at : at + n]
            at += n


class WordsPlace:
    """ARC: words that its firmware keeps, as constants that can be overwritten."""

    alignment = 1

    def __init__(self, name: str, words: dict[int, int]) -> None:
        self.name, self.words = name, dict(words)

    def read(self, address: int, count: int) -> bytes:
        """Read whole words; those that are not listed do not exist."""
        data = b""
        for at in range(address, address + count, WORD_BYTES):
            if at not in self.words:
                raise NoSuchPlaceError(f"nothing is modelled at {at:#x} of {self.name}")
            data += self.words[at].to_bytes(WORD_BYTES, "little")
        return data[:count]

    def write(self, address: int, data: bytes) -> None:
        """Write whole words."""
        self.read(address, len(data))
        for i in range(0, len(data), WORD_BYTES):
            self.words[address + i] = int.from_bytes(data[i : i + WORD_BYTES], "little")


class EthernetPlace:
    """An Ethernet tile as a driver sees it whose links are down: memory, and a few registers."""

    alignment = 16

    def __init__(self, place: Place, about: EthernetTiles) -> None:
        self.name, self.about = f"Ethernet tile {place[0]},{place[1]}", about
        self.memory = bytearray(about.memory)
        self.registers = {SOFT_RESET: about.reset_bits} | dict.fromkeys(about.registers, 0)
        for address, value in about.words.items():
            self.memory[address : address + WORD_BYTES] = value.to_bytes(WORD_BYTES, "little")

    def read(self, address: int, count: int) -> bytes:
        """Read memory, or a register."""
        if address + count <= len(self.memory):
            return bytes(self.memory[address : address + count])
        if address in self.registers and count == WORD_BYTES:
            return self.registers[address].to_bytes(WORD_BYTES, "little")
        raise NoSuchPlaceError(f"nothing is modelled at {address:#x} of {self.name}")

    def write(self, address: int, data: bytes) -> None:
        """Write memory or a register; a go message is answered as firmware would, at once."""
        if address + len(data) <= len(self.memory):
            self.memory[address : address + len(data)] = data
            if address == self.about.go_message:
                self.memory[address : address + WORD_BYTES] = bytes(WORD_BYTES)
        elif address in self.registers and len(data) == WORD_BYTES:
            value = int.from_bytes(data, "little")
            if address == SOFT_RESET:
                value = self.about.reset_bits & value if value & FIRST_CORE else 0
            self.registers[address] = value
        else:
            raise NoSuchPlaceError(f"nothing is modelled at {address:#x} of {self.name}")
