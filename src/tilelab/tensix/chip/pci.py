"""A chip as its host sees it: a PCI device with configuration space and two regions of memory.

BAR0 holds windows onto the NoC, aimed by entries of their own, and a few registers; BAR2 says where
in host memory what the chip reads and writes there is. The host's driver asks for a clock after
each read of a tile, and for nothing else to let time pass: the chip runs ahead then, until nothing
on it can change any more or :data:`AHEAD` rounds have passed.

Sources: the vendor's libttsim ABI and user-mode driver; tt-isa-documentation. Not modelled: BAR4,
interrupts, the chip's own DMA engine, ordering modes of windows, other devices.
"""

from collections.abc import Callable
from typing import Final

from tilelab.sim.errors import BadInputError
from tilelab.tensix.chip.chip import Chip
from tilelab.tensix.chip.network import low
from tilelab.tensix.chip.places import NoSuchPlaceError
from tilelab.tensix.tables.layout import Place, Windows

AHEAD: Final = 1 << 20
"""Rounds that the chip runs for one clock of the host."""
NO_DEVICE: Final = 0xFFFFFFFF
BAR_BYTES: Final = 1 << 29
REGIONS: Final = 8
REGION_BYTES: Final = 0x200
BASE, LIMIT, TARGET = 0x08, 0x10, 0x14
"""Of an outbound region, each followed by its upper half but the limit."""

ReadHost = Callable[[int, int], bytes]
WriteHost = Callable[[int, bytes], None]


class HostPlace:
    """The PCIe tile: host memory, through outbound regions and whoever stands for the host."""

    alignment = 1
    name = "host memory behind the PCIe tile"

    def __init__(self, bits: int) -> None:
        self.flag = 1 << bits
        self.registers: dict[int, int] = {}
        self.read_host: ReadHost | None = None
        self.write_host: WriteHost | None = None

    def _address(self, address: int, count: int) -> int:
        if not address & self.flag:
            raise NoSuchPlaceError(f"{address:#x} of the PCIe tile is not host memory")
        address &= self.flag - 1
        for region in range(REGIONS):
            at = region * REGION_BYTES
            words = {
                n: self.registers.get(at + n, 0) for n in (0x04, BASE, 0x0C, LIMIT, 0x14, 0x18)
            }
            base = words[BASE] | words[0x0C] << 32
            limit = words[0x0C] << 32 | words[LIMIT]
            if words[0x04] >> 31 and base <= address and address + count - 1 <= limit:
                return address - base + (words[TARGET] | words[0x18] << 32)
        raise NoSuchPlaceError(f"no outbound region holds {address:#x} of host memory")

    def read(self, address: int, count: int) -> bytes:
        """Read host memory."""
        if self.read_host is None:
            raise NoSuchPlaceError("there is no host memory")
        return self.read_host(self._address(address, count), count)

    def write(self, address: int, data: bytes) -> None:
        """Write host memory."""
        if self.write_host is None:
            raise NoSuchPlaceError("there is no host memory")
        self.write_host(self._address(address, len(data)), data)


class PciDevice:
    """A chip behind PCI; addresses are the host's physical ones, sizes bytes.

    BadInputError for an access to what is not there: it names the address.
    """

    def __init__(self, chip: Chip) -> None:
        self.chip = chip
        self.layout = chip.arch.layout
        self.about = self.layout.host
        self.host = HostPlace(self.layout.pcie_flag)
        chip.places[self.layout.pcie] = self.host
        self._entries = bytearray(self.about.entry_bytes * sum(w.count for w in self.about.windows))
        self._registers = dict(self.about.registers)
        self.clocks = 0

    def config_read(self, bdf: int, offset: int) -> int:
        """A word of configuration space; all ones where there is no device."""
        return self.about.config.get(offset, NO_DEVICE) if bdf == 0 else NO_DEVICE

    def clock(self, count: int) -> None:
        """Let time pass: what the host waits for happens now."""
        self.clocks += count
        self.chip.run(AHEAD)

    def read(self, address: int, count: int) -> bytes:
        """Read from a window, or a register."""
        offset = address - self.about.bar0
        if not 0 <= offset < BAR_BYTES:
            raise BadInputError(f"the host reads {count} bytes at {address:#x}: nothing is there")
        if window := self._window(offset, count):
            place, at, _ = self._aim(*window)
            return self.chip.read(place, at, count)
        if offset not in self._registers or count != 4:
            raise BadInputError(f"the host reads {count} bytes at BAR0 + {offset:#x}: not modelled")
        return self._registers[offset].to_bytes(4, "little")

    def write(self, address: int, data: bytes) -> None:
        """Write through a window, to a window's entry, to a register or an outbound region."""
        if 0 <= address - self.about.bar2 < BAR_BYTES:
            self._write_region(address - self.about.bar2, data)
            return
        offset = address - self.about.bar0
        if not 0 <= offset < BAR_BYTES:
            raise BadInputError(
                f"the host writes {len(data)} bytes at {address:#x}: nothing is there"
            )
        entry = offset - self.about.entries
        if window := self._window(offset, len(data)):
            place, at, broadcast = self._aim(*window)
            if broadcast is None:
                self.chip.write(place, at, data)
            else:
                for tile in self.chip.network.rectangle(0, broadcast):
                    tile.write(at, data)
        elif 0 <= entry <= len(self._entries) - len(data):
            self._entries[entry : entry + len(data)] = data
        else:
            self._write_register(offset, data)

    def _window(self, offset: int, count: int) -> tuple[Windows, int, int] | None:
        """The window, its number, and where in it, of an offset in BAR0."""
        for windows in self.about.windows:
            index, at = divmod(offset - windows.base, windows.size)
            if 0 <= index < windows.count:
                if at + count > windows.size:
                    raise BadInputError(f"{count} bytes at BAR0 + {offset:#x} leave their window")
                return windows, windows.first + index, at
        return None

    def _aim(self, windows: Windows, number: int, offset: int) -> tuple[Place, int, int | None]:
        """Where a window points: a place, an address there, and the rectangle of a broadcast."""
        size = self.about.entry_bytes
        entry = int.from_bytes(self._entries[number * size : (number + 1) * size], "little")
        shift = windows.size.bit_length() - 1
        bits = self.about.address_bits - shift
        address = (entry & (1 << bits) - 1) << shift | offset
        at = entry >> bits & 0xFFFFFF
        broadcast = entry >> bits + 24 + self.about.noc_bits & 1
        return low(at), address, at if broadcast else None

    def _write_region(self, offset: int, data: bytes) -> None:
        at = offset - self.about.translation
        if len(data) != 4 or not 0 <= at < REGIONS * REGION_BYTES:
            raise BadInputError(
                f"the host writes {len(data)} bytes at BAR2 + {offset:#x}: not modelled"
            )
        self.host.registers[at] = int.from_bytes(data, "little")

    def _write_register(self, offset: int, data: bytes) -> None:
        if offset not in self._registers or len(data) != 4:
            raise BadInputError(
                f"the host writes {len(data)} bytes at BAR0 + {offset:#x}: not modelled"
            )
        self._registers[offset] = int.from_bytes(data, "little")
        if offset == self.about.mailbox_bell:
            self._registers[offset] = 0
            message = self.about.mailbox
            self._registers[message] &= MESSAGE_CODE
            self._registers[message - 8] = self._registers[message - 4] = 0


MESSAGE_CODE: Final = 0xFF
"""ARC answers a message with its code, and a status of 0 above it."""
