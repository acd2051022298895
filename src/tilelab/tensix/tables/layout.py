"""What a chip has besides Tensix tiles, as data: where everything is, and what a host finds.

Coordinates are those that programs and hosts use ("translated") unless a name says physical.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

Place = tuple[int, int]
"""Coordinates of a tile: x, y."""
MIB: Final = 1 << 20


@dataclass(frozen=True)
class Windows:
    """Windows of one size onto the NoC, one behind the other in BAR0 (TLBs)."""

    first: int
    """Number of the first."""
    count: int
    base: int
    """Offset of the first in BAR0."""
    size: int
    """Bytes, a power of two."""


@dataclass(frozen=True)
class HostSide:
    """The chip as a PCI device; offsets in bytes."""

    config: dict[int, int]
    """Words of configuration space, by offset."""
    bar0: int
    """Where the host finds the first window of memory."""
    bar2: int
    """Where it finds the address translation of what the chip reads and writes in host memory."""
    windows: tuple[Windows, ...]
    entries: int
    """Offset in BAR0 of the windows' entries."""
    entry_bytes: int
    address_bits: int
    """Bits of an address on the NoC; an entry holds those above the window's size."""
    noc_bits: int
    """Bits of an entry's NoC number; the multicast flag follows it."""
    registers: dict[int, int]
    """Words in BAR0 with a value from the start, by offset."""
    mailbox: int
    """Offset in BAR0 of ARC's message register, two words of arguments before it; 0: none."""
    mailbox_bell: int
    """Offset in BAR0 of the register whose write sends the message."""
    translation: int
    """Offset in BAR2 of the outbound regions."""


@dataclass(frozen=True)
class Member:
    """One of several chips, as its own firmware knows it."""

    number: int
    location: int
    """On its board: ASIC_LOCATION."""
    board: int
    """The board's number, 64 bits."""
    pcie: int
    """PCIE_USAGE: lanes that its board gives it."""


@dataclass(frozen=True)
class Several:
    """What is otherwise on a chip that has neighbours."""

    member: Callable[[int, int], Member]
    """The chip of a number among so many."""
    arc_words: Callable[[Member], dict[int, int]]
    """Words that its ARC firmware keeps."""
    link_words: Callable[[Member, int, Member, int], dict[int, int]]
    """What firmware leaves in an Ethernet tile whose link is up: chip and tile, the peer's."""
    wiring: Callable[[int], tuple[tuple[int, int, int, int], ...]]
    """The links of so many chips: chip, Ethernet tile, and the peer's."""
    boards: tuple[int, ...]
    """How many chips are boards that the vendor's software knows by themselves."""
    grid: Callable[[int], tuple[int, int]]
    """Rows and columns of so many chips, as programs see them."""
    stride: int
    """From one chip's addresses on the host to the next one's."""


@dataclass(frozen=True)
class Launch:
    """How a go message starts the first core of an Ethernet tile, which runs no firmware of ours.

    Addresses in its memory, offsets in a launch message, addresses of variables in its own RAM.
    """

    acknowledged: int
    """Signal of a go message that is answered at once."""
    signal: int
    """The signal that starts a kernel."""
    number: int
    """Address of the number of the launch message in use."""
    first: int
    """Address of the first one."""
    bytes: int
    base: int
    """Offset: where the kernel and its data are,"""
    text: int
    arguments: int
    """Offset of the kernel's text and (16 bits each) of its arguments and common ones, from there."""
    arguments_at: int
    """Own RAM: where the kernel finds its common arguments, and 4 bytes further its own."""
    place_at: int
    """Own RAM: y on both NoCs, and 4 bytes further x."""
    pointer: int
    """Global pointer."""


NO_LAUNCH: Final = Launch(*[0] * 11)


@dataclass(frozen=True)
class EthernetTiles:
    """Ethernet tiles: memory that a host's driver looks at. Cores run in step, or by a link."""

    places: tuple[Place, ...]
    memory: int
    """Bytes from address 0."""
    words: dict[int, int]
    """What the tiles' own firmware would have left, by address."""
    registers: tuple[int, ...]
    """Addresses of registers that keep what is written: where their cores would start."""
    reset_bits: int
    """Bits of the soft reset register that exist."""
    go_message: int
    """Address of the message by which a host starts firmware; answered at once."""
    columns: dict[int, int]
    """Physical column of each column, and row of each row, of those whose core a host starts."""
    rows: dict[int, int]
    unlinked_run: int
    """1: in step the core of every tile runs what the host loads (Wormhole)."""
    launch: Launch = NO_LAUNCH


@dataclass(frozen=True)
class Layout:
    """A chip's tiles."""

    columns: dict[int, int]
    """Physical column of each column of Tensix tiles."""
    rows: dict[int, int]
    """Physical row of each row of Tensix tiles."""
    dram: dict[Place, int]
    """Which bank each DRAM tile shows."""
    dram_bytes: int
    """Of one bank."""
    mirrored_below: int
    """Coordinates with x below this are physical and count from the other corner on NoC 1."""
    pcie: Place
    pcie_flag: int
    """Bit of an address of the PCIe tile that says host memory."""
    arc: Place
    arc_words: dict[int, int]
    """Words that the ARC processor's firmware keeps, by address."""
    ethernet: EthernetTiles
    host: HostSide
    several: Several | None = None
    """None: chips of this kind are not wired to each other here."""

    @property
    def tensix(self) -> tuple[Place, ...]:
        """The places of all Tensix tiles."""
        return tuple((x, y) for y in self.rows for x in self.columns)


def telemetry(tags: dict[int, int], table: int, values: int) -> dict[int, int]:
    """ARC's telemetry: a count, then a tag and an index per word, and the values."""
    words = {table: len(tags)}
    for index, (tag, value) in enumerate(tags.items()):
        words[table + 4 + 4 * index] = tag | index << 16
        words[values + 4 * index] = value
    return words
