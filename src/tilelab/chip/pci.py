"""A chip as its host sees it: a PCI device with configuration space and two regions of memory.

BAR0 holds windows onto the NoC, aimed by entries of their own, and a few registers; BAR2 says where
in host memory what the chip reads and writes there is. The host's driver asks for a clock after
each read of a tile, and for nothing else to let time pass: the chip runs ahead then, until nothing
on it can change any more or :data:`AHEAD` rounds have passed. ``host_side`` has the rest.
"""

from collections.abc import Sequence
from typing import Final, NoReturn, Protocol

from tilelab.chip import problems
from tilelab.chip.chip import Chip
from tilelab.chip.problems import sentence
from tilelab.chip.several import QUIET, Chips
from tilelab.chip.state import PROBLEM, STAGE
from tilelab.sim.checks import CHECKS
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tables.layout import Place

AHEAD: Final = 1 << 20
"""Rounds that the chip runs for one clock of the host."""
FUNCTION_BITS: Final = 3
"""Of a bus address: one device has one function."""
BAR_HIGH: Final = (0x14, 0x1C, 0x24)
"""Words of configuration space with the upper halves of addresses."""
ALONE: Final = 1 << 64
NO_DEVICE: Final = 0xFFFFFFFF
ODD_OFFSET: Final = "the host reads configuration space at an offset that is no multiple of 4"


class Device(Protocol):
    """A chip as a bus reaches it, wherever it is; as :class:`PciDevice`."""

    def read(self, address: int, count: int) -> bytes: ...  # noqa: D102
    def write(self, address: int, data: bytes) -> None: ...  # noqa: D102
    def tile_read(self, place: Place, address: int, count: int) -> bytes: ...  # noqa: D102
    def tile_write(self, place: Place, address: int, data: bytes) -> None: ...  # noqa: D102
    def broadcast(self, corners: tuple[Place, Place], address: int, data: bytes) -> None: ...  # noqa: D102


class PciDevice:
    """A chip behind PCI; addresses are the host's physical ones, sizes bytes.

    BadInputError for an access to what is not there: it names the address.
    """

    def __init__(self, chip: Chip) -> None:
        self.chip = chip
        self.about = chip.arch.layout.host

    def read(self, address: int, count: int) -> bytes:
        """Read from a window, or a register."""
        data = b""
        while len(data) < count:
            size = min(STAGE, count - len(data))
            if self.chip.call("pci_read", address + len(data), size) == PROBLEM:
                self._refuse("reads", size)
            data += self.chip.memory.stage[:size].tobytes()
        return data

    def write(self, address: int, data: bytes) -> None:
        """Write through a window, to a window's entry, to a register or an outbound region."""
        for at, size in self.chip.staged(address, data):
            if self.chip.call("pci_write", at, size) == PROBLEM:
                self._refuse("writes", size)

    def tile_read(self, place: Place, address: int, count: int) -> bytes:
        """Read at a place of the NoC: as :class:`Chip`."""
        return self.chip.read(place, address, count)

    def tile_write(self, place: Place, address: int, data: bytes) -> None:
        """Write there."""
        self.chip.write(place, address, data)

    def broadcast(self, corners: tuple[Place, Place], address: int, data: bytes) -> None:
        """Write to all Tensix tiles of a rectangle."""
        self.chip.broadcast(corners, address, data)

    def _refuse(self, does: str, count: int) -> NoReturn:
        raise BadInputError(refusal(self.chip, does, count))


class PciBus:
    """Several chips as a host sees them: devices at one function each, their addresses a stride
    apart. Errors as :class:`PciDevice`.
    """

    def __init__(self, chips: Chips, devices: Sequence[Device] = ()) -> None:
        self.chips = chips
        self.devices = tuple(devices) or tuple(PciDevice(chip) for chip in chips.chips)
        self.about = chips.arch.layout.host
        several = chips.arch.layout.several
        self.stride = several.stride if several else ALONE
        self.clocks = 0

    def config_read(self, bdf: int, offset: int) -> int:
        """A word of configuration space; all ones where there is no device.

        BadInputError for an offset that is no multiple of 4.
        """
        number = bdf >> FUNCTION_BITS
        if bdf & ((1 << FUNCTION_BITS) - 1) or number >= len(self.devices):
            return NO_DEVICE
        if offset & 3:
            raise BadInputError(f"{ODD_OFFSET}: {offset:#x}")
        word = self.about.config.get(offset, NO_DEVICE)
        return word + (number * self.stride >> 32) if offset in BAR_HIGH else word

    def clock(self, count: int) -> None:
        """Let time pass: what the host waits for happens now."""
        self.clocks += count
        if not self.chips.in_step:
            self.chips.run(AHEAD, QUIET)
            return
        for _ in range(count):
            self.chips.clock()

    def at(self, address: int) -> tuple[Device, int]:
        """The device that an address is of, and the address on a machine of it alone."""
        number, inside = divmod(address, self.stride)
        if number >= len(self.devices):
            return self.devices[0], address
        return self.devices[number], inside

    def read(self, address: int, count: int) -> bytes:
        """Read from a device's window, or a register."""
        device, inside = self.at(address)
        return device.read(inside, count)

    def write(self, address: int, data: bytes) -> None:
        """Write to a device: as PciDevice."""
        device, inside = self.at(address)
        device.write(inside, data)


def refusal(chip: Chip, does: str, count: int) -> str:
    """What is wrong with an access of the host."""
    c = chip.c
    if isinstance(CHECKS[c.problem], problems.HostCheck):
        return f"the host {does} {count} bytes at {sentence(c)}"
    place = f"{c.problem_place & 63},{c.problem_place >> 6}"
    return f"the host {does} {count} bytes at {c.problem_address:#x} of {place}: {sentence(c)}"
