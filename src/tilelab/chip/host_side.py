"""The chip's side of PCI: windows onto the NoC, registers, and what maps host memory.

Addresses are the host's physical ones. Sources: the vendor's libttsim ABI and user-mode driver;
tt-isa-documentation. Not modelled: BAR4, interrupts, the chip's own DMA engine, ordering modes of
windows, other devices.
"""

from typing import Final

from tilelab.chip import problems
from tilelab.chip.answers import (
    REGISTERS,
    index_of,
    put_word,
    read_place,
    word_of,
    write_place,
)
from tilelab.chip.network import in_rectangle
from tilelab.chip.problems import report
from tilelab.chip.state import (
    ARC,
    ENTRY_BYTES,
    REGION_WORDS,
    REGIONS,
    STAGE,
    TENSIX,
    WANT_RUN,
    ChipState,
)
from tilelab.sim.kernel import OK, kernel

BAR_BYTES: Final = 1 << 29
COORDINATES: Final = 0xFFFFFF
MESSAGE_CODE: Final = 0xFF
"""ARC answers a message with its code, and a status of 0 above it."""


@kernel
def entry_bits(c: ChipState, number: int, first: int, count: int) -> int:
    """Bits of a window's entry: they are in two words at most."""
    at = (number * c.arch.layout.host.entry_bytes >> 2) + (first >> 5)
    value = c.entry[at]
    if (first & 31) + count > 32:
        value |= c.entry[at + 1] << 32
    return value >> (first & 31) & ((1 << count) - 1)


@kernel
def window_at(c: ChipState, offset: int) -> int:
    """Which kind of window an offset in BAR0 is in, or -1."""
    for kind in range(c.windows):
        base = c.window_base[kind]
        if base <= offset < base + (c.window_count[kind] << c.window_shift[kind]):
            return kind
    return -1


@kernel
def host_read(c: ChipState, place: int, address: int, count: int) -> int:
    """Read into the stage what is at a place, for the host: as ``places.read_place``, or WANT_RUN.

    Time that the host has let pass may as well pass later, as long as nobody can tell: tiles that
    are to run can change anything but registers of one that sleeps, and what ARC says.
    """
    if c.due and (c.awake or c.others) and c.kind[place] != ARC:
        sleeps = c.kind[place] == TENSIX and not c.is_awake[c.index[place]] and not c.events
        if not sleeps or address < REGISTERS:
            return WANT_RUN
    return read_place(c, place, address, count)


@kernel
def through_window(c: ChipState, kind: int, offset: int, count: int, writes: int) -> int:
    """Read into the stage, or write from it, where a window points."""
    shift = c.window_shift[kind]
    inside = offset - c.window_base[kind]
    number = c.window_first[kind] + (inside >> shift)
    inside &= (1 << shift) - 1
    if inside + count > 1 << shift:
        return report(c, problems.LEAVES_WINDOW, 0, offset, count)
    bits = c.arch.layout.host.address_bits - shift
    address = entry_bits(c, number, 0, bits) << shift | inside
    at = entry_bits(c, number, bits, 24)
    if not writes:
        return host_read(c, at & 0xFFF, address, count)
    if not entry_bits(c, number, bits + 24 + c.arch.layout.host.noc_bits, 1):
        return write_place(c, at & 0xFFF, address, count)
    return broadcast(c, at, address, count)


@kernel
def broadcast(c: ChipState, at: int, address: int, count: int) -> int:
    """Write from the stage to all Tensix tiles of a rectangle."""
    for i in range(c.tiles):
        if in_rectangle(c, 0, at, i):
            code = write_place(c, c.place_of[i], address, count)
            if code != OK:
                return code
    return OK


@kernel
def host_register(c: ChipState, offset: int, count: int) -> int:
    """The number of a register in BAR0, or -1."""
    return index_of(c.host_offset, c.host_registers, offset) if count == 4 else -1


@kernel
def pci_read(c: ChipState, address: int, count: int) -> int:
    """Read into the stage from a window, or a register: OK, PROBLEM or WANT_RUN."""
    offset = address - c.arch.layout.host.bar0
    if not 0 <= offset < BAR_BYTES:
        return report(c, problems.NOTHING_THERE, 0, address, count)
    if not 0 < count <= STAGE:
        return report(c, problems.TOO_LONG, 0, address, count)
    kind = window_at(c, offset)
    if kind >= 0:
        return through_window(c, kind, offset, count, 0)
    number = host_register(c, offset, count)
    if number < 0:
        return report(c, problems.HOST_REGISTER, 0, offset, count)
    return put_word(c, 0, c.host_register[number])


@kernel
def pci_write(c: ChipState, address: int, count: int) -> int:
    """Write the stage through a window, to a window's entry, to a register or an outbound region.

    OK or PROBLEM.
    """
    if not 0 < count <= STAGE:
        return report(c, problems.TOO_LONG, 0, address, count)
    if 0 <= address - c.arch.layout.host.bar2 < BAR_BYTES:
        return write_region(c, address - c.arch.layout.host.bar2, count)
    offset = address - c.arch.layout.host.bar0
    if not 0 <= offset < BAR_BYTES:
        return report(c, problems.NOTHING_THERE, 0, address, count)
    entry = offset - c.arch.layout.host.entries
    if entry >= 0 and entry + count <= ENTRY_BYTES:
        return write_entries(c, entry, count)
    kind = window_at(c, offset)
    if kind >= 0:
        return through_window(c, kind, offset, count, 1)
    return write_register(c, offset, count)


@kernel
def write_entries(c: ChipState, at: int, count: int) -> int:
    """Write bytes of windows' entries: OK."""
    if count == 4 and not at & 3:
        c.entry[at >> 2] = word_of(c, 0)
        return OK
    for i in range(count):
        word, shift = (at + i) >> 2, 8 * ((at + i) & 3)
        c.entry[word] = c.entry[word] & ~(0xFF << shift) | c.stage[i] << shift
    return OK


@kernel
def write_region(c: ChipState, offset: int, count: int) -> int:
    """Write a word of an outbound region."""
    at = offset - c.arch.layout.host.translation
    if count != 4 or at & 3 or not 0 <= at < REGIONS * REGION_WORDS * 4:
        return report(c, problems.HOST_REGION, 0, offset, count)
    c.region[(at >> 2) // REGION_WORDS, (at >> 2) % REGION_WORDS] = word_of(c, 0)
    return OK


@kernel
def write_register(c: ChipState, offset: int, count: int) -> int:
    """Write a register in BAR0; the mailbox's bell has ARC answer at once, with success."""
    number = host_register(c, offset, count)
    if number < 0:
        return report(c, problems.HOST_REGISTER, 0, offset, count)
    c.host_register[number] = word_of(c, 0)
    if offset == c.arch.layout.host.mailbox_bell:
        c.host_register[number] = 0
        message = host_register(c, c.arch.layout.host.mailbox, 4)
        c.host_register[message] &= MESSAGE_CODE
        for back in range(4, 12, 4):
            argument = host_register(c, c.arch.layout.host.mailbox - back, 4)
            c.host_register[argument] = 0
    return OK
